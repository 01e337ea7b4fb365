//! Why a line is no record, each reason with its word for programs and its words for people.

use std::fmt;

use thiserror::Error;

use super::{Kind, LINE_BYTES_MAX};

/// Why a line is no record.
///
/// It prints as what is wrong with the line, for a person; [`reason`](Self::reason) is the word
/// that a program can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Fault {
    /// It is longer than [`LINE_BYTES_MAX`].
    #[error("longer than {LINE_BYTES_MAX} bytes, skipped unread")]
    TooLong,
    /// It holds NUL bytes that don't merely stand before a record.
    #[error("NUL bytes, as a crash leaves them where a file grew before its data came")]
    NulBytes,
    /// It is UTF-16.
    #[error("UTF-16 text: some program saved the file in another encoding")]
    Utf16,
    /// It is the start of a compressed file.
    #[error("compressed data: the file was packed under its old name")]
    Compressed,
    /// It is not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// It is a mark that a merge left.
    #[error("conflict marker of a version control merge")]
    ConflictMarker,
    /// It belongs to a JSON array that somebody wrapped around the lines.
    #[error("bracket or comma of an array: the lines of a log are not wrapped in one")]
    ArrayWrapped,
    /// It is JSON, but no object.
    #[error("JSON, but not an object")]
    NotAnObject,
    /// Its lines end in CR alone.
    #[error("lines end in CR alone: several records look like one line")]
    BareCr,
    /// Another record begins on the same line, behind a whole one or a torn one.
    #[error("another record begins on the same line")]
    RunTogether,
    /// A failed append was sealed off here.
    #[error("a failed append, sealed off; it was reported as failed when it happened")]
    Abandoned,
    /// It ends before its record does.
    #[error("cut off before its end")]
    Unfinished,
    /// It is not JSON.
    #[error("malformed JSON at byte {at} of the record")]
    Malformed {
        /// Which byte of what stands on the line, from 1.
        at: u64,
    },
    /// A field stands there twice.
    #[error("field `{0}` stands there twice")]
    Duplicate(Field),
    /// A field that must be there is not.
    #[error("field `{0}` is missing")]
    Missing(Field),
    /// A field holds another type of value than it must.
    #[error("field `{0}` holds the wrong type of value")]
    WrongType(Field),
    /// A number is not among those that the field can hold.
    #[error("field `{0}` holds no whole number in its range")]
    OutOfRange(Field),
    /// A string escapes half of a surrogate pair, which stands for no character.
    #[error("field `{0}` escapes half of a surrogate pair")]
    LoneSurrogate(Field),
    /// The checksum doesn't match: some byte of the record is not what was written.
    #[error("checksum mismatch: the record is not as it was written")]
    ChecksumMismatch,
    /// The checksum isn't the last field, or not of the form that it must have.
    #[error("the checksum is not last, or not eight lower-case hex digits")]
    ChecksumMisplaced,
    /// The text has nothing visible in it.
    #[error("the text is blank")]
    BlankText,
    /// A record of a kind that says nothing has a text.
    #[error("a text on a record of kind `{}`", .0.as_str())]
    UnexpectedText(Kind),
}

/// A field of a record, as docs/format.md lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `v`, the version of the format.
    Version,
    /// `session`
    Session,
    /// `gen`
    Generation,
    /// `text`
    Text,
    /// `created_at`
    CreatedAt,
    /// `seq`
    Seq,
    /// `kind`
    Kind,
    /// `cut`
    Cut,
    /// `crc`
    Crc,
}

impl Fault {
    /// Returns the word for it in the answers of `verify --json`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::NulBytes => "nul_bytes",
            Self::Utf16 => "utf16",
            Self::Compressed => "compressed",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::ConflictMarker => "conflict_marker",
            Self::ArrayWrapped => "array_wrapped",
            Self::NotAnObject => "not_an_object",
            Self::BareCr => "bare_cr",
            Self::RunTogether => "run_together",
            Self::Abandoned => "abandoned",
            Self::Unfinished => "unfinished",
            Self::Malformed { .. } => "malformed",
            Self::Duplicate(_) => "duplicate_field",
            Self::Missing(_) => "missing_field",
            Self::WrongType(_) => "wrong_type",
            Self::OutOfRange(_) => "out_of_range",
            Self::LoneSurrogate(_) => "lone_surrogate",
            Self::ChecksumMismatch => "checksum_mismatch",
            Self::ChecksumMisplaced => "checksum_misplaced",
            Self::BlankText => "blank_text",
            Self::UnexpectedText(_) => "unexpected_text",
        }
    }
}

impl Field {
    /// Every field, in the order in which they are written.
    pub const ALL: [Self; 9] = [
        Self::Version,
        Self::Session,
        Self::Generation,
        Self::Text,
        Self::CreatedAt,
        Self::Seq,
        Self::Kind,
        Self::Cut,
        Self::Crc,
    ];

    /// Returns the key that it has on disk.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Version => "v",
            Self::Session => "session",
            Self::Generation => "gen",
            Self::Text => "text",
            Self::CreatedAt => "created_at",
            Self::Seq => "seq",
            Self::Kind => "kind",
            Self::Cut => "cut",
            Self::Crc => "crc",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}
