//! What is shown in the place of a value that may hold a secret.

use crate::note_from::COMMAND;

/// What stands in the place of what is not shown.
const IN_ITS_PLACE: &str = "***";

/// Returns an address without the name and password of a user in it, and without its query.
///
/// It need not be a good address: whatever stands before the last `@`, behind the scheme, is not
/// shown, and neither is anything behind a `?` or `#`.
pub(crate) fn url(url: &str) -> String {
    let (place, query) = match url.find(['?', '#']).and_then(|at| url.split_at_checked(at)) {
        Some((place, rest)) => (place, rest.chars().next()),
        None => (url, None),
    };
    let (scheme, rest) = match place.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), place),
    };
    let rest = match rest.rsplit_once('@') {
        Some((_, host)) => format!("{IN_ITS_PLACE}@{host}"),
        None => rest.to_owned(),
    };
    let query = query.map_or_else(String::new, |mark| format!("{mark}{IN_ITS_PLACE}"));
    format!("{scheme}{rest}{query}")
}

/// Returns a source of notes as it is shown: an address [without secrets](url), and of a command
/// its first word, which says what is run, unless that sets a variable.
pub(crate) fn note_from(source: &str) -> String {
    match source.strip_prefix(COMMAND).map(str::trim) {
        None => url(source),
        Some(command) => match command.split_once(char::is_whitespace) {
            None if !command.contains('=') => source.to_owned(),
            Some((program, _)) if !program.contains('=') => {
                format!("{COMMAND}{program} {IN_ITS_PLACE}")
            }
            _ => format!("{COMMAND}{IN_ITS_PLACE}"),
        },
    }
}
