//! Writes a record as one line.
//!
//! It grows a vector, and nothing in it can fail: what is sealed is the whole record.

use super::{
    super::{Body, Draft, Kind, LINE_BYTES_MAX, Record},
    Seal, VERSION,
    seal::hex,
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
    record.put(out);
    Seal::put(start, out);
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

    fn put(&self, out: &mut Vec<u8>) {
        let Self { parts: Parts { kind, text, cut, generation, created_at, seq }, session } = self;
        number(br#"{"v":"#, VERSION, out);
        string(br#","session":"#, session.as_str(), out);
        number(br#","gen":"#, generation.get(), out);
        if let Some(text) = text {
            string(br#","text":"#, text, out);
        }
        number(br#","created_at":"#, created_at.get(), out);
        if let Some(seq) = seq {
            number(br#","seq":"#, seq.get(), out);
        }
        if *kind != Kind::Note {
            string(br#","kind":"#, kind.as_str(), out);
        }
        if *cut != Bytes::ZERO {
            number(br#","cut":"#, cut.get(), out);
        }
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

fn number(key: &[u8], n: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(key);
    decimal(n, out);
}

fn decimal(n: u64, out: &mut Vec<u8>) {
    if n >= 10 {
        decimal(n / 10, out);
    }
    out.push(b'0' + (n % 10) as u8);
}

/// Appends a string as JSON has it, with no more escaped than must be.
fn string(key: &[u8], text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(key);
    out.push(b'"');
    for piece in text.as_bytes().split_inclusive(|byte| must_be_escaped(*byte)) {
        match piece.split_last() {
            Some((last, plain)) if must_be_escaped(*last) => {
                out.extend_from_slice(plain);
                escape(*last, out);
            }
            _ => out.extend_from_slice(piece),
        }
    }
    out.push(b'"');
}

const fn must_be_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        _ => {
            out.extend_from_slice(br"\u00");
            return out.extend_from_slice(&hex(byte));
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}
