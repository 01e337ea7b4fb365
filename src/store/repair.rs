//! The only rewriting of a log: takes out what is no record, on demand.
//!
//! ```text
//! lock ─ what stays goes to a new file, what doesn't to .rejected ─ sync both
//!      ─ read the new file back ─ rename it over the log ─ sync the folder ─ unlock
//! ```
//!
//! Until the rename the log is untouched, and from then on it is the new one: there is no moment
//! without a readable log. What stays does so byte for byte and in its place.

use std::io;

use super::{
    Level, Store,
    folder::{Folder, absent_is_none},
    layout,
    medium::{Access, Handle},
    reader,
    sift::{Outlet, Sifter},
    writer::under_lock,
};
use crate::{
    error::{Error, ErrorKind},
    log::{Fault, Health, Replay},
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

pub(super) fn repair(
    store: &Store,
    session: &SessionName,
    mode: RepairMode,
) -> Result<Repair, Error> {
    let folder = store.folder();
    let name = layout::log(session);
    // Before the lock: looking for a session that isn't there must not make it.
    let log = folder.open(&name, Access::Read)?;
    if mode == RepairMode::DryRun {
        return sift(folder, session, log.as_ref(), Outlet::Nowhere).map(|(plan, _)| plan);
    }
    under_lock(&mut None, store, session, || {
        let log = folder.open(&name, Access::Read)?;
        let (plan, len) = sift(folder, session, log.as_ref(), Outlet::Nowhere)?;
        if !plan.is_clean() {
            rewrite(folder, session, log.as_ref(), len)?;
        }
        Ok(plan)
    })
}

fn sift(
    folder: &Folder,
    session: &SessionName,
    log: &dyn Handle,
    outlet: Outlet<'_>,
) -> Result<(Repair, u64), Error> {
    let mut sifter = Sifter::new(folder, session, log, outlet);
    let mut replay = Replay::of(session);
    let name = layout::log(session);
    let len = reader::read_through(folder, &name, log, &mut |piece| {
        replay.feed(piece, &mut |entry| sifter.see(&entry));
    })?;
    let tail = replay.finish(&mut |entry| sifter.see(&entry));
    sifter.end(tail).map(|plan| (plan, len))
}

fn rewrite(
    folder: &Folder,
    session: &SessionName,
    log: &dyn Handle,
    len: u64,
) -> Result<(), Error> {
    let (name, new_name) = (layout::log(session), layout::repaired(session));
    let rejected_name = layout::rejected(session);
    // Nobody else writes under this name while the lock is held: what stands there, a crash left.
    absent_is_none(folder.medium.remove(&new_name))
        .map_err(|e| folder.failed("remove", &new_name, e))?;
    let new = folder.open_or_create(&new_name, Access::Append)?;
    let rejected = folder.open_or_create(&rejected_name, Access::Append)?;
    let outlet = Outlet::Files { kept: new.as_ref(), rejected: rejected.as_ref() };
    let written = sift(folder, session, log, outlet).and_then(|(plan, _)| {
        new.sync().map_err(|e| folder.failed("make durable", &new_name, e))?;
        rejected.sync().map_err(|e| folder.failed("make durable", &rejected_name, e))?;
        read_back(folder, session, new.as_ref(), &plan)?;
        unchanged(folder, &name, log, len)?;
        folder.medium.rename(&new_name, &name).map_err(|e| folder.failed("replace", &name, e))
    });
    if let Err(e) = written {
        let _ = folder.medium.remove(&new_name);
        return Err(e);
    }
    folder.sync(Level::Notes)
}

/// Checks that the new file reads as it was meant to.
fn read_back(
    folder: &Folder,
    session: &SessionName,
    new: &dyn Handle,
    plan: &Repair,
) -> Result<(), Error> {
    let name = layout::repaired(session);
    let mut health = Health::default();
    let mut lines = 0;
    let mut replay = Replay::of(session);
    reader::read_through(folder, &name, new, &mut |piece| {
        replay.feed(piece, &mut |entry| {
            lines = entry.number;
            health.see(&entry);
        });
    })?;
    health.end(replay.finish(&mut |_| ()));
    if lines == plan.kept + plan.won_back && health.bad_lines == 0 && !health.torn_tail {
        return Ok(());
    }
    Err(folder.failed("read back", &name, io::ErrorKind::InvalidData.into()))
}

/// Checks that no program that knows no lock has written meanwhile.
fn unchanged(folder: &Folder, name: &str, log: &dyn Handle, len: u64) -> Result<(), Error> {
    match log.status() {
        Ok(now) if now.len == len => Ok(()),
        Ok(_) => Err(Error::on(ErrorKind::Busy, "repair", &folder.path(name))
            .with_detail("another program has written to it meanwhile, without the lock")),
        Err(e) => Err(folder.failed("look at", name, e)),
    }
}

pub(super) fn forget(store: &Store, session: &SessionName) -> Result<(), Error> {
    let folder = store.folder();
    let names = [layout::log(session), layout::rejected(session)];
    if names.iter().all(|name| folder.medium.identity(name).is_err()) {
        return Err(folder.failed("forget", &layout::log(session), io::ErrorKind::NotFound.into()));
    }
    under_lock(&mut None, store, session, || {
        for name in &names {
            absent_is_none(folder.medium.remove(name))
                .map_err(|e| folder.failed("remove", name, e))?;
        }
        folder.sync(Level::Notes)
    })
}
