//! One session's log, for repeated use.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    Appended, Latched, Newest, Salvaged, Store, answer, layout, reader,
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
    /// # Errors
    ///
    /// As for [`Store::newest`].
    pub fn newest(&self) -> Result<Newest, Error> {
        reader::newest(self.store.folder(), &self.name, &self.session)
    }

    pub(super) fn new(store: Store, session: SessionName) -> Self {
        Self { name: layout::log(&session), store, session, files: Mutex::default() }
    }

    fn locked<T>(&self, write: impl FnOnce(Writer<'_>) -> Result<T, Error>) -> Result<T, Error> {
        // The files are taken out while they are in use: who comes meanwhile opens its own, and
        // waits for the lock no longer than anybody else.
        let mut files = self.kept().take().unwrap_or_else(|| Files::of(&self.session));
        let answer = files.locked(&self.store, &self.session, write)?;
        *self.kept() = Some(files);
        Ok(answer)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Files>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
