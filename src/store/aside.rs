//! A small file that is written under another name and renamed once it is whole, so that nobody
//! reads half of it and a crash leaves what was there before, or the new one.
//!
//! A log is replaced with more care: see [`replace`](super::replace).

use super::{file::File, folder::Folder};
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

/// Writes these bytes to the file `aside`, which the caller has just made, and gives it `name`;
/// where that fails, it removes it.
///
/// Its entry in the folder is the caller's to make durable.
pub(super) fn put(
    folder: &Folder,
    name: &str,
    aside: File<'_>,
    bytes: &[u8],
    sync: Sync,
) -> Result<(), Error> {
    write(aside, bytes, sync)
        .and_then(|()| folder.rename(aside.name(), name))
        .inspect_err(|_| drop(folder.remove_if_there(aside.name())))
}

fn write(aside: File<'_>, bytes: &[u8], sync: Sync) -> Result<(), Error> {
    aside.append_all(bytes)?;
    if sync == Sync::Due { aside.sync() } else { Ok(()) }
}
