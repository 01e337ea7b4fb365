//! Texts of a record, which stay as they stand there until somebody wants to read them.
//!
//! Most texts are only weighed, and most of those that are read are read for their first line. So
//! a text is taken raw, its length is told from its escapes, and only so much is unescaped as is
//! asked for. Half of a surrogate pair, which agents write where they cut a text inside an emoji,
//! reads as U+FFFD instead of costing the record.

use std::{borrow::Cow, mem};

use memchr::memchr;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{note::head, units::Bytes};

/// A text; empty where the value is none.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    /// What stands between the quotes.
    Raw(&'a str),
    /// The text itself.
    Plain(Cow<'a, str>),
}

impl<'a> Text<'a> {
    /// So much of a text is read from its start, in bytes: enough for the arguments of any tool
    /// call but one that carries a whole file.
    const HEAD_BYTES_MAX: usize = 64 * 1024;
    /// So much of a text is read where it should be short, in bytes.
    const SHORT_BYTES_MAX: usize = 1_024;

    /// Takes the text that the JSON value is.
    pub(super) fn of(json: &'a str) -> Self {
        let inside = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
        Self::Raw(inside.unwrap_or_default())
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Raw(text) => text.is_empty(),
            Self::Plain(text) => text.is_empty(),
        }
    }

    /// The text, or its start where it is longer than 64 KiB.
    pub(super) fn head(&self) -> Cow<'_, str> {
        self.start(Self::HEAD_BYTES_MAX)
    }

    /// The text where it is a name or a path, or the first lines where it is longer than 1 KiB.
    pub(super) fn short(&self) -> Cow<'_, str> {
        self.start(Self::SHORT_BYTES_MAX)
    }

    /// The whole text.
    pub(super) fn whole(&self) -> Cow<'_, str> {
        self.start(usize::MAX)
    }

    /// Whether this is the text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.short() == text
    }

    fn start(&self, bytes_max: usize) -> Cow<'_, str> {
        match self {
            Self::Raw(text) => unescape(text, bytes_max),
            Self::Plain(text) => head(text, bytes_max).into(),
        }
    }

    /// The length of the whole text.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::Raw(text) => unescaped_bytes(text),
            Self::Plain(text) => Bytes::of(text),
        }
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::Raw("")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'a RawValue>::deserialize(deserializer).map(|value| Self::of(value.get()))
    }
}

/// The text that `raw` stands for, or its start, of at most `bytes_max`.
fn unescape(raw: &str, bytes_max: usize) -> Cow<'_, str> {
    if memchr(b'\\', raw.as_bytes()).is_none() {
        return head(raw, bytes_max).into();
    }
    let mut text = String::new();
    for (plain, escaped) in Pieces(raw) {
        let room = bytes_max.saturating_sub(text.len());
        text.push_str(head(plain, room));
        let escaped = escaped.filter(|c| plain.len() + c.len_utf8() <= room);
        let Some(escaped) = escaped else { break };
        text.push(escaped);
    }
    text.into()
}

/// The length of the text that `raw` stands for.
fn unescaped_bytes(raw: &str) -> Bytes {
    let length = |(plain, escaped): (&str, Option<char>)| {
        Bytes::of(plain).get() + escaped.map_or(0, char::len_utf8) as u64
    };
    Bytes::new(Pieces(raw).map(length).sum())
}

/// Returns what the JSON says, with each lone half of a surrogate pair read as U+FFFD.
///
/// # Errors
///
/// What is no JSON all the same, or not of this type.
pub fn read_mended<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    let read = serde_json::from_str(json);
    read.or_else(|why| serde_json::from_str(&mend(json)).map_err(|_| why))
}

/// Returns the record with each lone half of a surrogate pair replaced by U+FFFD, which a strict
/// reader takes.
pub(super) fn mend(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((plain, escape)) =
        memchr(b'\\', rest.as_bytes()).and_then(|at| rest.split_at_checked(at))
    {
        let (c, behind) = read_escape(escape);
        let stands = escape.strip_suffix(behind).unwrap_or(escape);
        mended.push_str(plain);
        mended.push_str(if c == char::REPLACEMENT_CHARACTER { r"\ufffd" } else { stands });
        rest = behind;
    }
    mended.push_str(rest);
    mended
}

/// The parts of an escaped text: what stands there plainly, and the escape behind it.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = (&'a str, Option<char>);

    fn next(&mut self) -> Option<Self::Item> {
        let escape = memchr(b'\\', self.0.as_bytes()).and_then(|at| self.0.split_at_checked(at));
        match escape {
            Some((plain, escape)) => {
                let (c, behind) = read_escape(escape);
                self.0 = behind;
                Some((plain, Some(c)))
            }
            None if self.0.is_empty() => None,
            None => Some((mem::take(&mut self.0), None)),
        }
    }
}

/// The character that the escape at the start of `text` stands for, and what stands behind it.
fn read_escape(text: &str) -> (char, &str) {
    let mut chars = text.chars();
    let c = match chars.by_ref().nth(1) {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return read_code(chars.as_str()),
        other => other.unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    (c, chars.as_str())
}

/// The character whose code stands at the start of `text`, in one half or in two.
fn read_code(text: &str) -> (char, &str) {
    let Some((code, behind)) = read_half(text) else { return (char::REPLACEMENT_CHARACTER, text) };
    let low = behind.strip_prefix("\\u").and_then(read_half);
    let pair = low.map(|(low, behind)| (char::decode_utf16([code, low]).next(), behind));
    match (char::from_u32(code.into()), pair) {
        (Some(c), _) => (c, behind),
        (None, Some((Some(Ok(c)), behind))) => (c, behind),
        (None, _) => (char::REPLACEMENT_CHARACTER, behind),
    }
}

fn read_half(text: &str) -> Option<(u16, &str)> {
    let (digits, behind) = text.split_at_checked(4)?;
    u16::from_str_radix(digits, 16).ok().map(|half| (half, behind))
}
