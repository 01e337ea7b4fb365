//! One session's log, for repeated use.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    Appended, Latched, Newest, Salvaged, Store, answer,
    file::File,
    layout,
    medium::Stamp,
    reader,
    writer::{Files, Writer},
};
use crate::{
    error::Error,
    log::Draft,
    note::Fitted,
    session::SessionName,
    units::{Generation, Timestamp},
};

/// One session's log, with its files kept open from one call to the next.
///
/// Each append still checks that the kept files are the ones that their paths name, so a folder
/// that was removed meanwhile is made again rather than written to unseen.
#[derive(Debug)]
pub struct Log {
    store: Store,
    session: SessionName,
    /// Its file's name.
    name: String,
    files: Mutex<Option<Files>>,
    seen: Mutex<Option<Seen>>,
}

/// What the log's newest note was when the log bore this stamp.
#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    newest: Newest,
}

impl Log {
    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &SessionName {
        &self.session
    }

    /// Appends a record; see [`Store::append`].
    ///
    /// # Errors
    ///
    /// As for [`Store::append`]; the next append opens the files anew.
    pub fn append(&self, draft: &Draft) -> Result<Appended, Error> {
        self.locked(|writer| answer::append(writer, draft))
    }

    /// Records the one attempt of a generation; see [`Store::latch`].
    ///
    /// # Errors
    ///
    /// As for [`Store::latch`].
    pub fn latch(&self, generation: Generation, now: Timestamp) -> Result<Latched, Error> {
        self.locked(|writer| answer::latch(writer, generation, now))
    }

    /// Appends a mechanical note; see [`Store::salvage`].
    ///
    /// # Errors
    ///
    /// As for [`Store::salvage`].
    pub fn salvage(
        &self,
        fitted: Fitted,
        generation: Generation,
        now: Timestamp,
    ) -> Result<Salvaged, Error> {
        self.locked(|writer| answer::salvage(writer, fitted, generation, now))
    }

    /// Returns whether a generation had its attempt; see [`Store::is_attempted`].
    ///
    /// # Errors
    ///
    /// As for [`Store::is_attempted`].
    pub fn is_attempted(&self, generation: Generation) -> Result<bool, Error> {
        self.store.is_attempted(&self.session, generation)
    }

    /// Returns the newest note; see [`Store::newest`].
    ///
    /// Where the file system is known to tell the truth about what has changed, one look at the
    /// path does instead of a reading if nothing has.
    ///
    /// # Errors
    ///
    /// As for [`Store::newest`].
    pub fn newest(&self) -> Result<Newest, Error> {
        if let Some(newest) = self.unchanged() {
            return Ok(newest);
        }
        let mut stamp = None;
        let see = &mut |file: File<'_>| stamp = file.stamp();
        let newest = reader::newest_seeing(self.store.folder(), &self.name, &self.session, see)?;
        *lock(&self.seen) = stamp.map(|stamp| Seen { stamp, newest: newest.clone() });
        Ok(newest)
    }

    /// Returns what was found the last time, if the log has not changed since.
    fn unchanged(&self) -> Option<Newest> {
        let seen = lock(&self.seen);
        let Seen { stamp, newest } = seen.as_ref()?;
        (self.store.folder().stamp(&self.name)? == *stamp).then(|| newest.clone())
    }

    pub(super) fn new(store: Store, session: SessionName) -> Self {
        Self {
            name: layout::log(&session),
            store,
            session,
            files: Mutex::default(),
            seen: Mutex::default(),
        }
    }

    fn locked<T>(&self, write: impl FnOnce(Writer<'_>) -> Result<T, Error>) -> Result<T, Error> {
        // The files are taken out while they are in use: who comes meanwhile opens its own, and
        // waits for the lock no longer than anybody else.
        let mut files = lock(&self.files).take().unwrap_or_else(|| Files::of(&self.session));
        let answer = files.locked(&self.store, &self.session, write)?;
        *lock(&self.files) = Some(files);
        Ok(answer)
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
