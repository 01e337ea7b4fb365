//! A line of a file of settings: whether there is such a setting, whether that file may say it, and
//! whether its value is allowed.

use toml::de::DeValue;

use super::{ALL, Place, Setting, Who, user_file};
use crate::output::CUT;

/// So many characters are told of what stands in a file: a repository may bring along a key or a
/// value of any length, which every command would tell.
const CHARACTERS_MAX: usize = 80;

/// Returns the setting of this name, where `place` may set it; an error says why not.
pub(super) fn setting(key: &str, place: &Place) -> Result<&'static Setting, String> {
    let setting = Setting::named(key).ok_or_else(|| unknown(key))?;
    check_place(setting, place)?;
    Ok(setting)
}

fn unknown(key: &str) -> String {
    let known: Vec<_> = ALL.iter().map(|setting| setting.name).collect();
    format!("there is no setting {:?}, but {}", beginning(key), known.join(", "))
}

fn check_place(setting: &Setting, place: &Place) -> Result<(), String> {
    if setting.who == Who::Anybody || matches!(place, Place::User) {
        return Ok(());
    }
    let (name, variable) = (setting.name, setting.variable());
    let of_user = user_file().map(|path| format!("{path}, ")).unwrap_or_default();
    Err(format!(
        "{name} says what is run or who is called, which a project cannot: it is set in \
         {of_user}by {variable}, or by --{name}"
    ))
}

/// Returns the value that a line gives to a setting, as a flag would be given it.
pub(super) fn value(setting: &Setting, value: &DeValue<'_>) -> Result<String, String> {
    let text = match value {
        DeValue::Integer(number) if number.radix() == 10 && setting.allowed.is_number() => {
            Some(number.as_str().replace('_', ""))
        }
        DeValue::String(text) if !setting.allowed.is_number() => Some(text.to_string()),
        _ => None,
    };
    match text {
        Some(text) if setting.allowed.holds(&text) => Ok(text),
        _ => Err(format!(
            "{} is {}, and may be {}",
            setting.name,
            found(setting, value),
            setting.allowed.words_in_toml()
        )),
    }
}

/// Returns what stands in the place of a value, in words, and without what may be a secret.
fn found(setting: &Setting, value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {:?}", beginning(&setting.shown(text))),
        DeValue::Integer(number) => beginning(number.as_str()),
        DeValue::Float(number) => beginning(number.as_str()),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(time) => format!("the time {time}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Returns a text, cut with a mark where it is longer than [`CHARACTERS_MAX`].
fn beginning(text: &str) -> String {
    let more = text.chars().nth(CHARACTERS_MAX).map(|_| CUT);
    text.chars().take(CHARACTERS_MAX).chain(more).collect()
}
