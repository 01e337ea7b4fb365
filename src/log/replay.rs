//! From a stream of bytes, in pieces of any size, to lines with their place in the file.

use super::{Line, Tail};
use crate::{session::SessionName, units::Bytes};

/// A longer line is skipped in pieces and counted once, in bytes.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;

/// A line and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins in the file.
    pub offset: Bytes,
    /// Its length with the LF.
    pub length: Bytes,
    /// What it is.
    pub line: Line<'a>,
}

/// Cuts a stream of bytes into lines and reads each by itself.
#[derive(Debug)]
pub struct Replay<'s> {
    session: &'s SessionName,
}

impl<'s> Replay<'s> {
    /// Returns a replay of the log of `session`, at its first byte.
    #[must_use]
    pub fn of(session: &'s SessionName) -> Self {
        Self { session }
    }

    /// Takes the next piece of the file and hands each line that it completes to `visit`.
    pub fn feed(&mut self, piece: &[u8], visit: &mut dyn FnMut(Entry<'_>)) {
        todo!("{piece:?} {} {}", self.session, std::mem::size_of_val(visit))
    }

    /// Ends the file: hands a whole last record without its LF to `visit`, and returns the tail.
    pub fn finish(self, visit: &mut dyn FnMut(Entry<'_>)) -> Tail {
        todo!("{}", std::mem::size_of_val(visit))
    }
}
