//! Who has a lock, where the system tells: Linux lists its locks in `/proc/locks`.

use std::fs;

use super::medium::FileId;

/// Returns the number, the name and the state of the process that took a lock, in words.
pub(super) fn holder(id: FileId) -> Option<String> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let pid = locks.lines().find_map(|line| pid_of(line, id))?;
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return Some(format!(
            "process {pid} took it and has ended; a child of it still has the file open"
        ));
    };
    let (name, state) = name_and_state(&stat)?;
    let stopped = if matches!(state, 'T' | 't') { ", and is stopped" } else { "" };
    Some(format!("process {pid} ({}) has it{stopped}", name.escape_debug()))
}

/// Reads a line like `1: FLOCK  ADVISORY  WRITE 4711 fe:00:131090 0 EOF`, the device in hex; who
/// only waits has an arrow before `FLOCK`.
fn pid_of(line: &str, id: FileId) -> Option<u32> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    if fields.next()? != "FLOCK" {
        return None;
    }
    let mut fields = fields.skip(2);
    let pid = fields.next()?.parse().ok()?;
    let mut place = fields.next()?.split(':');
    let major = u32::from_str_radix(place.next()?, 16).ok()?;
    let minor = u32::from_str_radix(place.next()?, 16).ok()?;
    let found =
        FileId { device: rustix::fs::makedev(major, minor), inode: place.next()?.parse().ok()? };
    (found == id).then_some(pid)
}

/// Reads a line like `4711 (graff-notes) S 1 …`; the name may hold anything.
fn name_and_state(stat: &str) -> Option<(&str, char)> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    Some((name, rest.trim_start().chars().next()?))
}
