//! The lock that every writer of a session takes before it so much as opens the log.
//!
//! It is the kernel's lock on a file of its own beside the log: it dies with its process, so a
//! crash leaves nothing to clean up. The file is never renamed, never deleted, and nothing is
//! written in it. It is held for one append and never across a model call.

use std::{
    fs, io, process, thread,
    time::{Duration, Instant},
};

use super::{
    folder::Folder,
    medium::{Access, FileId, Handle, TryLock},
};
use crate::error::{Error, ErrorKind};

/// How long a writer waits for another one before it gives up.
///
/// A durable append takes about a millisecond, so five seconds is a queue of thousands.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// How long a writer waits where somebody waits for it in turn, as a host does for its hook.
pub const HOOK_PATIENCE: Duration = Duration::from_millis(500);

/// The first pause between two tries: less than one durable append takes.
const PAUSE_FIRST: Duration = Duration::from_micros(50);
/// The longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// A session's lock file, open.
#[derive(Debug)]
pub(super) struct LockFile {
    file: Box<dyn Handle>,
    id: FileId,
}

/// The lock while it is held; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Held<'l> {
    file: &'l dyn Handle,
    /// A forked child shares the lock with its parent: only who took it may give it back.
    owner: u32,
}

impl LockFile {
    /// Opens the lock file, made together with the store's folders where it is missing.
    pub(super) fn open(folder: &Folder, name: &str) -> Result<Self, Error> {
        Self::of(folder, name, folder.open_or_create(name, Access::Lock)?)
    }

    /// Opens the lock file, or returns `None` where it is not there.
    pub(super) fn open_if_there(folder: &Folder, name: &str) -> Result<Option<Self>, Error> {
        let file = folder.open_if_there(name, Access::Lock)?;
        file.map(|file| Self::of(folder, name, file)).transpose()
    }

    fn of(folder: &Folder, name: &str, file: Box<dyn Handle>) -> Result<Self, Error> {
        let id = file.status().map_err(|e| folder.failed("look at", name, e))?.id;
        Ok(Self { file, id })
    }

    /// Takes the lock; `None` says that the file was replaced meanwhile: another one counts now.
    pub(super) fn hold(
        &self,
        folder: &Folder,
        name: &str,
        deadline: Instant,
    ) -> Result<Option<Held<'_>>, Error> {
        if wait(folder, name, self.file.as_ref(), deadline)? == TryLock::Held {
            return Err(busy(folder, name, self.id));
        }
        let held = Held { file: self.file.as_ref(), owner: process::id() };
        let current = folder.medium.identity(name).is_ok_and(|named| named == self.id);
        if !current && Instant::now() >= deadline {
            return Err(Error::on(ErrorKind::Busy, "lock", &folder.path(name))
                .with_detail("the lock file is replaced again and again"));
        }
        Ok(current.then_some(held))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.owner == process::id() {
            // Closing gives it back too, but not while a forked child still has the file open.
            let _ = self.file.unlock();
        }
    }
}

/// Tries for the lock with growing pauses until it is ours or the deadline has passed.
fn wait(
    folder: &Folder,
    name: &str,
    file: &dyn Handle,
    deadline: Instant,
) -> Result<TryLock, Error> {
    let mut pause = PAUSE_FIRST;
    loop {
        match file.try_lock() {
            Ok(TryLock::Locked) => return Ok(TryLock::Locked),
            Ok(TryLock::Held) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(unsupported(folder, name, e)),
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(TryLock::Held);
        }
        thread::sleep(pause.min(left));
        pause = PAUSE_MAX.min(pause * 2);
    }
}

fn unsupported(folder: &Folder, name: &str, source: io::Error) -> Error {
    folder
        .failed("lock", name, source)
        .with_kind(ErrorKind::LockUnsupported)
        .with_detail("the file system gives no locks here, and nothing is written without one")
}

fn busy(folder: &Folder, name: &str, id: FileId) -> Error {
    let error = Error::on(ErrorKind::Busy, "lock", &folder.path(name));
    match holder(id) {
        Some(holder) => error.with_detail(format!("process {holder} has it")),
        None => error.with_detail("another process has it"),
    }
}

/// Returns the number and name of the process that holds a lock, where the system tells.
fn holder(id: FileId) -> Option<String> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let pid = locks.lines().find_map(|line| pid_of(line, id.inode))?;
    match fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => Some(format!("{pid} ({})", name.trim_end().escape_debug())),
        Err(_) => Some(pid.to_string()),
    }
}

/// Reads a line like `1: FLOCK  ADVISORY  WRITE 4711 fe:00:131090 0 EOF`.
fn pid_of(line: &str, inode: u64) -> Option<u32> {
    let mut fields = line.split_ascii_whitespace().skip_while(|field| *field != "FLOCK").skip(3);
    let pid = fields.next()?.parse().ok()?;
    let (_, found) = fields.next()?.rsplit_once(':')?;
    (found.parse() == Ok(inode)).then_some(pid)
}
