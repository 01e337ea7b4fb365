//! The store's folder: its files by name, how they come to be, and errors that say where.

use std::{io, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Level, aside,
    file::File,
    layout,
    medium::{Access, FileId, Handle, Medium, Refused, Rights, Stamp, patiently},
};
use crate::error::{Error, ErrorKind};

/// How often a file is made anew while somebody keeps removing it or its folders.
const CREATE_TRIES: u32 = 16;

/// Who is let in to a file that is made beside a log.
#[derive(Clone, Copy)]
pub(super) enum LetIn {
    /// Whoever is to the log.
    AsToTheLog,
    /// Its owner alone.
    OwnerAlone,
}

/// What came of making a file that was missing a moment ago.
pub(super) enum Making {
    Made(Box<dyn Handle>),
    /// Another had made it by then.
    Found(Box<dyn Handle>),
    /// It could not be made. It can be there all the same, where a network lost the answer.
    Failed(Error),
}

/// What there is of the file that keeps a store out of version control.
enum Ignore {
    Missing,
    /// A plain file: the last that is made of a store.
    Ours,
    /// No plain file, such as a link to one: somebody put it there, and it tells nothing of how the
    /// store was made.
    OfItsOwner,
}

impl Making {
    /// Returns the file, whoever made it.
    pub(super) fn opened(self) -> Result<Box<dyn Handle>, Error> {
        match self {
            Self::Made(file) | Self::Found(file) => Ok(file),
            Self::Failed(e) => Err(e),
        }
    }
}

/// A medium together with the path that errors name.
///
/// An operation that a signal interrupts is begun again; only a sync never is.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    root: Utf8PathBuf,
    medium: Arc<dyn Medium>,
}

impl Folder {
    pub(super) fn new(root: Utf8PathBuf, medium: Arc<dyn Medium>) -> Self {
        Self { root, medium }
    }

    pub(super) fn root(&self) -> &Utf8Path {
        &self.root
    }

    pub(super) fn path(&self, name: &str) -> Utf8PathBuf {
        layout::joined(&self.root, name).to_path_buf()
    }

    /// Returns an open file together with its name.
    pub(super) fn file<'a>(&'a self, name: &'a str, handle: &'a dyn Handle) -> File<'a> {
        File::new(self, name, handle)
    }

    pub(super) fn open(&self, name: &str, access: Access) -> Result<Box<dyn Handle>, Error> {
        patiently(|| self.medium.open(name, access)).map_err(|e| self.failed("open", name, e))
    }

    /// Opens a file, or returns `None` where it is not there.
    pub(super) fn open_if_there(
        &self,
        name: &str,
        access: Access,
    ) -> Result<Option<Box<dyn Handle>>, Error> {
        absent_is_none(patiently(|| self.medium.open(name, access)))
            .map_err(|e| self.failed("open", name, e))
    }

    /// Makes a file that must not be there yet.
    pub(super) fn create(&self, name: &str) -> Result<Box<dyn Handle>, Error> {
        self.create_as(name, Access::Create)
    }

    fn create_as(&self, name: &str, access: Access) -> Result<Box<dyn Handle>, Error> {
        patiently(|| self.medium.open(name, access)).map_err(|e| self.failed("create", name, e))
    }

    /// Makes a file that must not be there yet, and gives it the owner and the group of `log`.
    ///
    /// Without a log it is whose the folder is.
    pub(super) fn create_beside(
        &self,
        name: &str,
        log: Option<File<'_>>,
        let_in: LetIn,
    ) -> Result<Box<dyn Handle>, Error> {
        let Some(log) = log else { return self.create(name) };
        let created = self.create_as(name, Access::CreateOwn)?;
        let rights = log.status()?.rights;
        let (rights, list) = match let_in {
            LetIn::AsToTheLog => (rights, log.access_list()?),
            LetIn::OwnerAlone => (Rights { mode: 0o600, ..rights }, None),
        };
        self.file(name, created.as_ref()).give(rights, list.as_deref(), log)?;
        Ok(created)
    }

    /// Makes a file that was missing a moment ago, together with the folders that lead to it, or
    /// opens the one that another has made by now.
    ///
    /// An error says that this call has made none.
    pub(super) fn create_or_open(&self, name: &str, access: Access) -> Result<Making, Error> {
        let mut tries_left = CREATE_TRIES;
        loop {
            tries_left -= 1;
            let e = match patiently(|| self.medium.open(name, Access::Create)) {
                Ok(file) => return Ok(Making::Made(file)),
                Err(e) => e,
            };
            match e.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound if tries_left == 0 => {
                    return Err(self.failed("create", name, e));
                }
                io::ErrorKind::AlreadyExists => {} // another made it: open that
                io::ErrorKind::NotFound => self.make()?,
                _ => return Ok(Making::Failed(self.failed("create", name, e))),
            }
            if let Some(file) = self.open_if_there(name, access)? {
                return Ok(Making::Found(file));
            }
        }
    }

    /// Returns which file a name names now, or `None` where it names none.
    pub(super) fn identity(&self, name: &str) -> Result<Option<FileId>, Error> {
        absent_is_none(patiently(|| self.medium.identity(name)))
            .map_err(|e| self.failed("look at", name, e))
    }

    /// Returns which file a name names now, through whatever link on the way, or `None` where it
    /// names none.
    pub(super) fn still_names(&self, name: &str) -> Result<Option<FileId>, Error> {
        absent_is_none(patiently(|| self.medium.still_names(name)))
            .map_err(|e| self.failed("look at", name, e))
    }

    /// Returns the stamp of the file that a name names now, where the medium has stamps and nothing
    /// is amiss.
    pub(super) fn stamp(&self, name: &str) -> Option<Stamp> {
        patiently(|| self.medium.stamp(name)).ok().flatten()
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        patiently(|| self.medium.rename(from, to)).map_err(|e| self.failed("replace", to, e))
    }

    pub(super) fn remove_if_there(&self, name: &str) -> Result<(), Error> {
        absent_is_none(patiently(|| self.medium.remove(name)))
            .map(|_| ())
            .map_err(|e| self.failed("remove", name, e))
    }

    /// Returns the names of all files, or none where the folder is not there.
    pub(super) fn names(&self) -> Result<Vec<String>, Error> {
        let listed = patiently(|| {
            let mut names = Vec::new();
            self.medium.names(&mut |name| names.push(name.to_owned()))?;
            Ok(names)
        });
        let listed = absent_is_none(listed);
        Ok(listed.map_err(|e| self.failed_at("list", Level::Notes, e))?.unwrap_or_default())
    }

    /// Makes the entries of a folder durable.
    ///
    /// Other than a file's, it may be asked for again after a failure, and is believed then:
    /// entries belong to the file system's own records, which it does not drop and go on; where it
    /// cannot write those it stops taking changes, and each later sync fails as well.
    pub(super) fn sync(&self, level: Level) -> Result<(), Error> {
        self.medium.sync_folder(level).map_err(|e| self.failed_at("sync the folder", level, e))
    }

    /// Makes the entry of a new log durable, and with it what leads there, unless the file that
    /// comes last in the making of a store says that it is; one that came with a copy of a store
    /// says so too, wrongly.
    pub(super) fn sync_entries(&self) -> Result<(), Error> {
        match self.ignore()? {
            Ignore::Ours => {}
            Ignore::Missing | Ignore::OfItsOwner => self.sync_outer()?,
        }
        self.sync(Level::Notes)
    }

    /// Makes the store, unless a file of a session says that it was made before.
    ///
    /// It comes before the first lock. So whoever finds a lock, and not the file that keeps the
    /// store out of version control, knows that its owner removed it, or that another program began
    /// the store.
    pub(super) fn make_if_new(&self) -> Result<(), Error> {
        let is_made = match self.ignore()? {
            Ignore::Ours | Ignore::OfItsOwner => true,
            Ignore::Missing => self.names()?.iter().any(|name| layout::is_of_a_session(name)),
        };
        if is_made { Ok(()) } else { self.make() }
    }

    /// Returns what there is of the file that keeps the store out of version control.
    fn ignore(&self) -> Result<Ignore, Error> {
        match self.identity(layout::IGNORE) {
            Ok(Some(_)) => Ok(Ignore::Ours),
            Ok(None) => Ok(Ignore::Missing),
            Err(e) if e.kind() == ErrorKind::NotRegularFile => Ok(Ignore::OfItsOwner),
            Err(e) => Err(e),
        }
    }

    /// Makes the folders, durable, and then, durable, the file that keeps them out of version
    /// control.
    ///
    /// That file comes last, so that where it stands the folders above it are known to be durable.
    fn make(&self) -> Result<(), Error> {
        self.make_level(Level::Graff)?;
        self.make_level(Level::Notes)?;
        self.sync_outer()?;
        self.write_ignore()?;
        self.sync(Level::Notes)
    }

    fn sync_outer(&self) -> Result<(), Error> {
        self.sync(Level::Root)?;
        self.sync(Level::Graff)
    }

    /// Makes a folder where it is missing.
    fn make_level(&self, level: Level) -> Result<(), Error> {
        match patiently(|| self.medium.make_folder(level)) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(e) => Err(match (level, why_root_takes_nothing(e.kind())) {
                (Level::Graff, Some(why)) => self
                    .failed_at("create the folder", level, e)
                    .with_kind(ErrorKind::InvalidInput)
                    .with_detail(why),
                _ => self.failed_at("create the folder", level, e),
            }),
        }
    }

    /// Writes the file that keeps the store out of version control.
    ///
    /// Of many that make a store at once each writes one of its own, and whole ones take each
    /// other's place. One that was taken away meanwhile was not needed any more.
    fn write_ignore(&self) -> Result<(), Error> {
        let put = self.create_ignore_aside().and_then(|(name, handle)| {
            let aside = self.file(&name, handle.as_ref());
            aside::put(self, layout::IGNORE, aside, layout::IGNORE_TEXT, aside::Sync::Due)
        });
        match put {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        // What crashes left, and what others need no longer; one that stays does no harm.
        let names = self.names().unwrap_or_default().into_iter();
        for name in names.filter(|name| layout::is_ignore_aside(name)) {
            let _ = self.remove_if_there(&name);
        }
        Ok(())
    }

    /// Makes a file that is to become [`layout::IGNORE`], under a name that nobody has.
    ///
    /// One of that name is left alone: who has our process's number in another name space may be
    /// writing it.
    fn create_ignore_aside(&self) -> Result<(String, Box<dyn Handle>), Error> {
        let mut tries_left = CREATE_TRIES;
        loop {
            tries_left -= 1;
            let name = layout::aside(layout::IGNORE);
            let e = match patiently(|| self.medium.open(&name, Access::Create)) {
                Ok(handle) => return Ok((name, handle)),
                Err(e) => e,
            };
            let is_taken = e.kind() == io::ErrorKind::AlreadyExists;
            if is_taken && tries_left > 0 {
                continue;
            }
            if !is_taken {
                let _ = self.remove_if_there(&name); // a network can lose the answer
            }
            return Err(self.failed("create", &name, e));
        }
    }

    pub(super) fn failed(&self, attempted: &'static str, name: &str, source: io::Error) -> Error {
        error(attempted, &self.path(name), source)
    }

    fn failed_at(&self, attempted: &'static str, level: Level, source: io::Error) -> Error {
        error(attempted, &level.under(&self.root), source)
    }
}

/// Returns why a root takes no folder, where that is known: one that the kernel makes up, such as
/// `/proc`, takes none.
const fn why_root_takes_nothing(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::NotFound => {
            Some("the root is not there; make that folder first, or choose another root")
        }
        io::ErrorKind::Unsupported => {
            Some("the root is there, but no folder can be made in it; choose another root")
        }
        _ => None,
    }
}

fn error(attempted: &'static str, path: &Utf8Path, source: io::Error) -> Error {
    let is_refused =
        source.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Refused>);
    let error = Error::io(attempted, path, source);
    if is_refused { error.with_kind(ErrorKind::NotRegularFile) } else { error }
}

/// Turns the error of a missing file into `None`.
fn absent_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
