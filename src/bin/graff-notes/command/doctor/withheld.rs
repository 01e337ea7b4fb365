//! What is taken out of words before others read them: where the user is at home, and what the
//! environment calls a secret.

use std::{cmp::Reverse, env};

use camino::Utf8Path;

/// What stands in the place of the home folder.
const HOME: &str = "~";

/// What stands in the place of a secret.
const SECRET: &str = "***";

/// How a word ends in the name of a variable whose value is a secret.
const NAMES: [&str; 9] =
    ["KEY", "KEYS", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS", "AUTH"];

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
            is_of_a_secret(&name).then(|| value.trim().to_owned())
        });
        let mut secrets: Vec<_> =
            variables.filter(|value| value.len() >= SECRET_BYTES_MIN).collect();
        secrets.sort_by_key(|secret| Reverse(secret.len()));
        Self { homes, secrets }
    }

    /// Returns `text` without them.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
        let secrets = self.secrets.iter();
        let text = secrets.fold(text.to_owned(), |text, it| text.replace(it.as_str(), SECRET));
        self.homes.iter().fold(text, |text, home| without(&text, home))
    }
}

fn is_of_a_secret(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    variable.split('_').any(|word| NAMES.iter().any(|name| word.ends_with(name)))
}

/// Returns `text` without a folder. The name of another one may only begin as its own does.
fn without(text: &str, home: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once(home) {
        let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
        kept.push_str(before);
        kept.push_str(if goes_on { home } else { HOME });
        rest = behind;
    }
    kept + rest
}
