//! Appending one record, whole or not at all.
//!
//! ```text
//! lock ─ open or create ─ look at the tail ─ write ─ sync ─ unlock
//!                                              └──────┴─ failed: cut back, or seal
//! ```
//!
//! A [`Writer`] only comes from looking at the tail with the lock held, and is spent by writing:
//! nobody writes twice on one look. A file that has any byte has a durable entry in its folder,
//! because the entry is synced before the first byte is written.

use std::{io, ops::ControlFlow, time::Instant};

use super::{
    Store,
    folder::Folder,
    layout,
    lock::LockFile,
    look::Look,
    medium::{Access, Handle, patiently},
    reader,
};
use crate::{
    error::{Error, ErrorKind},
    log::{ABANDONED, Draft, LINE_BYTES_MAX, Line, Record},
    note::{Note, NoteText},
    session::SessionName,
    units::Seq,
};

const _: () = assert!(
    NoteText::BYTES_LIMIT * 6 + 2048 < LINE_BYTES_MAX,
    "the longest note fits into a line, with each byte escaped as \\u00xx"
);

/// The open files of a session, kept from one append to the next.
#[derive(Debug, Default)]
pub(super) struct Files {
    lock: Option<LockFile>,
    log: Option<Box<dyn Handle>>,
}

/// The right to append one record.
#[derive(Debug)]
pub(super) struct Writer<'f> {
    folder: &'f Folder,
    session: &'f SessionName,
    name: &'f str,
    file: &'f dyn Handle,
    look: Look<'f>,
}

impl Files {
    /// Runs `write` with the lock held, over the file that the log's path names now.
    pub(super) fn locked<T>(
        &mut self,
        store: &Store,
        session: &SessionName,
        write: impl FnOnce(Writer<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (folder, name) = (store.folder(), layout::log(session));
        let kept = &mut self.log;
        under_lock(&mut self.lock, store, session, || {
            let file = match kept.take() {
                Some(file) if is_named(folder, &name, file.as_ref()) => file,
                _ => folder.open_or_create(&name, Access::Append)?,
            };
            let file: &dyn Handle = &**kept.insert(file);
            let look = Look::at(folder, &name, session, file)?;
            write(Writer { folder, session, name: &name, file, look })
        })
    }
}

/// Runs `work` with a session's lock held.
pub(super) fn under_lock<T>(
    kept: &mut Option<LockFile>,
    store: &Store,
    session: &SessionName,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let (folder, name) = (store.folder(), layout::lock(session));
    let deadline = Instant::now() + store.patience();
    loop {
        let lock = match kept.take() {
            Some(lock) => lock,
            None => LockFile::open(folder, &name)?,
        };
        let lock = kept.insert(lock);
        if let Some(_held) = lock.hold(folder, &name, deadline)? {
            return work();
        }
        *kept = None;
    }
}

/// Returns whether the log's path still names the file that is open.
fn is_named(folder: &Folder, name: &str, file: &dyn Handle) -> bool {
    match (file.status(), folder.medium.identity(name)) {
        (Ok(open), Ok(named)) => open.id == named,
        _ => false,
    }
}

impl Writer<'_> {
    /// Returns the newest note.
    pub(super) fn newest(&self) -> Result<Option<Note>, Error> {
        Ok(reader::newest_in(&self.look)?.note)
    }

    /// Returns whether any record is as asked, looking from the end.
    pub(super) fn any(&self, wanted: impl Fn(&Record<'_>) -> bool) -> Result<bool, Error> {
        let found = self.find(|record| wanted(record).then_some(()))?;
        Ok(found.is_some())
    }

    /// Returns the number of the next record: that of the last one that has a number, plus 1.
    fn next_seq(&self) -> Result<Seq, Error> {
        Ok(self.find(|record| record.seq)?.map_or(Seq::new(1), Seq::next))
    }

    /// Returns the first answer that a record gives, looking from the end.
    fn find<T>(&self, answer: impl Fn(&Record<'_>) -> Option<T>) -> Result<Option<T>, Error> {
        let mut found = None;
        self.look.back(&mut |placed| {
            if let Line::Record(record) = &placed.line {
                found = answer(record);
            }
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Appends `draft` and returns the number that it got.
    ///
    /// # Durability
    ///
    /// On return it is on disk. On failure the file reads as before, unless the error is
    /// [`ErrorKind::Uncertain`].
    pub(super) fn append(self, draft: &Draft) -> Result<Seq, Error> {
        let seq = self.next_seq()?;
        let mut line = Vec::new();
        if self.look.is_open() {
            line.push(b'\n');
        }
        draft.write(self.session, seq, &mut line);
        if self.look.len() == 0 {
            self.folder.sync_entries()?;
        }
        self.write(&line)?;
        Ok(seq)
    }

    fn write(&self, line: &[u8]) -> Result<(), Error> {
        match patiently(|| self.file.append(line)) {
            Ok(taken) if taken == line.len() => {}
            Ok(taken) => return Err(self.undo_short(line, taken)),
            Err(e) => return Err(self.folder.failed("append to", self.name, e)),
        }
        self.file.sync().map_err(|e| self.undo_unsynced(line, e))
    }

    /// Takes back a write that took only the first bytes of the line.
    fn undo_short(&self, line: &[u8], taken: usize) -> Error {
        let error = Error::on(ErrorKind::NoSpace, "append to", &self.folder.path(self.name))
            .with_detail(format!("only {taken} of {} bytes could be written", line.len()));
        match self.cut_back(taken).or_else(|_| self.seal()) {
            Ok(()) => error,
            // A record that lacks its LF alone counts as one.
            Err(_) if taken + 1 == line.len() => uncertain(error),
            Err(_) => error,
        }
    }

    /// Takes back a line that was written whole but not made durable.
    ///
    /// The sync is not tried again on these bytes: the system may have dropped them by now and
    /// would call the second try a success. Source: the fsync findings of PostgreSQL, 2018.
    fn undo_unsynced(&self, line: &[u8], cause: io::Error) -> Error {
        let error = self.folder.failed("make durable", self.name, cause);
        match self.cut_back(line.len()) {
            Ok(()) => error,
            Err(_) => uncertain(error),
        }
    }

    /// Cuts off what we wrote, durably, but only while nothing stands behind it.
    fn cut_back(&self, taken: usize) -> io::Result<()> {
        let ours = self.look.len().saturating_add(taken as u64);
        if self.file.status()?.len != ours {
            return Err(io::Error::other("another program has written behind"));
        }
        self.file.cut(self.look.len())?;
        self.file.sync()
    }

    /// Ends what we could not cut off, unless another program has ended it already.
    fn seal(&self) -> io::Result<()> {
        let mut byte = [0];
        if let Some(at) = self.file.status()?.len.checked_sub(1) {
            patiently(|| self.file.read_at(&mut byte, at))?;
        }
        if byte != *b"\n" && patiently(|| self.file.append(ABANDONED))? != ABANDONED.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.file.sync()
    }
}

fn uncertain(error: Error) -> Error {
    error.with_kind(ErrorKind::Uncertain).with_detail(
        "the note may or may not be on disk: it could be neither made durable nor taken back",
    )
}
