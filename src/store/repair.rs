//! The only change to what a log holds: takes out what is no record, on demand.
//!
//! What stays does so byte for byte and in its place; what doesn't goes to .rejected, durable
//! before the log is [replaced](super::replace). The new log is read back before it takes the old
//! one's name.

use std::io;

use super::{
    Store,
    file::File,
    folder::{Folder, LetIn},
    layout,
    lock::acquire,
    medium::Access,
    reader::SECOND_LOOK,
    replace::{Content, Replacement, conclude},
    sift::{Outlet, Sifter},
    snapshot::{Snapshot, read_through},
    system::Deadline,
};
use crate::{
    error::Error,
    log::{Concern, Replay},
    session::SessionName,
    units::Bytes,
};

/// How many of the dropped lines a [`Repair`] names; it counts them all.
pub const DROPPED_NAMED_MAX: usize = 1000;

/// Whether a repair writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepairMode {
    /// It only says what it would do.
    DryRun,
    /// It does it.
    Write,
}

/// What a repair did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Lines that stay byte for byte.
    pub kept: u64,
    /// Records won back from bad lines; each gets a line of its own.
    pub won_back: u64,
    /// Bad lines, a torn tail included; they go to the `.rejected` file.
    pub dropped: u64,
    /// The first [`DROPPED_NAMED_MAX`] of them.
    pub named: Vec<Dropped>,
    /// Whether the last record has its LF.
    pub final_newline: FinalNewline,
}

/// A line that a repair takes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its number, from 1.
    pub line: u64,
    /// Where it begins in the log.
    pub offset: Bytes,
    /// Its length, with its LF where it has one.
    pub length: Bytes,
    /// What is wrong with it, as `verify` says it: a bad line, or a torn tail.
    pub concern: Concern,
    /// How many records are won back from it.
    pub won_back: u64,
}

/// Whether the last record has its LF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FinalNewline {
    /// It has.
    #[default]
    There,
    /// The repair supplies it.
    Supplied,
}

impl Repair {
    /// Returns whether there is nothing to do.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.dropped == 0 && self.final_newline == FinalNewline::There
    }
}

/// Takes out of a log what is no record, or says what it would take out.
pub(super) fn repair(
    store: &Store,
    session: &SessionName,
    mode: RepairMode,
) -> Result<Repair, Error> {
    let folder = store.folder();
    let name = layout::log(session);
    // Before the lock: looking for a session that isn't there must not make it.
    let log = Snapshot::whole_lines(folder, &name, session, Deadline::after(SECOND_LOOK))?;
    if mode == RepairMode::DryRun {
        return sift(log.file(folder, &name), session, log.len(), Outlet::Nowhere);
    }
    let held = acquire(&mut None, folder, session, Deadline::after(store.patience()))?;
    conclude(folder, session)?;
    let log = Snapshot::now(folder, &name)?;
    let file = log.file(folder, &name);
    let plan = sift(file, session, log.len(), Outlet::Nowhere)?;
    if !plan.is_clean() {
        let len = log.len();
        Replacement { folder, session, log: Some(file), len, held: &held }.run(&Sifted {
            folder,
            session,
            log: file,
            len,
            plan: &plan,
        })?;
        tracing::info!(%session, kept = plan.kept, dropped = plan.dropped, "repaired");
    }
    Ok(plan)
}

/// Goes through a log of `len` bytes and sorts its lines.
fn sift(
    log: File<'_>,
    session: &SessionName,
    len: u64,
    outlet: Outlet<'_>,
) -> Result<Repair, Error> {
    let mut sifter = Sifter::new(session, log, outlet);
    let mut replay = Replay::of(session);
    let read = read_through(log, 0..len, &mut |piece| {
        replay.feed(piece, &mut |entry| sifter.see(&entry));
    })?;
    if read < len {
        return Err(log.cut_short());
    }
    let tail = replay.finish(&mut |entry| sifter.see(&entry));
    sifter.end(tail)
}

/// A log without what is no record in it.
struct Sifted<'a> {
    folder: &'a Folder,
    session: &'a SessionName,
    log: File<'a>,
    len: u64,
    plan: &'a Repair,
}

impl Content for Sifted<'_> {
    const ATTEMPTED: &'static str = "repair";
    const DONE: &'static str = "the log is repaired";
    const AGAIN: &'static str = "repair again";

    fn write(&self, successor: File<'_>) -> Result<(), Error> {
        let name = layout::rejected(self.session);
        let rejected = match self.plan.dropped {
            0 => None, // an empty file would say that something was taken out
            _ => Some(match self.folder.open_if_there(&name, Access::Append)? {
                Some(rejected) => rejected,
                None => self.folder.create_beside(&name, Some(self.log), LetIn::OwnerAlone)?,
            }),
        };
        let rejected = rejected.as_deref().map(|handle| self.folder.file(&name, handle));
        sift(self.log, self.session, self.len, Outlet::Files { kept: successor, rejected })?;
        rejected.map_or(Ok(()), |rejected| rejected.sync())
    }

    fn check(&self, successor: File<'_>) -> Result<(), Error> {
        let read_back = sift(successor, self.session, successor.status()?.len, Outlet::Nowhere)?;
        if read_back.is_clean() && read_back.kept == self.plan.kept + self.plan.won_back {
            return Ok(());
        }
        Err(successor.failed("read back", io::ErrorKind::InvalidData.into()))
    }
}
