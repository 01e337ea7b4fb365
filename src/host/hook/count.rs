//! How often a transcript's history has been replaced by a summary, counted from where the last
//! count ended.
//!
//! Only lines that hold the mark of a compaction are parsed; the others cost a search. A line is
//! looked at once its end has been written.

use memchr::{memchr, memmem, memrchr};

use super::{client::Host, state::Seen};
use crate::{
    host::transcript::{TranscriptReader, gemini_summary},
    units::Bytes,
};

/// A longer line is no compaction that can be read, in bytes.
const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A count of compactions that goes on from an earlier one.
#[derive(Debug)]
pub struct Counter<'k> {
    host: Host,
    /// What a compacted history has in it where it kept the note that it was given.
    kept: Option<&'k str>,
    compactions: u64,
    /// Where the bytes that are held begin.
    offset: u64,
    held: Vec<u8>,
    /// The last line that a compaction was seen in.
    last: Option<Vec<u8>>,
    /// What the last summary goes by, where a transcript may repeat it.
    summary: Option<String>,
}

/// What a count came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The compactions in the whole transcript.
    pub compactions: u64,
    /// Whether the last of them has left the note in the history.
    pub kept: bool,
    /// Where the next count begins, and what it begins with.
    pub seen: Seen,
}

impl<'k> Counter<'k> {
    /// Returns a count that goes on after `seen`, for a transcript of `host`.
    ///
    /// `kept` is a text that stands in the history where the note is still in it.
    #[must_use]
    pub fn new(host: Host, seen: Option<&Seen>, kept: Option<&'k str>) -> Self {
        let (offset, compactions) =
            seen.map_or((0, 0), |seen| (seen.bytes.get(), seen.compactions));
        let summary = seen.and_then(|seen| seen.summary.clone());
        Self { host, kept, compactions, offset, held: Vec::new(), last: None, summary }
    }

    /// Returns where in the transcript the count goes on.
    #[must_use]
    pub fn wants(&self) -> Bytes {
        Bytes::new(self.offset + self.held.len() as u64)
    }

    /// Takes the next piece of the transcript.
    pub fn push(&mut self, piece: &[u8]) {
        let Some(end) = memrchr(b'\n', piece) else { return self.hold(piece) };
        let (ended, begun) = piece.split_at(end + 1);
        if self.held.is_empty() {
            self.look_at(ended);
        } else {
            self.held.extend_from_slice(ended);
            let lines = std::mem::take(&mut self.held);
            self.look_at(&lines);
        }
        self.hold(begun);
    }

    /// Returns what the count came to, for the transcript at `path`.
    #[must_use]
    pub fn finish(self, path: &str) -> Counted {
        let seen = Seen {
            transcript: path.to_owned(),
            bytes: Bytes::new(self.offset),
            compactions: self.compactions,
            summary: self.summary,
        };
        let kept = self.last.as_ref().zip(self.kept);
        let kept = kept.is_some_and(|(last, mark)| holds(last, mark.as_bytes()));
        Counted { compactions: self.compactions, kept, seen }
    }

    fn hold(&mut self, begun: &[u8]) {
        if self.held.len().saturating_add(begun.len()) <= LINE_BYTES_MAX {
            self.held.extend_from_slice(begun);
        } else {
            self.offset += (self.held.len() + begun.len()) as u64;
            self.held = Vec::new();
        }
    }

    /// Looks at whole lines.
    fn look_at(&mut self, lines: &[u8]) {
        let mark = mark(self.host);
        let mut from = 0;
        while let Some(found) =
            mark.and_then(|mark| memmem::find(rest(lines, from), mark.as_bytes()))
        {
            let start = memrchr(b'\n', lines.get(..from + found).unwrap_or_default());
            let start = start.map_or(0, |end| end + 1);
            let end =
                memchr(b'\n', rest(lines, from + found)).map_or(lines.len(), |n| from + found + n);
            self.weigh(lines.get(start..end).unwrap_or_default());
            from = end;
        }
        self.offset += lines.len() as u64;
    }

    fn weigh(&mut self, line: &[u8]) {
        let more = if self.host == Host::Gemini {
            u64::from(self.is_new_summary(line))
        } else {
            let last = self.last.as_deref().unwrap_or_default();
            compactions(&[last, line]).saturating_sub(compactions(&[last]))
        };
        if more > 0 {
            self.compactions = self.compactions.saturating_add(more);
            self.last = Some(line.to_owned());
        }
    }

    /// Whether a line of Gemini CLI has a summary, and another one than the last: a session that is
    /// resumed repeats its own, in a history that has grown since.
    fn is_new_summary(&mut self, line: &[u8]) -> bool {
        let Some(summary) = gemini_summary(line) else { return false };
        self.summary.replace(summary.clone()) != Some(summary)
    }
}

/// What stands in every line that says that a history has been replaced by a summary.
const fn mark(host: Host) -> Option<&'static str> {
    match host {
        Host::ClaudeCode => Some("compact_boundary"),
        Host::Codex => Some("\"compacted\""),
        Host::Gemini => Some("<state_snapshot>"),
        Host::Opencode | Host::Goose => None,
    }
}

fn compactions(lines: &[&[u8]]) -> u64 {
    let mut reader = TranscriptReader::new();
    for line in lines {
        reader.feed(line);
    }
    reader.finish().compactions
}

fn rest(lines: &[u8], from: usize) -> &[u8] {
    lines.get(from..).unwrap_or_default()
}

fn holds(line: &[u8], text: &[u8]) -> bool {
    memmem::find(line, text).is_some()
}
