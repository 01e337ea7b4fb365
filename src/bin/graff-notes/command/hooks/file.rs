//! A file of the user's that is changed with care: links are followed to the file that they mean,
//! it is replaced in one step, and what was there before stays beside it.

use std::{
    fmt,
    fs::{self, Permissions},
    io, iter,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::ErrorKind;

use super::{
    draft::{self, Change, Draft},
    held::{self, Held},
};
use crate::{exit::Exit, failure::Failure};

/// What the name of the text before ours ends in.
const BACKUP_SUFFIX: &str = ".before-graff-notes";

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
    /// Its folder, where the file is to be changed.
    _held: Option<Held>,
}

impl PersonsFile {
    /// Reads a file; one that is not there has no text.
    pub(super) fn open(path: Utf8PathBuf) -> Result<Self, Failure> {
        let target = match fs::symlink_metadata(&path) {
            Ok(status) if status.is_symlink() => past_links(&path)?,
            Ok(_) => path.clone(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    target: path.clone(),
                    path,
                    text: None,
                    permissions: None,
                    _held: None,
                });
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
        let permissions = Some(status.permissions());
        Ok(Self { path, target, text: Some(text), permissions, _held: None })
    }

    /// Keeps other runs of ours from changing the file, and reads it anew.
    pub(super) fn hold(self) -> Result<Self, Failure> {
        let held = Held::folder(self.target.parent().unwrap_or(Utf8Path::new("")))?;
        let file = Self::open(self.path)?;
        if file.target == self.target && held.is_alone() {
            draft::clear(&file.target);
        }
        Ok(Self { _held: Some(held), ..file })
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
        let draft = self.draft(text).map_err(|e| failed("replace", &self.target, &e))?;
        let change = match &self.text {
            Some(before) => draft.replace(&self.target, before.as_bytes()),
            None => draft.name([self.target.clone()]).map(|name| match name {
                Some(_) => Change::Made,
                None => Change::Overtaken,
            }),
        };
        self.settle(change.map_err(|e| failed("replace", &self.target, &e))?)?;
        self.text = Some(text.to_owned());
        self.sync_folder()
    }

    /// Removes the file.
    pub(super) fn delete(&mut self) -> Result<(), Failure> {
        self.check_writable()?;
        let before = self.text.as_deref().unwrap_or_default().as_bytes();
        let change = draft::remove(&self.target, before);
        self.settle(change.map_err(|e| failed("remove", &self.target, &e))?)?;
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
        if self.backup()? == self.text {
            return Ok(first); // of a run that was killed before it changed the file
        }
        let numbered = (2..=BACKUPS_MAX).map(|number| format!("{first}.{number}").into());
        let names = iter::once(first.clone()).chain(numbered);
        let kept = self.draft(self.text().unwrap_or_default()).and_then(|draft| draft.name(names));
        let Some(name) = kept.map_err(|e| failed("write", &first, &e))? else {
            let why = format_args!("there are {BACKUPS_MAX} copies of it, {first} and on");
            return Err(self.left_alone(why));
        };
        self.sync_folder()?; // it must be there before the file changes
        Ok(name)
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

    fn draft(&self, text: &str) -> io::Result<Draft> {
        Draft::beside(&self.target, text, self.permissions.clone())
    }

    /// Whoever has written the file since it was read must not lose what he wrote.
    fn settle(&self, change: Change) -> Result<(), Failure> {
        if change == Change::Made {
            return Ok(());
        }
        let what = format_args!("change {}: it was written by another meanwhile", self.path);
        let failure = Failure::new(Exit::Failed, ErrorKind::Io.as_str(), what);
        Err(failure.advise("run it again").at(&self.path))
    }

    /// Sees to it that a loss of power doesn't undo what was done to the file.
    fn sync_folder(&self) -> Result<(), Failure> {
        let folder = self.target.parent().unwrap_or(Utf8Path::new(""));
        held::sync(folder).map_err(|e| failed("sync the folder", folder, &e))
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

fn failed(attempted: &str, path: &Utf8Path, cause: &io::Error) -> Failure {
    Failure::system(format_args!("{attempted} {path}"), cause).at(path)
}

fn refused(path: &Utf8Path, why: impl fmt::Display) -> Failure {
    Failure::input(format_args!("change {path}: {why}"))
        .advise("mend it and try again, or put the hooks in by hand: docs/hosts shows them")
        .at(path)
}
