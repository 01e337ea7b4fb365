//! Appending one record, whole or not at all.
//!
//! ```text
//! lock ─ open or create ─ look at the tail ─ write ─ sync ─ unlock
//!                                              └──────┴─ failed: take it back
//! ```
//!
//! A [`Writer`] only comes from looking at the tail with the lock held, and is spent by writing:
//! nobody writes twice on one look. A log that this program made has a durable entry in its folder:
//! the entry is synced before the first numbered record is written, and after a log was replaced.
//! So one that holds such a record is not asked for it again. A copy of ours that another program
//! brought is taken for one that we made: docs/durability.md says so.

use std::ops::{
    ControlFlow::{self, Break, Continue},
    Range,
};

use super::{
    Appended, Store,
    file::File,
    folder::{Folder, Making},
    layout,
    lock::{Held, LockFile, acquire},
    look::Look,
    medium::{Access, FileId, Handle, Status},
    reader::Search,
    recent::{Sought, Wanted},
    replace,
    system::{Deadline, process_number},
    undo::{Fate, Taken, take_back},
};
use crate::{
    error::{Error, ErrorKind},
    log::{Draft, Line, Placed, Record, Tail},
    session::SessionName,
    units::{Generation, Seq},
};

/// What is said of a record of which nobody knows whether it is there, or will be.
const UNKNOWN: &str =
    "the note may or may not be on disk: it could be neither made durable nor taken back";

/// The open files of a session, kept from one append to the next.
#[derive(Debug)]
pub(super) struct Files {
    /// The log's name.
    name: String,
    lock: Option<LockFile>,
    log: Option<Box<dyn Handle>>,
    /// A forked child shares its parent's open files, and with them the lock: it needs its own.
    owner: u32,
}

/// A log that is open to be appended to.
struct OpenLog {
    log: Box<dyn Handle>,
    origin: Origin,
}

/// How a log came to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is open from the last time, its path still names it, and this is what it is under the
    /// lock.
    Kept(Status),
    Found,
    /// This writer made it, under the lock.
    Made,
}

/// The right to append one record.
#[derive(Debug)]
pub(super) struct Writer<'f> {
    folder: &'f Folder,
    session: &'f SessionName,
    file: File<'f>,
    look: Look<'f>,
}

impl Files {
    pub(super) fn of(session: &SessionName) -> Self {
        Self { name: layout::log(session), lock: None, log: None, owner: process_number() }
    }

    /// Runs `write` with the lock held, over the file that the log's path names now.
    pub(super) fn locked<T>(
        &mut self,
        store: &Store,
        session: &SessionName,
        write: impl FnOnce(Writer<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.owner != process_number() {
            *self = Self::of(session);
        }
        let folder = store.folder();
        let (held, opened) = self.open(folder, session, Deadline::after(store.patience()))?;
        let file = folder.file(&self.name, opened.log.as_ref());
        let answer = opened
            .length_if_sole(file)
            .and_then(|len| Ok(Look::at(file, session, len)?))
            .and_then(|look| write(Writer { folder, session, file, look }))
            .inspect_err(|_| opened.unmake(folder, session, &held))?;
        self.log = Some(opened.log);
        if held.give_back().is_err() {
            *self = Self::of(session);
        }
        Ok(answer)
    }

    /// Takes the lock and opens the log, the two that their paths name at one moment.
    fn open(
        &mut self,
        folder: &Folder,
        session: &SessionName,
        deadline: Deadline,
    ) -> Result<(Held, OpenLog), Error> {
        loop {
            let held = acquire(&mut self.lock, folder, session, deadline)?;
            let opened = self.open_log(folder, session, &held)?;
            if matches!(opened.origin, Origin::Kept(_)) {
                return Ok((held, opened));
            }
            let counts = held.still_counts(folder, deadline);
            if counts.inspect_err(|_| opened.unmake(folder, session, &held))? {
                return Ok((held, opened));
            }
            self.lock = None;
        }
    }

    fn open_log(
        &mut self,
        folder: &Folder,
        session: &SessionName,
        held: &Held,
    ) -> Result<OpenLog, Error> {
        let name = &self.name;
        if let Some(log) = self.log.take() {
            // An error is such as a network file system's stale handle.
            if let Ok(status) = folder.file(name, log.as_ref()).status()
                && folder.identity(name)? == Some(status.id)
            {
                return Ok(OpenLog { log, origin: Origin::Kept(status) });
            }
        }
        replace::conclude(folder, session)?;
        if let Some(log) = folder.open_if_there(name, Access::Append)? {
            return Ok(OpenLog { log, origin: Origin::Found });
        }
        match folder.create_or_open(name, Access::Append)? {
            Making::Made(log) => Ok(OpenLog { log, origin: Origin::Made }),
            Making::Found(log) => Ok(OpenLog { log, origin: Origin::Found }),
            Making::Failed(e) => {
                let _ = unmake(folder, session, held, None);
                Err(e)
            }
        }
    }
}

/// Removes a log that this append made, or may have made, and could not write to; it would be
/// listed as a session.
///
/// It stays where this writer may not be the only one: a store that was removed and made anew
/// meanwhile has another lock, and a log of that name which is not this writer's to remove.
fn unmake(
    folder: &Folder,
    session: &SessionName,
    held: &Held,
    made: Option<FileId>,
) -> Result<(), Error> {
    let name = layout::log(session);
    let Some(log) = folder.open_if_there(&name, Access::Read)? else { return Ok(()) };
    let now = folder.file(&name, log.as_ref()).status_at_open()?;
    let is_unused = now.len == 0 && made.is_none_or(|made| made == now.id);
    if is_unused && held.is_named(folder)? { folder.remove_if_there(&name) } else { Ok(()) }
}

impl OpenLog {
    /// Returns the log's length, which is another's to change no more, if the log has one name.
    ///
    /// It was opened under the lock, so what it was then it is now.
    fn length_if_sole(&self, file: File<'_>) -> Result<u64, Error> {
        let status = match self.origin {
            Origin::Kept(status) => status,
            Origin::Found | Origin::Made => file.status_at_open()?,
        };
        file.length_if_sole(status)
    }

    /// Removes the log again, if this writer made it and nothing came to stand in it.
    fn unmake(&self, folder: &Folder, session: &SessionName, held: &Held) {
        if self.origin == Origin::Made
            && let Ok(made) = self.log.status_at_open()
        {
            let _ = unmake(folder, session, held, Some(made.id));
        }
    }
}

impl Writer<'_> {
    /// Appends `draft` and returns the number that it got.
    ///
    /// # Durability
    ///
    /// On return it is on disk. On failure the file reads as before, unless the error is
    /// [`ErrorKind::Uncertain`].
    pub(super) fn append(self, draft: &Draft) -> Result<Seq, Error> {
        let (last, _) = self.survey(&mut |_| Break(()))?;
        self.put(draft, last)
    }

    /// Appends `draft`, unless what is `sought` of `generation` is there; returns `None` then.
    pub(super) fn append_unless(
        self,
        draft: &Draft,
        generation: Generation,
        sought: Sought,
    ) -> Result<Option<Seq>, Error> {
        let mut wanted = Wanted::of(generation, sought, self.look.len());
        let (last, _) = self.survey(&mut |placed| wanted.see(&placed))?;
        if wanted.was_found() { Ok(None) } else { self.put(draft, last).map(Some) }
    }

    /// Appends `draft`, unless the newest note, with no doubt that it is the newest, is the same:
    /// that one is returned then, and made durable, since its writer's sync may have failed, or
    /// never have come.
    pub(super) fn append_unless_newest(
        self,
        draft: &Draft,
        is_same: impl Fn(&Record<'_>) -> bool,
    ) -> Result<Appended, Error> {
        let (mut search, mut place) = (Search::new(), 0..0);
        let (last, tail) = self.survey(&mut |placed| {
            place = with_the_lf_before(&placed);
            search.see(placed, |record| record.is_note().then(|| (is_same(&record), record.seq)))
        })?;
        match search.end(tail) {
            (Some((true, seq)), None) => {
                self.sync_entries_unless_after(last)?;
                self.file.renew(&place)?;
                Ok(Appended::Unchanged(seq))
            }
            _ => self.put(draft, last).map(Appended::Stored),
        }
    }

    /// Goes back from the end until `see` has seen enough and the last number is known; returns
    /// that number and the tail.
    ///
    /// All that a writer wants to know it learns on this one way, since it may be a long one.
    fn survey(
        &self,
        see: &mut dyn FnMut(Placed<'_>) -> ControlFlow<()>,
    ) -> Result<(Option<Seq>, Tail), Error> {
        let (mut last, mut is_enough) = (None, false);
        let tail = self.look.back(&mut |placed| {
            if let Line::Record(record) = &placed.line {
                last = last.or_else(|| record.seq_that_counts());
            }
            is_enough = is_enough || see(placed).is_break();
            if is_enough && last.is_some() { Break(()) } else { Continue(()) }
        })?;
        Ok((last, tail))
    }

    /// Makes the log's entry durable, where no numbered record says that we did: the log is new
    /// then, or another program's, which need not have cared.
    fn sync_entries_unless_after(&self, last: Option<Seq>) -> Result<(), Error> {
        if last.is_some() { Ok(()) } else { self.folder.sync_entries() }
    }

    fn put(&self, draft: &Draft, last: Option<Seq>) -> Result<Seq, Error> {
        let seq = last.map_or(Seq::new(1), Seq::next);
        let mut line = Vec::new();
        if self.look.is_open() {
            line.push(b'\n');
        }
        draft.write(self.session, seq, &mut line);
        self.sync_entries_unless_after(last)?;
        self.write(&line)?;
        tracing::debug!(session = %self.session, %seq, bytes = line.len(), "appended");
        Ok(seq)
    }

    fn write(&self, line: &[u8]) -> Result<(), Error> {
        let (taken, error) = match self.file.append(line) {
            Ok(taken) if taken == line.len() => match self.file.sync() {
                Ok(()) => return Ok(()),
                Err(e) => (Taken::Bytes(taken), Some(e)),
            },
            Ok(taken) => (Taken::Bytes(taken), None),
            Err(e) => (Taken::Unknown, Some(e)),
        };
        let fate = take_back(self.file, self.look.len(), line, taken);
        let error = match error {
            Some(error) if fate == Fate::Unknown => error.with_detail(UNKNOWN),
            Some(error) => error,
            None => self.short(line, taken, fate),
        };
        tracing::warn!(session = %self.session, error = error.with_causes(), ?fate, "could not append");
        Err(if fate == Fate::Unknown { error.with_kind(ErrorKind::Uncertain) } else { error })
    }

    /// Returns the error of a write that took a part: the system gives no reason for that, and a
    /// full disk, a quota and a size limit are what does it.
    fn short(&self, line: &[u8], taken: Taken, fate: Fate) -> Error {
        let now = match fate {
            Fate::TakenBack => "they were taken back, and the log reads as before",
            Fate::GivenUp => "they could not be taken back, and stand there as no record",
            Fate::Unknown => UNKNOWN,
        };
        let taken = taken.at_least();
        self.file
            .refused(ErrorKind::NoSpace, "append to")
            .with_detail(format!("only {taken} of {} bytes could be written; {now}", line.len()))
    }
}

/// Returns where a line stands, together with the LF that parts it from the line before.
fn with_the_lf_before(line: &Placed<'_>) -> Range<u64> {
    let start = line.offset.get();
    start.saturating_sub(1)..start.saturating_add(line.length.get())
}
