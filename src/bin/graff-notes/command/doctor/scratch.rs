//! A folder for what is tried: on the notes' own file system, since that is what is asked about,
//! and gone when we are. One that is left behind all the same is committed by nobody, and goes with
//! the next doctor.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::OwnedFd,
    process,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, mkdirat, openat, unlinkat};

use super::{
    left,
    workplace::{self, FOLDER, Untried, Workplace},
};

/// What the name of a folder of ours begins with; the number of the process follows.
pub(super) const NAME: &str = ".graff-doctor.";

/// What is put into it before anything else. Whoever made the folder holds a lock on it.
pub(super) const FIRST: &str = ".gitignore";

/// A folder of our own beside the notes, on the same file system; it goes when we do.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Where it is.
    place: Workplace,
    name: String,
    folder: OwnedFd,
    path: Utf8PathBuf,
    /// Locked for as long as we are here, so that others see that we are; `None` until it is made.
    first: Option<File>,
}

impl Scratch {
    /// Makes a folder, and clears away those that were left behind wherever one may be.
    pub(super) fn beside(store: &Store) -> Result<Self, Untried> {
        let mut places = Workplace::all(store)?;
        for place in &places {
            left::clear(&place.folder);
        }
        let failed = |cause| Untried::failed(store.root(), cause);
        let place = places.pop().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        Self::within(place).map_err(failed)
    }

    fn within(place: Workplace) -> io::Result<Self> {
        let name = format!("{NAME}{}", process::id());
        mkdirat(&place.folder, &name, Mode::RWXU)?;
        let folder = openat(&place.folder, &name, FOLDER, Mode::empty()).inspect_err(|_| {
            let _ = unlinkat(&place.folder, &name, AtFlags::REMOVEDIR);
        })?;
        let path = place.path.join(&name);
        let mut scratch = Self { place, name, folder, path, first: None };
        let mut first = workplace::create(&scratch.folder, FIRST)?;
        let _ = flock(&first, FlockOperation::NonBlockingLockExclusive); // where locks are known
        first.write_all(b"*\n")?;
        scratch.first = Some(first);
        Ok(scratch)
    }

    /// Returns its path, in which no link is.
    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Puts a file into it.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        workplace::create(&self.folder, name)?.write_all(bytes)
    }

    /// Opens a file in it, whatever that is.
    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        workplace::open(&self.folder, name, OFlags::RDONLY)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = left::remove(&self.place.folder, self.name.as_str()); // it has only what we wrote
    }
}
