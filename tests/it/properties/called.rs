//! What docs/format.md calls a line that is no record, and the end of a file.
//!
//! It is written from that page, with nothing of this crate: what a record is, the reference reader
//! says. The steps are those of the page.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::from_str;

use super::reference::{self, Record, is_sealed, object};

/// A record, or the page's word for what a line is instead.
pub(crate) type Said = Result<Record, &'static str>;

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
    let is_nothing = || if line.contains(&0) { "bad" } else { "blank" };
    match (reference::record(line, session), object(line)) {
        (Some(record), _) => Ok(record),
        (None, None) => Err("bad"),            // 1
        (None, Some("")) => Err(is_nothing()), // 2
        (None, Some(object)) => Err(kept(object, line, session).unwrap_or("bad")),
    }
}

/// What an object is called that a repair keeps although it is no record of `session`.
fn kept(object: &str, line: &[u8], session: &str) -> Option<&'static str> {
    let known: Known = from_str(object).ok()?; // 3, 4
    let is_damaged = ends_like_a_seal(object) && !is_sealed(object);
    if known.v != 1 {
        return (known.v > 1 && !is_damaged).then_some("newer"); // 5 to 7
    }
    let fields: Record<IgnoredAny> = from_str(object).ok()?; // 9
    let words = ["mechanical", "attempt", "rollover"];
    let is_known = fields.kind.is_none_or(|kind| words.contains(&kind.as_str()));
    let stands = if is_known {
        reference::record(line, &fields.session).is_some()
    } else {
        fields.crc.is_some() == is_sealed(object) // 8
    };
    let name = if fields.session == session { "newer" } else { "foreign" }; // 9, 11
    stands.then_some(name)
}

/// Whether an object ends in the form of a seal, be it the right one or not.
fn ends_like_a_seal(object: &str) -> bool {
    let at = object.len().saturating_sub(18);
    let end = object.get(at..).and_then(|end| end.strip_prefix(",\"crc\":\""));
    let digits = end.and_then(|end| end.strip_suffix("\"}")).unwrap_or("none");
    digits.bytes().all(|b| b"0123456789abcdef".contains(&b))
}

/// The fields of the table, each at most once.
#[derive(Deserialize)]
#[expect(dead_code, reason = "that it can be made is all that is asked of most")]
struct Known {
    v: u64,
    session: Option<IgnoredAny>,
    r#gen: Option<IgnoredAny>,
    text: Option<IgnoredAny>,
    created_at: Option<IgnoredAny>,
    seq: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
    cut: Option<IgnoredAny>,
    crc: Option<IgnoredAny>,
}
