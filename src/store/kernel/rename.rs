//! A rename that takes no name away from anybody.

use std::fs::File;

use rustix::{
    fs::{RenameFlags, renameat_with},
    io::Errno,
};

/// Gives what is `from` in a folder the name `to`, unless something has that already.
///
/// Some file systems don't know it, and answer `EINVAL`.
pub(in crate::store) fn where_there_is_none(
    folder: &File,
    from: &str,
    to: &str,
) -> Result<(), Errno> {
    renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE)
}
