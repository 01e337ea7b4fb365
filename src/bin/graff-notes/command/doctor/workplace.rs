//! Where something may be tried: in a folder of the store that belongs to the user who runs, where
//! nobody else may write, and to which no link leads.
//!
//! Another user who may write there could put a link in the place of what we make, and whatever we
//! write then goes where that leads. What was opened is judged, never a path.

use std::{
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat},
    io::Errno,
    process::{Uid, geteuid},
};
use thiserror::Error;

use super::Status;
use crate::output::quoted;

/// How a folder is opened: if it is one, and itself.
pub(super) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What others may be let do to a folder, as bits of its mode.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// A folder of a store, open.
#[derive(Debug)]
pub(super) struct Workplace {
    pub(super) folder: OwnedFd,
    /// Without a link in it.
    pub(super) path: Utf8PathBuf,
}

/// Why nothing is tried, in words that read on after that.
#[derive(Debug, Error)]
pub(super) enum Untried {
    #[error("{below} is a symbolic link")]
    Link { below: Utf8PathBuf, path: Utf8PathBuf },
    #[error("{path} is no folder")]
    NoFolder { path: Utf8PathBuf },
    #[error("{path} belongs to uid {owner}")]
    Anothers { path: Utf8PathBuf, owner: u32 },
    #[error("others than its owner may write to {path}")]
    Shared { path: Utf8PathBuf },
    #[error("{0}")]
    Failed(String),
}

impl Untried {
    pub(super) fn failed(path: &Utf8Path, cause: impl Into<io::Error>) -> Self {
        Self::Failed(format!("{path}: {}", cause.into()))
    }

    /// Returns what can be done about it.
    pub(super) fn advice(&self) -> String {
        match self {
            Self::Link { path, .. } => format!("remove the link {path}: no note goes through it"),
            Self::NoFolder { path } => format!("move {path} away: the first note makes it anew"),
            Self::Anothers { owner, .. } => format!("run doctor as that user, {owner}"),
            Self::Shared { path } => format!("chmod go-w {}", quoted(path.as_str())),
            Self::Failed(_) => {
                "check the rights and the space there, or choose another root".to_owned()
            }
        }
    }

    /// Returns how a check comes out that was not made: where no note can be stored either, it
    /// failed.
    pub(super) const fn status(&self) -> Status {
        match self {
            Self::Anothers { .. } | Self::Shared { .. } => Status::Warning,
            Self::Link { .. } | Self::NoFolder { .. } | Self::Failed(_) => Status::Failure,
        }
    }
}

impl Workplace {
    /// Opens the folders of a store that are there, its root first, if something may be tried in
    /// the last of them.
    pub(super) fn all(store: &Store) -> Result<Vec<Self>, Untried> {
        let failed = |cause| Untried::failed(store.root(), cause);
        let root = store.root().canonicalize_utf8().map_err(failed)?;
        let notes = Store::at(&root).notes_path();
        let mut found = vec![Self::open(CWD, root.as_str(), &root, &root)?];
        let below = notes.strip_prefix(&root).unwrap_or(&notes);
        for name in below.components() {
            let Some(last) = found.last() else { break };
            let path = last.path.join(name);
            match Self::open(&last.folder, name.as_str(), &path, &root) {
                Ok(next) => found.push(next),
                Err(_) if is_absent(&last.folder, name.as_str()) => break,
                Err(why) => return Err(why),
            }
        }
        match found.last().map(|last| (last, fstat(&last.folder))) {
            Some((last, Ok(stat))) if stat.st_uid != geteuid().as_raw() => {
                Err(Untried::Anothers { path: last.path.clone(), owner: stat.st_uid })
            }
            _ => Ok(found),
        }
    }

    fn open(
        parent: impl AsFd,
        name: &str,
        path: &Utf8Path,
        root: &Utf8Path,
    ) -> Result<Self, Untried> {
        let parent = parent.as_fd();
        let folder = openat(parent, name, FOLDER, Mode::empty()).map_err(|errno| {
            let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
            stat.map_or_else(
                |errno| Untried::failed(path, errno),
                |stat| obstacle(path, root, &stat, errno),
            )
        })?;
        let stat = fstat(&folder).map_err(|errno| Untried::failed(path, errno))?;
        // What is root's is changed by nobody whom we need to fear.
        if !is_ours_or_roots(&stat) {
            return Err(Untried::Anothers { path: path.to_owned(), owner: stat.st_uid });
        }
        if may_others_write(&stat) {
            return Err(Untried::Shared { path: path.to_owned() });
        }
        Ok(Self { folder, path: path.to_owned() })
    }
}

fn is_absent(parent: &OwnedFd, name: &str) -> bool {
    statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).is_err_and(|errno| errno == Errno::NOENT)
}

/// Returns why what was found is not opened as a folder.
fn obstacle(path: &Utf8Path, root: &Utf8Path, stat: &Stat, errno: Errno) -> Untried {
    let path = path.to_owned();
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => {
            let below = path.strip_prefix(root).unwrap_or(&path).to_owned();
            Untried::Link { below, path }
        }
        FileType::Directory if !is_ours_or_roots(stat) => {
            Untried::Anothers { path, owner: stat.st_uid }
        }
        FileType::Directory => Untried::failed(&path, errno),
        _ => Untried::NoFolder { path },
    }
}

fn is_ours_or_roots(stat: &Stat) -> bool {
    [geteuid().as_raw(), Uid::ROOT.as_raw()].contains(&stat.st_uid)
}

/// Returns whether another user may write to a folder. A group of the owner's own, as many systems
/// give everybody, has the owner's number.
fn may_others_write(stat: &Stat) -> bool {
    let mode = stat.st_mode;
    mode & OTHERS_WRITE != 0 || mode & GROUP_WRITES != 0 && stat.st_gid != stat.st_uid
}

/// Makes a file in a folder that is not there yet, and opens it.
pub(super) fn create(folder: &OwnedFd, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Opens a file in a folder, without waiting for the other end of a pipe.
pub(super) fn open(folder: &OwnedFd, name: &str, access: OFlags) -> io::Result<File> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}
