//! What of a log is recent: how far back it is looked through for the generation that it stands at.
//!
//! Records are appended in order, and a session lives longer than anybody wants to wait for it: what
//! is asked at each hook must not cost more because the log has become long. So the generation is
//! that of the last few MiB; whether something of a generation is on record is looked for there, and
//! beyond as far as the records do not tell that an earlier generation has been reached.

use std::ops::ControlFlow::{self, Break, Continue};

use super::look::{Look, Trouble};
use crate::{
    log::{Line, Placed, Record},
    units::{Bytes, Generation},
};

/// How far back from its end a log is looked through for the generation that it stands at.
///
/// A generation leaves a few records of a few thousand bytes, so there is room for hundreds of them;
/// and it is read in a small part of the two seconds that a hook has.
pub const RECENT: Bytes = Bytes::new(4 * 1024 * 1024);

/// Hands out the recent records, the last one first.
///
/// Where all that is recent is no record, it goes back to the first one that is.
pub(super) fn recent(look: &Look<'_>, visit: &mut dyn FnMut(&Record<'_>)) -> Result<(), Trouble> {
    let begin = begin(look.len());
    let mut found = false;
    look.back(&mut |Placed { offset, line, .. }| {
        if found && offset < begin {
            return Break(());
        }
        if let Line::Record(record) = &line {
            found = true;
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
        let is_before = placed.offset < self.begin && record.generation < self.generation;
        if self.found || is_before { Break(()) } else { Continue(()) }
    }

    pub(super) const fn was_found(&self) -> bool {
        self.found
    }
}

/// Returns where what is recent begins in a log of `len` bytes.
const fn begin(len: u64) -> Bytes {
    Bytes::new(len).saturating_sub(RECENT)
}
