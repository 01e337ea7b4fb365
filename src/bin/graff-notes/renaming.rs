//! Renaming that takes no other file's name away: to one that nothing has, or in exchange.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

/// Lets two files change places, which no moment lies between.
pub(crate) fn exchange(one: &Utf8Path, other: &Utf8Path) -> io::Result<()> {
    renamed(one, other, RenameFlags::EXCHANGE)
}

/// Gives a file the first of these names that nothing has yet, and returns that.
pub(crate) fn to_first(
    from: &Utf8Path,
    names: impl IntoIterator<Item = Utf8PathBuf>,
) -> io::Result<Option<Utf8PathBuf>> {
    for name in names {
        match to_nothing(from, &name) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            renamed => return renamed.map(|()| Some(name)),
        }
    }
    Ok(None)
}

/// Gives a file a name that nothing has.
pub(crate) fn to_nothing(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    match renamed(from, to, RenameFlags::NOREPLACE) {
        Err(e) if can_never(&e) => match fs::hard_link(from, to) {
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied && !is_there(to) => {
                fs::rename(from, to) // a file system without second names
            }
            linked => linked.and_then(|()| fs::remove_file(from)),
        },
        renamed => renamed,
    }
}

/// Whether the system or this file system has no such renaming: `INVAL` is what a file system of
/// Linux says that doesn't know the flag, `NOTSUP` what one of macOS says.
pub(crate) fn can_never(e: &io::Error) -> bool {
    let never = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP];
    Errno::from_io_error(e).is_some_and(|errno| never.contains(&errno))
}

fn is_there(path: &Utf8Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn renamed(from: &Utf8Path, to: &Utf8Path, how: RenameFlags) -> io::Result<()> {
    Ok(renameat_with(CWD, from.as_std_path(), CWD, to.as_std_path(), how)?)
}
