//! Whether a file has changed since it was read, told by one look at its path.
//!
//! A look is only believed on file systems that this system alone writes to, and which it asks for
//! no other's word: on a network the answer can be as old as a cache, and only an open asks the
//! server. And it is only believed of a file that had been left alone for a while when it was read:
//! a change within the same tick of the file system's clock would bear the same time.

use std::{
    fs::File,
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::fs::Stat;

use crate::store::medium::{Stamp, Status};

/// The file systems whose word is believed, by their numbers in `statfs`.
///
/// Only those that the tests were run on. A layered one is not among them: a network's may be below
/// it. Source: `linux/magic.h`.
const TRUTHFUL: [u64; 4] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x0102_1994, // tmpfs
];

/// How long a file must have been left alone: more than the coarsest tick of a file system that is
/// believed, which is a second (ext4 with inodes of 128 bytes).
const RESTED: Duration = Duration::from_secs(2);

/// A moment before a file is opened: a change that the look behind it does not show comes later.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Opening(SystemTime);

/// What a look found at a file's opening.
#[derive(Debug)]
pub(in crate::store) struct Seen {
    stamp: Stamp,
    opening: Opening,
}

impl Opening {
    pub(in crate::store) fn now() -> Self {
        Self(SystemTime::now())
    }

    pub(in crate::store) fn found(self, status: Status, stat: &Stat) -> Seen {
        Seen { stamp: stamp(status, stat), opening: self }
    }
}

impl Seen {
    /// Returns the stamp, if the same one later on will prove that nobody has changed the file.
    pub(in crate::store) fn stamp_that_tells(&self, file: &File) -> io::Result<Option<Stamp>> {
        let tells = has_rested(&self.stamp, self.opening) && is_truthful(file)?;
        Ok(tells.then_some(self.stamp))
    }
}

/// Returns the stamp of a file that was looked at.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
pub(in crate::store) fn of(status: Status, stat: &Stat) -> Option<Stamp> {
    Some(stamp(status, stat))
}

fn stamp(status: Status, stat: &Stat) -> Stamp {
    let time = |seconds: i128, nanos: i128| seconds * 1_000_000_000 + nanos;
    Stamp {
        id: status.id,
        len: status.len,
        modified: time(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        changed: time(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
    }
}

/// Returns whether the file system of a file is one whose word is believed.
fn is_truthful(file: &File) -> io::Result<bool> {
    let kind = rustix::fs::fstatfs(file)?.f_type;
    // A type of 32 bits with a sign on some machines.
    Ok(u64::try_from(i128::from(kind) & 0xFFFF_FFFF).is_ok_and(|kind| TRUTHFUL.contains(&kind)))
}

/// Returns whether a file had been left alone for a while when it was opened.
///
/// Anybody can set the time of its bytes; that of any change is the system's own.
fn has_rested(stamp: &Stamp, Opening(now): Opening) -> bool {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let border = since.saturating_sub(RESTED).as_nanos();
    i128::try_from(border).is_ok_and(|border| stamp.modified.max(stamp.changed) < border)
}
