//! The end of a transcript: enough to know the last request's usage, however long the file is.
//!
//! The caller reads the last so many bytes, and more where that was too little to tell. So the cost
//! is that of the bytes behind what is looked for.

use memchr::{memchr, memrchr};

use crate::{
    host::transcript::{Transcript, TranscriptReader},
    units::{Bytes, Tokens},
    usage::{Report, Unusable},
};

/// The last bytes of a transcript.
#[derive(Clone, Copy, Debug)]
pub struct Tail<'t> {
    lines: &'t [u8],
    whole: bool,
}

/// What the end of a transcript says of the last request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRequest {
    /// What the provider reported; unknown where a compaction stands behind it, or a damaged
    /// record.
    pub usage: Result<Report, Unusable>,
    /// The model's context window, where it is stated.
    pub window: Option<Tokens>,
}

impl<'t> Tail<'t> {
    /// So much of the end is read at first.
    pub const BYTES_FIRST: Bytes = Bytes::new(64 * 1024);
    /// So much of the end is read at most; a record longer than that hides what is before it.
    pub const BYTES_MAX: Bytes = Bytes::new(16 * 1024 * 1024);

    /// Returns the tail that the last `bytes` of a file of `len` bytes are.
    #[must_use]
    pub fn of(bytes: &'t [u8], len: Bytes) -> Self {
        let whole = bytes.len() as u64 >= len.get();
        // The first line is most likely cut.
        let from = if whole { Some(0) } else { memchr(b'\n', bytes).map(|end| end + 1) };
        Self { lines: from.and_then(|from| bytes.get(from..)).unwrap_or_default(), whole }
    }

    /// Returns whether there is nothing before it.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns its whole lines, the last one first.
    pub fn lines_back(&self) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let mut rest = Some(self.lines.strip_suffix(b"\n").unwrap_or(self.lines));
        std::iter::from_fn(move || {
            let lines = rest?;
            let (before, line) = match memrchr(b'\n', lines) {
                Some(end) => (lines.get(..end), lines.get(end + 1..)?),
                None => (None, lines),
            };
            rest = before;
            Some(line)
        })
    }

    /// Returns what it says of the last request, or `None` where it takes more of the file to tell.
    #[must_use]
    pub fn last_request(&self) -> Option<LastRequest> {
        let Transcript { usage, window, compactions, .. } = self.read();
        let settled = usage.is_ok() || compactions > 0 || self.whole;
        settled.then_some(LastRequest { usage, window })
    }

    fn read(&self) -> Transcript {
        let mut reader = TranscriptReader::new();
        reader.push(self.lines);
        reader.finish()
    }
}
