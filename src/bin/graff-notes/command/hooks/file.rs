//! A file of the user's that is changed with care: links are followed to the file that they mean,
//! it is replaced in one step, and what was there before stays beside it.

use std::{
    fmt,
    fs::{self, File, Permissions},
    io::{self, Write},
    iter,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::ErrorKind;

use crate::{exit::Exit, failure::Failure};

/// What the name of the text before ours ends in.
const BACKUP_SUFFIX: &str = ".before-graff-notes";
/// What the name of the new text ends in before it is in its place.
const NEW_SUFFIX: &str = ".graff-notes-new";

/// More texts of before are not kept beside a file.
const BACKUPS_MAX: u32 = 100;

/// A longer file holds no settings, in bytes.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A file of the user's, which may not be there.
#[derive(Debug)]
pub(super) struct PersonsFile {
    /// As it was named.
    path: Utf8PathBuf,
    /// The file itself, past any link.
    target: Utf8PathBuf,
    text: Option<String>,
    permissions: Option<Permissions>,
}

impl PersonsFile {
    /// Reads a file; one that is not there has no text.
    pub(super) fn open(path: Utf8PathBuf) -> Result<Self, Failure> {
        let target = match fs::symlink_metadata(&path) {
            Ok(status) if status.is_symlink() => past_links(&path)?,
            Ok(_) => path.clone(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { target: path.clone(), path, text: None, permissions: None });
            }
            Err(e) => return Err(failed("look at", &path, &e)),
        };
        let status = fs::metadata(&target).map_err(|e| failed("look at", &target, &e))?;
        if !status.is_file() {
            return Err(refused(&path, "it is no plain file"));
        }
        if status.len() > BYTES_MAX {
            return Err(refused(&path, "it is too large to be settings"));
        }
        let bytes = fs::read(&target).map_err(|e| failed("read", &target, &e))?;
        let text = String::from_utf8(bytes).map_err(|_| refused(&path, "it is not UTF-8"))?;
        Ok(Self { path, target, text: Some(text), permissions: Some(status.permissions()) })
    }

    /// Refuses a file to which a link leads out of `project`: whoever made the repository put it
    /// there, and not the person whose file it is.
    pub(super) fn within(self, project: &Utf8Path) -> Result<Self, Failure> {
        let real = |path: &Utf8Path| path.canonicalize_utf8().ok();
        let place = self.target.ancestors().find_map(real).unwrap_or_default();
        match real(project) {
            Some(project) if place.starts_with(&project) => Ok(self),
            _ => Err(refused(
                &self.path,
                format_args!("a link leads out of the project, to {place}"),
            )),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    pub(super) fn into_path(self) -> Utf8PathBuf {
        self.path
    }

    /// Returns the failure to change this file.
    pub(super) fn left_alone(&self, why: impl fmt::Display) -> Failure {
        refused(&self.path, why)
    }

    /// Puts another text in the place of this one, in one step, with the rights that it had.
    ///
    /// A file that its host, or whoever else, has written since it was read is left alone.
    pub(super) fn replace(&mut self, text: &str) -> Result<(), Failure> {
        self.check_writable()?;
        if let Some(folder) = self.target.parent() {
            fs::create_dir_all(folder).map_err(|e| failed("create the folder", folder, &e))?;
        }
        let new = self.beside(NEW_SUFFIX);
        let _ = fs::remove_file(&new); // of an installation that was killed
        let written = create(&new, text, self.permissions.clone());
        let written = written.map_err(|e| failed("replace", &self.target, &e));
        let replaced = written.and_then(|()| self.check_unchanged()).and_then(|()| {
            fs::rename(&new, &self.target).map_err(|e| failed("replace", &self.target, &e))
        });
        replaced.inspect_err(|_| {
            let _ = fs::remove_file(&new); // what is left of it says nothing
        })?;
        self.text = Some(text.to_owned());
        self.sync_folder()
    }

    /// Removes the file.
    pub(super) fn delete(&mut self) -> Result<(), Failure> {
        self.check_writable()?;
        self.check_unchanged()?;
        fs::remove_file(&self.target).map_err(|e| failed("remove", &self.target, &e))?;
        self.text = None;
        self.sync_folder()
    }

    /// Removes the folders that the file stood in, as far as they are empty and below `roof`.
    pub(super) fn remove_empty_folders(&self, roof: &Utf8Path) {
        let folders = self.path.ancestors().skip(1);
        let below = folders.take_while(|folder| *folder != roof && folder.starts_with(roof));
        for folder in below {
            if fs::remove_dir(folder).is_err() {
                return; // something else is in it
            }
        }
    }

    /// Keeps the text as it is beside the file, and returns where. Whatever has that name already is
    /// not ours to replace: then it gets the next one, with a number.
    pub(super) fn back_up(&self) -> Result<Utf8PathBuf, Failure> {
        self.check_writable()?;
        let first = self.backup_path();
        let text = self.text.as_deref().unwrap_or_default();
        let numbered =
            (2..=BACKUPS_MAX).map(|number| Utf8PathBuf::from(format!("{first}.{number}")));
        for backup in iter::once(first.clone()).chain(numbered) {
            match create(&backup, text, self.permissions.clone()) {
                Ok(()) => return Ok(backup),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(failed("write", &backup, &e)),
            }
        }
        Err(self.left_alone(format_args!("there are {BACKUPS_MAX} copies of it, {first} and on")))
    }

    /// Returns the text that was kept, where there is one.
    pub(super) fn backup(&self) -> Result<Option<String>, Failure> {
        let backup = self.backup_path();
        let is_ours = |status: fs::Metadata| status.is_file() && status.len() <= BYTES_MAX;
        if !fs::symlink_metadata(&backup).is_ok_and(is_ours) {
            return Ok(None);
        }
        fs::read_to_string(&backup).map(Some).map_err(|e| failed("read", &backup, &e))
    }

    /// Removes the text that was kept.
    pub(super) fn forget_backup(&self) -> Result<(), Failure> {
        let backup = self.backup_path();
        match fs::remove_file(&backup) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed("remove", &backup, &e)),
            _ => Ok(()),
        }
    }

    pub(super) fn backup_path(&self) -> Utf8PathBuf {
        self.beside(BACKUP_SUFFIX)
    }

    fn beside(&self, suffix: &str) -> Utf8PathBuf {
        Utf8PathBuf::from(format!("{}{suffix}", self.target))
    }

    /// Whoever has written the file since it was read must not lose what he wrote.
    fn check_unchanged(&self) -> Result<(), Failure> {
        let now = match fs::read(&self.target) {
            Ok(now) => Some(now),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(failed("read", &self.target, &e)),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        let what = format_args!("change {}: it was written by another meanwhile", self.path);
        Err(Failure::new(Exit::Failed, ErrorKind::Io.as_str(), what)
            .advise("run it again")
            .at(&self.path))
    }

    /// Sees to it that a loss of power doesn't undo what was done to the file.
    fn sync_folder(&self) -> Result<(), Failure> {
        let folder = self.target.parent().filter(|it| *it != "").unwrap_or(Utf8Path::new("."));
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|e| failed("sync the folder", folder, &e))
    }

    /// A file that is replaced needs no right to be written; but whoever took that right away
    /// doesn't want it changed.
    fn check_writable(&self) -> Result<(), Failure> {
        match &self.permissions {
            Some(permissions) if permissions.readonly() => {
                Err(refused(&self.path, "it is read-only"))
            }
            _ => Ok(()),
        }
    }
}

fn past_links(path: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    let target = path.canonicalize_utf8();
    target.map_err(|e| refused(path, format_args!("it is a link that leads nowhere ({e})")))
}

/// Makes a file that must not be there yet, neither as itself nor as a link to another.
fn create(path: &Utf8Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn failed(attempted: &str, path: &Utf8Path, cause: &io::Error) -> Failure {
    Failure::system(format_args!("{attempted} {path}"), cause).at(path)
}

fn refused(path: &Utf8Path, why: impl fmt::Display) -> Failure {
    Failure::input(format_args!("change {path}: {why}"))
        .advise("mend it and try again, or put the hooks in by hand: docs/hosts shows them")
        .at(path)
}
