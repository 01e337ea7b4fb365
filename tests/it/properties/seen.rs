//! What a replay and a rewind see of the bytes of a log.

use std::{borrow::Cow, ops::ControlFlow};

use graff_notes::{
    log::{Body, Entry, LINE_BYTES_MAX, Line, Record, Replay, Rewind, Tail},
    session::SessionName,
    units::Bytes,
};

/// The session that the fixtures belong to.
pub(crate) fn session() -> SessionName {
    SessionName::parse("kiln").unwrap()
}

/// A line that was seen, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) line: Line<'static>,
}

impl Seen {
    fn at(entry: Entry<'_>) -> Self {
        Self {
            number: entry.number,
            offset: entry.offset.get(),
            length: entry.length.get(),
            line: owned(entry.line),
        }
    }

    /// The bytes that it stands for.
    pub(crate) fn slice<'b>(&self, file: &'b [u8]) -> &'b [u8] {
        let start = usize::try_from(self.offset).unwrap();
        &file[start..][..usize::try_from(self.length).unwrap()]
    }
}

/// The same line, with nothing borrowed.
pub(crate) fn owned(line: Line<'_>) -> Line<'static> {
    match line {
        Line::Blank => Line::Blank,
        Line::Newer => Line::Newer,
        Line::Bad(fault) => Line::Bad(fault),
        Line::Foreign { session } => Line::Foreign { session: Cow::Owned(session.into_owned()) },
        Line::Record(Record { generation, created_at, seq, body, sealed }) => {
            let body = match body {
                Body::Note { text, author, cut } => {
                    Body::Note { text: Cow::Owned(text.into_owned()), author, cut }
                }
                Body::Attempt => Body::Attempt,
                Body::Rollover => Body::Rollover,
            };
            Line::Record(Record { generation, created_at, seq, body, sealed })
        }
    }
}

/// What a replay sees of a file that comes in pieces of `piece` bytes.
pub(crate) fn replay_in_pieces(file: &[u8], piece: usize) -> (Vec<Seen>, Tail) {
    let session = session();
    let mut seen = Vec::new();
    let mut visit = |entry: Entry<'_>| seen.push(Seen::at(entry));
    let mut replay = Replay::of(&session);
    for piece in file.chunks(piece) {
        replay.feed(piece, &mut visit);
    }
    let tail = replay.finish(&mut visit);
    (seen, tail)
}

/// What a replay sees of a file.
pub(crate) fn replay(file: &[u8]) -> (Vec<Seen>, Tail) {
    replay_in_pieces(file, file.len().max(1))
}

/// No greater window is ever asked for, in bytes.
const WINDOW_BYTES_MAX: u64 = LINE_BYTES_MAX as u64 + 2;

/// What a rewind sees of a file until it has seen `enough` lines, and how much it read for them.
///
/// Lines are numbered from the front, so that what it saw compares with a replay.
pub(crate) fn rewind(file: &[u8], enough: usize) -> (Vec<Seen>, Option<Tail>, u64) {
    let session = session();
    let (mut seen, mut bytes_read) = (Vec::<Seen>::new(), 0);
    let mut rewind = Rewind::of(&session, Bytes::new(file.len() as u64));
    while let Some(range) = rewind.wants() {
        assert!(range.end - range.start <= WINDOW_BYTES_MAX, "{range:?}");
        bytes_read += range.end - range.start;
        let window = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
        let flow = rewind.feed(&file[window], &mut |placed| {
            let (offset, length) = (placed.offset.get(), placed.length.get());
            seen.push(Seen { number: 0, offset, length, line: owned(placed.line) });
            if seen.len() < enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if flow.is_break() {
            break;
        }
    }
    let ended = lfs(file);
    let lines = ended + usize::from(rewind.tail() == Some(Tail::Unterminated));
    for (behind, seen) in seen.iter_mut().enumerate() {
        seen.number = (lines - behind) as u64;
    }
    (seen, rewind.tail(), bytes_read)
}

/// How many LFs there are.
pub(crate) fn lfs(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}
