//! From a stream of bytes, in pieces of any size, to lines with their place in the file.

use memchr::memchr_iter;

use super::{Fault, LINE_BYTES_MAX, Line, Tail};
use crate::{session::SessionName, units::Bytes};

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
///
/// How the stream is cut into pieces makes no difference to what is seen. A line that lies whole
/// within a piece is read where it lies; only one that is parted is copied. At most
/// [`LINE_BYTES_MAX`] bytes are held, whatever the file holds: a longer line is dropped as it
/// comes, and counted once.
///
/// # Examples
///
/// ```
/// use graff_notes::{log::{Line, Replay, Tail}, session::SessionName};
///
/// let session = SessionName::parse("s1").unwrap();
/// let mut notes = 0;
/// let mut replay = Replay::of(&session);
/// for piece in [&b"{\"v\":1,\"session\":\"s1\",\"te"[..], b"xt\":\"one\"}\njunk\n"] {
///     replay.feed(piece, &mut |entry| notes += u32::from(matches!(entry.line, Line::Record(_))));
/// }
/// assert_eq!(replay.finish(&mut |_| ()), Tail::Clean);
/// assert_eq!(notes, 1);
/// ```
#[derive(Debug)]
pub struct Replay<'s> {
    session: &'s SessionName,
    /// Lines that have ended.
    lines: u64,
    /// Where the line begins that has not.
    offset: u64,
    /// How much of it has come.
    length: u64,
    /// Those bytes; none of them where they are too many.
    held: Vec<u8>,
}

impl<'s> Replay<'s> {
    /// Returns a replay of the log of `session`, at its first byte.
    #[must_use]
    pub const fn of(session: &'s SessionName) -> Self {
        Self { session, lines: 0, offset: 0, length: 0, held: Vec::new() }
    }

    /// Returns a replay that goes on where `lines` lines have ended, `offset` bytes into the file.
    pub(crate) const fn resumed(session: &'s SessionName, lines: u64, offset: Bytes) -> Self {
        Self { session, lines, offset: offset.get(), length: 0, held: Vec::new() }
    }

    /// Takes the next piece of the file and hands each line that it completes to `visit`.
    pub fn feed(&mut self, piece: &[u8], visit: &mut dyn FnMut(Entry<'_>)) {
        let mut start = 0;
        for lf in memchr_iter(b'\n', piece) {
            let end = piece.get(start..lf).unwrap_or_default();
            start = lf + 1;
            if self.length == 0 {
                let line = Line::read(end, self.session);
                visit(self.entry(line, end.len() as u64 + 1));
                self.pass(end.len() as u64 + 1);
            } else {
                self.hold(end);
                visit(self.entry(self.held_line(), self.length + 1));
                self.pass(self.length + 1);
            }
        }
        self.hold(piece.get(start..).unwrap_or_default());
    }

    /// Ends the file: hands a whole last record without its LF to `visit`, and returns the tail.
    pub fn finish(self, visit: &mut dyn FnMut(Entry<'_>)) -> Tail {
        if self.length == 0 {
            return Tail::Clean;
        }
        let line = self.held_line();
        let tail = Tail::of(&line, self.offset, self.length);
        if tail == Tail::Unterminated {
            visit(self.entry(line, self.length));
        }
        tail
    }

    fn entry<'a>(&self, line: Line<'a>, length: u64) -> Entry<'a> {
        let offset = Bytes::new(self.offset);
        Entry { number: self.lines.saturating_add(1), offset, length: Bytes::new(length), line }
    }

    fn held_line(&self) -> Line<'_> {
        if self.length > LINE_BYTES_MAX as u64 {
            Line::Bad(Fault::TooLong)
        } else {
            Line::read(&self.held, self.session)
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if self.length > LINE_BYTES_MAX as u64 {
            self.held.clear();
        } else {
            self.held.extend_from_slice(bytes);
        }
    }

    fn pass(&mut self, length: u64) {
        self.lines = self.lines.saturating_add(1);
        self.offset = self.offset.saturating_add(length);
        self.length = 0;
        self.held.clear();
    }
}
