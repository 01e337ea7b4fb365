//! The only rewriting of what a log holds: takes out what is no record, on demand.
//!
//! ```text
//! lock ─ mark ─ what stays goes to a new file, what doesn't to .rejected ─ sync both
//!      ─ read the new file back ─ rename it over the log ─ sync the folder ─ unmark ─ unlock
//! ```
//!
//! Until the rename the log is untouched, and from then on it is the new one: there is no moment
//! without a readable log. What stays does so byte for byte and in its place.
//!
//! The mark is for the one who finds it there, since a process died in the middle. If the new log is
//! still beside the old one, what went to .rejected is taken back, to the length that the mark
//! names; else a loss of power could bring the old log back, and with it swallow what is appended to
//! the new one. So whoever appends or repairs next syncs the folder first.

use std::io;

use super::{
    Level, Store,
    file::File,
    folder::Folder,
    layout,
    lock::{Held, acquire},
    mark,
    medium::Access,
    reader::{self, Opened},
    sift::{Outlet, Sifter},
    system::Deadline,
};
use crate::{
    error::{Error, ErrorKind},
    log::{Fault, Replay},
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
    /// Why it is no record.
    pub fault: Fault,
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
    let log = Opened::whole_lines(folder, &name, session)?;
    if mode == RepairMode::DryRun {
        return sift(log.file(folder, &name), session, log.len(), Outlet::Nowhere);
    }
    let deadline = Deadline::after(store.patience());
    let held = acquire(&mut None, folder, session, deadline)?;
    conclude(folder, session)?;
    let log = Opened::now(folder, &name)?;
    let file = log.file(folder, &name);
    let plan = sift(file, session, log.len(), Outlet::Nowhere)?;
    if !plan.is_clean() {
        let rewriting = Rewriting { folder, session, name: &name, log: file, len: log.len() };
        rewriting.run(&plan, &held, deadline)?;
        tracing::info!(%session, kept = plan.kept, dropped = plan.dropped, "repaired");
    }
    Ok(plan)
}

/// Concludes what a repair left that did not come to its end; the lock must be held.
pub(super) fn conclude(folder: &Folder, session: &SessionName) -> Result<(), Error> {
    let (mark, new_log) = (layout::repairing(session), layout::repaired(session));
    if folder.identity(&mark)?.is_none() {
        return Ok(());
    }
    folder.sync(Level::Notes)?;
    if folder.identity(&new_log)?.is_some() {
        // The log was not replaced: what the repair took out still stands in it.
        if let Some(before) = mark::rejected_before(folder, &mark)? {
            take_back_rejected(folder, session, before)?;
        }
        folder.remove_if_there(&new_log)?;
    }
    folder.remove_if_there(&mark)
}

fn take_back_rejected(folder: &Folder, session: &SessionName, before: u64) -> Result<(), Error> {
    let name = layout::rejected(session);
    if before == 0 {
        return folder.remove_if_there(&name);
    }
    let Some(handle) = folder.open_if_there(&name, Access::Append)? else { return Ok(()) };
    let rejected = folder.file(&name, handle.as_ref());
    if rejected.status()?.len > before {
        rejected.cut(before)?;
        rejected.sync()?;
    }
    Ok(())
}

/// Gives the new log the name of the old one.
///
/// A network can lose the answer to a rename that was done: what counts is which file has the name.
pub(super) fn replace(folder: &Folder, new_name: &str, name: &str) -> Result<(), Error> {
    let new = folder.identity(new_name)?;
    match folder.rename(new_name, name) {
        Err(_) if new.is_some() && folder.identity(name).is_ok_and(|named| named == new) => Ok(()),
        renamed => renamed,
    }
}

/// Makes durable that a log was replaced, and takes the mark away.
pub(super) fn settle(
    folder: &Folder,
    session: &SessionName,
    what_is: &str,
    again: &str,
) -> Result<(), Error> {
    folder.sync(Level::Notes).map_err(|e| {
        let may = "but a loss of power may bring the old one back";
        e.with_kind(ErrorKind::Uncertain).with_detail(format!("{what_is}, {may}; {again}"))
    })?;
    let _ = folder.remove_if_there(&layout::repairing(session)); // else the next append does it
    Ok(())
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
    let read = reader::read_through(log, 0..len, &mut |piece| {
        replay.feed(piece, &mut |entry| sifter.see(&entry));
    })?;
    if read < len {
        return Err(log.cut_short());
    }
    let tail = replay.finish(&mut |entry| sifter.see(&entry));
    sifter.end(tail)
}

/// A log on its way to be replaced.
struct Rewriting<'a> {
    folder: &'a Folder,
    session: &'a SessionName,
    name: &'a str,
    log: File<'a>,
    len: u64,
}

impl Rewriting<'_> {
    fn run(&self, plan: &Repair, held: &Held, deadline: Deadline) -> Result<(), Error> {
        let replaced = mark::put(self.folder, self.session)
            .and_then(|()| self.write(plan))
            .and_then(|()| self.check_undisturbed(held, deadline))
            .and_then(|()| replace(self.folder, &layout::repaired(self.session), self.name));
        if let Err(e) = replaced {
            let _ = conclude(self.folder, self.session); // else the next append or repair does it
            return Err(e);
        }
        settle(self.folder, self.session, "the log is repaired", "repair again")
    }

    /// Writes both files, durable, and reads the new log back.
    fn write(&self, plan: &Repair) -> Result<(), Error> {
        let (new_name, rejected_name) =
            (layout::repaired(self.session), layout::rejected(self.session));
        self.folder.remove_if_there(&new_name)?; // a crash left it: nobody else has this name now
        let new = self.folder.create(&new_name)?;
        let new = self.folder.file(&new_name, new.as_ref());
        self.folder.sync(Level::Notes)?; // who concludes this finds both, or nothing was written
        let rejected = match plan.dropped {
            0 => None, // an empty file would say that something was taken out
            _ => Some(self.folder.open_or_create(&rejected_name, Access::Append)?),
        };
        let rejected = rejected.as_deref().map(|r| self.folder.file(&rejected_name, r));
        sift(self.log, self.session, self.len, Outlet::Files { kept: new, rejected })?;
        new.sync()?;
        rejected.map_or(Ok(()), |rejected| rejected.sync())?;
        self.folder.sync(Level::Notes)?;
        let read_back = sift(new, self.session, new.status()?.len, Outlet::Nowhere)?;
        if read_back.is_clean() && read_back.kept == plan.kept + plan.won_back {
            return Ok(());
        }
        Err(new.failed("read back", io::ErrorKind::InvalidData.into()))
    }

    /// Checks that no program which knows no lock has written meanwhile, or moved anything.
    fn check_undisturbed(&self, held: &Held, deadline: Deadline) -> Result<(), Error> {
        let now = self.log.status()?;
        if now.len == self.len
            && self.folder.identity(self.name)? == Some(now.id)
            && held.still_counts(self.folder, self.session, deadline)?
        {
            return Ok(());
        }
        Err(self
            .log
            .refused(ErrorKind::Busy, "repair")
            .with_detail("another program has written to it meanwhile, without the lock"))
    }
}
