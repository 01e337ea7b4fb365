//! What a doctor left behind when somebody killed it: known, and removed.

use std::{fs::File, os::fd::OwnedFd, process, time::Duration};

use rustix::{
    fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, flock, openat, unlinkat},
    io::{self, Errno},
    path::Arg,
    process::{Pid, geteuid, test_kill_process},
};

use super::{
    scratch::{FIRST, NAME},
    workplace::{FOLDER, open},
};

/// For how long a folder is left alone that has no such file yet, and whose process is not here: it
/// may be another machine's.
const LEFT_ALONE: Duration = Duration::from_secs(60 * 60);

/// Removes the folders from `place` that were left behind there.
pub(super) fn clear(place: &OwnedFd) {
    for entry in Dir::read_from(place).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        let process = name.strip_prefix(NAME).and_then(|number| number.parse().ok());
        if process.is_some_and(is_gone) && is_left(place, name).unwrap_or(false) {
            let _ = remove(place, name); // another time, then
        }
    }
}

/// Removes a folder with all that is in it, and nothing to which a link leads.
pub(super) fn remove(parent: &OwnedFd, name: impl Arg + Copy) -> io::Result<()> {
    let folder = openat(parent, name, FOLDER, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match unlinkat(&folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => remove(&folder, name)?,
            removed => removed?,
        }
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Returns whether a process is not here. We are not the one of our number either: each folder of
/// ours is gone before the next is made.
fn is_gone(process: i32) -> bool {
    let is_unknown = |pid| test_kill_process(pid) == Err(Errno::SRCH);
    u32::try_from(process) == Ok(process::id()) || Pid::from_raw(process).is_some_and(is_unknown)
}

/// Returns whether nobody holds a folder of ours, which may be another machine's.
fn is_left(place: &OwnedFd, name: &str) -> std::io::Result<bool> {
    let folder = openat(place, name, FOLDER, Mode::empty())?;
    if rustix::fs::fstat(&folder)?.st_uid != geteuid().as_raw() {
        return Ok(false);
    }
    let first = open(&folder, FIRST, OFlags::RDWR);
    Ok(match first.map(|first| flock(first, FlockOperation::NonBlockingLockExclusive)) {
        Ok(Ok(())) => true,
        Ok(Err(Errno::WOULDBLOCK)) => false,
        // It is not there yet, or there are no locks.
        Ok(Err(_)) | Err(_) => is_old(&File::from(folder)),
    })
}

fn is_old(folder: &File) -> bool {
    let modified = folder.metadata().and_then(|status| status.modified());
    modified.ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_ALONE)
}
