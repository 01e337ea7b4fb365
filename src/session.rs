//! The name of a session, parsed once and from then on safe as a file name.

use std::fmt;

/// A session's name that has passed the check, with the file stem that stands for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName {
    name: String,
    stem: String,
}

/// Why a string is no session name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameRefused {
    /// The name is empty.
    Empty,
    /// It holds a control character, NUL included.
    Control(char),
    /// It holds `/` or `\`.
    Separator(char),
    /// It is made of dots alone.
    Dots,
    /// Its encoded form has more bytes than [`SessionName::STEM_BYTES_MAX`].
    TooLong {
        /// Bytes of the encoded form.
        encoded: usize,
    },
}

impl SessionName {
    /// The longest file stem, in bytes: with the longest suffix of a sibling file it fits into 255.
    pub const STEM_BYTES_MAX: usize = 220;

    /// Returns the name, or why it is none.
    pub fn parse(name: &str) -> Result<Self, NameRefused> {
        todo!("{name}")
    }

    /// Returns the name that a canonical file stem stands for; `None` for any other stem.
    #[must_use]
    pub fn from_stem(stem: &str) -> Option<Self> {
        todo!("{stem}")
    }

    /// Returns the name as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the file stem: the name percent-encoded where a file system could object.
    #[must_use]
    pub fn stem(&self) -> &str {
        &self.stem
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
