//! What of a log is recent: how far back it is looked through for the generation that it stands at.
//!
//! A session lives longer than anybody wants to wait for its log, so a look back ends early: at the
//! first line before the recent part, or, where one generation is asked about, at the first record
//! of an earlier one there. Only a record that [vouches] may end it. This program numbers and seals
//! what it appends, and appends nothing of an earlier generation than is on record unless it is
//! told to; other programs write what they like, and many name no generation, which reads as 0.
//! Their lines never move the border.
//!
//! So a look is bounded by [`RECENT`] where such a record stands there or is asked for and found;
//! it goes on to the last one where only other lines are recent, and through the whole log where
//! there is none at all, or where the generation that is asked about is the first of the log.

use std::ops::ControlFlow::{self, Break, Continue};

use super::look::{Look, Trouble};
use crate::{
    log::{Line, Placed, Record},
    units::{Bytes, Generation},
};

/// How far back from its end a log is looked through for the generation that it stands at, where a
/// record stands there that this program numbered and sealed.
///
/// A generation leaves a few records of a few thousand bytes, so there is room for hundreds of
/// them; and it is read in a small part of the two seconds that a hook has.
const RECENT: Bytes = Bytes::new(4 * 1024 * 1024);

/// Hands out the recent records, the last one first: those that begin in the last [`RECENT`] bytes,
/// and where none of them [vouches], all those before as far as to the last one that does.
pub(super) fn recent(look: &Look<'_>, visit: &mut dyn FnMut(&Record<'_>)) -> Result<(), Trouble> {
    let begin = begin(look.len());
    let mut is_vouched_for = false;
    look.back(&mut |Placed { offset, line, .. }| {
        if is_vouched_for && offset < begin {
            return Break(());
        }
        if let Line::Record(record) = &line {
            is_vouched_for |= vouches(record);
            visit(record);
        }
        Continue(())
    })?;
    Ok(())
}

/// What is looked for of a generation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sought {
    /// What takes its one attempt.
    Latch,
    /// A note, by whomever.
    Note,
}

/// The search for a record of one generation, from the end of a log.
pub(super) struct Wanted {
    generation: Generation,
    sought: Sought,
    begin: Bytes,
    found: bool,
}

impl Sought {
    const fn is(self, record: &Record<'_>) -> bool {
        match self {
            Self::Latch => record.latches(),
            Self::Note => record.is_note(),
        }
    }
}

impl Wanted {
    /// Returns the search for what is `sought` of `generation`, in a log of `len` bytes.
    pub(super) const fn of(generation: Generation, sought: Sought, len: u64) -> Self {
        Self { generation, sought, begin: begin(len), found: false }
    }

    /// Takes the next line on the way from the end; breaks off once the answer is known.
    pub(super) fn see(&mut self, placed: &Placed<'_>) -> ControlFlow<()> {
        let Line::Record(record) = &placed.line else { return Continue(()) };
        self.found = record.generation == self.generation && self.sought.is(record);
        let is_before = record.generation < self.generation && vouches(record);
        if self.found || is_before && placed.offset < self.begin { Break(()) } else { Continue(()) }
    }

    pub(super) const fn was_found(&self) -> bool {
        self.found
    }
}

/// Returns whether a record tells that no later generation than its own had been reached before it.
///
/// This program's own do, which bear a number and a checksum. One without a number is another
/// program's, also where an import has sealed it.
const fn vouches(record: &Record<'_>) -> bool {
    record.sealed && record.seq.is_some()
}

/// Returns where what is recent begins in a log of `len` bytes.
const fn begin(len: u64) -> Bytes {
    Bytes::new(len).saturating_sub(RECENT)
}
