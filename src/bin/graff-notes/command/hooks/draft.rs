//! A text on its way to a file of the user's: it is on disk beside that before it is anywhere, takes
//! its place in one step, and never that of a text which nobody has looked at.
//!
//! The file's own program takes no lock of ours and may write at any moment. So the two texts change
//! places, which no moment lies between, and what came out is looked at before it is thrown away.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    process,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

/// What stands between the name of the file that a draft is for, and the number of its process.
const MIDDLE: &str = ".graff-notes-new.";

/// A text on disk beside the file that it is for.
#[derive(Debug)]
pub(super) struct Draft {
    path: Utf8PathBuf,
    text: Vec<u8>,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Change {
    Made,
    /// Another has written the file since it was read, and what he wrote stands there.
    Overtaken,
}

impl Draft {
    /// Writes a text beside `target`. Where that fails nothing of it stays.
    pub(super) fn beside(
        target: &Utf8Path,
        text: &str,
        permissions: Option<Permissions>,
    ) -> io::Result<Self> {
        let path = name_beside(target);
        let mut file = File::create_new(&path)?;
        let written = permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
        let written = written.and_then(|()| file.write_all(text.as_bytes()));
        written.and_then(|()| file.sync_all()).inspect_err(|_| discard(&path))?;
        Ok(Self { path, text: text.into() })
    }

    /// Gives the text the first of these names that nothing has yet, and returns that.
    pub(super) fn name(
        self,
        names: impl IntoIterator<Item = Utf8PathBuf>,
    ) -> io::Result<Option<Utf8PathBuf>> {
        for name in names {
            match rename_to_nothing(&self.path, &name) {
                Ok(()) => return Ok(Some(name)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => {
                    discard(&self.path);
                    return Err(e);
                }
            }
        }
        discard(&self.path);
        Ok(None)
    }

    /// Puts the text where `before` stands, if that stands there still.
    pub(super) fn replace(self, target: &Utf8Path, before: &[u8]) -> io::Result<Change> {
        let is_before = is_text(target, before).inspect_err(|_| discard(&self.path))?;
        if !is_before {
            discard(&self.path);
            return Ok(Change::Overtaken);
        }
        let change = match exchange(&self.path, target) {
            Ok(()) if is_text(&self.path, before).unwrap_or(false) => {
                discard(&self.path);
                Ok(Change::Made)
            }
            Ok(()) => self.give_way(target),
            Err(e) if can_never(&e) => fs::rename(&self.path, target).map(|()| Change::Made),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Change::Overtaken),
            Err(e) => Err(e),
        };
        // Where what came out in our place could not be put back, it is kept under this name.
        if is_text(&self.path, &self.text).unwrap_or(false) {
            discard(&self.path);
        }
        change
    }

    /// Puts back what came out in our place. Who writes meanwhile is put back in turn: the last one
    /// stays.
    fn give_way(&self, target: &Utf8Path) -> io::Result<Change> {
        let mut put = self.text.clone();
        loop {
            let next = fs::read(&self.path);
            exchange(&self.path, target)?;
            if is_text(&self.path, &put)? {
                discard(&self.path);
                return Ok(Change::Overtaken);
            }
            put = next?;
        }
    }
}

/// Removes a file, if `before` stands there still.
pub(super) fn remove(target: &Utf8Path, before: &[u8]) -> io::Result<Change> {
    let aside = name_beside(target);
    if !is_text(target, before)? {
        return Ok(Change::Overtaken);
    }
    match rename_to_nothing(target, &aside) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Change::Overtaken),
        moved => moved?,
    }
    if is_text(&aside, before)? {
        return fs::remove_file(&aside).map(|()| Change::Made);
    }
    match rename_to_nothing(&aside, target) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => discard(&aside), // newer still
        put_back => put_back?,
    }
    Ok(Change::Overtaken)
}

/// Removes the drafts for `target` that were left by runs which were killed. Nobody else must be at
/// work on it.
pub(super) fn clear(target: &Utf8Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else { return };
    let Ok(entries) = folder.read_dir_utf8() else { return };
    for entry in entries.flatten() {
        let rest = entry.file_name().strip_prefix(name).and_then(|it| it.strip_prefix(MIDDLE));
        let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
        if rest.is_some_and(is_number) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            discard(entry.path());
        }
    }
}

/// Returns a name that no other process at work takes.
fn name_beside(target: &Utf8Path) -> Utf8PathBuf {
    format!("{target}{MIDDLE}{}", process::id()).into()
}

fn is_text(path: &Utf8Path, text: &[u8]) -> io::Result<bool> {
    match fs::read(path) {
        Ok(found) => Ok(found == text),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// Removes a draft; what stays of it says nothing, and is cleared next time.
fn discard(draft: &Utf8Path) {
    let _ = fs::remove_file(draft);
}

fn exchange(one: &Utf8Path, other: &Utf8Path) -> io::Result<()> {
    renamed(one, other, RenameFlags::EXCHANGE)
}

fn rename_to_nothing(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    match renamed(from, to, RenameFlags::NOREPLACE) {
        Err(e) if can_never(&e) => fs::hard_link(from, to).and_then(|()| fs::remove_file(from)),
        renamed => renamed,
    }
}

fn renamed(from: &Utf8Path, to: &Utf8Path, how: RenameFlags) -> io::Result<()> {
    Ok(renameat_with(CWD, from.as_std_path(), CWD, to.as_std_path(), how)?)
}

/// Whether the system or this file system has no such renaming.
fn can_never(e: &io::Error) -> bool {
    let errno = Errno::from_io_error(e);
    matches!(errno, Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP))
}
