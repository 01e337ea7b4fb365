//! The reference reader: the records of a log, in about twenty lines beside the table of fields and
//! the checksum, written from docs/format.md and with nothing of this crate.
//!
//! It knows what makes a line a record, and nothing else: what a line is called that is none, and
//! how a file ends, is told in `called.rs`. The steps are numbered as on the page.

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::from_str;

/// The page's table: the fields of a record, each of its type and at most once.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(bound(deserialize = "Text: Deserialize<'de>"))]
pub(crate) struct Record<Text = String> {
    pub(crate) v: u64,
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) r#gen: u64,
    #[serde(default, deserialize_with = "there")]
    pub(crate) text: Option<Text>,
    #[serde(default)]
    pub(crate) created_at: u64,
    #[serde(default, deserialize_with = "there")]
    pub(crate) seq: Option<u64>,
    #[serde(default, deserialize_with = "there")]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) cut: u64,
    #[serde(default, deserialize_with = "there")]
    pub(crate) crc: Option<IgnoredAny>,
}

/// The records of `session` in a file, the newest last.
pub(crate) fn records(file: &[u8], session: &str) -> Vec<Record> {
    file.split(|&byte| byte == b'\n').filter_map(|line| record(line, session)).collect()
}

/// The record that a line is, given without its LF, in the log of `session`.
pub(crate) fn record(line: &[u8], session: &str) -> Option<Record> {
    let object = object(line)?; // 1, 2
    let mut record: Record = from_str(object).ok()?; // 3, 4, 9
    let is_whole = record.v == 1 && record.crc.is_some() == is_sealed(object); // 5 to 8
    let has_text = record.text.as_ref().map(|text| !text.trim().is_empty()); // 10
    let wanted = match record.kind.as_deref() {
        None | Some("mechanical") => Some(true),
        Some("attempt" | "rollover") => None,
        Some(_) => return None,
    };
    record.cut *= u64::from(wanted.is_some()); // it means something on notes only
    (is_whole && has_text == wanted && record.session == session).then_some(record) // 11, 12
}

/// The object that a line of no more than 1 MiB holds, or what stands in its place.
pub(super) fn object(line: &[u8]) -> Option<&str> {
    let line = str::from_utf8(line).ok().filter(|line| line.len() <= 1_048_576)?;
    let object = line.strip_prefix('\u{feff}').unwrap_or(line);
    let object = object.trim_start_matches(['\0', ' ', '\t', '\r']);
    Some(object.trim_end_matches([' ', '\t', '\r'])).filter(|object| !object.starts_with('['))
}

/// Whether an object ends in the seal of the bytes before it.
pub(super) fn is_sealed(object: &str) -> bool {
    let covered = object.len().checked_sub(18).and_then(|at| object.get(..at));
    covered.is_some_and(|it| object[it.len()..] == format!(",\"crc\":\"{:08x}\"}}", crc32(it)))
}

fn crc32(covered: &str) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !covered.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

/// A field that is there has its type: `null` is none.
fn there<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<Option<T>, D::Error> {
    T::deserialize(field).map(Some)
}
