//! A record as the answers of `log` have it.

use std::borrow::Cow;

use graff_notes::{
    log::{Body, Entry, Record},
    note::Author,
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::Serialize;

/// Returns the word for a note by `author`.
pub(super) const fn word(author: Author) -> &'static str {
    match author {
        Author::Agent => "note",
        Author::Mechanical => "mechanical",
    }
}

/// A record as the answers have it.
#[derive(Debug, Serialize)]
pub(super) struct RecordAnswer<'a> {
    pub(super) seq: Option<Seq>,
    pub(super) r#gen: Generation,
    pub(super) kind: &'static str,
    pub(super) created_at: Timestamp,
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) cut: Bytes,
    pub(super) line: u64,
    pub(super) offset: Bytes,
    pub(super) sealed: bool,
}

impl<'a> RecordAnswer<'a> {
    pub(super) fn of(entry: &Entry<'_>, record: &'a Record<'_>) -> Self {
        let (text, cut) = match &record.body {
            Body::Note { text, cut, .. } => (Some(Cow::Borrowed(text.as_ref())), *cut),
            Body::Attempt | Body::Rollover => (None, Bytes::ZERO),
        };
        Self {
            seq: record.seq,
            r#gen: record.generation,
            kind: record.kind().as_str(),
            created_at: record.created_at,
            text,
            cut,
            line: entry.number,
            offset: entry.offset,
            sealed: record.sealed,
        }
    }

    /// Returns the same, kept apart from the line that it was read from.
    pub(super) fn into_owned(self) -> RecordAnswer<'static> {
        RecordAnswer {
            seq: self.seq,
            r#gen: self.r#gen,
            kind: self.kind,
            created_at: self.created_at,
            text: self.text.map(|text| Cow::Owned(text.into_owned())),
            cut: self.cut,
            line: self.line,
            offset: self.offset,
            sealed: self.sealed,
        }
    }
}
