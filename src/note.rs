//! The text of a note, and what a model's reply is: a note, an opt-out, or too short.
//!
//! There are two ways to a [`NoteText`]. What a person or a program writes outright goes through
//! [`NoteText::fit`] and is kept exactly as given. What a model answered goes through
//! [`Reply::read`], which first asks whether it is a note at all, and keeps it trimmed. Both cut at
//! the same cap, on a character boundary, and say how many bytes the cut took; both refuse what is
//! over [`NoteText::BYTES_LIMIT`].
//!
//! Within these borders a text is any text: newlines, tabs, escapes and emoji are kept byte for
//! byte. This module doesn't know where a note is stored or how it is shown.

use std::fmt;

use thiserror::Error;

use crate::units::{Bytes, Generation, Seq, Timestamp};

/// A note's text: not blank, and at most [`NoteText::BYTES_LIMIT`] bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteText(String);

/// Who wrote a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// The agent itself, or a person or program that spoke for it.
    Agent,
    /// The program, from what the host knew, without a model call.
    Mechanical,
}

/// A note as it stands in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The number that the log gave it; absent on records of other programs.
    pub seq: Option<Seq>,
    /// The generation that it describes.
    pub generation: Generation,
    /// When it was stored.
    pub created_at: Timestamp,
    /// Who wrote it.
    pub author: Author,
    /// The text, byte for byte.
    pub text: String,
    /// How much of the text the cap cut off.
    pub cut: Bytes,
    /// Whether the record carries a checksum that matched.
    pub sealed: bool,
}

/// The longest text that is kept, in bytes: 4,000 unless it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteCap(usize);

/// A text fitted to a cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What is kept.
    pub text: NoteText,
    /// How much the cap cut off.
    pub cut: Bytes,
}

/// Why a text can be no note.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextRefused {
    /// There is nothing but white space in it, or in the part of it that the cap lets through.
    #[error("the note is blank: write at least one character")]
    Blank,
    /// It is longer than [`NoteText::BYTES_LIMIT`].
    #[error("the note has {bytes} bytes, and {} is the most: shorten it", NoteText::BYTES_LIMIT)]
    TooLong {
        /// Its length.
        bytes: Bytes,
    },
}

/// What a model's reply to the note request is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Reply {
    /// A note, trimmed, and cut where it was over the cap.
    Note(Fitted),
    /// The model said that nothing is in flight.
    OptedOut,
    /// Less than [`Reply::BYTES_MIN`] remain after trimming.
    TooShort {
        /// What remained.
        bytes: Bytes,
    },
    /// More than [`NoteText::BYTES_LIMIT`] remain after trimming.
    TooLong {
        /// What remained.
        bytes: Bytes,
    },
}

impl NoteText {
    /// No text above this is stored on any path, in bytes.
    pub const BYTES_LIMIT: usize = 65_536;

    /// Returns the text exactly as given, cut to `cap` on a character boundary where it is longer.
    ///
    /// A character that doesn't fit whole is left out whole, so that up to 3 bytes of the cap can
    /// stay unused. A sequence that is drawn as one sign (an emoji joined from several) is several
    /// characters, and can be parted.
    ///
    /// # Errors
    ///
    /// Refuses a text that is blank, and one over [`NoteText::BYTES_LIMIT`].
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::{note::{NoteCap, NoteText}, units::Bytes};
    ///
    /// let cap = NoteCap::new(16).unwrap();
    /// let fitted = NoteText::fit("fifteen bytes: é, no", cap).unwrap();
    /// assert_eq!(fitted.text.as_str(), "fifteen bytes: "); // é has two bytes
    /// assert_eq!(fitted.cut, Bytes::new(6));
    /// ```
    pub fn fit(text: &str, cap: NoteCap) -> Result<Fitted, TextRefused> {
        if text.len() > Self::BYTES_LIMIT {
            return Err(TextRefused::TooLong { bytes: Bytes::of(text) });
        }
        let fitted = cut_to(text, cap);
        if fitted.text.as_str().trim().is_empty() {
            return Err(TextRefused::Blank);
        }
        Ok(fitted)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NoteCap {
    /// The least cap, in bytes: a shorter one would let no reply through.
    pub const BYTES_MIN: usize = Reply::BYTES_MIN;
    /// The greatest cap, in bytes.
    pub const BYTES_MAX: usize = NoteText::BYTES_LIMIT;
    /// The cap where none is set: 4,000 bytes.
    ///
    /// Source: codegraff PR 460.
    pub const DEFAULT: Self = Self(4_000);

    /// Returns a cap of `bytes`, or `None` where it is outside 16 to 65,536.
    #[must_use]
    pub const fn new(bytes: usize) -> Option<Self> {
        if Self::BYTES_MIN <= bytes && bytes <= Self::BYTES_MAX { Some(Self(bytes)) } else { None }
    }

    /// Returns the cap in bytes.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

impl Default for NoteCap {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Reply {
    /// A reply shorter than this, trimmed, is a fragment and no note, in bytes.
    pub const BYTES_MIN: usize = 16;

    /// An opt-out that goes on to explain itself is no longer than this, trimmed, in bytes: a
    /// longer reply that begins with the word carries something.
    pub const OPT_OUT_BYTES_MAX: usize = 200;

    /// Returns what `reply` is. Reasoning that a server left at its start is no part of it.
    ///
    /// It opts out where it is the word `none` (any case; white space, quotes and full stops around
    /// it don't count), or where it is short and explains the word after punctuation or a line
    /// break. A sentence that begins with the word is a note.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::note::{NoteCap, Reply};
    ///
    /// let read = |reply| Reply::read(reply, NoteCap::DEFAULT);
    /// assert_eq!(read("\"None.\""), Reply::OptedOut);
    /// assert_eq!(read("none - all merged and released"), Reply::OptedOut);
    /// assert!(matches!(read("None of the tests pass yet: fix a.rs:7"), Reply::Note(_)));
    /// ```
    pub fn read(reply: &str, cap: NoteCap) -> Self {
        let text = without_reasoning(reply).trim();
        let bytes = Bytes::of(text);
        if opts_out(text) {
            Self::OptedOut
        } else if text.len() < Self::BYTES_MIN {
            Self::TooShort { bytes }
        } else if text.len() > NoteText::BYTES_LIMIT {
            Self::TooLong { bytes }
        } else {
            Self::Note(cut_to(text, cap))
        }
    }
}

impl fmt::Display for NoteText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Keeps the start of `text` up to the cap.
fn cut_to(text: &str, cap: NoteCap) -> Fitted {
    let kept = head(text, cap.get());
    let cut = Bytes::of(text).saturating_sub(Bytes::of(kept));
    Fitted { text: NoteText(kept.to_owned()), cut }
}

/// What a model's reasoning stands between, where a server leaves it in the text.
const REASONING: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// What stands behind the reasoning that `reply` begins with; nothing, where that never ends.
pub(crate) fn without_reasoning(reply: &str) -> &str {
    let mut rest = reply;
    while let Some((reasoning, closing)) = REASONING.iter().find_map(|(opening, closing)| {
        rest.trim_start().strip_prefix(opening).map(|reasoning| (reasoning, *closing))
    }) {
        rest = reasoning.split_once(closing).map_or("", |(_, text)| text);
    }
    rest
}

/// The longest start of `text` that has at most `bytes_max` bytes and parts no character.
pub(crate) fn head(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

/// The longest end of `text` that has at most `bytes_max` bytes and parts no character.
pub(crate) fn tail(text: &str, bytes_max: usize) -> &str {
    let start = text.len().saturating_sub(bytes_max);
    let start = (start..=text.len()).find(|&at| text.is_char_boundary(at));
    start.and_then(|start| text.get(start..)).unwrap_or_default()
}

const NONE: &str = "none";

fn opts_out(text: &str) -> bool {
    let wrapping = |c: char| c.is_whitespace() || is_quote(c) || is_full_stop(c);
    if text.trim_matches(wrapping).eq_ignore_ascii_case(NONE) {
        return true;
    }
    let opened = text.trim_start_matches(wrapping);
    text.len() <= Reply::OPT_OUT_BYTES_MAX
        && opened.get(..NONE.len()).is_some_and(|word| word.eq_ignore_ascii_case(NONE))
        && opened.get(NONE.len()..).is_some_and(explains)
}

/// Whether `rest`, which follows the word, sets it off from an explanation.
///
/// Signs that also occur inside code and compound words count only where they part words: so
/// `None.unwrap()`, `None::<T>`, `Some(x)` and `none-blocking` are no opt-outs.
fn explains(rest: &str) -> bool {
    let rest = rest.trim_start_matches(is_quote);
    let explanation = rest.trim_start();
    let gap = rest.strip_suffix(explanation).unwrap_or_default();
    if gap.contains(['\n', '\r']) {
        return true;
    }
    let mut chars = explanation.chars();
    let (sign, next) = (chars.next(), chars.next());
    let parts = next.is_none_or(|c| c.is_whitespace() || is_quote(c) || is_full_stop(c));
    match sign {
        Some('–' | '—' | ',' | ';' | '!' | '。' | '，' | '、' | '；' | '：' | '！' | '（') => {
            true
        }
        Some(':') => next != Some(':'),
        Some('.' | '…') => parts,
        Some('-') => parts || !gap.is_empty(),
        Some('(' | '[') => !gap.is_empty(),
        _ => false,
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '‘'..='‟' | '‹' | '›' | '«' | '»' | '「'..='』')
}

fn is_full_stop(c: char) -> bool {
    matches!(c, '.' | '…' | '。' | '．' | '｡')
}
