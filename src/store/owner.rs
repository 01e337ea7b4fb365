//! Whose the files and folders are that are made here: the owner's of the folder that they are made in,
//! also where root makes them.

use std::{fs::File, io};

use rustix::{
    fs::{AtFlags, Gid, Mode, Stat, Uid, fchown, fstat, mkdirat, statat, unlinkat},
    io::Errno,
    process::geteuid,
};

use super::beneath;

/// The mode of every folder.
const FOLDER_MODE: Mode = Mode::RWXU;
/// The bits that a umask can take away and others can be let in by.
const PERMISSIONS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// Makes the folder `name` in `parent`, open to its owner alone, who is that of `parent`.
pub(super) fn make_folder(parent: &File, name: &str) -> io::Result<()> {
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
