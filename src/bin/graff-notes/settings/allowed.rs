//! What a setting may be.

use crate::note_from::{self, NoteFrom};

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// A whole number, at least this one.
    From(u64),
    /// A whole number within these two, both included.
    Within(u64, u64),
    /// Zero, which switches something off, or a whole number, at least this one.
    ZeroOrFrom(u64),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A place that a note can come from.
    NoteFrom,
    /// A text that is not blank; the flag of the same name says which.
    Text,
}

impl Allowed {
    /// Returns whether `value` is allowed.
    pub(super) fn holds(self, value: &str) -> bool {
        let number = || value.parse::<u64>().ok();
        match self {
            Self::From(least) => number().is_some_and(|n| n >= least),
            Self::Within(least, most) => number().is_some_and(|n| n >= least && n <= most),
            Self::ZeroOrFrom(least) => number().is_some_and(|n| n == 0 || n >= least),
            Self::OneOf(words) => words.contains(&value),
            Self::NoteFrom => value.parse::<NoteFrom>().is_ok(),
            Self::Text => !value.trim().is_empty(),
        }
    }

    /// Returns whether it is written as a number.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::From(_) | Self::Within(..) | Self::ZeroOrFrom(_))
    }

    /// Returns the same for a file, in which a number has no quotes and a text has.
    pub(super) fn words_in_toml(self) -> String {
        let quotes = if self.is_number() { "without quotes" } else { "in quotes" };
        format!("{}, {quotes}", self.words())
    }

    /// Returns what is allowed, in words that read on after "it is".
    pub(super) fn words(self) -> String {
        match self {
            Self::From(0) => "a whole number".to_owned(),
            Self::From(least) => format!("a whole number from {least} up"),
            Self::Within(least, most) => format!("a whole number from {least} to {most}"),
            Self::ZeroOrFrom(least) => format!("0, or a whole number from {least} up"),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::NoteFrom => note_from::ALLOWED.to_owned(),
            Self::Text => "a text that is not blank".to_owned(),
        }
    }
}
