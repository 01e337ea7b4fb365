//! The key to an endpoint, and what is said without it.

use std::env;

use super::Shape;

/// The variable with a key for any endpoint, which comes before those of the providers.
const VARIABLE: &str = "GRAFF_API_KEY";

/// The shortest key that is looked for in a reply, in bytes: providers' keys have 30 and more. What
/// is shorter is no secret but a word, such as `none` for a local server that takes any key, and a
/// note may have that word.
const SECRET_BYTES_MIN: usize = 16;

/// What stands in the place of a key.
const IN_ITS_PLACE: &str = "(the key)";

/// A key without the white space round it, or none.
#[derive(Clone)]
pub(super) struct Key(Option<String>);

impl Key {
    /// Returns the key that the environment has for endpoints of this shape; an error says why no
    /// header can have it.
    pub(super) fn of(shape: Shape) -> Result<Self, String> {
        let variables = [VARIABLE, shape.key_variable()].into_iter();
        let values = variables.filter_map(|it| Some((it, env::var(it).ok()?.trim().to_owned())));
        let key = values.into_iter().find(|(_, key)| !key.is_empty());
        match key {
            Some((variable, key)) if key.contains(char::is_control) => {
                Err(format!("the key in {variable} holds a control character, which no header may"))
            }
            key => Ok(Self(key.map(|(_, key)| key))),
        }
    }

    /// Returns the key as it goes into a header.
    pub(super) fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns what an endpoint says of trouble without the key: some name the one that they
    /// refuse.
    pub(super) fn out_of(&self, said: &str) -> String {
        let Some(key) = self.as_str() else { return said.to_owned() };
        let said = without(said, key);
        // Quoted as JSON, it may have its slashes escaped.
        if key.contains('/') { without(&said, &key.replace('/', r"\/")) } else { said }
    }

    /// Returns a model's reply without the key, where that is a secret.
    pub(super) fn out_of_reply(&self, reply: String) -> String {
        match self.as_str() {
            Some(key) if key.len() >= SECRET_BYTES_MIN => self.out_of(&reply),
            _ => reply,
        }
    }
}

/// Returns a text without a key. A short one is no secret but a word: it goes where it stands by
/// itself, and stays where it is a part of another.
fn without(said: &str, key: &str) -> String {
    if key.len() >= SECRET_BYTES_MIN {
        return said.replace(key, IN_ITS_PLACE);
    }
    let (mut kept, mut rest) = (String::new(), said);
    while let Some((before, behind)) = rest.split_once(key) {
        kept.push_str(before);
        let is_part =
            kept.ends_with(char::is_alphanumeric) || behind.starts_with(char::is_alphanumeric);
        kept.push_str(if is_part { key } else { IN_ITS_PLACE });
        rest = behind;
    }
    kept + rest
}
