//! Wins whole records back from a bad line.
//!
//! Only damage between records is looked past: a stub that an interrupted append left, a missing
//! or mangled LF. Nothing inside a record is ever mended, and nothing that was given up with
//! [`ABANDONED`](super::ABANDONED) comes back.

use std::ops::Range;

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::{
    Line,
    json::{RECORD_OPENING, Seal},
    tail::ABANDONED_MARK,
};
use crate::session::SessionName;

/// Returns where in `line`, a bad line of the log of `session`, whole records stand, in order.
///
/// A sealed record is won back wherever it stands, whosesoever it is, since its checksum says that
/// nothing of it is missing. An unsealed one is won back where it is of this session and nothing
/// but whole records follow it on the line, since one that something else follows may be two that
/// were mixed.
///
/// A record ends at the latest where the next one begins, so one that holds what looks like
/// another is not won back; in turn the time taken grows with the line's length and no faster.
#[must_use]
pub fn win_back(line: &[u8], session: &SessionName) -> Vec<Range<usize>> {
    let mut won = Vec::new();
    let mut next = line.len();
    let mut only_records_follow = true;
    for start in memmem::rfind_iter(line, RECORD_OPENING) {
        let record = line.get(start..next).and_then(|piece| whole(piece, session));
        only_records_follow &= record.as_ref().is_some_and(|record| record.fills_its_piece);
        next = start;
        match record {
            Some(record) if record.is_sealed || only_records_follow => {
                won.push(start..start + record.length);
            }
            _ => only_records_follow = false,
        }
    }
    won.reverse();
    won
}

/// A whole record at the start of a piece of a line.
struct Whole {
    length: usize,
    is_sealed: bool,
    fills_its_piece: bool,
}

fn whole(piece: &[u8], session: &SessionName) -> Option<Whole> {
    let mut values = Deserializer::from_slice(piece).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let length = values.byte_offset();
    let (object, behind) = piece.split_at_checked(length)?;
    if behind.starts_with(ABANDONED_MARK) {
        return None;
    }
    let is_sealed = match Line::read(object, session) {
        Line::Record(record) => record.sealed,
        Line::Foreign { .. } | Line::Newer if Seal::of(object) == Seal::Matches => true,
        _ => return None,
    };
    let fills_its_piece = behind.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    Some(Whole { length, is_sealed, fills_its_piece })
}
