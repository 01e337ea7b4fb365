//! A file of settings: TOML, a line a setting. A fault is told with its line, its key and what is
//! allowed there.

use std::{fs, io, ops::Range};

use camino::Utf8Path;
use toml::de::{DeTable, DeValue};

use super::{ALL, Given, Place, Setting, Who, user_file};
use crate::failure::Failure;

/// A longer file holds no settings, in bytes.
const BYTES_MAX: u64 = 1024 * 1024;

/// Returns the settings in a file; none where it is not there.
pub(super) fn read(path: &Utf8Path, place: &Place) -> Result<Vec<Given>, Failure> {
    let text = match read_plain(path) {
        Ok(text) => text,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(e) => {
            return Err(Failure::system(format_args!("read the settings in {path}"), &e).at(path));
        }
    };
    let refused = |span: Option<Range<usize>>, why: &str| {
        let line = span.map_or(1, |span| line_of(&text, span.start));
        Failure::input(format_args!("use the settings in {path}: line {line}: {why}")).at(path)
    };
    let table = DeTable::parse(&text)
        .map_err(|e| refused(e.span(), &unreadable(key_at(&text, e.span()), e.message())))?;
    let mut given = Vec::new();
    for (key, value) in table.get_ref() {
        let setting = Setting::named(key.get_ref())
            .ok_or_else(|| refused(Some(key.span()), &unknown(key.get_ref())))?;
        check_place(setting, place).map_err(|why| refused(Some(key.span()), &why))?;
        let value = read_value(setting, value.get_ref())
            .map_err(|why| refused(Some(value.span()), &why))?;
        given.push(Given { setting, value, source: place.source(path) });
    }
    Ok(given)
}

/// Reads a file that a repository may bring along: no pipe is waited for, and no device read.
fn read_plain(path: &Utf8Path) -> io::Result<String> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let status = fs::metadata(path)?;
    if !status.is_file() {
        return refused("it is no plain file");
    }
    if status.len() > BYTES_MAX {
        return refused("it is too large to be settings");
    }
    fs::read_to_string(path)
}

/// Returns the number of the line that a byte stands in.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.bytes().take(offset);
    before.filter(|byte| *byte == b'\n').count() + 1
}

/// Returns the key of the line that a fault is in.
fn key_at(text: &str, span: Option<Range<usize>>) -> &str {
    let line = span.and_then(|span| text.lines().nth(line_of(text, span.start) - 1));
    line.and_then(|line| line.split('=').next()).unwrap_or_default().trim()
}

/// Returns why a file is no TOML, and what may stand where the fault is.
fn unreadable(key: &str, why: &str) -> String {
    match Setting::named(key) {
        Some(_) if why.contains("duplicate") => format!("{key} is set twice, and may be once"),
        Some(setting) => format!("{key}: {why}; it may be {}", setting.allowed.words_in_toml()),
        None => format!("{why}; a line is a setting, such as `percent = 80`"),
    }
}

fn unknown(key: &str) -> String {
    let known: Vec<_> = ALL.iter().map(|setting| setting.name).collect();
    format!("there is no setting {key:?}, but {}", known.join(", "))
}

fn check_place(setting: &Setting, place: &Place) -> Result<(), String> {
    if setting.who == Who::Anybody || matches!(place, Place::User) {
        return Ok(());
    }
    let (name, variable) = (setting.name, setting.variable());
    let of_user = user_file().map(|path| format!("{path}, ")).unwrap_or_default();
    Err(format!(
        "{name} says what is run or who is called, which a project cannot: it is set in {of_user}by \
         {variable}, or by --{name}"
    ))
}

fn read_value(setting: &Setting, value: &DeValue<'_>) -> Result<String, String> {
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
        DeValue::String(text) => format!("the text {:?}", setting.shown(text)),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(time) => format!("the time {time}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
