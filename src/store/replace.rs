//! Replacing a log as a whole, which a repair and an import do: in one step, on demand.
//!
//! ```text
//! mark ─ the successor is written ─ sync it ─ look at it ─ see that nobody has disturbed the log
//!      ─ rename the successor over the log ─ sync the folder ─ unmark
//! ```
//!
//! Until the rename the log is untouched, and from then on it is the new one: there is no moment
//! without a readable log. The lock is held throughout.
//!
//! The mark is for the one who finds it there, since a process died in the middle. If the successor
//! is still beside the old log, what went to .rejected is taken back, to the length that the mark
//! names; else a loss of power could bring the old log back, and with it swallow what is appended
//! to the new one. So whoever appends or replaces next syncs the folder first.
//!
//! What the new log holds is not this module's business, but its [`Content`]'s.

use super::{
    Level,
    file::File,
    folder::{Folder, LetIn},
    layout,
    lock::Held,
    mark,
    medium::Access,
};
use crate::{
    error::{Error, ErrorKind},
    session::SessionName,
};

/// What a log is replaced by, and how messages speak of it.
pub(super) trait Content {
    /// What is attempted on the log.
    const ATTEMPTED: &'static str;
    /// What is so once the log is replaced.
    const DONE: &'static str;
    /// What to do where a loss of power may have undone it.
    const AGAIN: &'static str;

    /// Writes all of it to the empty `successor`; what it writes elsewhere it makes durable itself.
    fn write(&self, successor: File<'_>) -> Result<(), Error>;

    /// Looks at the successor once more, now that it is durable.
    fn check(&self, successor: File<'_>) -> Result<(), Error>;
}

/// A log on its way to be replaced, under its lock.
pub(super) struct Replacement<'a> {
    pub(super) folder: &'a Folder,
    pub(super) session: &'a SessionName,
    /// The log as it is named now; `None` where there is none.
    pub(super) log: Option<File<'a>>,
    /// Its length when its content was looked at.
    pub(super) len: u64,
    pub(super) held: &'a Held,
}

impl Replacement<'_> {
    /// Replaces the log, or leaves it as it is.
    ///
    /// # Durability
    ///
    /// On return the new log survives a loss of power. An error is [`ErrorKind::Uncertain`] where
    /// the new log is there, but may not, and where nobody knows whether it is there.
    pub(super) fn run<C: Content>(&self, content: &C) -> Result<(), Error> {
        let replaced = mark::put(self.folder, self.session)
            .and_then(|()| self.draw_up(content))
            .and_then(|()| self.check_undisturbed(C::ATTEMPTED))
            .and_then(|()| self.swap::<C>());
        if let Err(e) = replaced {
            let _ = conclude(self.folder, self.session); // else the next to write does it
            return Err(e);
        }
        self.make_durable::<C>()
    }

    /// Writes the successor, durable, and has it looked at.
    fn draw_up<C: Content>(&self, content: &C) -> Result<(), Error> {
        let (folder, name) = (self.folder, layout::repaired(self.session));
        folder.remove_if_there(&name)?; // a crash left it: nobody else has this name now
        let successor = folder.create_beside(&name, self.log, LetIn::AsToTheLog)?; // it stays whose it is
        let successor = folder.file(&name, successor.as_ref());
        folder.sync(Level::Notes)?; // who concludes this finds mark and successor, or nothing was written
        content.write(successor)?;
        successor.sync()?;
        folder.sync(Level::Notes)?;
        content.check(successor)
    }

    /// Checks that no program which knows no lock has written meanwhile, or moved anything.
    fn check_undisturbed(&self, attempted: &'static str) -> Result<(), Error> {
        let Some(disturbance) = self.disturbance()? else { return Ok(()) };
        let path = self.folder.path(&layout::log(self.session));
        Err(Error::on(ErrorKind::Busy, attempted, &path)
            .with_detail(format!("another program has {disturbance}"))
            .with_advice("try again; this program has changed nothing"))
    }

    /// Returns what another program has done to the log or its lock, in words.
    fn disturbance(&self) -> Result<Option<&'static str>, Error> {
        let log = self.log.map(|log| log.status()).transpose()?;
        let named = self.folder.identity(&layout::log(self.session))?;
        Ok(match (log.map(|log| log.id), named) {
            (None, Some(_)) => Some("made it meanwhile, without the lock"),
            (Some(_), None) => Some("removed it meanwhile, without the lock"),
            (Some(ours), Some(now)) if ours != now => {
                Some("replaced it meanwhile, without the lock")
            }
            _ if log.is_some_and(|log| log.len != self.len) => {
                Some("written to it meanwhile, without the lock")
            }
            _ if !self.held.is_named(self.folder)? => {
                Some("removed or replaced its lock file meanwhile, so that others may write to it")
            }
            _ => None,
        })
    }

    /// Gives the successor the name of the log.
    ///
    /// A network can lose the answer to a rename that was done: what counts is which file has the
    /// name. Where that has no answer either, nobody knows.
    fn swap<C: Content>(&self) -> Result<(), Error> {
        let (successor, log) = (layout::repaired(self.session), layout::log(self.session));
        let new = self.folder.identity(&successor)?;
        let Err(e) = self.folder.rename(&successor, &log) else { return Ok(()) };
        match self.folder.identity(&log) {
            Ok(named) if named.is_some() && named == new => Ok(()),
            Ok(_) => Err(e),
            Err(_) => {
                let (done, again) = (C::DONE, C::AGAIN);
                let unknown = format!("whether {done} is not known; {again}");
                Err(e.with_kind(ErrorKind::Uncertain).with_detail(unknown))
            }
        }
    }

    /// Makes durable that the log was replaced, and takes the mark away.
    fn make_durable<C: Content>(&self) -> Result<(), Error> {
        self.folder.sync(Level::Notes).map_err(|e| {
            let (done, again) = (C::DONE, C::AGAIN);
            let may = "but a loss of power may bring the old one back";
            e.with_kind(ErrorKind::Uncertain).with_detail(format!("{done}, {may}; {again}"))
        })?;
        let _ = self.folder.remove_if_there(&layout::repairing(self.session)); // else the next append does
        Ok(())
    }
}

/// Concludes a replacement that did not come to its end; the lock must be held.
pub(super) fn conclude(folder: &Folder, session: &SessionName) -> Result<(), Error> {
    let (mark, successor) = (layout::repairing(session), layout::repaired(session));
    if folder.open_if_there(&mark, Access::Read)?.is_none() {
        return Ok(()); // one call, where a look at the path would take three
    }
    folder.sync(Level::Notes)?;
    if folder.identity(&successor)?.is_some() {
        // The log was not replaced: what a repair took out still stands in it.
        if let Some(before) = mark::rejected_before(folder, &mark)? {
            take_back_rejected(folder, session, before)?;
        }
        folder.remove_if_there(&successor)?;
    }
    folder.remove_if_there(&mark)
}

/// Cuts `.rejected` to the length that it had `before`, durably.
fn take_back_rejected(folder: &Folder, session: &SessionName, before: u64) -> Result<(), Error> {
    let name = layout::rejected(session);
    if before == 0 {
        folder.remove_if_there(&name)?;
        return folder.sync(Level::Notes); // while mark and successor still tell what is to be done
    }
    let Some(handle) = folder.open_if_there(&name, Access::Append)? else { return Ok(()) };
    let rejected = folder.file(&name, handle.as_ref());
    if rejected.status()?.len > before {
        rejected.cut(before)?;
        rejected.sync()?;
    }
    Ok(())
}
