//! Whose the files and folders are that are made beside a person's own: the owner's of the folder
//! that they are made in, also where root makes them.
//!
//! In a container or by sudo we are root in another user's home or project, and what is root's
//! there keeps that user out of their own settings. As in the store, it is given away. Root that is
//! killed before that leaves one of its own.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
};

use camino::Utf8Path;
use rustix::{
    fs::{Gid, Mode, OFlags, Uid, fchown, open},
    io::Errno,
    process::geteuid,
};

/// Gives a folder that was just made to whom the one above it belongs. Where it can't be given it
/// goes again.
///
/// Whoever has the one above can have put another in its place: what is not root's, or not empty,
/// stays as it is.
pub(super) fn leave_folder(folder: &Utf8Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let itself = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = File::from(open(folder.as_std_path(), itself, Mode::empty())?);
    if !is_empty(&made)? {
        return Ok(());
    }
    leave(&made, folder).inspect_err(|_| {
        let _ = fs::remove_dir(folder);
    })
}

/// Gives a file that was just made at `path` to whom the folder belongs that it is in.
pub(super) fn leave_file(file: &File, path: &Utf8Path) -> io::Result<()> {
    if geteuid().is_root() { leave(file, path) } else { Ok(()) }
}

fn leave(made: &File, path: &Utf8Path) -> io::Result<()> {
    let above = path.parent().filter(|above| *above != "").unwrap_or(Utf8Path::new("."));
    let above = fs::metadata(above)?;
    let (user, group) = (Uid::from_raw(above.uid()), Gid::from_raw(above.gid()));
    if user.is_root() || made.metadata()?.uid() != Uid::ROOT.as_raw() {
        return Ok(());
    }
    match fchown(made, Some(user), Some(group)) {
        Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(()), // there are no owners here
        Err(Errno::PERM) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it may not be given to user {}, whose folder it is in", above.uid()),
        )),
        given => Ok(given?),
    }
}

fn is_empty(folder: &File) -> io::Result<bool> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}
