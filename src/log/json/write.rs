//! Writes a record as one line.

use std::fmt;

use super::{
    super::{Body, Draft, Kind, LINE_BYTES_MAX, Record},
    Seal, VERSION,
};
use crate::{
    note::{Author, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

/// The most bytes that one byte of text becomes: `\u001b`.
const ESCAPED_BYTES_MAX: usize = 6;

/// More than the bytes of a record beside its text and name: keys, five numbers, kind and seal.
const FRAME_BYTES_MAX: usize = 512;

const _: () = assert!(
    (NoteText::BYTES_LIMIT + SessionName::STEM_BYTES_MAX) * ESCAPED_BYTES_MAX + FRAME_BYTES_MAX
        <= LINE_BYTES_MAX,
    "whatever is written can be read"
);

/// Returns the line of a draft, sealed, with its LF.
pub(in crate::log) fn line(draft: &Draft, session: &SessionName, seq: Seq) -> String {
    sealed(&Unsealed { parts: Parts::of(draft, seq), session })
}

/// Returns the line of a record that was read, sealed, with its LF.
pub(in crate::log) fn line_again(record: &Record<'_>, session: &SessionName) -> String {
    sealed(&Unsealed { parts: Parts::again(record), session })
}

fn sealed(record: &Unsealed<'_>) -> String {
    let mut line = record.to_string();
    line += &Seal::on(&line);
    line.push('\n');
    line
}

/// A record up to its seal.
struct Unsealed<'a> {
    parts: Parts<'a>,
    session: &'a SessionName,
}

impl fmt::Display for Unsealed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parts: Parts { kind, text, cut, generation, created_at, seq }, session } = self;
        write!(f, r#"{{"v":{VERSION},"session":{},"gen":{generation}"#, Quoted(session.as_str()))?;
        if let Some(text) = text {
            write!(f, r#","text":{}"#, Quoted(text))?;
        }
        write!(f, r#","created_at":{created_at}"#)?;
        if let Some(seq) = seq {
            write!(f, r#","seq":{seq}"#)?;
        }
        if *kind != Kind::Note {
            write!(f, r#","kind":"{}""#, kind.as_str())?;
        }
        if *cut != Bytes::ZERO {
            write!(f, r#","cut":{cut}"#)?;
        }
        Ok(())
    }
}

/// What a record has to say, whichever its kind.
struct Parts<'a> {
    kind: Kind,
    text: Option<&'a str>,
    cut: Bytes,
    generation: Generation,
    created_at: Timestamp,
    seq: Option<Seq>,
}

impl<'a> Parts<'a> {
    fn of(draft: &'a Draft, seq: Seq) -> Self {
        let silent = |kind, generation, created_at| Self {
            kind,
            text: None,
            cut: Bytes::ZERO,
            generation,
            created_at,
            seq: Some(seq),
        };
        match *draft {
            Draft::Note { ref text, author, cut, generation, created_at } => {
                let kind = match author {
                    Author::Agent => Kind::Note,
                    Author::Mechanical => Kind::Mechanical,
                };
                let text = Some(text.as_str());
                Self { text, cut, ..silent(kind, generation, created_at) }
            }
            Draft::Attempt { generation, created_at } => {
                silent(Kind::Attempt, generation, created_at)
            }
            Draft::Rollover { generation, created_at } => {
                silent(Kind::Rollover, generation, created_at)
            }
        }
    }

    fn again(record: &'a Record<'_>) -> Self {
        let (text, cut) = match &record.body {
            Body::Note { text, cut, .. } => (Some(text.as_ref()), *cut),
            Body::Attempt | Body::Rollover => (None, Bytes::ZERO),
        };
        let Record { generation, created_at, seq, .. } = *record;
        Self { kind: record.kind(), text, cut, generation, created_at, seq }
    }
}

/// A string as JSON has it, with no more escaped than must be.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = serde_json::to_string(self.0).map_err(|_| fmt::Error)?;
        f.write_str(&quoted)
    }
}
