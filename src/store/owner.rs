//! Whose the files and folders are that are made here: the owner's of the folder that they are made in,
//! also where root makes them.
//!
//! A folder has its name from the moment on at which it is its owner's, and not before. So there is none
//! that root keeps them out of, wherever it is killed, and however many of it make one at once.

use std::{fs::File, io};

use rustix::{
    fs::{AtFlags, Gid, Mode, Stat, Uid, fchown, fstat, mkdirat, statat, unlinkat},
    io::Errno,
    process::geteuid,
};

use super::{beneath, kernel::rename, layout};

/// The mode of every folder.
const FOLDER_MODE: Mode = Mode::RWXU;
/// The bits that a umask can take away and others can be let in by.
const PERMISSIONS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// How many names are tried for a folder that has not got its own yet: a process of our number, in another
/// name space or killed before us, may have taken some.
const ASIDE_TRIES: u32 = 16;

/// Makes the folder `name` in `parent`, open to its owner alone, who is that of `parent`.
pub(super) fn make_folder(parent: &File, name: &str) -> io::Result<()> {
    if !is_anothers(&fstat(parent)?) {
        return make_in_place(parent, name);
    }
    if statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(Errno::EXIST.into());
    }
    let aside = make_aside(parent, name)?;
    let named = rename::where_there_is_none(parent, &aside, name);
    if named.is_err() {
        let _ = unlinkat(parent, &aside, AtFlags::REMOVEDIR);
    }
    match named {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => make_in_place(parent, name), // no such rename
        named => Ok(named?),
    }
}

/// Returns whether root makes it, for another user.
fn is_anothers(parent: &Stat) -> bool {
    geteuid().is_root() && parent.st_uid != Uid::ROOT.as_raw()
}

/// Makes a folder under a name that nobody looks for; returns that.
fn make_aside(parent: &File, name: &str) -> io::Result<String> {
    let mut tries_left = ASIDE_TRIES;
    loop {
        tries_left -= 1;
        let aside = layout::aside(name);
        match make_in_place(parent, &aside) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tries_left > 0 => {}
            made => return made.map(|()| aside),
        }
    }
}

fn make_in_place(parent: &File, name: &str) -> io::Result<()> {
    mkdirat(parent, name, FOLDER_MODE)?;
    fit_out(parent, name).inspect_err(|_| {
        // It would keep the owner of the parent out.
        let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
    })
}

/// Sees to the mode and the owner of a folder that was just made.
fn fit_out(parent: &File, name: &str) -> io::Result<()> {
    let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if permissions(&stat) != FOLDER_MODE {
        beneath::open_to_its_owner(parent, name, FOLDER_MODE)?;
    }
    if !geteuid().is_root() {
        return Ok(());
    }
    let made = beneath::open_folder_in(parent, name)?;
    // The owner of the parent can have put another in its place, which is not to be given away.
    if beneath::is_empty(&made)? { leave_to_the_owner_of(parent, &made) } else { Ok(()) }
}

/// Gives what root made to whom the folder belongs: a folder or a lock that is root's would keep them
/// out of their own store.
pub(super) fn leave_to_the_owner_of(folder: &File, made: &File) -> io::Result<()> {
    let (folder, maker) = (fstat(folder)?, fstat(made)?.st_uid);
    let (user, group) = (folder.st_uid, folder.st_gid);
    if user == maker {
        return Ok(());
    }
    match fchown(made, Some(Uid::from_raw(user)), Some(Gid::from_raw(group))) {
        Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(()), // there are no owners here
        Err(Errno::PERM) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it may not be given to user {user}, whose folder it is in"),
        )),
        given => Ok(given?),
    }
}

/// Returns what owner, group and others may do.
pub(super) fn permissions(stat: &Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode) & PERMISSIONS
}
