//! Renaming that takes no other file's name away: to one that nothing has, or in exchange.
//!
//! What this cannot do: where a file system knows neither such a renaming nor second names, a file
//! that comes to be between the last look and the renaming loses its name.

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

/// Gives a file a name that nothing has, in the place of its own.
pub(crate) fn to_nothing(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    match named(from, to)? {
        OldName::Gone => Ok(()),
        OldName::Stands => fs::remove_file(from),
    }
}

/// Gives a file a name that nothing has. Its own stays where it cannot be taken away: that does no
/// harm to a file which is whole, and ours.
pub(crate) fn to_nothing_at_least(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    if named(from, to)? == OldName::Stands {
        let _ = fs::remove_file(from);
    }
    Ok(())
}

/// Where the name is that a file had before.
#[derive(PartialEq, Eq)]
enum OldName {
    Gone,
    Stands,
}

fn named(from: &Utf8Path, to: &Utf8Path) -> io::Result<OldName> {
    match renamed(from, to, RenameFlags::NOREPLACE) {
        Err(e) if can_never(&e) => match fs::hard_link(from, to) {
            Err(e) if has_no_second_names(&e) && !is_there(to) => fs::rename(from, to)?,
            linked => return linked.map(|()| OldName::Stands),
        },
        renamed => renamed?,
    }
    Ok(OldName::Gone)
}

/// Returns whether a file system may have no second names: Linux says `PERM` then, and a program
/// that serves one by FUSE what it likes.
fn has_no_second_names(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::PermissionDenied || can_never(e)
}

/// Returns whether what was asked for can never be had, whatever the files are: the system or this
/// file system has none of it. `INVAL` is what a file system of Linux says that doesn't know a flag
/// of a renaming, `NOTSUP` what one of macOS says.
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
