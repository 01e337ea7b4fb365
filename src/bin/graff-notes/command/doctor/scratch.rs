//! A folder for what is tried: on the notes' own file system, since that is what is asked about, and
//! gone when we are. One that is left behind all the same is committed by nobody, and goes with the
//! next doctor.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    process,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;
use rustix::{
    fs::{FlockOperation, OFlags, flock},
    io::Errno,
    process::{Pid, test_kill_process},
};

/// What the name of a folder of ours begins with; the number of the process follows.
const NAME: &str = ".graff-doctor.";

/// What is put into it before anything else. Whoever made the folder holds a lock on it.
const FIRST: &str = ".gitignore";

/// For how long a folder is left alone that has no such file yet, and whose process is not here: it
/// may be another machine's.
const LEFT_ALONE: Duration = Duration::from_secs(60 * 60);

/// A folder of our own beside the notes, on the same file system; it goes when we do.
#[derive(Debug)]
pub(super) struct Scratch {
    path: Utf8PathBuf,
    /// Locked for as long as we are here, so that others see that we are; `None` until it is made.
    first: Option<File>,
}

impl Scratch {
    /// What to do where it cannot be made or used.
    pub(super) const ADVICE: &str = "check the rights and the space there, or choose another root";

    /// Makes a folder, and clears away those that were left behind wherever one may be.
    pub(super) fn beside(store: &Store) -> io::Result<Self> {
        let notes = store.notes_path();
        let places = [Some(notes.as_path()), notes.parent(), Some(store.root())];
        let mut places = places.into_iter().flatten().filter(|place| place.is_dir());
        places.clone().for_each(clear);
        let place = places.next().unwrap_or(store.root());
        let path = place.join(format!("{NAME}{}", process::id()));
        fs::create_dir(&path)?;
        let mut scratch = Self { path, first: None };
        let mut first = File::create_new(scratch.path.join(FIRST))?;
        let _ = flock(&first, FlockOperation::NonBlockingLockExclusive); // where locks are known
        first.write_all(b"*\n")?;
        scratch.first = Some(first);
        Ok(scratch)
    }

    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path); // it is empty but for what we wrote
    }
}

/// Removes the folders that were left behind when somebody killed their process.
fn clear(place: &Utf8Path) {
    for entry in place.read_dir_utf8().into_iter().flatten().flatten() {
        let process = entry.file_name().strip_prefix(NAME).and_then(|number| number.parse().ok());
        // A link is none, and leads nowhere that is ours.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && process.is_some_and(is_gone) && is_left(entry.path()) {
            let _ = fs::remove_dir_all(entry.path()); // another time, then
        }
    }
}

/// Returns whether a process is not here. We are not the one of our number either: each folder of
/// ours is gone before the next is made.
fn is_gone(process: i32) -> bool {
    let is_unknown = |pid| test_kill_process(pid) == Err(Errno::SRCH);
    u32::try_from(process) == Ok(process::id()) || Pid::from_raw(process).is_some_and(is_unknown)
}

/// Returns whether nobody holds a folder of ours, which may be another machine's.
fn is_left(folder: &Utf8Path) -> bool {
    let flags = OFlags::NONBLOCK.union(OFlags::NOFOLLOW).bits().cast_signed();
    let first = File::options().read(true).write(true).custom_flags(flags).open(folder.join(FIRST));
    match first.map(|first| flock(first, FlockOperation::NonBlockingLockExclusive)) {
        Ok(Ok(())) => true,
        Ok(Err(Errno::WOULDBLOCK)) => false,
        // It is not there yet, or there are no locks.
        Ok(Err(_)) | Err(_) => is_old(folder),
    }
}

fn is_old(folder: &Utf8Path) -> bool {
    let modified = fs::symlink_metadata(folder).and_then(|status| status.modified());
    modified.ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_ALONE)
}
