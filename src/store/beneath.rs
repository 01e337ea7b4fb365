//! The way from the root down to a file, without passing a symbolic link.
//!
//! It is walked in one system call where the kernel can (`openat2`), else component by component:
//! on Linux from `/` on, elsewhere from the root on, since a folder above that which may not be
//! read can be passed there, but not opened. So a link that comes in the place of one is passed.
//! What was opened is judged, never the path: a path can name another file by then.

#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::fd::AsRawFd as _;
use std::{fs::File, io};

use camino::Utf8Path;
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat},
    io::Errno,
    process::geteuid,
};

use super::medium::Refused;

const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(FILE);

/// A folder that is only passed, or looked at. Here it need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(FILE);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: OFlags = FOLDER;

/// The way to a root, by what is known of it.
#[derive(Clone, Copy)]
pub(super) enum Way<'r> {
    /// As it was asked for: a link may be on it, and must not be passed.
    Asked(&'r Utf8Path),
    /// No link was on it when it was found.
    Found(&'r Utf8Path),
}

impl<'r> Way<'r> {
    pub(super) const fn root(self) -> &'r Utf8Path {
        match self {
            Self::Asked(root) | Self::Found(root) => root,
        }
    }
}

/// Returns whether a root is there as it was asked for, with no link on the way.
pub(super) fn no_link_leads_to(root: &Utf8Path) -> bool {
    open(Way::Asked(root), root, STEP, Mode::empty()).is_ok()
}

/// Opens a folder at or below a root.
pub(super) fn open_folder(way: Way<'_>, path: &Utf8Path) -> io::Result<File> {
    open(way, path, FOLDER, Mode::empty()).map_err(|errno| folder_failed(way, path, errno))
}

/// Opens a file below a root, if it is a plain one; returns what was found with it.
pub(super) fn open_file(way: Way<'_>, path: &Utf8Path, flags: OFlags) -> io::Result<(File, Stat)> {
    // NONBLOCK keeps the open of a pipe from waiting for its other end.
    let flags = flags | FILE | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = open(way, path, flags, Mode::empty());
    let file = opened.map_err(|errno| failed(way, path, errno))?;
    let stat = rustix::fs::fstat(&file)?;
    match refused(path, Wanted::PlainFile, &stat) {
        Some(refused) => Err(refused.into()),
        None => Ok((file, stat)),
    }
}

/// Makes a file below a root that is not there yet, and so is a plain one.
pub(super) fn create_file(
    way: Way<'_>,
    path: &Utf8Path,
    flags: OFlags,
    mode: Mode,
) -> io::Result<File> {
    let flags = flags | FILE | OFlags::CREATE | OFlags::EXCL;
    open(way, path, flags, mode).map_err(|errno| failed(way, path, errno))
}

/// Makes the file `name` in `parent` that is not there yet.
pub(super) fn create_file_in(
    parent: &File,
    name: &str,
    flags: OFlags,
    mode: Mode,
) -> Result<File, Errno> {
    let flags = flags | FILE | OFlags::CREATE | OFlags::EXCL;
    rustix::fs::openat(parent, name, flags, mode).map(File::from)
}

/// Returns what `path` names below a root, if it is a plain file.
pub(super) fn stat_file(way: Way<'_>, path: &Utf8Path) -> io::Result<Stat> {
    let folder = open_folder(way, path.parent().unwrap_or(way.root()))?;
    let name = path.file_name().unwrap_or_default();
    let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    match refused(path, Wanted::PlainFile, &stat) {
        Some(refused) => Err(refused.into()),
        None => Ok(stat),
    }
}

/// Returns what `path` names; a link on its way is passed, one at its end is what it names.
pub(super) fn stat(path: &Utf8Path) -> Result<Stat, Errno> {
    rustix::fs::statat(CWD, path.as_std_path(), AtFlags::SYMLINK_NOFOLLOW)
}

/// Opens the folder `name` in `parent`.
pub(super) fn open_folder_in(parent: &File, name: &str) -> Result<File, Errno> {
    rustix::fs::openat(parent, name, FOLDER, Mode::empty()).map(File::from)
}

/// Returns whether something belongs to the user that we act as.
pub(super) fn is_ours(stat: &Stat) -> bool {
    stat.st_uid == geteuid().as_raw()
}

/// Returns whether nothing is in a folder.
pub(super) fn is_empty(folder: &File) -> io::Result<bool> {
    let is_itself = |name: &[u8]| matches!(name, b"." | b"..");
    for entry in rustix::fs::Dir::read_from(folder)? {
        if !is_itself(entry?.file_name().to_bytes()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Opens the folder `name` in `parent` to us, where it is ours and the umask took away the right to
/// read it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open_to_its_owner(parent: &File, name: &str, mode: Mode) -> io::Result<()> {
    let folder = rustix::fs::openat(parent, name, STEP, Mode::empty())?;
    if !is_ours(&rustix::fs::fstat(&folder)?) {
        return Err(Errno::ACCESS.into());
    }
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open_to_its_owner(_: &File, _: &str, _: Mode) -> io::Result<()> {
    Err(Errno::ACCESS.into()) // nothing is opened here that cannot be read
}

/// Returns the error of an operation on a file, in words where something on its path was the cause.
pub(super) fn failed(way: Way<'_>, path: &Utf8Path, errno: Errno) -> io::Error {
    explained(way, path, Wanted::PlainFile, errno)
}

/// Returns the error of an operation on a folder, likewise.
pub(super) fn folder_failed(way: Way<'_>, path: &Utf8Path, errno: Errno) -> io::Error {
    explained(way, path, Wanted::Folder, errno)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn open(way: Way<'_>, path: &Utf8Path, flags: OFlags, mode: Mode) -> Result<File, Errno> {
    let resolve = rustix::fs::ResolveFlags::NO_SYMLINKS;
    let opened = rustix::fs::openat2(CWD, path.as_std_path(), flags, mode, resolve);
    match (opened, way) {
        // An old kernel, or a container's filter that does not know the call.
        (Err(Errno::NOSYS | Errno::PERM), Way::Found(_)) => {
            open_by_component(Utf8Path::new("/"), path, flags, mode)
        }
        (opened, _) => opened.map(File::from),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open(way: Way<'_>, path: &Utf8Path, flags: OFlags, mode: Mode) -> Result<File, Errno> {
    match way {
        Way::Found(root) => open_by_component(root, path, flags, mode),
        Way::Asked(_) => Err(Errno::NOSYS),
    }
}

/// Opens what is at or below the folder `from`, which may be behind links itself.
fn open_by_component(
    from: &Utf8Path,
    path: &Utf8Path,
    flags: OFlags,
    mode: Mode,
) -> Result<File, Errno> {
    let below = path.strip_prefix(from).unwrap_or(path);
    let Some(last) = below.file_name() else {
        return rustix::fs::open(from.as_std_path(), flags, mode).map(File::from);
    };
    let mut at = rustix::fs::open(from.as_std_path(), STEP, Mode::empty())?;
    for component in below.parent().into_iter().flat_map(Utf8Path::components) {
        at = rustix::fs::openat(&at, component.as_str(), STEP, Mode::empty())?;
    }
    rustix::fs::openat(&at, last, flags, mode).map(File::from)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Folder,
    PlainFile,
}

/// Returns the error of a failed open, in words where something on the way was the cause.
///
/// Where a link is met, Linux answers `ELOOP`, and FreeBSD `EMLINK`.
///
/// Source: open(2) of both, `O_NOFOLLOW`.
fn explained(way: Way<'_>, path: &Utf8Path, wanted: Wanted, errno: Errno) -> io::Error {
    let explained = match errno {
        Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO | Errno::NOTDIR => {
            obstacle(way, path, wanted).map(io::Error::from)
        }
        Errno::ACCESS => owner_of_the_end(way.root(), path, wanted).map(|whose| {
            io::Error::new(io::ErrorKind::PermissionDenied, format!("{whose}: {errno}"))
        }),
        _ => None,
    };
    explained.unwrap_or_else(|| errno.into())
}

/// Returns whose the last thing is that can be seen on the way from `root` to `path`, if it is
/// another user's: it is the one that let nobody go on.
fn owner_of_the_end(root: &Utf8Path, path: &Utf8Path, wanted: Wanted) -> Option<String> {
    let below = path.ancestors().take_while(|step| *step != root);
    let mut way = below.chain([root]);
    let (step, found) = way.find_map(|step| Some((step, stat(step).ok()?)))?;
    let what = match step.file_name() {
        _ if step == path && wanted == Wanted::PlainFile => "it".to_owned(),
        name => format!("`{}`", name.unwrap_or(step.as_str())), // the root of all has no name
    };
    (!is_ours(&found)).then(|| format!("{what} belongs to another user, {}", found.st_uid))
}

/// Returns the first thing on the way to `path` that is not as it must be: what leads to the root
/// counts once that was found without a link.
fn obstacle(way: Way<'_>, path: &Utf8Path, wanted: Wanted) -> Option<Refused> {
    let counts = |step: &&Utf8Path| match way {
        Way::Asked(root) => *step != root,
        Way::Found(_) => true,
    };
    let mut steps: Vec<_> = path.ancestors().take_while(counts).collect();
    steps.reverse();
    steps.into_iter().find_map(|step| {
        let stat = stat(step).ok()?;
        let wanted = if step == path { wanted } else { Wanted::Folder };
        refused(step, wanted, &stat)
    })
}

fn refused(path: &Utf8Path, wanted: Wanted, stat: &Stat) -> Option<Refused> {
    let found = match (FileType::from_raw_mode(stat.st_mode), wanted) {
        (FileType::RegularFile, Wanted::PlainFile) | (FileType::Directory, Wanted::Folder) => {
            return None;
        }
        (FileType::RegularFile, _) => "a file",
        (FileType::Directory, _) => "a folder",
        (FileType::Symlink, _) => "a symbolic link",
        (FileType::Fifo, _) => "a named pipe",
        (FileType::Socket, _) => "a socket",
        _ => "a device",
    };
    Some(match wanted {
        Wanted::PlainFile => Refused { folder: None, found, wanted: "a plain file" },
        Wanted::Folder => {
            Refused { folder: path.file_name().map(str::to_owned), found, wanted: "a folder" }
        }
    })
}
