//! A file of settings: TOML, a line a setting. A fault is told with its line, its key and what is
//! allowed there, and costs that line alone, or the lines of that value: what else is set holds.

use std::{
    io,
    ops::{Range, RangeInclusive},
};

use camino::Utf8Path;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Given, InForce, Place, Setting, entry};
use crate::{failure::Failure, plain_file::PlainFile};

/// A longer file holds no settings, in bytes.
const BYTES_MAX: u64 = 256 * 1024;

/// How many faults are told of one file; the others are counted.
const TOLD_MAX: usize = 8;

/// How many faults cost themselves alone. A file with more lines that are no TOML is no file of
/// settings, and each takes another look at all of it.
const FAULTS_MAX: usize = 64;

/// What to do about a fault.
const MEND: &str = "mend that line";
/// What to do about a file that can't be read.
const MAKE_READABLE: &str = "make it a file that you can read, or remove it";

/// Why a line is dropped, or the lines of one value.
struct Fault {
    line: usize,
    /// The last line that is dropped with it.
    last: usize,
    why: String,
}

impl Fault {
    /// Returns that a line is dropped alone.
    fn of(line: usize, why: String) -> Self {
        Self { line, last: line, why }
    }

    /// Returns that lines are no TOML, the first of which is `line`, and what may stand there.
    fn unreadable(lines: &RangeInclusive<usize>, line: &str, why: &toml::de::Error) -> Self {
        let (key, why) = (line.split('=').next().unwrap_or_default().trim(), why.message());
        let why = match Setting::named(key) {
            Some(_) if why.contains("duplicate") => format!("{key} is set twice, and may be once"),
            Some(setting) => format!("{key}: {why}; it may be {}", setting.allowed.words_in_toml()),
            None => format!("{why}; a line is a setting, such as `percent = 80`"),
        };
        Self { line: *lines.start(), last: *lines.end(), why }
    }
}

/// Returns the settings in a file, and what had to be dropped of it; nothing where it is not there.
pub(super) fn read(path: &Utf8Path, place: &Place) -> InForce {
    // A repository may bring it along.
    let mut text = match PlainFile::read(path, BYTES_MAX) {
        Ok(file) => file.bytes,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return InForce::default();
        }
        Err(e) => {
            let failure = Failure::on("read the settings in", path, &e);
            return InForce::without(failure.advise(MAKE_READABLE));
        }
    };
    let mut faults = Vec::new();
    loop {
        let fault = match parse(&text) {
            Ok(table) => return in_force(&text, &table, faults, place, path),
            Err(fault) => fault,
        };
        if faults.len() == FAULTS_MAX || !blank(&mut text, &fault) {
            let Fault { line, why, .. } = faults.into_iter().next().unwrap_or(fault);
            let what = format_args!("use the settings in {path}: line {line}: {why}");
            return InForce::without(Failure::input(what).at(path).advise(MEND));
        }
        faults.push(fault);
    }
}

/// Returns what a text says, or the lines that keep it from being TOML.
fn parse(text: &[u8]) -> Result<Spanned<DeTable<'_>>, Fault> {
    let text = str::from_utf8(text)
        .map_err(|e| Fault::of(line_of(text, e.valid_up_to()), "it is not UTF-8".to_owned()))?;
    DeTable::parse(text).map_err(|e| {
        let lines = to_blame(text, e.span().map_or(0, |span| span.start));
        let line = text.lines().nth(lines.start() - 1).unwrap_or_default();
        let alone = if lines.start() == lines.end() { DeTable::parse(line).err() } else { None };
        Fault::unreadable(&lines, line, &alone.unwrap_or(e))
    })
}

/// Returns the lines to drop for what shows at this byte.
///
/// Inside a text that closes they are all of its lines: no line of a text is a setting. What opens
/// and never closes shows behind its own line, so that its key's line is to blame and no other.
fn to_blame(text: &str, at: usize) -> RangeInclusive<usize> {
    let line = |at| line_of(text.as_bytes(), at);
    let (table, _) = DeTable::parse_recoverable(text);
    let stands_around = |(key, value): &(&Spanned<_>, &Spanned<_>)| {
        key.span().start <= at && at <= value.span().end
    };
    if let Some((key, value)) = table.get_ref().iter().find(stands_around) {
        let (first, end) = (line(key.span().start), value.span().end);
        let closes = at < end && matches!(value.get_ref(), DeValue::String(_));
        return first..=if closes { line(end) } else { first };
    }
    // What opens in a table, where no setting stands, is found by being no TOML by itself.
    let opens = |line: &str| DeTable::parse(line).is_err();
    let is_end = at >= text.trim_end().len();
    let opened = text.lines().position(opens).filter(|_| is_end);
    let line = opened.map_or_else(|| line(at), |at| at + 1);
    line..=line
}

/// Makes the lines of a fault blank ones; returns whether any was none.
fn blank(text: &mut [u8], fault: &Fault) -> bool {
    let lines = text.split_mut(|byte| *byte == b'\n').take(fault.last).skip(fault.line - 1);
    lines.fold(false, |had_some, line| {
        let has_some = !line.trim_ascii().is_empty();
        line.fill(b' ');
        had_some || has_some
    })
}

/// Returns the lines that set something; the others are faults, as those are that were no TOML.
fn in_force(
    text: &[u8],
    table: &Spanned<DeTable<'_>>,
    mut faults: Vec<Fault>,
    place: &Place,
    path: &Utf8Path,
) -> InForce {
    let mut given = Vec::new();
    let mut more = 0;
    for (key, value) in table.get_ref() {
        let setting = entry::setting(key.get_ref(), place).map_err(|why| (key.span(), why));
        let read = setting.and_then(|setting| {
            let value =
                entry::value(setting, value.get_ref()).map_err(|why| (value.span(), why))?;
            Ok(Given { setting, value, source: place.source(path) })
        });
        match read {
            Ok(it) => given.push(it),
            Err(_) if faults.len() >= FAULTS_MAX => more += 1,
            Err((Range { start, .. }, why)) => {
                faults.push(Fault::of(line_of(text, start), why));
            }
        }
    }
    faults.sort_by_key(|fault| fault.line);
    InForce { given, dropped: in_words(faults, more, path) }
}

/// Returns what was dropped of a file, a line each; beyond [`TOLD_MAX`] it is counted.
fn in_words(faults: Vec<Fault>, more: usize, path: &Utf8Path) -> Vec<Failure> {
    let untold = more + faults.len().saturating_sub(TOLD_MAX);
    let told = faults
        .into_iter()
        .take(TOLD_MAX)
        .map(|Fault { line, why, .. }| format!("use a setting in {path}: line {line}: {why}"));
    let counted = (untold > 0).then(|| format!("use {untold} more of the settings in {path}"));
    let failure = |what| Failure::input(what).at(path).advise(MEND);
    told.chain(counted).map(failure).collect()
}

/// Returns the number of the line that a byte stands in.
fn line_of(text: &[u8], offset: usize) -> usize {
    let before = text.iter().take(offset);
    before.filter(|byte| **byte == b'\n').count() + 1
}
