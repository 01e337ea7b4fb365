//! A folder whose files one run of ours changes at a time.
//!
//! The lock is on the folder itself, so that nothing is made for it and nothing stays of it.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use graff_notes::ErrorKind;
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::made;
use crate::{command::owner, exit::Exit, failure::Failure};

/// How long another run of ours is waited for: it needs some milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What systems say where a file system has no locks. NFS locks only what is open for writing,
/// which no folder is: `BADF`; others don't lock folders: `INVAL`.
const NO_LOCKS: [Errno; 6] =
    [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::NOSYS, Errno::BADF, Errno::INVAL];

/// A folder that is ours as long as this is there.
#[derive(Debug)]
pub(in crate::command) struct Held {
    /// The system lets go of the lock with the folder's last handle; `None` where the file system
    /// has no locks.
    lock: Option<File>,
}

impl Held {
    /// Makes a folder, where it is missing, and waits for it.
    pub(in crate::command) fn folder(folder: &Utf8Path) -> Result<Self, Failure> {
        let folder = or_here(folder);
        let begun = Instant::now();
        let mut found = "";
        while begun.elapsed() < PATIENCE {
            make(folder).map_err(|e| Failure::on("create the folder", folder, &e))?;
            found = match lock(folder).map_err(|e| Failure::on("lock the folder", folder, &e))? {
                Attempt::Locked(lock) => return Ok(Self { lock: Some(lock) }),
                Attempt::NoLocks => return Ok(Self { lock: None }),
                Attempt::InUse => "another graff-notes holds it",
                // With an empty folder goes a run of ours that took its hooks out.
                Attempt::Gone => "another takes it away, time and again,",
            };
            thread::sleep(LOOK_EVERY);
        }
        let seconds = PATIENCE.as_secs();
        let what = format_args!("lock {folder}: {found} for {seconds} s now");
        let failure = Failure::new(Exit::Busy, ErrorKind::Busy.as_str(), what).at(folder);
        Err(failure.advise("wait for the other one to end, and run it again"))
    }

    /// Whether nobody else of ours can be at work here, on this machine: a file system of many may
    /// keep its locks from the others. A run there whose text is taken away fails, and costs
    /// nothing.
    pub(in crate::command) fn is_alone(&self) -> bool {
        self.lock.is_some()
    }
}

/// What a look at the lock comes to.
enum Attempt {
    Locked(File),
    InUse,
    Gone,
    NoLocks,
}

fn lock(folder: &Utf8Path) -> io::Result<Attempt> {
    let handle = match File::open(folder) {
        Ok(handle) => handle,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Attempt::Gone),
        Err(e) => return Err(e),
    };
    match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) if is_still(folder, &handle)? => Ok(Attempt::Locked(handle)),
        Ok(()) => Ok(Attempt::Gone),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(Attempt::InUse),
        Err(e) if NO_LOCKS.contains(&e) => Ok(Attempt::NoLocks),
        Err(e) => Err(e.into()),
    }
}

/// Whether the name still leads to the folder that was opened.
fn is_still(folder: &Utf8Path, handle: &File) -> io::Result<bool> {
    let opened = handle.metadata()?;
    match fs::metadata(folder) {
        Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// Makes a folder and those above it that are missing, so that a loss of power doesn't undo it.
fn make(folder: &Utf8Path) -> io::Result<()> {
    let Some(above) = folder.parent().filter(|_| !folder.is_dir()) else { return Ok(()) };
    make(above)?;
    match fs::create_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match fs::symlink_metadata(folder) {
            Ok(there) if there.is_symlink() && !folder.is_dir() => {
                Err(io::Error::other("it is a link that leads nowhere"))
            }
            Ok(there) if there.is_file() => Err(e),
            _ => Ok(()), // another run has made it just now
        },
        // A run that takes its hooks out has just removed the one above: the next look makes it.
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        made => {
            made.and_then(|()| owner::leave_folder(folder))?;
            made::mark(folder);
            sync(above)
        }
    }
}

/// Removes a folder that is empty and in which no other run of ours is at work; returns whether it
/// did.
pub(in crate::command) fn remove_if_free(folder: &Utf8Path) -> bool {
    // Who waits for it looks whether it is still there, and makes it anew.
    let attempt = lock(folder);
    let is_free = matches!(attempt, Ok(Attempt::Locked(_) | Attempt::NoLocks));
    is_free && fs::remove_dir(folder).is_ok()
}

/// Sees to it that a loss of power doesn't undo what was done to the names in a folder.
pub(in crate::command) fn sync(folder: &Utf8Path) -> io::Result<()> {
    File::open(or_here(folder)).and_then(|folder| folder.sync_all())
}

/// Returns the folder that a path of a single name lies in.
fn or_here(folder: &Utf8Path) -> &Utf8Path {
    if folder == "" { Utf8Path::new(".") } else { folder }
}
