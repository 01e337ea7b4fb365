//! What is shown in the place of a value that may hold a secret.
//!
//! Anything can be put into the wrong variable, so nothing is shown for not looking like a secret:
//! only what has the form of what is no secret.

use crate::note_from::{COMMAND, ENDPOINT};

/// What stands in the place of what is not shown.
const IN_ITS_PLACE: &str = "***";

/// The sources of notes that are one word.
const WORDS: [&str; 2] = ["mechanical", "stdin"];

/// Returns an address with its scheme and host alone.
///
/// It need not be a good address: what is no host for sure is not shown, nor is anything where a
/// name and a password may reach beyond the place that is theirs.
pub(crate) fn url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| is_web(scheme)) else {
        return IN_ITS_PLACE.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(end);
    let (user, host) = match authority.split_once('@') {
        Some((_, host)) => (format!("{IN_ITS_PLACE}@"), host),
        None => (String::new(), authority),
    };
    if !is_host(host) || behind.contains(['@', '＠']) {
        return format!("{scheme}://{IN_ITS_PLACE}");
    }
    let mark = behind.chars().next().map(|mark| format!("{mark}{IN_ITS_PLACE}"));
    format!("{scheme}://{user}{host}{}", mark.unwrap_or_default())
}

/// Returns a command as it is shown: its first word, which says what is run, where that is a plain
/// path.
pub(crate) fn command(command: &str) -> String {
    match command.trim().split_once(char::is_whitespace) {
        None if is_path(command.trim()) => command.trim().to_owned(),
        Some((program, _)) if is_path(program) => format!("{program} {IN_ITS_PLACE}"),
        _ => IN_ITS_PLACE.to_owned(),
    }
}

/// Returns a source of notes as it is shown: an address or a command without secrets. Of what is no
/// source only a word is shown that one may begin with.
pub(crate) fn note_from(source: &str) -> String {
    if let Some(given) = source.strip_prefix(COMMAND) {
        return format!("{COMMAND}{}", command(given));
    }
    if let Some(given) = source.strip_prefix(ENDPOINT) {
        return format!("{ENDPOINT}{}", url(given));
    }
    match source.split_once(':') {
        None if WORDS.contains(&source) => source.to_owned(),
        Some((word, _)) if WORDS.contains(&word) => format!("{word}:{IN_ITS_PLACE}"),
        _ => IN_ITS_PLACE.to_owned(),
    }
}

/// Returns a number as it is shown, and nothing of what is none.
pub(crate) fn number(number: &str) -> String {
    let is_one = number.parse::<f64>().is_ok();
    if is_one { number.to_owned() } else { IN_ITS_PLACE.to_owned() }
}

/// Returns whether an address of this scheme is one on the web.
pub(crate) fn is_web(scheme: &str) -> bool {
    ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it))
}

/// Returns whether it is a name or an address of a machine, with a port or without.
fn is_host(host: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let with_port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
    let name = with_port.map_or(host, |(name, _)| name);
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':'),
        None => name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)),
    }
}

fn is_path(word: &str) -> bool {
    let is_in_a_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    !word.is_empty() && word.bytes().all(is_in_a_path)
}
