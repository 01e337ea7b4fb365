//! Writes a record as one line.

use std::{
    fmt,
    io::{self, Write as _},
    str,
};

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

/// Appends the line of a draft, sealed, with its LF.
pub(in crate::log) fn line(draft: &Draft, session: &SessionName, seq: Seq, out: &mut Vec<u8>) {
    sealed(&Unsealed { parts: Parts::of(draft, seq), session }, out);
}

/// Appends the line of a record that was read, sealed, with its LF.
pub(in crate::log) fn line_again(record: &Record<'_>, session: &SessionName, out: &mut Vec<u8>) {
    sealed(&Unsealed { parts: Parts::again(record), session }, out);
}

fn sealed(record: &Unsealed<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.reserve(record.length_if_little_is_escaped());
    let _ = write!(out, "{record}"); // a vector takes all that it is given
    let seal = Seal::on(out.get(start..).unwrap_or_default());
    out.extend_from_slice(&seal);
    out.push(b'\n');
}

/// A record up to its seal.
struct Unsealed<'a> {
    parts: Parts<'a>,
    session: &'a SessionName,
}

impl Unsealed<'_> {
    fn length_if_little_is_escaped(&self) -> usize {
        let text = self.parts.text.unwrap_or_default().len();
        FRAME_BYTES_MAX + self.session.as_str().len() + text + text / 8
    }
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
        serde_json::to_writer(Formatted(f), self.0).map_err(|_| fmt::Error)
    }
}

/// A formatter for those who write bytes; they must write whole characters.
struct Formatted<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl io::Write for Formatted<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
