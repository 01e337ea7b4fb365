//! The medium of everyday use: a folder on a file system.
//!
//! A path is followed from the root down without passing a symbolic link, in one system call
//! where the kernel can (`openat2`), else component by component. The root itself may be reached
//! through links: it is resolved once.

use std::{
    fs::{self, File},
    io,
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat},
    io::Errno,
};

use super::{
    Level,
    layout::joined,
    medium::{Access, FileId, Handle, Medium, NotPlain, Status, TryLock},
};

/// The mode of every file.
const OWNER_ONLY: Mode = Mode::RUSR.union(Mode::WUSR);

/// A store's folder on a file system.
#[derive(Debug)]
pub struct Disk {
    root: Utf8PathBuf,
    resolved: OnceLock<Utf8PathBuf>,
}

#[derive(Debug)]
struct DiskFile(File);

impl Disk {
    /// Returns the folder below `root`; touches nothing yet.
    #[must_use]
    pub fn at(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into(), resolved: OnceLock::new() }
    }

    fn root(&self) -> io::Result<&Utf8Path> {
        if let Some(root) = self.resolved.get() {
            return Ok(root);
        }
        let root = self.root.canonicalize_utf8()?;
        Ok(self.resolved.get_or_init(|| root))
    }

    fn path(&self, name: &str) -> io::Result<Utf8PathBuf> {
        Ok(joined(self.root()?, name))
    }
}

impl Medium for Disk {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        let path = self.path(name)?;
        let file = open_beneath(self.root()?, &path, flags(access), OWNER_ONLY)
            .map_err(|errno| refusal(&path, errno))?;
        if let Some(kind) = what(&rustix::fs::fstat(&file)?) {
            return Err(NotPlain(kind).into());
        }
        if access == Access::Create {
            rustix::fs::fchmod(&file, OWNER_ONLY)?; // whatever the umask took away
        }
        Ok(Box::new(DiskFile(file)))
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        let path = self.path(name)?;
        Ok(id(&rustix::fs::statat(CWD, path.as_std_path(), AtFlags::SYMLINK_NOFOLLOW)?))
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        let path = level.under(self.root()?);
        rustix::fs::mkdir(path.as_std_path(), Mode::RWXU)?;
        Ok(rustix::fs::chmod(path.as_std_path(), Mode::RWXU)?) // whatever the umask took away
    }

    fn sync_folder(&self, level: Level) -> io::Result<()> {
        let path = level.under(self.root()?);
        let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open_beneath(self.root()?, &path, folder, Mode::empty())
            .map_err(|errno| refusal(&path, errno))?;
        folder.sync_all()
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        let path = Level::Notes.under(self.root()?);
        let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open_beneath(self.root()?, &path, folder, Mode::empty())
            .map_err(|errno| refusal(&path, errno))?;
        for entry in rustix::fs::Dir::new(folder)? {
            visit(&entry?.file_name().to_string_lossy());
        }
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from)?, self.path(to)?)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name)?)
    }
}

impl Handle for DiskFile {
    fn status(&self) -> io::Result<Status> {
        let stat = rustix::fs::fstat(&self.0)?;
        Ok(Status { id: id(&stat), len: u64::try_from(stat.st_size).unwrap_or(0) })
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, buffer, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &self.0, bytes)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    // std has methods of the same names, with other answers: fs2 is called in full.
    fn try_lock(&self) -> io::Result<TryLock> {
        match fs2::FileExt::try_lock_exclusive(&self.0) {
            Ok(()) => Ok(TryLock::Locked),
            Err(e) if e.raw_os_error() == fs2::lock_contended_error().raw_os_error() => {
                Ok(TryLock::Held)
            }
            Err(e) => Err(e),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        fs2::FileExt::unlock(&self.0)
    }
}

fn flags(access: Access) -> OFlags {
    // NONBLOCK keeps the open of a pipe from waiting for its other end.
    let always = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    always
        | match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND,
            Access::Create => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL,
            Access::Lock => OFlags::RDWR,
        }
}

/// Opens `path`, passing no link below `root`.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_beneath(
    root: &Utf8Path,
    path: &Utf8Path,
    flags: OFlags,
    mode: Mode,
) -> Result<File, Errno> {
    let mode_if_made = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    let no_links = ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(CWD, path.as_std_path(), flags, mode_if_made, no_links) {
        // An old kernel, or a container's filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_component(root, path, flags, mode),
        opened => opened.map(File::from),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_beneath(
    root: &Utf8Path,
    path: &Utf8Path,
    flags: OFlags,
    mode: Mode,
) -> Result<File, Errno> {
    open_by_component(root, path, flags, mode)
}

fn open_by_component(
    root: &Utf8Path,
    path: &Utf8Path,
    flags: OFlags,
    mode: Mode,
) -> Result<File, Errno> {
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(root.as_std_path(), folder, Mode::empty())?;
    let below = path.strip_prefix(root).unwrap_or(path);
    let Some(last) = below.file_name() else {
        return Ok(File::from(at));
    };
    for component in below.parent().into_iter().flat_map(Utf8Path::components) {
        at = rustix::fs::openat(&at, component.as_str(), folder, Mode::empty())?;
    }
    rustix::fs::openat(&at, last, flags, mode).map(File::from)
}

/// Returns the error of a failed open, in words where a link or a folder was the cause.
fn refusal(path: &Utf8Path, errno: Errno) -> io::Error {
    if !matches!(errno, Errno::LOOP | Errno::ISDIR | Errno::NXIO | Errno::NOTDIR) {
        return errno.into();
    }
    match rustix::fs::statat(CWD, path.as_std_path(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => match what(&stat) {
            Some(kind) => NotPlain(kind).into(),
            None => NotPlain("reached through a symbolic link").into(),
        },
        Err(_) => errno.into(),
    }
}

/// Returns what a file is, in words, unless it is a plain one.
fn what(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => None,
        FileType::Symlink => Some("a symbolic link"),
        FileType::Directory => Some("a folder"),
        FileType::Fifo => Some("a named pipe"),
        FileType::Socket => Some("a socket"),
        _ => Some("a device"),
    }
}

#[expect(clippy::useless_conversion, reason = "the fields' types differ between systems")]
fn id(stat: &Stat) -> FileId {
    FileId { device: u64::from(stat.st_dev), inode: u64::from(stat.st_ino) }
}
