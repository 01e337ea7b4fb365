//! A file that is there whole or not at all.

use std::{
    fs::{self, File, Permissions},
    io::{self, BufWriter, Write},
    os::fd::AsRawFd,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use crate::{failure::Failure, renaming};

/// Where the system shows the open files of a process by number, from where one can be given a
/// name.
const OPEN_FILES: &str = "/proc/self/fd";

/// So many names for the time being are tried; more than one is only taken where others are at work
/// in the folder, or were killed there.
const NAMES_MAX: u32 = 100;

/// Only the owner reads and writes it.
const OWNERS_ALONE: Mode = Mode::RUSR.union(Mode::WUSR);

/// What is done where there is a file already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfThere {
    /// It stays, and ours is refused.
    Refuse,
    /// Ours takes its place.
    Replace,
}

/// A file under way, which gets its name when it is whole: no other file is ever cut short, and
/// what fails, or is given up, leaves nothing behind.
///
/// Nor does a process that is killed, where the system has files without a name and there is no
/// file to replace. Else it may leave a hidden one, `.graff-notes.1.part` or with a higher number,
/// which nothing removes: on a file system of many machines it may be one that is at work. It
/// hinders no later one, until [`NAMES_MAX`] of them stand in the folder: then no name is left for it.
///
/// Only its owner can read it, as it is with the notes themselves.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: Utf8PathBuf,
    if_there: IfThere,
    out: BufWriter<File>,
    /// The name that it has until it gets its own, if it has one; whoever gives it up removes it.
    meanwhile: Option<Utf8PathBuf>,
}

impl NewFile {
    /// Begins a file that is to be at `path`; refuses at once what would be refused in the end.
    pub(crate) fn begin(path: &Utf8Path, if_there: IfThere) -> Result<Self, Failure> {
        match fs::symlink_metadata(path) {
            Ok(status) if !status.is_file() => {
                let what = format_args!("write {path}: it is there, and no plain file");
                return Err(Failure::input(what).at(path));
            }
            Ok(_) if if_there == IfThere::Refuse => return Err(is_there(path)),
            _ => {}
        }
        let (file, meanwhile) = create(path).map_err(|e| Failure::on("create", path, &e))?;
        Ok(Self { path: path.to_owned(), if_there, out: BufWriter::new(file), meanwhile })
    }

    /// Gives the file other rights than those of its owner alone.
    pub(crate) fn allow(&mut self, permissions: Permissions) -> Result<(), Failure> {
        let set = self.out.get_ref().set_permissions(permissions);
        set.map_err(|e| Failure::on("set the rights of", &self.path, &e))
    }

    /// Writes on.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(|e| Failure::on("write", &self.path, &e))
    }

    /// Gives the file its name, once it is on disk.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let named = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        named.and_then(|()| self.name()).map_err(|e| match (self.if_there, e.kind()) {
            (IfThere::Refuse, io::ErrorKind::AlreadyExists) => is_there(&self.path),
            _ => Failure::on("write", &self.path, &e),
        })
    }

    fn name(&mut self) -> io::Result<()> {
        match (self.if_there, &self.meanwhile) {
            (IfThere::Refuse, None) => self.link(&self.path)?,
            (IfThere::Refuse, Some(name)) => renaming::to_nothing_at_least(name, &self.path)?,
            (IfThere::Replace, None) => {
                let (name, ()) = first_free(&self.path, |name| self.link(name))?;
                fs::rename(self.meanwhile.insert(name), &self.path)?;
            }
            (IfThere::Replace, Some(name)) => fs::rename(name, &self.path)?,
        }
        self.meanwhile = None;
        Ok(())
    }

    fn link(&self, path: &Utf8Path) -> io::Result<()> {
        let open = format!("{OPEN_FILES}/{}", self.out.get_ref().as_raw_fd());
        let followed = AtFlags::SYMLINK_FOLLOW;
        Ok(rustix::fs::linkat(CWD, open, CWD, path.as_std_path(), followed)?)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(name) = &self.meanwhile {
            let _ = fs::remove_file(name);
        }
    }
}

/// Creates a file without a name, or with one for the time being where that can't be.
fn create(path: &Utf8Path) -> io::Result<(File, Option<Utf8PathBuf>)> {
    let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
    if let Some(file) = create_without_name(folder) {
        return Ok((file, None));
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let open = |name: &Utf8Path| Ok(rustix::fs::open(name.as_std_path(), flags, OWNERS_ALONE)?);
    first_free(path, open).map(|(name, file)| (file.into(), Some(name)))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn create_without_name(folder: &Utf8Path) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder.as_std_path(), flags, OWNERS_ALONE).ok()?;
    fs::metadata(OPEN_FILES).ok().map(|_| file.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn create_without_name(_folder: &Utf8Path) -> Option<File> {
    None
}

/// Takes the first name beside `path` that nothing has yet, and returns it with what came of that.
fn first_free<T>(
    path: &Utf8Path,
    take: impl Fn(&Utf8Path) -> io::Result<T>,
) -> io::Result<(Utf8PathBuf, T)> {
    // The file's own name is no part of it: it may be as long as a name can be.
    for name in (1..=NAMES_MAX).map(|number| format!(".graff-notes.{number}.part")) {
        let name = path.with_file_name(name);
        match take(&name) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            taken => return taken.map(|it| (name, it)),
        }
    }
    let why = "beside it stand files of others at work, or that were killed: .graff-notes.*.part";
    Err(io::Error::other(why))
}

fn is_there(path: &Utf8Path) -> Failure {
    Failure::input(format_args!("write {path}: it is there already"))
        .advise("--force replaces it")
        .at(path)
}
