//! What somebody gives us to read: stdin, a file, or a pipe in a file's place.
//!
//! Each input has a most that it may have, so that none fills the memory or goes on for ever. A
//! pipe that is named like a file is waited for only so long, since whoever named it may not know
//! that it is one; how long stdin takes is up to whoever gives it.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    time::Duration,
};

use camino::Utf8Path;
use graff_notes::note::NoteText;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_setfl},
    io::Errno,
};

use crate::failure::Failure;

/// How much is read at once, in bytes.
const PIECE: usize = 128 * 1024;

/// How long somebody has to begin to write to a pipe that is named.
const WRITER_COMES_WITHIN: Duration = Duration::from_secs(2);

/// How long a pipe that is named may be silent: what fills it may have to unpack something first.
const BYTES_COME_WITHIN: Duration = Duration::from_secs(60);

/// Where something is read from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'p> {
    Stdin,
    Named(&'p Utf8Path),
}

/// What is read, in words, and the most that it may have.
#[derive(Debug)]
pub(crate) struct Expected {
    what: &'static str,
    bytes_max: u64,
    advice: &'static str,
}

impl Expected {
    /// A system prompt; the limit is many times what any model's window holds.
    pub(crate) const PROMPT: Self = Self {
        what: "the prompt",
        bytes_max: 16 << 20,
        advice: "no model's window holds as much: name the system prompt alone",
    };

    /// A session's transcript, which is read in pieces; those of many weeks have some 100 MB.
    pub(crate) const TRANSCRIPT: Self =
        Self { what: "the transcript", bytes_max: 1 << 30, advice: "name the file of one session" };

    /// A history that an endpoint is told word for word: larger requests are refused unread.
    ///
    /// Source: Anthropic's reference, whose limit is the largest.
    #[cfg(feature = "ask")]
    pub(crate) const HISTORY: Self = Self {
        what: "the history",
        bytes_max: 32 << 20,
        advice: "no endpoint takes as much: give it the messages since the last compaction",
    };

    /// What is imported; the limit is a multiple of what a session comes to in years.
    pub(crate) const DOCUMENT: Self =
        Self { what: "the records", bytes_max: 256 << 20, advice: "import a session at a time" };

    /// A note that is written outright.
    pub(crate) const NOTE: Self =
        Self { what: "the note", bytes_max: NoteText::BYTES_LIMIT as u64, advice: "shorten it" };
}

impl<'p> Input<'p> {
    /// Returns the input that `path` names, where `-` stands for stdin.
    pub(crate) fn of(path: &'p Utf8Path) -> Self {
        if path == "-" { Self::Stdin } else { Self::Named(path) }
    }

    /// Returns all of it.
    pub(crate) fn whole(self, expected: &Expected) -> Result<Vec<u8>, Failure> {
        match self.as_far_as(expected) {
            (whole, None) => Ok(whole),
            (_, Some(failure)) => Err(failure),
        }
    }

    /// Returns what could be read of it, and why that is not all.
    pub(crate) fn as_far_as(self, expected: &Expected) -> (Vec<u8>, Option<Failure>) {
        let mut read = Vec::new();
        let failure = self.pieces(expected, |piece| read.extend_from_slice(piece)).err();
        (read, failure)
    }

    /// Hands it to `take`, piece by piece.
    pub(crate) fn pieces(
        self,
        Expected { what, bytes_max, advice }: &Expected,
        take: impl FnMut(&[u8]),
    ) -> Result<(), Failure> {
        let name = self.name();
        let read = match self {
            Self::Stdin => pieces(io::stdin().lock(), *bytes_max, take),
            Self::Named(path) => Named::open(path).and_then(|from| pieces(from, *bytes_max, take)),
        };
        let failure = match read {
            Ok(Extent::Whole) => return Ok(()),
            Ok(Extent::OverTheLimit) => {
                let why = format_args!("it has more than {bytes_max} bytes");
                Failure::input(format_args!("read {what} from {name}: {why}")).advise(*advice)
            }
            Err(e) => Failure::system(format_args!("read {what} from {name}"), &e),
        };
        Err(match self {
            Self::Stdin => failure,
            Self::Named(path) => failure.at(path),
        })
    }

    /// Returns what it is called.
    pub(crate) fn name(self) -> &'p str {
        match self {
            Self::Stdin => "stdin",
            Self::Named(path) => path.as_str(),
        }
    }
}

/// Whether an input came to its end.
enum Extent {
    Whole,
    OverTheLimit,
}

fn pieces(from: impl Read, bytes_max: u64, mut take: impl FnMut(&[u8])) -> io::Result<Extent> {
    let mut from = from.take(bytes_max.saturating_add(1));
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) if from.limit() == 0 => return Ok(Extent::OverTheLimit),
            Ok(0) => return Ok(Extent::Whole),
            Ok(read) => take(piece.get(..read).unwrap_or_default()),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// A file that was named, or a pipe in its place.
struct Named {
    file: File,
    writer: Writer,
}

/// What is known of those who write to a pipe.
#[derive(Clone, Copy)]
enum Writer {
    /// Nobody has been seen yet.
    Awaited,
    /// Nobody came.
    Absent,
    /// Somebody came; or it is a file, and nobody needs to.
    Seen,
}

/// Opens what may be a pipe, whose opening would else wait for its writer; `more` says how else.
pub(crate) fn open_without_waiting(path: &Utf8Path, more: OFlags) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | more;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

impl Named {
    fn open(path: &Utf8Path) -> io::Result<Self> {
        let file = open_without_waiting(path, OFlags::empty())?;
        if file.metadata()?.file_type().is_fifo() {
            return Ok(Self { file, writer: Writer::Awaited });
        }
        fcntl_setfl(&file, OFlags::empty())?;
        Ok(Self { file, writer: Writer::Seen })
    }

    /// Waits until there is something to be read, or the end; returns whether there is.
    fn is_ready_within(&self, patience: Duration) -> io::Result<bool> {
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
        loop {
            match poll(&mut fds, Some(&patience)) {
                Ok(ready) => return Ok(ready > 0),
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

impl Read for Named {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        loop {
            match (self.file.read(piece), self.writer) {
                (Ok(0), Writer::Awaited) => {
                    let comes = self.is_ready_within(WRITER_COMES_WITHIN)?;
                    self.writer = if comes { Writer::Seen } else { Writer::Absent };
                }
                (Ok(0), Writer::Absent) => {
                    return Err(io::Error::new(ErrorKind::TimedOut, "nobody writes to this pipe"));
                }
                (Err(e), _) if e.kind() == ErrorKind::WouldBlock => {
                    self.writer = Writer::Seen;
                    if !self.is_ready_within(BYTES_COME_WITHIN)? {
                        let why = "nothing comes from this pipe any more";
                        return Err(io::Error::new(ErrorKind::TimedOut, why));
                    }
                }
                (read, _) => {
                    self.writer = Writer::Seen;
                    return read;
                }
            }
        }
    }
}
