//! Another reader of the log, written from docs/format.md and with nothing of this crate.
//!
//! It is that page in code, as short as it can be, and holds the whole file: [`line`] judges a line
//! by the page's steps, which are numbered there as here, and [`log`] a file with its tail.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{from_str, value::RawValue};

/// A record, or the page's word for what a line is instead.
pub(crate) type Said = Result<Record, &'static str>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) generation: u64,
    pub(crate) created_at: u64,
    pub(crate) seq: Option<u64>,
    pub(crate) kind: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) cut: u64,
    pub(crate) sealed: bool,
}

/// What the lines of a file say, and whether it ends `whole`, `unterminated` or `torn`.
pub(crate) fn log(file: &[u8], session: &str) -> (Vec<Said>, &'static str) {
    let (ended, fragment) =
        file.split_at(file.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1));
    let mut lines: Vec<_> = ended
        .split_inclusive(|&b| b == b'\n')
        .map(|it| line(&it[..it.len() - 1], session))
        .collect();
    match line(fragment, session) {
        _ if fragment.is_empty() => return (lines, "whole"),
        Err("bad" | "blank") => return (lines, "torn"),
        whole => lines.push(whole),
    }
    (lines, "unterminated")
}

/// What a line says, given without its LF, in the log of `session`.
pub(crate) fn line(line: &[u8], session: &str) -> Said {
    let text = str::from_utf8(line).map_err(|_| "bad")?;
    let object = text.strip_prefix('\u{feff}').unwrap_or(text);
    let object = object.trim_start_matches(['\0', ' ', '\t', '\r']);
    match object.trim_end_matches([' ', '\t', '\r']) {
        _ if line.len() > 1_048_576 => Err("bad"), // 1
        "" if text.contains('\0') => Err("bad"),   // 2
        "" => Err("blank"),
        object => record(object, session),
    }
}

fn record(object: &str, session: &str) -> Said {
    let fields: BTreeMap<String, &RawValue> = from_str(object).map_err(|_| "bad")?; // 3
    from_str::<Once>(object).map_err(|_| "bad")?; // 4
    let number = |key| fields.get(key).map(|raw| raw.get().parse().map_err(|_| "bad")).transpose();
    let string =
        |key| fields.get(key).map(|raw| from_str(raw.get()).map_err(|_| "bad")).transpose();
    let version = number("v")?.filter(|&v: &u64| v > 0).ok_or("bad")?; // 5
    let sealed = seal_holds(object)?; // 6
    if version > 1 {
        return Err("newer"); // 7
    } else if fields.contains_key("crc") && !sealed {
        return Err("bad"); // 8
    }
    let owner: String = string("session")?.ok_or("bad")?;
    let (generation, created_at) =
        (number("gen")?.unwrap_or(0), number("created_at")?.unwrap_or(0));
    let (seq, cut, kind) = (number("seq")?, number("cut")?.unwrap_or(0), string("kind")?);
    let is_note = match kind.as_deref() {
        None | Some("mechanical") => true,
        Some("attempt" | "rollover") => false,
        Some(_) => return Err(if owner == session { "newer" } else { "foreign" }), // 9
    };
    let text: Option<String> = string("text")?;
    if text.is_some() != is_note || text.as_deref().is_some_and(|text| text.trim().is_empty()) {
        return Err("bad"); // 10
    } else if owner != session {
        return Err("foreign"); // 11
    }
    let cut = if is_note { cut } else { 0 };
    Ok(Record { generation, created_at, seq, kind, text, cut, sealed }) // 12
}

/// The fields of the table, each at most once.
#[derive(Deserialize)]
#[expect(dead_code, reason = "that it can be made is all that is asked")]
struct Once {
    v: Option<IgnoredAny>,
    session: Option<IgnoredAny>,
    r#gen: Option<IgnoredAny>,
    text: Option<IgnoredAny>,
    created_at: Option<IgnoredAny>,
    seq: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
    cut: Option<IgnoredAny>,
    crc: Option<IgnoredAny>,
}

/// Whether the object ends in a seal, which then has to be that of the bytes before it.
pub(super) fn seal_holds(object: &str) -> Result<bool, &'static str> {
    let Some((covered, digits)) = object.rsplit_once(",\"crc\":\"") else { return Ok(false) };
    let digits = digits.strip_suffix("\"}").filter(|digits| digits.len() == 8);
    match digits.filter(|digits| digits.bytes().all(|b| b"0123456789abcdef".contains(&b))) {
        Some(digits) if digits != format!("{:08x}", crc32(covered)) => Err("bad"),
        digits => Ok(digits.is_some()),
    }
}

fn crc32(covered: &str) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !covered.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), bit))
}
