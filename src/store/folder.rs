//! The store's folder: its files by name, and errors that say where they happened.

use std::{io, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Level, layout,
    medium::{Access, Handle, Medium},
};
use crate::error::Error;

/// A medium together with the path that errors name.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) root: Utf8PathBuf,
    pub(super) medium: Arc<dyn Medium>,
}

impl Folder {
    pub(super) fn path(&self, name: &str) -> Utf8PathBuf {
        layout::joined(&self.root, name)
    }

    pub(super) fn failed(&self, attempted: &'static str, name: &str, source: io::Error) -> Error {
        Error::io(attempted, &self.path(name), source)
    }

    pub(super) fn open(&self, name: &str, access: Access) -> Result<Box<dyn Handle>, Error> {
        self.medium.open(name, access).map_err(|e| self.failed("open", name, e))
    }

    /// Opens a file, or returns `None` where it is not there.
    pub(super) fn open_if_there(
        &self,
        name: &str,
        access: Access,
    ) -> Result<Option<Box<dyn Handle>>, Error> {
        absent_is_none(self.medium.open(name, access)).map_err(|e| self.failed("open", name, e))
    }

    /// Opens a file, made empty if it is missing, together with the folders that lead to it.
    pub(super) fn open_or_create(
        &self,
        name: &str,
        access: Access,
    ) -> Result<Box<dyn Handle>, Error> {
        loop {
            if let Some(file) = self.open_if_there(name, access)? {
                return Ok(file);
            }
            match self.medium.open(name, Access::Create) {
                Ok(file) => return Ok(file),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {} // another made it: open that
                Err(e) if e.kind() == io::ErrorKind::NotFound => self.make()?,
                Err(e) => return Err(self.failed("create", name, e)),
            }
        }
    }

    /// Makes the folders, durable, and then the file that keeps them out of version control.
    ///
    /// That file comes last, so that where it stands the folders above it are known to be durable.
    fn make(&self) -> Result<(), Error> {
        self.make_level(Level::Graff)?;
        let new = self.make_level(Level::Notes)?;
        self.sync_outer()?;
        if new {
            self.write_ignore()?;
        }
        self.sync(Level::Notes)
    }

    /// Makes the entry of a new log durable, and with it what leads there where that is not known.
    pub(super) fn sync_entries(&self) -> Result<(), Error> {
        if self.medium.identity(layout::IGNORE).is_err() {
            self.sync_outer()?;
        }
        self.sync(Level::Notes)
    }

    fn sync_outer(&self) -> Result<(), Error> {
        self.sync(Level::Root)?;
        self.sync(Level::Graff)
    }

    pub(super) fn sync(&self, level: Level) -> Result<(), Error> {
        self.medium.sync_folder(level).map_err(|e| self.failed_on("sync the folder", level, e))
    }

    fn make_level(&self, level: Level) -> Result<bool, Error> {
        match self.medium.make_folder(level) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(self.failed_on("create the folder", level, e)),
        }
    }

    fn write_ignore(&self) -> Result<(), Error> {
        let file = match self.medium.open(layout::IGNORE, Access::Create) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(e) => return Err(self.failed("create", layout::IGNORE, e)),
        };
        file.append(layout::IGNORE_TEXT)
            .and_then(|_| file.sync())
            .map_err(|e| self.failed("write", layout::IGNORE, e))
    }

    fn failed_on(&self, attempted: &'static str, level: Level, source: io::Error) -> Error {
        Error::io(attempted, &level.under(&self.root), source)
    }

    pub(super) fn root(&self) -> &Utf8Path {
        &self.root
    }
}

/// Turns the error of a missing file into `None`.
pub(super) fn absent_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
