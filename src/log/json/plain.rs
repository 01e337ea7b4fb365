//! The fast path: lines exactly as this crate or codegraff writes them.
//!
//! It knows one order of fields, without white space, and the short escapes only. It refuses by
//! returning `None`, which says nothing about the line but that `read` has to judge it.

use std::{borrow::Cow, str};

use memchr::{memchr, memchr2_iter};

use super::{
    super::{Kind, Record},
    Seal, body, kind,
};
use crate::session::SessionName;

/// Returns the record that `object`, given from `{` to `}`, is where it is plain and good.
pub(super) fn read<'a>(object: &'a [u8], session: &SessionName) -> Option<Record<'a>> {
    let mut at = Cursor(object);
    let name = at.after(br#"{"v":1,"session":""#)?.word()?;
    let generation = at.after(br#","gen":"#)?.number()?.into();
    let text = if at.skips(br#","text":""#) { Some(at.string()?) } else { None };
    let created_at = at.after(br#","created_at":"#)?.number()?.into();
    let seq = if at.skips(br#","seq":"#) { Some(at.number()?.into()) } else { None };
    let word = if at.skips(br#","kind":""#) { Some(at.word()?) } else { None };
    let cut = if at.skips(br#","cut":"#) { at.number()? } else { 0 };
    let sealed = at.end(Seal::of(object))?;
    let kind = word.map_or(Some(Kind::Note), |word| kind(str::from_utf8(word).ok()?))?;
    let record = Record { generation, created_at, seq, body: body(kind, text, cut).ok()?, sealed };
    (name == session.as_str().as_bytes()).then_some(record)
}

/// What is still unread of an object.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Steps over `expected`.
    fn after(&mut self, expected: &[u8]) -> Option<&mut Self> {
        self.0 = self.0.strip_prefix(expected)?;
        Some(self)
    }

    /// Steps over `expected` where it stands here, and returns whether it does.
    fn skips(&mut self, expected: &[u8]) -> bool {
        self.after(expected).is_some()
    }

    /// Reads a number as JSON has it: without leading zeros, and no more than 64 bits.
    fn number(&mut self) -> Option<u64> {
        let length = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        match digits {
            [b'0', _, ..] => None,
            _ => str::from_utf8(digits).ok()?.parse().ok(),
        }
    }

    /// Reads a string up to the next quote, from behind its opening quote, escapes left as they
    /// are.
    fn word(&mut self) -> Option<&'a [u8]> {
        let (word, rest) = self.0.split_at_checked(memchr(b'"', self.0)?)?;
        self.0 = rest.get(1..)?;
        Some(word)
    }

    /// Reads a string, from behind its opening quote, and undoes its escapes.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let whole = self.0;
        let mut unescaped = Vec::new();
        let mut run = 0; // where the bytes begin that are not yet copied
        for at in memchr2_iter(b'"', b'\\', whole) {
            if at < run {
                continue; // the second byte of an escape
            }
            let plain = whole.get(run..at)?;
            if whole.get(at) == Some(&b'"') {
                self.0 = whole.get(at + 1..)?;
                let raw = whole.get(..at).filter(|raw| !holds_control(raw))?;
                return if run == 0 { borrowed(raw) } else { owned(unescaped, plain) };
            }
            if run == 0 {
                unescaped.reserve_exact(whole.len());
            }
            unescaped.extend_from_slice(plain);
            unescaped.push(short_escape(*whole.get(at + 1)?)?);
            run = at + 2;
        }
        None
    }

    /// Reads the end of the object, and returns whether it is sealed.
    fn end(&mut self, seal: Seal) -> Option<bool> {
        match seal {
            Seal::Absent => (self.0 == b"}").then_some(false),
            Seal::Matches => (self.0.len() == Seal::BYTES).then_some(true),
            Seal::Differs => None,
        }
    }
}

fn borrowed(plain: &[u8]) -> Option<Cow<'_, str>> {
    str::from_utf8(plain).ok().map(Cow::Borrowed)
}

fn owned<'a>(mut unescaped: Vec<u8>, plain: &[u8]) -> Option<Cow<'a, str>> {
    unescaped.extend_from_slice(plain);
    String::from_utf8(unescaped).ok().map(Cow::Owned)
}

/// Whether there is a byte that JSON wants escaped.
///
/// It looks at every byte, since to stop at the first would keep the compiler from taking many at
/// once.
fn holds_control(raw: &[u8]) -> bool {
    raw.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < b' '
}

const fn short_escape(letter: u8) -> Option<u8> {
    match letter {
        b'"' | b'\\' => Some(letter),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        b'b' => Some(0x08),
        b'f' => Some(0x0c),
        _ => None,
    }
}
