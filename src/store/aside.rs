//! A small file that is written under another name and renamed once it is whole, so that nobody reads half
//! of it and a crash leaves what was there before, or the new one.
//!
//! A log is replaced with more care: see [`replace`](super::replace).

use super::folder::Folder;
use crate::error::Error;

/// Whether the bytes must survive a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sync {
    /// They must, from the moment at which they have the name.
    Due,
    /// Nobody misses them.
    #[cfg(feature = "host")]
    Needless,
}

/// Gives `name` to a file of these bytes, which nobody else writes `aside` meanwhile.
///
/// Its entry in the folder is the caller's to make durable.
pub(super) fn put(
    folder: &Folder,
    name: &str,
    aside: &str,
    bytes: &[u8],
    sync: Sync,
) -> Result<(), Error> {
    folder.remove_if_there(aside)?; // left by a process that died here
    write(folder, aside, bytes, sync)
        .and_then(|()| folder.rename(aside, name))
        .inspect_err(|_| drop(folder.remove_if_there(aside)))
}

fn write(folder: &Folder, aside: &str, bytes: &[u8], sync: Sync) -> Result<(), Error> {
    let handle = folder.create(aside)?;
    let file = folder.file(aside, handle.as_ref());
    file.append_all(bytes)?;
    if sync == Sync::Due { file.sync() } else { Ok(()) }
}
