//! What stands behind the last LF of a file.

use super::{Fault, Line};
use crate::units::Bytes;

/// What ends a record that could be neither completed nor cut off again, LF included.
///
/// The mark makes the line unreadable for good: an LF alone could complete a record whose append
/// was reported as failed. [`win_back`](super::win_back) leaves alone what the mark follows.
pub const ABANDONED: &[u8] = b"#\n";

/// The mark of [`ABANDONED`] on its line.
pub(super) const ABANDONED_MARK: &[u8] = b"#";

/// The state of a file's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tail {
    /// The file is empty or ends in LF.
    Clean,
    /// A whole record stands there that lacks its LF only; it counts.
    Unterminated,
    /// Anything else stands there; it doesn't count.
    Torn {
        /// Where the fragment begins in the file.
        offset: Bytes,
        /// Its length.
        length: Bytes,
        /// Why it is no record.
        fault: Fault,
    },
}

impl Tail {
    /// Returns the tail that a fragment makes which read as `line`.
    pub(super) const fn of(line: &Line<'_>, offset: u64, length: u64) -> Self {
        let fault = match line {
            Line::Record(_) | Line::Foreign { .. } | Line::Newer => return Self::Unterminated,
            Line::Blank => Fault::Unfinished,
            Line::Bad(fault) => *fault,
        };
        Self::Torn { offset: Bytes::new(offset), length: Bytes::new(length), fault }
    }
}
