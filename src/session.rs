//! The name of a session, parsed once and from then on safe as a file name.
//!
//! A name is any text; a file name is not. [`SessionName`] is made by parsing only and carries
//! both: the name as it was given, and the *stem* that stands for it in a folder. The stem is plain
//! ASCII, never hidden, never a device, never a path, and short enough for every sibling file.
//!
//! ```text
//! name   review of #12.   con    COM1.txt    .env    50%
//! stem   review%20of%20%2312%2E   %63on   %43OM1.txt   %2Eenv   50%25
//! ```
//!
//! Two invariants: different names have different stems, and [`SessionName::from_stem`] accepts
//! exactly the stems that parsing makes. On a file system that folds case, `s1` and `S1` still
//! share a file; what keeps them apart there is that each record carries its session.
//!
//! This module knows no folder, no suffix and no host.

use std::{borrow::Cow, fmt, str::FromStr};

use thiserror::Error;

/// A session's name that has passed the check, with the file stem that stands for it.
///
/// # Examples
///
/// ```
/// use graff_notes::session::SessionName;
///
/// let name = SessionName::parse("fix: the parser")?;
/// assert_eq!(name.as_str(), "fix: the parser");
/// assert_eq!(name.stem(), "fix%3A%20the%20parser");
/// assert_eq!(SessionName::from_stem(name.stem()), Some(name));
/// # Ok::<(), graff_notes::session::NameRefused>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName {
    name: String,
    stem: String,
}

/// Why a string is no session name; it prints what is wrong and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameRefused {
    /// The name is empty.
    #[error("the session name is empty: give it at least one character")]
    Empty,
    /// It holds a control character (Unicode `Cc`), NUL included.
    #[error("the session name holds the control character U+{:04X}: leave it out", u32::from(*.0))]
    Control(char),
    /// It holds `/` or `\`.
    #[error("the session name holds `{0}`: use another character, such as `-`")]
    Separator(char),
    /// It is made of dots alone.
    #[error("the session name is made of dots only: add a letter or a digit")]
    Dots,
    /// Its encoded form has more bytes than [`SessionName::STEM_BYTES_MAX`].
    #[error(
        "the session name takes {encoded} bytes as a file name, and {} is the most: shorten it",
        SessionName::STEM_BYTES_MAX
    )]
    TooLong {
        /// Bytes of the encoded form.
        encoded: usize,
    },
}

impl SessionName {
    /// The longest file stem, in bytes: with the longest suffix of a sibling file it fits into 255.
    pub const STEM_BYTES_MAX: usize = 220;

    /// Returns the name, or why it is none.
    ///
    /// # Errors
    ///
    /// Refuses what is empty, what holds a control character or a path separator, what is made of
    /// dots alone, and what is too long once it is encoded.
    pub fn parse(name: &str) -> Result<Self, NameRefused> {
        if name.is_empty() {
            return Err(NameRefused::Empty);
        }
        if let Some(c) = name.chars().find(|c| c.is_control()) {
            return Err(NameRefused::Control(c));
        }
        if let Some(c) = name.chars().find(|c| matches!(c, '/' | '\\')) {
            return Err(NameRefused::Separator(c));
        }
        if name.bytes().all(|b| b == b'.') {
            return Err(NameRefused::Dots);
        }
        let stem = encode(name);
        if stem.len() > Self::STEM_BYTES_MAX {
            return Err(NameRefused::TooLong { encoded: stem.len() });
        }
        Ok(Self { name: name.to_owned(), stem })
    }

    /// Returns the name that a canonical file stem stands for; `None` for any other stem.
    #[must_use]
    pub fn from_stem(stem: &str) -> Option<Self> {
        if stem.len() > Self::STEM_BYTES_MAX {
            return None;
        }
        // Most names are their own stems.
        let decoded = if stem.contains('%') { Cow::Owned(decode(stem)?) } else { stem.into() };
        let name = Self::parse(&decoded).ok()?;
        (name.stem == stem).then_some(name)
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

    /// Returns the name as it is typed behind a command in a POSIX shell: as it is where nothing in
    /// it is special, else quoted, and behind `--` where it begins like a flag.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::session::SessionName;
    ///
    /// assert_eq!(SessionName::parse("s1")?.to_argument(), "s1");
    /// assert_eq!(SessionName::parse("it's")?.to_argument(), r"'it'\''s'");
    /// assert_eq!(SessionName::parse("-n 1")?.to_argument(), "-- '-n 1'");
    /// # Ok::<(), graff_notes::session::NameRefused>(())
    /// ```
    #[must_use]
    pub fn to_argument(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let guard = if self.name.starts_with('-') { "-- " } else { "" };
        if self.name.chars().all(plain) {
            format!("{guard}{}", self.name)
        } else {
            format!("{guard}'{}'", self.name.replace('\'', r"'\''"))
        }
    }
}

impl FromStr for SessionName {
    type Err = NameRefused;

    fn from_str(name: &str) -> Result<Self, NameRefused> {
        Self::parse(name)
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Percent-encodes what some file system could refuse, hide, fold or take for a device.
fn encode(name: &str) -> String {
    let device = names_a_device(name);
    let last = name.len().saturating_sub(1);
    let mut stem = String::with_capacity(name.len());
    for (at, byte) in name.bytes().enumerate() {
        let hidden = byte == b'.' && (at == 0 || at == last);
        if is_plain(byte) && !hidden && !(device && at == 0) {
            stem.push(char::from(byte));
        } else {
            stem.push('%');
            stem.push(hex_digit(byte >> 4));
            stem.push(hex_digit(byte & 0xF));
        }
    }
    stem
}

/// Undoes `encode`; lenient, since the caller compares what comes out of a second encoding.
fn decode(stem: &str) -> Option<String> {
    let mut name = Vec::with_capacity(stem.len());
    let mut bytes = stem.bytes();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'%' => (hex_value(bytes.next()?)? << 4) | hex_value(bytes.next()?)?,
            plain => plain,
        });
    }
    String::from_utf8(name).ok()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// Whether Windows would open a device instead of a file: it looks at the part before the first
/// dot and ignores case.
///
/// Source: Microsoft, "Naming Files, Paths, and Namespaces".
fn names_a_device(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
    const NUMBERED: [&str; 2] = ["COM", "LPT"];
    let head = name.split('.').next().unwrap_or_default();
    let is_any_of = |devices: &[&str], word: &str| {
        devices.iter().any(|device| device.eq_ignore_ascii_case(word))
    };
    is_any_of(&DEVICES, head)
        || head.split_at_checked(3).is_some_and(|(device, number)| {
            is_any_of(&NUMBERED, device) && matches!(number.as_bytes(), [b'0'..=b'9'])
        })
}

fn hex_digit(nibble: u8) -> char {
    char::from(if nibble < 10 { b'0' + nibble } else { b'A' - 10 + nibble })
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
