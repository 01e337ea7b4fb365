//! Whether a line is one JSON object, and what it looks like where it is not.

use std::str;

use memchr::{memchr, memmem};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::{super::Fault, RECORD_OPENING, members::Members};

/// The byte-order mark of UTF-8.
pub(super) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// How long the marks are that a merge leaves around what it could not join.
const CONFLICT_MARK_BYTES: usize = 7;

/// What follows a record whose line stands in an array.
const ARRAY_ENDS: [&str; 3] = [",", "]", ",]"];

/// Finds the members of `object`, the trimmed `line`, which begins as one; or says what stands
/// there in its place.
pub(super) fn members<'a>(line: &[u8], object: &'a [u8]) -> Result<Members<'a>, Fault> {
    let text = text(line, object)?;
    let mut values = Deserializer::from_str(text).into_iter();
    let members = values.next().unwrap_or_else(|| Ok(Members::default()));
    let members = members.map_err(|error| broken(text, &error))?;
    match text.get(values.byte_offset()..) {
        Some("") => Ok(members),
        rest => Err(followed_by(rest.unwrap_or_default(), values.byte_offset())),
    }
}

/// Says what `object` is, the trimmed `line`, which doesn't begin as one.
pub(super) fn no_object(line: &[u8], object: &[u8]) -> Fault {
    text(line, object).map_or_else(|fault| fault, other_text)
}

fn text<'a>(line: &[u8], object: &'a [u8]) -> Result<&'a str, Fault> {
    match other_bytes(line, object) {
        Some(fault) => Err(fault),
        None => str::from_utf8(object).map_err(|_| Fault::InvalidUtf8),
    }
}

/// What bytes are that cannot be text of ours.
fn other_bytes(line: &[u8], object: &[u8]) -> Option<Fault> {
    if is_wide(line, object) {
        return Some(Fault::Utf16);
    }
    if is_packed(line) {
        return Some(Fault::Compressed);
    }
    (object.is_empty() || memchr(0, object).is_some()).then_some(Fault::NulBytes)
}

/// Whether it is UTF-16: by a byte-order mark, or by every other byte.
const fn is_wide(line: &[u8], object: &[u8]) -> bool {
    matches!(line, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || matches!(object, [_, 0, _, 0, ..])
}

/// Whether it begins as a compressed file does: gzip, zstd, xz, bzip2, zip.
const fn is_packed(line: &[u8]) -> bool {
    matches!(
        line,
        [0x1f, 0x8b, ..]
            | [0x28, 0xb5, 0x2f, 0xfd, ..]
            | [0xfd, b'7', b'z', b'X', b'Z', 0, ..]
            | [b'B', b'Z', b'h', ..]
            | [b'P', b'K', 3, 4, ..]
    )
}

fn is_conflict_mark(text: &str, mark: u8) -> bool {
    text.bytes().take_while(|byte| *byte == mark).count() >= CONFLICT_MARK_BYTES
}

/// What a text is that doesn't begin as an object does.
fn other_text(text: &str) -> Fault {
    match text.as_bytes().first() {
        Some(mark @ (b'<' | b'|' | b'=' | b'>')) if is_conflict_mark(text, *mark) => {
            return Fault::ConflictMarker;
        }
        Some(b']') => return Fault::ArrayWrapped,
        // These begin a value; all else is junk, as most is, and needs no parser.
        Some(b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {}
        _ => return malformed(1),
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Fault::NotAnObject,
        Err(_) if text.starts_with('[') => Fault::ArrayWrapped,
        Err(error) => malformed(error.column()),
    }
}

/// What an object is that the parser could not get through.
fn broken(text: &str, error: &serde_json::Error) -> Fault {
    if text.ends_with('#') {
        Fault::Abandoned
    } else if memmem::rfind(text.as_bytes(), RECORD_OPENING).is_some_and(|at| at > 0) {
        Fault::RunTogether
    } else if error.is_eof() {
        Fault::Unfinished
    } else {
        malformed(error.column())
    }
}

/// What a line is where `rest` follows a whole object that ends at `end`.
fn followed_by(rest: &str, end: usize) -> Fault {
    let lines_end_in_cr = rest.starts_with('\r');
    let rest = rest.trim_start();
    if rest == "#" {
        Fault::Abandoned
    } else if ARRAY_ENDS.contains(&rest) {
        Fault::ArrayWrapped
    } else if lines_end_in_cr {
        Fault::BareCr
    } else if memmem::find(rest.as_bytes(), RECORD_OPENING).is_some() {
        Fault::RunTogether
    } else {
        malformed(end + 1)
    }
}

const fn malformed(at: usize) -> Fault {
    Fault::Malformed { at: at as u64 }
}
