//! What is shown in the place of a value that may hold a secret.

use crate::note_from::{COMMAND, ENDPOINT};

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

/// Returns a command as it is shown: its first word, which says what is run, unless that sets a
/// variable; an address there goes [without secrets](url).
pub(crate) fn command(command: &str) -> String {
    match command.trim().split_once(char::is_whitespace) {
        None if !command.contains('=') => url(command),
        Some((program, _)) if !program.contains('=') => format!("{} {IN_ITS_PLACE}", url(program)),
        _ => IN_ITS_PLACE.to_owned(),
    }
}

/// Returns a source of notes as it is shown: an address or a command without secrets. What is
/// neither may be a command that lacks the word before it.
pub(crate) fn note_from(source: &str) -> String {
    if let Some(given) = source.strip_prefix(COMMAND) {
        return format!("{COMMAND}{}", command(given));
    }
    if source.starts_with(ENDPOINT) { url(source) } else { command(source) }
}
