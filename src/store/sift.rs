//! What stays in a log and what doesn't, line by line, copied as it is decided.

use std::ops::Range;

use super::{
    file::File,
    repair::{DROPPED_NAMED_MAX, Dropped, FinalNewline, Repair},
};
use crate::{
    error::Error,
    log::{Entry, Fault, LINE_BYTES_MAX, Line, Tail, salvage},
    session::SessionName,
    units::Bytes,
};

/// How much is copied at once, in bytes.
const PIECE: u64 = 128 * 1024;

/// Where the lines go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outlet<'a> {
    /// They are only counted.
    Nowhere,
    /// They are copied.
    Files {
        /// To here, if they stay.
        kept: File<'a>,
        /// To here, if they don't.
        rejected: File<'a>,
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
    lines: u64,
    failed: Option<Error>,
}

impl<'a> Sifter<'a> {
    pub(super) fn new(session: &'a SessionName, log: File<'a>, outlet: Outlet<'a>) -> Self {
        let (plan, staying) = (Repair::default(), 0..0);
        Self { session, log, outlet, plan, staying, lines: 0, failed: None }
    }

    pub(super) fn see(&mut self, entry: &Entry<'_>) {
        self.lines = entry.number;
        let at = entry.offset.get()..entry.offset.get() + entry.length.get();
        match entry.line {
            Line::Bad(fault) => self.reject(entry.number, at, fault),
            _ => self.keep(at),
        }
    }

    pub(super) fn end(mut self, tail: Tail) -> Result<Repair, Error> {
        if let Tail::Torn { offset, length, fault } = tail {
            let line = self.lines.saturating_add(1);
            self.reject(line, offset.get()..offset.get() + length.get(), fault);
        }
        self.flush();
        if tail == Tail::Unterminated {
            self.plan.final_newline = FinalNewline::Supplied;
            self.attempt(|sifter| sifter.write_kept(b"\n"));
        }
        self.failed.map_or(Ok(self.plan), Err)
    }

    fn keep(&mut self, at: Range<u64>) {
        self.plan.kept += 1;
        if self.staying.end == at.start {
            self.staying.end = at.end;
        } else {
            self.flush();
            self.staying = at;
        }
    }

    fn reject(&mut self, line: u64, at: Range<u64>, fault: Fault) {
        self.flush();
        let mut won_back = 0;
        self.attempt(|sifter| {
            won_back = sifter.win_back(&at)?;
            sifter.copy(&at, Self::write_rejected)?;
            sifter.write_rejected_lf(&at)
        });
        self.plan.dropped += 1;
        self.plan.won_back += won_back;
        if self.plan.named.len() < DROPPED_NAMED_MAX {
            let (offset, length) = (Bytes::new(at.start), Bytes::new(at.end - at.start));
            self.plan.named.push(Dropped { line, offset, length, fault, won_back });
        }
    }

    /// Copies the whole records of a bad line to lines of their own; returns how many.
    fn win_back(&self, at: &Range<u64>) -> Result<u64, Error> {
        if at.end - at.start > LINE_BYTES_MAX as u64 + 1 {
            return Ok(0);
        }
        let mut line = Vec::new();
        self.copy(at, |_, piece| {
            line.extend_from_slice(piece);
            Ok(())
        })?;
        let records = salvage(line.strip_suffix(b"\n").unwrap_or(&line), self.session);
        for record in &records {
            self.write_kept(line.get(record.clone()).unwrap_or_default())?;
            self.write_kept(b"\n")?;
        }
        Ok(records.len() as u64)
    }

    fn flush(&mut self) {
        let staying = std::mem::take(&mut self.staying);
        if matches!(self.outlet, Outlet::Files { .. }) {
            self.attempt(|sifter| sifter.copy(&staying, Self::write_kept));
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
            Outlet::Nowhere => Ok(()),
            Outlet::Files { rejected, .. } => rejected.append_all(bytes),
        }
    }

    /// Ends a rejected line that had no LF of its own, so that the next one stands by itself.
    fn write_rejected_lf(&self, at: &Range<u64>) -> Result<(), Error> {
        let mut last = Vec::new();
        self.log.read(&(at.end.saturating_sub(1)..at.end), &mut last)?;
        if last == b"\n" { Ok(()) } else { self.write_rejected(b"\n") }
    }
}
