//! Whether a line is one JSON object, and what it looks like where it is not.

use std::str;

use memchr::{memchr, memmem};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::{super::Fault, RECORD_OPENING, members::Members};

/// The byte-order mark of UTF-8.
pub(super) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// The byte-order marks of UTF-16.
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// How compressed files begin: gzip, zstd, xz, bzip2, zip.
const PACKED: [&[u8]; 5] =
    [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"BZh", b"PK\x03\x04"];

/// How the lines begin that a merge leaves around what it could not join.
const CONFLICT_MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// How a JSON value begins that is no object.
const VALUE_STARTS: [char; 16] =
    ['[', '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f', 'n'];

/// What follows a record whose line stands in an array.
const ARRAY_ENDS: [&str; 3] = [",", "]", ",]"];

/// Finds the members of `object`, the trimmed `line`, or says what stands there in its place.
pub(super) fn members<'a>(line: &[u8], object: &'a [u8]) -> Result<Members<'a>, Fault> {
    if let Some(fault) = other_bytes(line, object) {
        return Err(fault);
    }
    let text = str::from_utf8(object).map_err(|_| Fault::InvalidUtf8)?;
    if !text.starts_with('{') {
        return Err(other_text(text));
    }
    let mut values = Deserializer::from_str(text).into_iter();
    let members = values.next().unwrap_or_else(|| Ok(Members::default()));
    let members = members.map_err(|error| broken(text, &error))?;
    match text.get(values.byte_offset()..) {
        Some("") => Ok(members),
        rest => Err(followed_by(rest.unwrap_or_default(), values.byte_offset())),
    }
}

/// What bytes are that cannot be text of ours.
fn other_bytes(line: &[u8], object: &[u8]) -> Option<Fault> {
    let wide = matches!(object, [_, 0, _, 0, ..]);
    if wide || UTF16_MARKS.iter().any(|mark| line.starts_with(mark)) {
        return Some(Fault::Utf16);
    }
    if PACKED.iter().any(|magic| line.starts_with(magic)) {
        return Some(Fault::Compressed);
    }
    (object.is_empty() || memchr(0, object).is_some()).then_some(Fault::NulBytes)
}

/// What a text is that doesn't begin as an object does.
fn other_text(text: &str) -> Fault {
    if CONFLICT_MARKERS.iter().any(|marker| text.starts_with(marker)) {
        return Fault::ConflictMarker;
    }
    if text.starts_with(']') {
        return Fault::ArrayWrapped;
    }
    if !text.starts_with(VALUE_STARTS) {
        return malformed(1); // most junk ends here, and needs no parser
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
