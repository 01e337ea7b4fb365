//! Who has a lock, where the system tells: Linux lists its locks in `/proc/locks`.
//!
//! The list names a file by its number and the device of its file system. On Btrfs a file says that
//! its device is the subvolume's: there, a process is the holder if the file that it has open is
//! ours.

use std::{fs, io, os::unix::fs::MetadataExt as _};

use crate::store::medium::{FileId, Holder};

/// How often the list is read: it changes meanwhile, and then a line of it can be passed over, on a
/// busy machine three times in a row.
const READINGS: usize = 16;

/// A process's number and the file that it has a lock on.
type Lock = (u32, FileId);

/// Returns who has the lock on a file.
pub(in crate::store) fn holder(id: FileId) -> Option<Holder> {
    (0..READINGS).find_map(|_| listed(id))
}

fn listed(id: FileId) -> Option<Holder> {
    let locks = locks_on(id.inode)?;
    let named = locks.iter().find(|(_, file)| *file == id);
    let (pid, _) = named.or_else(|| locks.iter().find(|lock| can_be_on(**lock, id)))?;
    let holder = seen(*pid, id);
    let is_still_listed =
        || locks_on(id.inode).is_some_and(|now| now.iter().any(|(p, _)| p == pid));
    match holder {
        // It was given back in the meantime, and may have been taken once more.
        Holder::Heir(_) if !(is_still_listed() && has_left(*pid, id)) => None,
        holder => Some(holder),
    }
}

fn locks_on(inode: u64) -> Option<Vec<Lock>> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    Some(locks.lines().filter_map(lock).filter(|(_, file)| file.inode == inode).collect())
}

/// Returns whether a lock on a file of the same number can be one on ours, although its device is
/// another: one that stands for no disk, whose process has ours open or is gone.
fn can_be_on((pid, file): Lock, id: FileId) -> bool {
    rustix::fs::major(file.device) == 0 && has_open(pid, id).unwrap_or_else(|| is_gone(pid))
}

/// Returns whether a process has a file open; `None` where that is not to be seen.
fn has_open(pid: u32, id: FileId) -> Option<bool> {
    let is_ours = |file: fs::Metadata| FileId { device: file.dev(), inode: file.ino() } == id;
    let open = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    Some(open.flatten().any(|fd| fs::metadata(fd.path()).is_ok_and(is_ours)))
}

/// Returns whether a process has closed a file or has ended; the number may also be another's by
/// now.
fn has_left(pid: u32, id: FileId) -> bool {
    has_open(pid, id).map_or_else(|| is_gone(pid), |is_open| !is_open)
}

/// Returns whether there is no such process. Where others' are hidden, so is the first one, and
/// nothing can be said.
fn is_gone(pid: u32) -> bool {
    let is_missing = |e: io::Error| e.kind() == io::ErrorKind::NotFound;
    fs::metadata(format!("/proc/{pid}")).is_err_and(is_missing) && fs::metadata("/proc/1").is_ok()
}

/// Returns what can be seen of the process that took the lock on a file.
fn seen(pid: u32, id: FileId) -> Holder {
    let Ok(stat) = fs::read(format!("/proc/{pid}/stat")) else {
        return if is_gone(pid) { Holder::Heir(pid) } else { Holder::Hidden(pid) };
    };
    if has_open(pid, id) == Some(false) {
        return Holder::Heir(pid);
    }
    match name_and_state(&String::from_utf8_lossy(&stat)) {
        Some((name, 'T' | 't')) => Holder::Stopped(pid, name.to_owned()),
        Some((name, _)) => Holder::Running(pid, name.to_owned()),
        None => Holder::Hidden(pid),
    }
}

/// Reads a line like `1: FLOCK  ADVISORY  WRITE 4711 fe:00:131090 0 EOF`, the device in hex; who
/// only waits has an arrow before `FLOCK`.
fn lock(line: &str) -> Option<Lock> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    if fields.next()? != "FLOCK" {
        return None;
    }
    let mut fields = fields.skip(2);
    let pid = fields.next()?.parse().ok()?;
    let mut place = fields.next()?.split(':');
    let major = u32::from_str_radix(place.next()?, 16).ok()?;
    let minor = u32::from_str_radix(place.next()?, 16).ok()?;
    let inode = place.next()?.parse().ok()?;
    Some((pid, FileId { device: rustix::fs::makedev(major, minor), inode }))
}

/// Reads a line like `4711 (graff-notes) S 1 …`; the name may hold anything.
fn name_and_state(stat: &str) -> Option<(&str, char)> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    Some((name, rest.trim_start().chars().next()?))
}
