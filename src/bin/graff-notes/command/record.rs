//! A record as the answers of `log`, and of what goes over many logs, have it.

use std::{borrow::Cow, collections::VecDeque};

use graff_notes::{
    log::{Body, Entry, Kind, LastNote, Record},
    note::Note,
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::Serialize;

/// Keeps the last `limit` of what has come.
pub(super) fn keep_last<T>(come: &mut VecDeque<T>, limit: usize) {
    while come.len() > limit {
        come.pop_front();
    }
}

/// A note as the answers about more than one have it: all but its text.
#[derive(Debug, Serialize)]
pub(super) struct NoteAnswer {
    pub(super) seq: Option<Seq>,
    pub(super) r#gen: Generation,
    pub(super) created_at: Timestamp,
    pub(super) kind: &'static str,
}

impl From<LastNote> for NoteAnswer {
    fn from(LastNote { seq, generation, created_at, kind }: LastNote) -> Self {
        Self { seq, r#gen: generation, created_at, kind: kind.as_str() }
    }
}

impl From<&Note> for NoteAnswer {
    fn from(Note { seq, generation, created_at, author, .. }: &Note) -> Self {
        let kind = Kind::of(*author).as_str();
        Self { seq: *seq, r#gen: *generation, created_at: *created_at, kind }
    }
}

/// A record as the answers have it.
#[derive(Debug, Serialize)]
pub(super) struct RecordAnswer<'a> {
    /// Whose it is, where the question doesn't say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) seq: Option<Seq>,
    pub(super) r#gen: Generation,
    pub(super) kind: &'static str,
    pub(super) created_at: Timestamp,
    pub(super) text: Option<Cow<'a, str>>,
    /// How long the text is, where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_bytes: Option<Bytes>,
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
            session: None,
            seq: record.seq,
            r#gen: record.generation,
            kind: record.kind().as_str(),
            created_at: record.created_at,
            text,
            text_bytes: None,
            cut,
            line: entry.number,
            offset: entry.offset,
            sealed: record.sealed,
        }
    }

    /// Adds whose record it is.
    pub(super) fn named(self, session: &'a SessionName) -> Self {
        Self { session: Some(Cow::Borrowed(session.as_str())), ..self }
    }

    /// Leaves the text out, and says how long it is.
    pub(super) fn without_text(self) -> Self {
        let text_bytes = self.text.as_deref().map(Bytes::of);
        Self { text: None, text_bytes, ..self }
    }

    /// Returns the same, kept apart from the line that it was read from.
    pub(super) fn into_owned(self) -> RecordAnswer<'static> {
        RecordAnswer {
            session: self.session.map(|session| Cow::Owned(session.into_owned())),
            seq: self.seq,
            r#gen: self.r#gen,
            kind: self.kind,
            created_at: self.created_at,
            text: self.text.map(|text| Cow::Owned(text.into_owned())),
            text_bytes: self.text_bytes,
            cut: self.cut,
            line: self.line,
            offset: self.offset,
            sealed: self.sealed,
        }
    }
}
