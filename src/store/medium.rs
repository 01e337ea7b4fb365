//! The seam between the store and the disk: every file operation of the store goes through it.
//!
//! A medium is one flat folder of files below a root. The store says *what* it wants done; a
//! medium does it, once, and reports what happened: it hides no failure, and tries nothing again.
//! Tests put a medium in its place that keeps live and durable bytes apart.

use std::{error, fmt, io};

use super::Level;

/// How a file is opened. No way of opening follows a link or waits for a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// An existing file, to read.
    Read,
    /// An existing file, to read and to append to.
    Append,
    /// A file that is not there yet, to read and to append to; readable by its owner alone, who is
    /// that of the folder where root makes it, before the file has its name if that can be.
    Create,
    /// As [`Create`](Self::Create), but it stays the maker's until it is [given](Handle::give) the
    /// rights of another file.
    CreateOwn,
    /// An existing file that is only locked.
    Lock,
    /// An existing file, to write in place what stands there already.
    Rewrite,
}

/// Which file a path or a handle names, whatever its name is by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The file on that device.
    pub inode: u64,
}

/// What a handle knows of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Which file it is.
    pub id: FileId,
    /// Its length in bytes.
    pub len: u64,
    /// How many names it has.
    pub links: u64,
    /// Whose it is.
    pub rights: Rights,
}

/// Whose a file is, and who may do what with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// The number of the user.
    pub owner: u32,
    /// The number of the group.
    pub group: u32,
    /// What owner, group and others may do: the nine bits of `rwxrwxrwx`.
    pub mode: u16,
}

/// What tells whether a file has changed: where it is the same as before, the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Which file it is.
    pub id: FileId,
    /// Its length in bytes.
    pub len: u64,
    /// When its bytes last changed, in nanoseconds of the file system's clock.
    pub modified: i128,
    /// When its bytes, its names or its rights last changed, likewise.
    pub changed: i128,
}

/// Whether a lock was to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum TryLock {
    /// It is ours.
    Locked,
    /// Another handle has it, in this process or another.
    Held,
}

/// Who has a lock: a process by its number, as far as the system tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// It runs, and has this name.
    Running(u32, String),
    /// It is stopped, and keeps the lock until it goes on or ends.
    Stopped(u32, String),
    /// What it does is hidden from this user, and whether it runs.
    Hidden(u32),
    /// It took the lock and has the file open no more; one that it began, or gave the file to, has.
    Heir(u32),
}

/// A flat folder of files, and the folders that lead to it.
pub trait Medium: fmt::Debug + Send + Sync {
    /// Opens the file `name`; what is no plain file, or has a link on its way, is [`Refused`].
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>>;

    /// Returns which file `name` names now; what is no plain file, or has a link on its way, is
    /// [`Refused`].
    fn identity(&self, name: &str) -> io::Result<FileId>;

    /// Returns which file `name` names now, if need be through a link on its way: enough for a
    /// second look at what was opened without one.
    fn still_names(&self, name: &str) -> io::Result<FileId>;

    /// Returns the stamp of the file that `name` names now, if need be through a link on its way;
    /// it is only worth something beside [one that a handle gave](Handle::stamp).
    ///
    /// `None` where the medium has no stamps.
    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>>;

    /// Makes one folder, open to its owner alone.
    ///
    /// The kind of the error is [`NotFound`](io::ErrorKind::NotFound) where the folder that it is
    /// to be in is not there, and [`Unsupported`](io::ErrorKind::Unsupported) where that takes
    /// none.
    fn make_folder(&self, level: Level) -> io::Result<()>;

    /// Makes the entries of a folder durable.
    fn sync_folder(&self, level: Level) -> io::Result<()>;

    /// Calls `visit` with the name of each file in the notes folder, in no order.
    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()>;

    /// Gives the file `from` the name `to`, in one step, in place of what had that name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// An open file.
pub trait Handle: fmt::Debug + Send + Sync {
    /// Returns which file it is and how long.
    fn status(&self) -> io::Result<Status>;

    /// Returns which file it is and how long it was when it was opened.
    fn status_at_open(&self) -> io::Result<Status>;

    /// Returns the stamp that it had when it was opened, that of [`Self::status_at_open`].
    ///
    /// `None` where the same stamp later on would not prove that nobody has changed the file since
    /// it was opened, as where a cache may answer, or where a change right then could bear the same
    /// time.
    fn stamp(&self) -> io::Result<Option<Stamp>>;

    /// Reads from `offset` on; returns how many bytes, 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Appends in one step; returns how many bytes of `bytes` were taken.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes at `offset` the bytes that stand there already, in place, so that the next sync
    /// makes them durable whatever became of those before it. The file was opened for that.
    fn rewrite(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts the file to `len`.
    fn cut(&self, len: u64) -> io::Result<()>;

    /// Makes the file's bytes and length durable.
    ///
    /// On a failure nothing is known of the bytes since the last success, whatever a later sync
    /// says.
    fn sync(&self) -> io::Result<()>;

    /// Returns the access list of the file, in the form in which its file system keeps it.
    ///
    /// `None` where it has none, and where there is no such thing.
    fn access_list(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Gives the file, durably, the rights and the access list of another one, which it is to
    /// replace.
    ///
    /// Who may not give files away keeps it, and lets the other owner in as far as may be. Where
    /// the list is not to be had, nobody but the owner is let in.
    fn give(&self, rights: Rights, access_list: Option<&[u8]>) -> io::Result<()>;

    /// Tries to lock the file against every other handle, without waiting.
    ///
    /// The kind of the error is [`Unsupported`](io::ErrorKind::Unsupported) where there are no
    /// locks.
    fn try_lock(&self) -> io::Result<TryLock>;

    /// Gives the lock back.
    fn unlock(&self) -> io::Result<()>;

    /// Returns who has the lock, where that can be told.
    fn holder(&self) -> Option<Holder> {
        None
    }
}

/// Why a path was refused: something on it is not what must stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The folder on the way that is none, by its name; `None` where it is the path's own end.
    pub folder: Option<String>,
    /// What it is.
    pub found: &'static str,
    /// What must stand there.
    pub wanted: &'static str,
}

impl Access {
    /// Returns whether the file is made, and must not be there yet.
    #[must_use]
    pub const fn makes(self) -> bool {
        matches!(self, Self::Create | Self::CreateOwn)
    }
}

impl Holder {
    /// Returns what a person can do, where it is not to wait.
    pub(super) const fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Running(..) | Self::Hidden(_) => None,
            Self::Stopped(..) => Some("let it go on (`kill -CONT`) or end it"),
            Self::Heir(_) => Some("end what has the lock file open; `fuser` and `lsof` name it"),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(pid, name) => write!(f, "process {pid} ({}) has it", name.escape_debug()),
            Self::Stopped(pid, name) => {
                write!(f, "process {pid} ({}) has it, and is stopped", name.escape_debug())
            }
            Self::Hidden(pid) => write!(f, "process {pid}, which is hidden from us, took it"),
            Self::Heir(pid) => write!(
                f,
                "process {pid} took it and has closed it or ended; another still has the file open"
            ),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.folder {
            Some(name) => write!(f, "`{name}` ")?,
            None => f.write_str("it ")?,
        }
        write!(f, "is {}, not {}", self.found, self.wanted)
    }
}

impl error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::other(refused)
    }
}

/// Runs a system call again for as long as a signal interrupts it before it did anything.
pub(super) fn patiently<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
