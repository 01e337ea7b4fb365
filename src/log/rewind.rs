//! From the end of a file backwards, a window at a time, until enough was seen.

use std::ops::{ControlFlow, Range};

use memchr::memrchr;

use super::{Fault, LINE_BYTES_MAX, Line, Tail};
use crate::{session::SessionName, units::Bytes};

/// The first window, in bytes: it holds the newest note of most logs whole, and a greater one costs
/// twice as much to read.
const WINDOW_BYTES_FIRST: u64 = 8 * 1024;

/// The greatest window, in bytes: the longest line, its LF and the LF before it.
const WINDOW_BYTES_MAX: u64 = LINE_BYTES_MAX as u64 + 2;

const _: () = assert!(WINDOW_BYTES_FIRST <= WINDOW_BYTES_MAX);

/// A line found from the end of a file, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Where it begins in the file.
    pub offset: Bytes,
    /// Its length with the LF, where it has one.
    pub length: Bytes,
    /// What it is.
    pub line: Line<'a>,
}

/// Reads a log from its end: the last line first, and no more of the file than is asked for.
///
/// The caller does the reading. It asks which range of the file is [wanted](Self::wants), reads
/// exactly that range, [feeds](Self::feed) it, and begins again until it has seen enough or nothing
/// is wanted any more. The windows begin small and double up to little more than
/// [`LINE_BYTES_MAX`], and that is all that is ever held; a line that doesn't fit is passed over
/// window by window and then handed out once, as [`Fault::TooLong`]. To find a line costs about
/// twice the bytes behind it, whatever stands before it.
///
/// It sees what [`Replay`](super::Replay) sees, in reverse, except that lines have no numbers.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
///
/// use graff_notes::{log::{Line, Rewind}, session::SessionName, units::Bytes};
///
/// let file = b"{\"v\":1,\"session\":\"s1\",\"gen\":4,\"text\":\"mend the \\\"b\\\" branch\"}\njunk\n";
/// let session = SessionName::parse("s1").unwrap();
/// let mut newest = None;
/// let mut rewind = Rewind::of(&session, Bytes::new(file.len() as u64));
/// while let Some(range) = rewind.wants() {
///     let window = &file[range.start as usize..range.end as usize];
///     let seen = rewind.feed(window, &mut |placed| match placed.line {
///         Line::Record(record) if record.is_note() => {
///             newest = Some(record.generation.get());
///             ControlFlow::Break(())
///         }
///         _ => ControlFlow::Continue(()),
///     });
///     if seen.is_break() {
///         break;
///     }
/// }
/// assert_eq!(newest, Some(4));
/// ```
#[derive(Debug)]
pub struct Rewind<'s> {
    session: &'s SessionName,
    /// Where what has not been handed out ends in the file.
    unread: u64,
    /// How much to ask for.
    window: u64,
    /// Where the too long line ends that is being passed over.
    too_long_until: Option<u64>,
    tail: Option<Tail>,
}

impl<'s> Rewind<'s> {
    /// Returns a rewind of the log of `session`, at the end of its `length` bytes.
    #[must_use]
    pub const fn of(session: &'s SessionName, length: Bytes) -> Self {
        let tail = if length.get() == 0 { Some(Tail::Clean) } else { None };
        let window = WINDOW_BYTES_FIRST;
        Self { session, unread: length.get(), window, too_long_until: None, tail }
    }

    /// Returns which range of the file to read next; `None` once its beginning was reached.
    #[must_use]
    pub const fn wants(&self) -> Option<Range<u64>> {
        if self.unread == 0 {
            return None;
        }
        Some(self.unread.saturating_sub(self.window)..self.unread)
    }

    /// Returns the file's tail, once it is known: at the latest when the first line was handed out.
    #[must_use]
    pub const fn tail(&self) -> Option<Tail> {
        self.tail
    }

    /// Takes the range that was wanted and hands each line that it completes to `visit`, the last
    /// one first, until that breaks off; a break can be followed by further feeding.
    ///
    /// A window of any other length is refused with a break: the file has shrunk since its length
    /// was taken, and a new rewind has to begin at its new end.
    pub fn feed(
        &mut self,
        window: &[u8],
        visit: &mut dyn FnMut(Placed<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(range) = self.wants() else { return ControlFlow::Continue(()) };
        if window.len() as u64 != range.end - range.start {
            return ControlFlow::Break(());
        }
        if self.too_long_until.is_none() && window.ends_with(b"\n") {
            self.tail.get_or_insert(Tail::Clean);
        }
        let mut rest = window;
        while let Some(begin) = self.last_line(rest, range.start) {
            let (before, line) = rest.split_at_checked(begin).unwrap_or((&[], rest));
            rest = before;
            self.hand_out(line, visit)?;
        }
        self.step_back(rest.len() as u64);
        ControlFlow::Continue(())
    }

    /// Returns where the last line of `rest` begins in it; `rest` begins at `offset` in the file.
    fn last_line(&self, rest: &[u8], offset: u64) -> Option<usize> {
        let line_end_is_here = self.too_long_until.is_none();
        let body = rest.strip_suffix(b"\n").filter(|_| line_end_is_here).unwrap_or(rest);
        let begin = memrchr(b'\n', body).map(|lf| lf + 1);
        begin.or_else(|| (offset == 0 && !rest.is_empty()).then_some(0))
    }

    /// Hands out the line that ends where the unread part does, given as much as is here of it.
    fn hand_out(
        &mut self,
        bytes: &[u8],
        visit: &mut dyn FnMut(Placed<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let offset = self.unread.saturating_sub(bytes.len() as u64);
        let (line, end) = if let Some(end) = self.too_long_until.take() {
            (Line::Bad(Fault::TooLong), end)
        } else {
            let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            (Line::read(text, self.session), self.unread)
        };
        self.unread = offset;
        let length = end.saturating_sub(offset);
        if self.tail.is_none() {
            let tail = Tail::of(&line, offset, length);
            self.tail = Some(tail);
            if tail != Tail::Unterminated {
                return ControlFlow::Continue(());
            }
        }
        visit(Placed { offset: Bytes::new(offset), length: Bytes::new(length), line })
    }

    /// Gets ready for the next window, `parted` bytes of the last one being of an unfinished line.
    fn step_back(&mut self, parted: u64) {
        self.window = self.window.saturating_mul(2).min(WINDOW_BYTES_MAX);
        let is_too_long = self.too_long_until.is_some() || parted == WINDOW_BYTES_MAX;
        if is_too_long {
            self.too_long_until.get_or_insert(self.unread);
            self.unread = self.unread.saturating_sub(parted);
        }
    }
}
