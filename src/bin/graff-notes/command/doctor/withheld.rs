//! What is taken out of words before others read them: where the user is at home, what the
//! environment calls a secret by the name of a variable, and who logs in at an address.
//!
//! A secret under another name, or in a file, is not known to be one and stays.

use std::{cmp::Reverse, env};

use camino::Utf8Path;

/// What stands in the place of the home folder.
const HOME: &str = "~";

/// What stands in the place of a secret.
const SECRET: &str = "***";

/// How a word ends in the name of a variable whose value is a secret.
const NAMES: [&str; 14] = [
    "KEY",
    "KEYS",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PAT",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
];

/// A shorter value is a word that other text may have, in bytes.
const SECRET_BYTES_MIN: usize = 6;

/// What others must not read.
#[derive(Debug)]
pub(super) struct Withheld {
    /// The home folder, as it is named and as it is.
    homes: Vec<String>,
    /// The longest first: one may be part of another.
    secrets: Vec<String>,
}

impl Withheld {
    pub(super) fn of_environment() -> Self {
        let home = env::var("HOME").unwrap_or_default();
        let home = Utf8Path::new(home.trim_end_matches('/'));
        let real = home.canonicalize_utf8().ok();
        let homes = [Some(home.to_owned()), real].into_iter().flatten();
        let homes = homes.map(camino::Utf8PathBuf::into_string);
        let homes = homes.filter(|home| home.len() > 1).collect();
        let variables = env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            is_of_a_secret(&name).then_some(value)
        });
        // Words are shown a line at a time.
        let lines = |value: String| value.lines().map(|line| line.trim().to_owned()).collect();
        let mut secrets: Vec<_> = variables.flat_map::<Vec<String>, _>(lines).collect();
        secrets.retain(|secret| secret.len() >= SECRET_BYTES_MIN);
        secrets.sort_by_key(|secret| Reverse(secret.len()));
        Self { homes, secrets }
    }

    /// Returns `text` without them.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
        let secrets = self.secrets.iter();
        let text = secrets.fold(text.to_owned(), |text, it| text.replace(it.as_str(), SECRET));
        let text = without_logins(&text);
        self.homes.iter().fold(text, |text, home| without(&text, home))
    }
}

fn is_of_a_secret(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    variable.split('_').any(|word| NAMES.iter().any(|name| word.ends_with(name)))
}

/// Returns `text` without what stands before the host of an address: a name, a password, a token.
fn without_logins(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once("://") {
        let ends = |c: char| c.is_whitespace() || "/?#\"'`<>".contains(c);
        let authority = behind.split(ends).next().unwrap_or_default();
        kept.extend([before, "://"]);
        rest = behind;
        if let Some((_, host)) = authority.rsplit_once('@') {
            kept.extend([SECRET, "@", host]);
            rest = behind.strip_prefix(authority).unwrap_or_default();
        }
    }
    kept + rest
}

/// Returns `text` without a folder. The path of another one may have its path in it, or begin as it
/// does.
fn without(text: &str, home: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    let is_named = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let mut last = None;
    while let Some((before, behind)) = rest.split_once(home) {
        let last_before = before.chars().next_back().or(last);
        let is_below = last_before.is_some_and(|c| is_named(c) || c == '.');
        let goes_on = behind.trim_start_matches('.').starts_with(is_named);
        kept.extend([before, if is_below || goes_on { home } else { HOME }]);
        (last, rest) = (home.chars().next_back(), behind);
    }
    kept + rest
}
