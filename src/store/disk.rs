//! The medium of everyday use: a folder on a file system.
//!
//! Below the root no symbolic link is followed, by any operation. The root itself may be reached
//! through links: it stays where it was found.

use std::{fs::File, io, os::unix::fs::FileExt};

use camino::Utf8PathBuf;
use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, RawMode, Stat, Uid, fchmod, fchown},
    io::Errno,
    process::geteuid,
};

use super::{
    Level,
    beneath::{self, Way},
    kernel::{access_list, holder, names, stamp},
    layout::{Joined, joined},
    medium::{Access, FileId, Handle, Holder, Medium, Rights, Stamp, Status, TryLock},
    owner,
    root::Root,
};

/// A store's folder on a file system.
#[derive(Debug)]
pub struct Disk {
    root: Root,
}

#[derive(Debug)]
struct DiskFile {
    file: File,
    /// What it was when it was opened, which has to be looked at in any case.
    at_open: Status,
    /// By what it is known again.
    seen: stamp::Seen,
}

impl Disk {
    /// Returns the folder below `root`; touches nothing yet.
    #[must_use]
    pub fn at(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: Root::at(root.into()) }
    }

    fn failed(&self, name: &str, errno: Errno) -> io::Error {
        beneath::failed(Way::Found(self.root.path()), &self.path(name), errno)
    }

    /// Returns the error of taking or giving a name: where that is forbidden it is by the folder,
    /// whosesoever the file is.
    fn naming_failed(&self, name: &str, errno: Errno) -> io::Error {
        if errno == Errno::ACCESS {
            self.folder_failed(Level::Notes, errno)
        } else {
            self.failed(name, errno)
        }
    }

    fn folder_failed(&self, level: Level, errno: Errno) -> io::Error {
        let root = self.root.path();
        beneath::folder_failed(Way::Found(root), &level.under(root), errno)
    }

    fn path(&self, name: &str) -> Joined {
        joined(self.root.path(), name)
    }

    fn folder(&self, level: Level) -> io::Result<File> {
        self.root.within(|way| beneath::open_folder(way, &level.under(way.root())))
    }

    fn open_file(&self, name: &str, flags: OFlags) -> io::Result<(File, Stat)> {
        self.root.within(|way| beneath::open_file(way, &joined(way.root(), name), flags))
    }

    /// Makes a file that is not there yet, open to its owner alone.
    fn make(&self, name: &str, access: Access) -> io::Result<(File, Stat)> {
        let flags = flags(access);
        if access == Access::Create && geteuid().is_root() {
            let made = owner::make_file(&self.folder(Level::Notes)?, name, flags);
            return made.map_err(|e| in_words(e, |errno| self.failed(name, errno)));
        }
        let create = |way: Way<'_>| {
            beneath::create_file(way, &joined(way.root(), name), flags, owner::FILE_MODE)
        };
        let file = self.root.within(create)?;
        let fitted = owner::fit_out_file(&file);
        let stat = fitted.inspect_err(|_| drop(self.remove(name)))?; // nobody could use it
        Ok((file, stat))
    }
}

impl Medium for Disk {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        let opening = stamp::Opening::now();
        let (file, stat) = if access.makes() {
            self.make(name, access)?
        } else {
            self.open_file(name, flags(access))?
        };
        let at_open = status(&stat);
        Ok(Box::new(DiskFile { file, at_open, seen: opening.found(at_open, &stat) }))
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        let stat = |way: Way<'_>| beneath::stat_file(way, &joined(way.root(), name));
        Ok(id(&self.root.within(stat)?))
    }

    fn still_names(&self, name: &str) -> io::Result<FileId> {
        Ok(id(&beneath::stat(&self.path(name)).map_err(|errno| self.failed(name, errno))?))
    }

    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        let stat = beneath::stat(&self.path(name)).map_err(|errno| self.failed(name, errno))?;
        Ok(stamp::of(status(&stat), &stat))
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        let Some((parent, name)) = level.place() else { return Err(Errno::EXIST.into()) };
        match owner::make_folder(&self.folder(parent)?, name) {
            // It was there a moment ago, and is it still?
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.folder(parent)?;
                Err(io::Error::new(io::ErrorKind::Unsupported, e))
            }
            made => made.map_err(|e| in_words(e, |errno| self.folder_failed(level, errno))),
        }
    }

    fn sync_folder(&self, level: Level) -> io::Result<()> {
        self.folder(level)?.sync_all()
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        names::each(&self.folder(Level::Notes)?, visit)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let notes = self.folder(Level::Notes)?;
        rustix::fs::renameat(&notes, from, &notes, to)
            .map_err(|errno| self.naming_failed(to, errno))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let notes = self.folder(Level::Notes)?;
        rustix::fs::unlinkat(&notes, name, AtFlags::empty())
            .map_err(|errno| self.naming_failed(name, errno))
    }
}

impl Handle for DiskFile {
    fn status(&self) -> io::Result<Status> {
        Ok(status(&rustix::fs::fstat(&self.file)?))
    }

    fn status_at_open(&self) -> io::Result<Status> {
        Ok(self.at_open)
    }

    fn stamp(&self) -> io::Result<Option<Stamp>> {
        self.seen.stamp_that_tells(&self.file)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(&self.file, buffer, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &self.file, bytes)
    }

    fn rewrite(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(&self.file, bytes, offset)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn access_list(&self) -> io::Result<Option<Vec<u8>>> {
        access_list::of(&self.file)
    }

    fn give(&self, rights: Rights, list: Option<&[u8]>) -> io::Result<()> {
        let (owner, group) = (Uid::from_raw(rights.owner), Gid::from_raw(rights.group));
        let mode = Mode::from_raw_mode(RawMode::from(rights.mode));
        let given = match fchown(&self.file, Some(owner), Some(group)) {
            Err(errno) if is_forbidden(errno) => fchown(&self.file, None, Some(group)),
            given => given,
        };
        let (list, mode) = match given {
            Err(errno) if is_forbidden(errno) => (None, mode - Mode::RWXG), // it is another group's
            given => given.map(|()| (list, mode))?,
        };
        let has_list = access_list::put(&self.file, list).is_ok();
        fchmod(&self.file, if has_list { mode } else { mode & Mode::RWXU })?;
        self.file.sync_all() // a sync of the bytes alone does not promise it
    }

    // std has methods of the same names, with other answers: fs2 is called in full.
    fn try_lock(&self) -> io::Result<TryLock> {
        match fs2::FileExt::try_lock_exclusive(&self.file) {
            Ok(()) => Ok(TryLock::Locked),
            Err(e) if e.raw_os_error() == fs2::lock_contended_error().raw_os_error() => {
                Ok(TryLock::Held)
            }
            Err(e) if has_no_locks(&e) => Err(io::Error::new(io::ErrorKind::Unsupported, e)),
            Err(e) => Err(e),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        fs2::FileExt::unlock(&self.file)
    }

    fn holder(&self) -> Option<Holder> {
        holder::holder(id(&rustix::fs::fstat(&self.file).ok()?))
    }
}

/// Returns whether files may not be given away: by who is not root, and in a name space for users
/// also to one whom it does not know.
fn is_forbidden(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::INVAL) && !geteuid().is_root()
}

/// Returns an error in our words, where it has the system's.
fn in_words(e: io::Error, words: impl FnOnce(Errno) -> io::Error) -> io::Error {
    Errno::from_io_error(&e).map_or(e, words)
}

fn flags(access: Access) -> OFlags {
    match access {
        Access::Read => OFlags::RDONLY,
        Access::Append | Access::Create | Access::CreateOwn => OFlags::RDWR | OFlags::APPEND,
        // A network file system wants what it locks open for writing.
        Access::Lock | Access::Rewrite => OFlags::RDWR,
    }
}

/// Returns whether a lock failed because the file system has none.
///
/// Source: what network and layered file systems answer, rust-lang/cargo issues 2615 and 4629.
fn has_no_locks(e: &io::Error) -> bool {
    let errno = Errno::from_io_error(e);
    let none = [Errno::NOLCK, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::BADF];
    errno.is_some_and(|errno| none.contains(&errno))
}

fn rights(stat: &Stat) -> Rights {
    let mode = u16::try_from(owner::permissions(stat).bits()).unwrap_or_default(); // nine bits
    Rights { owner: stat.st_uid, group: stat.st_gid, mode }
}

fn status(stat: &Stat) -> Status {
    let len = u64::try_from(stat.st_size).unwrap_or(0);
    Status { id: id(stat), len, links: bits(stat.st_nlink), rights: rights(stat) }
}

fn id(stat: &Stat) -> FileId {
    FileId { device: bits(stat.st_dev), inode: bits(stat.st_ino) }
}

/// Returns a field of a [`Stat`], whose types differ between systems; one that is signed keeps its
/// bits.
fn bits(field: impl Into<i128>) -> u64 {
    u64::try_from(field.into() & i128::from(u64::MAX)).unwrap_or_default() // it always fits
}
