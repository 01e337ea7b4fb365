//! Reads transcripts: their end, what was added, or enough for a mechanical note.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    mem,
};

use camino::Utf8Path;
use graff_notes::{
    facts::Facts,
    host::{
        hook::{Counted, Counter, Host, LastRequest, Seen, Tail},
        transcript::TranscriptReader,
    },
    units::Bytes,
};
use rustix::fs::OFlags;

use crate::input::open_without_waiting;

/// The facts of a note are found in so much of a transcript's end, in bytes: the last user request
/// stands there unless a single turn is longer, and reading it delays nobody.
const FACTS_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// How the beginning of a transcript tells where it comes from, in bytes.
const HEAD_BYTES_MAX: u64 = 256 * 1024;

const PIECE: usize = 256 * 1024;

/// A transcript that is there.
pub(super) struct TranscriptFile {
    file: File,
    len: u64,
}

impl TranscriptFile {
    /// Opens a transcript; `None` where it is not there, or no plain file.
    ///
    /// A link is followed: where the transcript is, is the host's to say.
    pub(super) fn open(path: &Utf8Path) -> io::Result<Option<Self>> {
        let file = match open_without_waiting(path, OFlags::empty()) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let status = file.metadata()?;
        Ok(status.is_file().then(|| Self { file, len: status.len() }))
    }

    /// Looks at more and more of the end until `answer` has one, and returns that.
    pub(super) fn look_back<T>(
        &self,
        mut answer: impl FnMut(&Tail<'_>) -> Option<T>,
    ) -> io::Result<Option<T>> {
        let mut wanted = Tail::BYTES_FIRST.get();
        loop {
            let bytes = self.read(self.len.saturating_sub(wanted), self.len)?;
            let tail = Tail::of(&bytes, Bytes::new(self.len));
            if let Some(answer) = answer(&tail) {
                return Ok(Some(answer));
            }
            if tail.is_whole() || wanted >= Tail::BYTES_MAX.get() {
                return Ok(None);
            }
            wanted *= 4;
        }
    }

    /// Returns what the end says of the last request.
    pub(super) fn last_request(&self) -> io::Result<Option<LastRequest>> {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the tail's lifetime varies")]
        self.look_back(|tail| tail.last_request())
    }

    /// Counts the compactions, on from `seen` where that is of this file.
    pub(super) fn count(
        &self,
        path: &Utf8Path,
        host: Host,
        seen: Option<&Seen>,
        kept: Option<&str>,
    ) -> io::Result<Counted> {
        let seen = seen.filter(|seen| seen.transcript == *path && seen.bytes.get() <= self.len);
        let mut counter = Counter::new(host, seen, kept);
        self.pieces(counter.wants().get(), self.len, |piece| counter.push(piece))?;
        Ok(counter.finish(path.as_str()))
    }

    /// Returns what can be said of the session without a model.
    pub(super) fn facts(&self) -> io::Result<Facts> {
        let mut reader = TranscriptReader::new();
        let from = self.len.saturating_sub(FACTS_BYTES_MAX);
        let mut in_cut_line = from > 0;
        self.pieces(from, self.len, |piece| match memchr::memchr(b'\n', piece) {
            Some(end) if mem::take(&mut in_cut_line) => {
                reader.push(piece.get(end..).unwrap_or_default());
            }
            _ if in_cut_line => {}
            _ => reader.push(piece),
        })?;
        Ok(reader.finish().facts)
    }

    /// Returns the beginning.
    pub(super) fn head(&self) -> io::Result<Vec<u8>> {
        self.read(0, self.len.min(HEAD_BYTES_MAX))
    }

    fn read(&self, from: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(end - from).unwrap_or_default());
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        file.take(end - from).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn pieces(&self, from: u64, end: u64, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        let mut file = file.take(end.saturating_sub(from));
        let mut buffer = vec![0; PIECE];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => take(buffer.get(..read).unwrap_or_default()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}
