//! Whose the files and folders are that are made here: the owner's of the folder that they are made
//! in, also where root makes them.
//!
//! What root makes here for another user has its name from the moment on at which it is theirs, and
//! not before. So there is nothing that root keeps them out of, not for a moment, wherever it is
//! killed, and however many of it make one at once. A file has no name at all until then, so that
//! nothing is left of one; a folder has another. Where the file system cannot do that, they are
//! given away after they got their names: root that is killed in between leaves one of its own.
//!
//! What is to have the rights of a log is not made here, but given them once it has its name: the
//! log that is to replace it, and the file beside it for what is taken out. Nobody else opens these
//! while the lock is held, and where root is killed over one, whoever writes next
//! [takes it away](super::replace).

use std::{fs::File, io};

use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, fstat, mkdirat, statat, unlinkat},
    io::Errno,
    process::geteuid,
};

use super::{
    beneath,
    kernel::{nameless, rename},
    layout,
};

/// The mode of every file.
pub(super) const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
/// The mode of every folder.
const FOLDER_MODE: Mode = Mode::RWXU;
/// The bits that a umask can take away and others can be let in by.
const PERMISSIONS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// How many names are tried for a folder that has not got its own yet: a process of our number, in
/// another name space or killed before us, may have taken some.
const ASIDE_TRIES: u32 = 16;

/// Makes the file `name` in `parent`, as root, open to its owner alone, who is that of `parent`.
pub(super) fn make_file(parent: &File, name: &str, flags: OFlags) -> io::Result<(File, Stat)> {
    let stat = fstat(parent)?;
    let made = if is_roots(&stat) {
        None
    } else {
        nameless::make(parent, name, flags, FILE_MODE, |made| fit_out_for(&stat, made))?
    };
    let made = match made {
        Some(made) => made,
        None => make_file_in_place(parent, &stat, name, flags)?,
    };
    let stat = fstat(&made)?;
    Ok((made, stat))
}

fn make_file_in_place(parent: &File, stat: &Stat, name: &str, flags: OFlags) -> io::Result<File> {
    let made = beneath::create_file_in(parent, name, flags, FILE_MODE)?;
    fit_out_for(stat, &made).inspect_err(|_| {
        let _ = unlinkat(parent, name, AtFlags::empty()); // nobody could use it
    })?;
    Ok(made)
}

/// Sees to the mode and the owner of a file that root has just made.
fn fit_out_for(parent: &Stat, made: &File) -> io::Result<()> {
    let stat = fit_out_file(made)?;
    leave_to_the_owner_of(parent, made, &stat)
}

/// Sees to the mode of a file that was just made; returns what it is then.
pub(super) fn fit_out_file(made: &File) -> io::Result<Stat> {
    let stat = fstat(made)?;
    if permissions(&stat) == FILE_MODE {
        return Ok(stat);
    }
    fchmod(made, FILE_MODE)?; // the umask took something away
    Ok(fstat(made)?)
}

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
        // No such rename, or a container's filter that does not know it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => {
            make_in_place(parent, name)
        }
        named => Ok(named?),
    }
}

/// Returns whether root makes it, for another user.
fn is_anothers(parent: &Stat) -> bool {
    geteuid().is_root() && !is_roots(parent)
}

fn is_roots(stat: &Stat) -> bool {
    stat.st_uid == Uid::ROOT.as_raw()
}

/// Makes a folder under a name that nobody looks for; returns that.
fn make_aside(parent: &File, name: &str) -> io::Result<String> {
    for _ in 0..ASIDE_TRIES {
        let aside = layout::aside(name);
        match make_in_place(parent, &aside) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| aside),
        }
    }
    Err(io::Error::other(format!(
        "{ASIDE_TRIES} names were tried to make it under, as `{}`, and all are taken; what is \
         empty there was left by a process that was killed, and can be removed",
        layout::aside(name)
    )))
}

fn make_in_place(parent: &File, name: &str) -> io::Result<()> {
    mkdirat(parent, name, FOLDER_MODE)?;
    fit_out(parent, name).inspect_err(|_| {
        // It would keep the owner of the parent out.
        let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
    })
}

/// Sees to the mode and the owner of a folder that was just made.
///
/// The owner of the parent can have put another in its place. What was opened is judged, and
/// neither changed nor given away unless it is ours and empty.
fn fit_out(parent: &File, name: &str) -> io::Result<()> {
    let made = match beneath::open_folder_in(parent, name) {
        Ok(made) => made,
        // The umask took away its owner's right to read it; it keeps nothing from root.
        Err(Errno::ACCESS) => return beneath::open_to_its_owner(parent, name, FOLDER_MODE),
        Err(errno) => return Err(errno.into()),
    };
    let stat = fstat(&made)?;
    if !beneath::is_ours(&stat) {
        return judge_anothers(&stat, &fstat(parent)?);
    }
    if !beneath::is_empty(&made)? {
        return Ok(());
    }
    if permissions(&stat) != FOLDER_MODE {
        fchmod(&made, FOLDER_MODE)?;
    }
    if !geteuid().is_root() {
        return Ok(());
    }
    leave_to_the_owner_of(&fstat(parent)?, &made, &stat)
}

/// Judges a folder that we made and that is not ours: on some file systems all is one user's. Where
/// that is not whose the parent is, it would keep them out.
fn judge_anothers(made: &Stat, parent: &Stat) -> io::Result<()> {
    if !geteuid().is_root() || made.st_uid == parent.st_uid {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("what stands there once it is made belongs to another user, {}", made.st_uid),
    ))
}

/// Gives what root made to whom the folder that it is in belongs: a folder or a lock that is root's
/// would keep them out of their own store.
fn leave_to_the_owner_of(parent: &Stat, made: &File, stat: &Stat) -> io::Result<()> {
    let (user, group) = (parent.st_uid, parent.st_gid);
    if user == stat.st_uid {
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
