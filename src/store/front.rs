//! The store: what can be asked of it.

use std::{sync::Arc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Appended, Follower, Latched, Log, Newest, Repair, RepairMode, Salvaged, Sessions, answer,
    folder::Folder, layout, lock, medium::Medium, reader, repair, sessions, writer::Files,
};
use crate::{
    error::Error,
    log::{Draft, Entry, Health, Record, Tail},
    note::Fitted,
    session::SessionName,
    units::{Generation, Timestamp},
};

/// The notes of all sessions below one root.
///
/// It is cheap to clone, and can be used from any thread.
///
/// A process with a limit on the size of its files (`RLIMIT_FSIZE`) is sent the signal `SIGXFSZ` by
/// a write beyond it, and dies of it. A host that may run under such a limit has to ignore the
/// signal; the append then fails with [`ErrorKind::NoSpace`](crate::ErrorKind::NoSpace).
///
/// # Examples
///
/// ```
/// use graff_notes::{log::Draft, note::{Author, NoteCap, NoteText}, session::SessionName,
///     store::Store, units::{Generation, Timestamp}};
///
/// # let folder = tempfile::tempdir()?;
/// # let root = camino::Utf8Path::from_path(folder.path()).ok_or("not UTF-8")?;
/// let store = Store::at(root);
/// let session = SessionName::parse("fix-the-parser")?;
/// let fitted = NoteText::fit("src/parse.rs:88 still drops the CR", NoteCap::default())?;
/// store.append(&session, &Draft::Note {
///     text: fitted.text,
///     author: Author::Agent,
///     cut: fitted.cut,
///     generation: Generation::ZERO,
///     created_at: Timestamp::new(1_786_017_600_000),
/// })?;
/// let newest = store.newest(&session)?;
/// assert_eq!(newest.note.map(|note| note.text).as_deref(), Some("src/parse.rs:88 still drops the CR"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    folder: Folder,
    patience: Duration,
}

impl Store {
    /// Returns the store below `root`, which must be there; touches nothing yet.
    ///
    /// It is read and written whosever it is, as far as rights allow. A program that looks for the
    /// root by itself does well to pass over a `.graff` of another user, who could have put it
    /// there to be read.
    #[cfg(unix)]
    #[must_use]
    pub fn at(root: impl Into<Utf8PathBuf>) -> Self {
        let root = root.into();
        Self::on(root.clone(), Arc::new(super::Disk::at(root)))
    }

    /// Returns the store on another medium; `root` only stands in messages then.
    #[must_use]
    pub fn on(root: impl Into<Utf8PathBuf>, medium: Arc<dyn Medium>) -> Self {
        Self { folder: Folder::new(root.into(), medium), patience: lock::PATIENCE }
    }

    /// Returns the same store with another bound on the wait for a lock.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> &Utf8Path {
        self.folder.root()
    }

    /// Returns the path of the folder that holds the logs.
    #[must_use]
    pub fn notes_path(&self) -> Utf8PathBuf {
        layout::folder(self.root())
    }

    /// Returns the path of a session's log.
    #[must_use]
    pub fn log_path(&self, session: &SessionName) -> Utf8PathBuf {
        self.folder.path(&layout::log(session))
    }

    /// Returns whose log a file of this name is; `None` where it is no log, or one that another
    /// program named.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::store::Store;
    ///
    /// let session = Store::session_of_log("fix-parser.notes.jsonl").expect("a log's name");
    /// assert_eq!(session.as_str(), "fix-parser");
    /// assert_eq!(Store::session_of_log("fix-parser.notes.lock"), None);
    /// ```
    #[must_use]
    pub fn session_of_log(file_name: &str) -> Option<SessionName> {
        layout::session_of_log(file_name)
    }

    /// Returns the path of a session's lock.
    #[must_use]
    pub fn lock_path(&self, session: &SessionName) -> Utf8PathBuf {
        self.folder.path(&layout::lock(session))
    }

    /// Returns the path of what a repair of this session's log took out.
    #[must_use]
    pub fn rejected_path(&self, session: &SessionName) -> Utf8PathBuf {
        self.folder.path(&layout::rejected(session))
    }

    /// Returns the path of what is to take the place of a session's log, while a repair or an
    /// import is at work on it.
    #[must_use]
    pub fn repaired_path(&self, session: &SessionName) -> Utf8PathBuf {
        self.folder.path(&layout::repaired(session))
    }

    /// Returns the paths of all files that a session can have but its lock, whether or not they are
    /// there, its log first: what [`Self::forget`] removes.
    #[must_use]
    pub fn paths_of(&self, session: &SessionName) -> Vec<Utf8PathBuf> {
        layout::all(session).iter().map(|name| self.folder.path(name)).collect()
    }

    /// Returns a reading of a session's log that goes on, from its beginning; touches nothing yet.
    #[must_use]
    pub fn follow(&self, session: &SessionName) -> Follower {
        Follower::new(self.folder.clone(), session.clone())
    }

    /// Returns the log of a session, for repeated use.
    #[must_use]
    pub fn log(&self, session: &SessionName) -> Log {
        Log::new(self.clone(), session.clone())
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// On an error the log reads as before and the record never appears later, with the exception
    /// of [`ErrorKind::Uncertain`](crate::ErrorKind::Uncertain).
    ///
    /// # Durability
    ///
    /// On return the record survives a crash of the process and a loss of power.
    pub fn append(&self, session: &SessionName, draft: &Draft) -> Result<Appended, Error> {
        Files::of(session).locked(self, session, |writer| answer::append(writer, draft))
    }

    /// Records the one attempt of a generation, unless it has an attempt or a note already.
    ///
    /// The look and the record are one step under the lock, so of two processes one is refused.
    ///
    /// # Errors
    ///
    /// As for [`append`](Self::append).
    pub fn latch(
        &self,
        session: &SessionName,
        generation: Generation,
        now: Timestamp,
    ) -> Result<Latched, Error> {
        Files::of(session).locked(self, session, |writer| answer::latch(writer, generation, now))
    }

    /// Appends a mechanical note, unless its generation has a note of any author already.
    ///
    /// The look and the record are one step under the lock, so of many that try at once one is
    /// stored. A mechanical note takes no attempt away.
    ///
    /// # Errors
    ///
    /// As for [`append`](Self::append).
    pub fn salvage(
        &self,
        session: &SessionName,
        fitted: Fitted,
        generation: Generation,
        now: Timestamp,
    ) -> Result<Salvaged, Error> {
        Files::of(session)
            .locked(self, session, |writer| answer::salvage(writer, fitted, generation, now))
    }

    /// Returns whether the one attempt of a generation is on record, or a note that stands for it.
    ///
    /// # Errors
    ///
    /// A log that cannot be read; a missing one has no attempts.
    pub fn is_attempted(
        &self,
        session: &SessionName,
        generation: Generation,
    ) -> Result<bool, Error> {
        reader::is_attempted(&self.folder, session, generation)
    }

    /// Returns a session's newest note, at the cost of the bytes behind it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the session has no log.
    pub fn newest(&self, session: &SessionName) -> Result<Newest, Error> {
        reader::newest(&self.folder, &layout::log(session), session)
    }

    /// Calls `visit` with every line of a session's log, oldest first, and returns the tail.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the session has no log.
    pub fn replay(
        &self,
        session: &SessionName,
        visit: &mut dyn FnMut(Entry<'_>),
    ) -> Result<Tail, Error> {
        reader::replay(&self.folder, session, visit)
    }

    /// Returns the figures and faults of a session's log.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the session has no log; a log that
    /// cannot be read is an error and never damage.
    pub fn verify(&self, session: &SessionName) -> Result<Health, Error> {
        reader::verify(&self.folder, session)
    }

    /// Calls `visit` with the recent records of a session's log, the newest first: those of its
    /// last 4 MiB; where none of them is one that this program numbered and sealed, also with all
    /// before them as far as to the last that is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the session has no log.
    pub(crate) fn recent(
        &self,
        session: &SessionName,
        visit: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), Error> {
        reader::recent(&self.folder, session, visit)
    }

    /// Returns the generation that a session goes on from: the greatest on record, 0 where there is
    /// none.
    ///
    /// It is looked for in the last 4 MiB, and further back as far as to a record that this program
    /// numbered and sealed, since that is of no lesser generation than those before it. So a log in
    /// which there is none is read whole; and a generation is passed over only where more than 4
    /// MiB of records of lesser ones were asked of this program since.
    ///
    /// # Errors
    ///
    /// A log that cannot be read; a missing one is none.
    pub fn greatest_generation(&self, session: &SessionName) -> Result<Generation, Error> {
        reader::greatest_generation(&self.folder, session)
    }

    /// Returns the sessions that have a log here, by name.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read; a missing one has no sessions.
    pub fn sessions(&self) -> Result<Sessions, Error> {
        sessions::list(&self.folder)
    }

    /// Takes out of a log what is no record, or says what it would take out.
    ///
    /// # Errors
    ///
    /// On an error the log is as before, with the exception of
    /// [`ErrorKind::Uncertain`](crate::ErrorKind::Uncertain): it is repaired then, but not durably,
    /// or nobody knows whether it is.
    pub fn repair(&self, session: &SessionName, mode: RepairMode) -> Result<Repair, Error> {
        repair::repair(self, session, mode)
    }

    /// Removes a session's log and what stands beside it, and keeps its lock file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where there is nothing to remove;
    /// [`ErrorKind::Uncertain`](crate::ErrorKind::Uncertain) where it is removed, but not durably.
    pub fn forget(&self, session: &SessionName) -> Result<(), Error> {
        sessions::forget(self, session)
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }
}
