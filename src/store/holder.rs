//! Who has a lock, where the system tells: Linux lists its locks in `/proc/locks`.
//!
//! The list names a file by its number and the device of its file system. On Btrfs a file says that its
//! device is the subvolume's: there, a process is the holder if the file that it has open is ours.

use std::{fs, io, os::unix::fs::MetadataExt as _};

use super::medium::FileId;

/// How often the list is read: it changes meanwhile, and then a line of it can be passed over.
const READINGS: usize = 3;

/// Returns the number, the name and the state of the process that took a lock, in words.
pub(super) fn holder(id: FileId) -> Option<String> {
    (0..READINGS).find_map(|_| listed(id))
}

fn listed(id: FileId) -> Option<String> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let locks: Vec<_> =
        locks.lines().filter_map(lock).filter(|(_, file)| file.inode == id.inode).collect();
    let named = locks.iter().find(|(_, file)| *file == id);
    let (pid, _) = named.or_else(|| locks.iter().find(|(pid, _)| can_be_of(*pid, id)))?;
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return Some(format!(
            "process {pid} took it and has ended; a child of it still has the file open"
        ));
    };
    let (name, state) = name_and_state(&stat)?;
    let stopped = if matches!(state, 'T' | 't') { ", and is stopped" } else { "" };
    Some(format!("process {pid} ({}) has it{stopped}", name.escape_debug()))
}

/// Returns whether a process has a file open, or has ended, and with it what it had open.
fn can_be_of(pid: u32, id: FileId) -> bool {
    let is_ours = |file: fs::Metadata| FileId { device: file.dev(), inode: file.ino() } == id;
    match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(open) => open.flatten().any(|fd| fs::metadata(fd.path()).is_ok_and(is_ours)),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    }
}

/// Reads a line like `1: FLOCK  ADVISORY  WRITE 4711 fe:00:131090 0 EOF`, the device in hex; who
/// only waits has an arrow before `FLOCK`.
fn lock(line: &str) -> Option<(u32, FileId)> {
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
