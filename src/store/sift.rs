//! What stays in a log and what doesn't, line by line, copied as it is decided.

use std::ops::{Range, RangeInclusive};

use super::{
    file::File,
    repair::{DROPPED_NAMED_MAX, Dropped, FinalNewline, Repair},
    snapshot::PIECE,
};
use crate::{
    error::Error,
    log::{Concern, Entry, LINE_BYTES_MAX, Line, Tail, win_back},
    session::SessionName,
    units::Bytes,
};

/// How long a bad line is, with its LF, in which a record is looked for: a shorter one has no room
/// for the shortest that is won back, and a longer one was never held.
const WON_BACK_LENGTHS: RangeInclusive<u64> =
    br#"{"v":2,"crc":"00000000"}"#.len() as u64..=LINE_BYTES_MAX as u64 + 1;

/// Where the lines go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outlet<'a> {
    /// They are only counted.
    Nowhere,
    /// They are copied.
    Files {
        /// To here, if they stay.
        kept: File<'a>,
        /// To here, if they don't; `None` where all of them stay.
        rejected: Option<File<'a>>,
    },
}

/// Sorts the lines of a log; the first failure ends it.
#[derive(Debug)]
pub(super) struct Sifter<'a> {
    session: &'a SessionName,
    log: File<'a>,
    outlet: Outlet<'a>,
    plan: Repair,
    /// Lines that stay and stand side by side, not yet copied.
    staying: Range<u64>,
    /// The same of those that go.
    going: Range<u64>,
    lines: u64,
    failed: Option<Error>,
}

impl<'a> Sifter<'a> {
    pub(super) fn new(session: &'a SessionName, log: File<'a>, outlet: Outlet<'a>) -> Self {
        let plan = Repair::default();
        Self { session, log, outlet, plan, staying: 0..0, going: 0..0, lines: 0, failed: None }
    }

    pub(super) fn see(&mut self, entry: &Entry<'_>) {
        self.lines = entry.number;
        let at = entry.offset.get()..entry.offset.get() + entry.length.get();
        match entry.line {
            Line::Bad(fault) => self.reject(entry.number, at, Concern::Bad(fault)),
            _ => self.keep(at),
        }
    }

    pub(super) fn end(mut self, tail: Tail) -> Result<Repair, Error> {
        if let Tail::Torn { offset, length, fault } = tail {
            let line = self.lines.saturating_add(1);
            let at = offset.get()..offset.get() + length.get();
            self.reject(line, at, Concern::TornTail(fault));
        }
        self.flush_staying();
        self.flush_going();
        match tail {
            Tail::Clean => {}
            Tail::Torn { .. } => self.attempt(|sifter| sifter.write_rejected(b"\n")),
            Tail::Unterminated => {
                self.plan.final_newline = FinalNewline::Supplied;
                self.attempt(|sifter| sifter.write_kept(b"\n"));
            }
        }
        self.failed.map_or(Ok(self.plan), Err)
    }

    fn keep(&mut self, at: Range<u64>) {
        self.plan.kept += 1;
        if self.staying.end != at.start {
            self.flush_staying();
            self.staying.start = at.start;
        }
        self.staying.end = at.end;
    }

    fn reject(&mut self, line: u64, at: Range<u64>, concern: Concern) {
        let won_back = self.win_back(&at);
        self.plan.dropped += 1;
        self.plan.won_back += won_back;
        if self.plan.named.len() < DROPPED_NAMED_MAX {
            let (offset, length) = (Bytes::new(at.start), Bytes::new(at.end - at.start));
            self.plan.named.push(Dropped { line, offset, length, concern, won_back });
        }
        if self.going.end != at.start {
            self.flush_going();
            self.going.start = at.start;
        }
        self.going.end = at.end;
    }

    /// Copies the whole records of a bad line to lines of their own; returns how many.
    fn win_back(&mut self, at: &Range<u64>) -> u64 {
        if !WON_BACK_LENGTHS.contains(&(at.end - at.start)) {
            return 0;
        }
        let mut line = Vec::new();
        self.attempt(|sifter| {
            sifter.copy(at, |_, piece| {
                line.extend_from_slice(piece);
                Ok(())
            })
        });
        let records = win_back(line.strip_suffix(b"\n").unwrap_or(&line), self.session);
        if !records.is_empty() {
            self.flush_staying();
        }
        for record in &records {
            self.attempt(|sifter| {
                sifter.write_kept(line.get(record.clone()).unwrap_or_default())?;
                sifter.write_kept(b"\n")
            });
        }
        records.len() as u64
    }

    fn flush_staying(&mut self) {
        let staying = std::mem::take(&mut self.staying);
        if matches!(self.outlet, Outlet::Files { .. }) {
            self.attempt(|sifter| sifter.copy(&staying, Self::write_kept));
        }
    }

    fn flush_going(&mut self) {
        let going = std::mem::take(&mut self.going);
        if matches!(self.outlet, Outlet::Files { .. }) {
            self.attempt(|sifter| sifter.copy(&going, Self::write_rejected));
        }
    }

    fn attempt(&mut self, step: impl FnOnce(&Self) -> Result<(), Error>) {
        if self.failed.is_none() {
            self.failed = step(self).err();
        }
    }

    /// Hands a range of the log to `take`, piece by piece.
    fn copy(
        &self,
        at: &Range<u64>,
        mut take: impl FnMut(&Self, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut piece = Vec::new();
        let mut offset = at.start;
        while offset < at.end {
            self.log.read(&(offset..at.end.min(offset + PIECE)), &mut piece)?;
            if piece.is_empty() {
                return Err(self.log.cut_short());
            }
            take(self, &piece)?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    fn write_kept(&self, bytes: &[u8]) -> Result<(), Error> {
        match self.outlet {
            Outlet::Nowhere => Ok(()),
            Outlet::Files { kept, .. } => kept.append_all(bytes),
        }
    }

    fn write_rejected(&self, bytes: &[u8]) -> Result<(), Error> {
        match self.outlet {
            Outlet::Nowhere | Outlet::Files { rejected: None, .. } => Ok(()),
            Outlet::Files { rejected: Some(rejected), .. } => rejected.append_all(bytes),
        }
    }
}
