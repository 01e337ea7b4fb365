//! The text of a note, and what a model's reply is: a note, an opt-out, or too short.

use std::fmt;

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

/// The longest text that is kept, in bytes.
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextRefused {
    /// There is nothing visible in it.
    Blank,
    /// It is longer than [`NoteText::BYTES_LIMIT`].
    TooLong {
        /// Its length.
        bytes: Bytes,
    },
}

/// What a model's reply to the note request is.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// More than [`NoteText::BYTES_LIMIT`].
    TooLong {
        /// What there was.
        bytes: Bytes,
    },
}

impl NoteText {
    /// No text above this is stored on any path.
    pub const BYTES_LIMIT: usize = 65_536;

    /// Returns the text, cut to `cap` on a character boundary where it is longer.
    pub fn fit(text: &str, cap: NoteCap) -> Result<Fitted, TextRefused> {
        todo!("{text} {cap:?}")
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NoteCap {
    /// Returns a cap of `bytes`, or `None` where it is out of range.
    #[must_use]
    pub const fn new(bytes: usize) -> Option<Self> {
        Some(Self(bytes))
    }

    /// Returns the cap in bytes.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

impl Reply {
    /// A reply shorter than this, trimmed, is a fragment and no note, in bytes.
    pub const BYTES_MIN: usize = 16;

    /// Returns what `reply` is.
    #[must_use]
    pub fn read(reply: &str, cap: NoteCap) -> Self {
        todo!("{reply} {cap:?}")
    }
}

impl fmt::Display for NoteText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
