//! The lock that every writer of a session takes before it so much as opens the log.
//!
//! It is the kernel's lock on a file of its own beside the log: it dies with its process, so a
//! crash leaves nothing to clean up. The file is never renamed, never deleted, and nothing is
//! written in it. It is held for one append and never across a model call.

use std::{io, sync::Arc, thread, time::Duration};

use super::{
    folder::Folder,
    layout,
    medium::{Access, FileId, Handle, Holder, TryLock},
    system::{Deadline, process_number},
};
use crate::{
    error::{Error, ErrorKind},
    session::SessionName,
};

/// How long a writer waits for another one before it gives up.
///
/// A durable append takes about a millisecond, so five seconds is a queue of thousands.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// How long a writer waits where somebody waits for it in turn, as a host does for its hook.
pub const HOOK_PATIENCE: Duration = Duration::from_millis(500);

/// The first pause between two tries: less than one durable append takes.
const PAUSE_FIRST: Duration = Duration::from_micros(50);
/// The longest pause between two tries: a few appends, so that the lock is seldom free unseen.
const PAUSE_MAX: Duration = Duration::from_millis(1);

/// A session's lock file, open.
#[derive(Clone, Debug)]
pub(super) struct LockFile {
    name: Arc<str>,
    handle: Arc<dyn Handle>,
    id: FileId,
}

/// The lock while it is held; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Held {
    file: LockFile,
    /// A forked child shares the lock with its parent: only who took it may give it back.
    owner: u32,
    was_given_back: bool,
}

/// Takes a session's lock, through the file kept from the last time where that one still counts.
pub(super) fn acquire(
    kept: &mut Option<LockFile>,
    folder: &Folder,
    session: &SessionName,
    deadline: Deadline,
) -> Result<Held, Error> {
    loop {
        let lock = match kept.take() {
            Some(lock) => lock,
            None => LockFile::open(folder, session)?,
        };
        if let Some(held) = lock.hold(folder, deadline)? {
            *kept = Some(lock);
            return Ok(held);
        }
    }
}

impl LockFile {
    /// Opens the lock file, made together with the store's folders where it is missing.
    fn open(folder: &Folder, session: &SessionName) -> Result<Self, Error> {
        let name = layout::lock(session);
        if let Some(handle) = folder.open_if_there(&name, Access::Lock)? {
            return Self::of(folder, &name, handle);
        }
        folder.make_if_new()?;
        Self::of(folder, &name, folder.create_or_open(&name, Access::Lock)?.opened()?)
    }

    /// Opens the lock file, or returns `None` where it is not there.
    pub(super) fn open_if_there(
        folder: &Folder,
        session: &SessionName,
    ) -> Result<Option<Self>, Error> {
        let name = layout::lock(session);
        let handle = folder.open_if_there(&name, Access::Lock)?;
        handle.map(|handle| Self::of(folder, &name, handle)).transpose()
    }

    fn of(folder: &Folder, name: &str, handle: Box<dyn Handle>) -> Result<Self, Error> {
        let id = folder.file(name, handle.as_ref()).status_at_open()?.id;
        Ok(Self { name: name.into(), handle: handle.into(), id })
    }

    /// Takes the lock; `None` says that the file was replaced meanwhile: another one counts now.
    pub(super) fn hold(&self, folder: &Folder, deadline: Deadline) -> Result<Option<Held>, Error> {
        if self.wait(folder, deadline)? == TryLock::Held {
            return Err(self.held_by(folder, self.handle.holder()));
        }
        let held = self.held();
        Ok(if held.still_counts(folder, deadline)? { Some(held) } else { None })
    }

    /// Takes the lock if it is to be had until the deadline, whether it still counts or not.
    pub(super) fn hold_if_free(&self, folder: &Folder, deadline: Deadline) -> Option<Held> {
        matches!(self.wait(folder, deadline), Ok(TryLock::Locked)).then(|| self.held())
    }

    fn held(&self) -> Held {
        Held { file: self.clone(), owner: process_number(), was_given_back: false }
    }

    /// Tries for the lock with growing pauses until it is ours or the deadline has passed.
    fn wait(&self, folder: &Folder, deadline: Deadline) -> Result<TryLock, Error> {
        let mut pause = PAUSE_FIRST;
        loop {
            match self.handle.try_lock() {
                Ok(TryLock::Locked) => return Ok(TryLock::Locked),
                Ok(TryLock::Held) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::Unsupported => {
                    return Err(self.unsupported(folder, e));
                }
                Err(e) => return Err(folder.failed("lock", &self.name, e)),
            }
            let left = deadline.left();
            if left.is_zero() {
                return Ok(TryLock::Held);
            }
            thread::sleep(pause.min(left));
            pause = PAUSE_MAX.min(pause * 2);
        }
    }

    fn held_by(&self, folder: &Folder, holder: Option<Holder>) -> Error {
        let Some(holder) = holder else { return self.busy(folder, "another process has it") };
        let busy = self.busy(folder, holder.to_string());
        match holder.advice() {
            Some(advice) => busy.with_advice(advice),
            None => busy,
        }
    }

    fn busy(&self, folder: &Folder, why: impl Into<String>) -> Error {
        Error::on(ErrorKind::Busy, "lock", &folder.path(&self.name)).with_detail(why)
    }

    fn unsupported(&self, folder: &Folder, source: io::Error) -> Error {
        folder
            .failed("lock", &self.name, source)
            .with_kind(ErrorKind::LockUnsupported)
            .with_detail("the file system gives no locks here, and nothing is written without one")
    }
}

impl Held {
    /// Returns whether the lock's path still names the file that is locked; where it does not,
    /// there is another try until the deadline.
    pub(super) fn still_counts(&self, folder: &Folder, deadline: Deadline) -> Result<bool, Error> {
        let counts = self.is_named(folder)?;
        if !counts && deadline.left().is_zero() {
            let busy = self.file.busy(folder, "the lock file is replaced again and again");
            return Err(busy.with_advice("end what replaces it; reading needs no lock"));
        }
        Ok(counts)
    }

    /// Returns whether the lock's path still names the file that is locked.
    ///
    /// Whether a link has come into the way is for the log beside it to tell, which is what is
    /// written to.
    pub(super) fn is_named(&self, folder: &Folder) -> Result<bool, Error> {
        Ok(folder.still_names(&self.file.name)? == Some(self.file.id))
    }

    /// Gives the lock back; after a failure, closing the file does it.
    pub(super) fn give_back(mut self) -> io::Result<()> {
        self.unlock()
    }

    /// Unlocks, since closing alone would not do while a forked child still has the file open.
    fn unlock(&mut self) -> io::Result<()> {
        if self.was_given_back || self.owner != process_number() {
            return Ok(());
        }
        self.was_given_back = true;
        self.file.handle.unlock()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}
