//! Reading a log: without a write, and without waiting for writers more than a moment.
//!
//! A log is read to the end that it had when the reading began. Where it ends in the middle of a
//! line then, that may be a record on its way: the reader waits a moment for the lock and takes the
//! end that the log has by then. What is still torn there is called so. It has the lock while it
//! opens the log; a writer without any patience can be kept out by that.

use std::{
    ops::ControlFlow::{self, Break, Continue},
    time::Duration,
};

use super::{
    file::File,
    folder::Folder,
    layout,
    look::{Look, Trouble},
    recent::{self, Sought, Wanted},
    snapshot::Snapshot,
    system::Deadline,
};
use crate::{
    error::{Error, ErrorKind},
    log::{Entry, Health, Line, Placed, Record, Replay, Tail},
    note::Note,
    session::SessionName,
    units::{Bytes, Generation},
};

/// How long a reading waits, in all, for writers whose half-written record it may be looking at.
pub(super) const SECOND_LOOK: Duration = Duration::from_millis(20);

/// How often a reading is begun again because the file was cut short under it.
const STARTS_MAX: u32 = 4;

/// The newest note of a session, and whether a newer one may be damaged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// The note; `None` where the log holds none.
    pub note: Option<Note>,
    /// What stands behind it and cannot be read; the place nearest to the note.
    pub doubt: Option<Doubt>,
}

/// Why a newer note than the newest readable one may have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What stands there.
    pub cause: DoubtCause,
    /// Where it begins in the log.
    pub offset: Bytes,
}

/// What stands behind the newest readable note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtCause {
    /// A line that is no record.
    Damaged,
    /// A fragment without a final LF: a write that a crash cut short, or that goes on now.
    Torn,
    /// A line that a newer version of this program wrote.
    NewerVersion,
}

/// The search for the newest note, from the end of a log, and for what is wanted of it.
#[derive(Debug)]
pub(super) struct Search<T> {
    found: Option<T>,
    doubt: Option<Doubt>,
}

/// Returns the newest note in the log `name` of `session`.
pub(super) fn newest(folder: &Folder, name: &str, session: &SessionName) -> Result<Newest, Error> {
    newest_seeing(folder, name, session, &mut |_| ())
}

/// Returns the newest note as [`newest`] does; `see` is given each file that is looked at, before
/// it is read.
pub(super) fn newest_seeing(
    folder: &Folder,
    name: &str,
    session: &SessionName,
    see: &mut dyn FnMut(File<'_>),
) -> Result<Newest, Error> {
    steadily(|deadline| from_the_end(folder, name, session, deadline, see, newest_in))
}

/// Reads a log from its end, which is looked at a second time where it is in the middle of a line;
/// `see` is given each file that is looked at, before it is read.
fn from_the_end<T>(
    folder: &Folder,
    name: &str,
    session: &SessionName,
    deadline: Deadline,
    see: &mut dyn FnMut(File<'_>),
    read: impl FnOnce(&Look<'_>) -> Result<T, Trouble>,
) -> Result<T, Trouble> {
    let log = Snapshot::now(folder, name)?;
    let file = log.file(folder, name);
    see(file);
    let look = Look::at(file, session, log.len())?;
    if !look.is_open() {
        return read(&look);
    }
    let log = Snapshot::settled(folder, name, session, deadline)?;
    let file = log.file(folder, name);
    see(file);
    read(&Look::at(file, session, log.len())?)
}

fn newest_in(look: &Look<'_>) -> Result<Newest, Trouble> {
    let mut search = Search::new();
    let tail = look.back(&mut |placed| search.see(placed, Record::into_note))?;
    let (note, doubt) = search.end(tail);
    Ok(Newest { note, doubt })
}

impl<T> Search<T> {
    pub(super) const fn new() -> Self {
        Self { found: None, doubt: None }
    }

    /// Takes the next line on the way from the end, until `take` takes a record for a note.
    pub(super) fn see<'r>(
        &mut self,
        placed: Placed<'r>,
        take: impl FnOnce(Record<'r>) -> Option<T>,
    ) -> ControlFlow<()> {
        let Placed { offset, line, .. } = placed;
        let cause = match line {
            Line::Record(record) => {
                self.found = take(record);
                return if self.found.is_some() { Break(()) } else { Continue(()) };
            }
            Line::Newer => DoubtCause::NewerVersion,
            Line::Bad(_) => DoubtCause::Damaged,
            Line::Blank | Line::Foreign { .. } => return Continue(()),
        };
        self.doubt = Some(Doubt { cause, offset });
        Continue(())
    }

    /// Returns what was taken, and what stands behind it and cannot be read.
    pub(super) fn end(self, tail: Tail) -> (Option<T>, Option<Doubt>) {
        let torn = match tail {
            Tail::Torn { offset, .. } => Some(Doubt { cause: DoubtCause::Torn, offset }),
            Tail::Clean | Tail::Unterminated => None,
        };
        (self.found, self.doubt.or(torn))
    }
}

/// Returns whether a generation's one attempt is on record; a session without a log has made none.
pub(super) fn is_attempted(
    folder: &Folder,
    session: &SessionName,
    generation: Generation,
) -> Result<bool, Error> {
    let name = layout::log(session);
    let found = steadily(|_| {
        let snapshot = Snapshot::now(folder, &name)?;
        let look = Look::at(snapshot.file(folder, &name), session, snapshot.len())?;
        let mut wanted = Wanted::of(generation, Sought::Latch, look.len());
        look.back(&mut |placed| wanted.see(&placed))?;
        Ok(wanted.was_found())
    });
    match found {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        found => found,
    }
}

pub(super) fn replay(
    folder: &Folder,
    session: &SessionName,
    visit: &mut dyn FnMut(Entry<'_>),
) -> Result<Tail, Error> {
    let deadline = Deadline::after(SECOND_LOOK);
    Ok(replay_once(folder, session, deadline, visit)?) // what was handed out can't be taken back
}

fn replay_once(
    folder: &Folder,
    session: &SessionName,
    deadline: Deadline,
    visit: &mut dyn FnMut(Entry<'_>),
) -> Result<Tail, Trouble> {
    let name = layout::log(session);
    let snapshot = Snapshot::whole_lines(folder, &name, session, deadline)?;
    let mut replay = Replay::of(session);
    let read = snapshot.read_through(folder, &name, &mut |piece| replay.feed(piece, visit))?;
    if read < snapshot.len() {
        return Err(Trouble::CutShort(snapshot.file(folder, &name).cut_short()));
    }
    Ok(replay.finish(visit))
}

pub(super) fn verify(folder: &Folder, session: &SessionName) -> Result<Health, Error> {
    steadily(|deadline| {
        let mut health = Health::default();
        let tail = replay_once(folder, session, deadline, &mut |entry| health.see(&entry))?;
        health.end(tail);
        Ok(health)
    })
}

pub(super) fn recent(
    folder: &Folder,
    session: &SessionName,
    visit: &mut dyn FnMut(&Record<'_>),
) -> Result<(), Error> {
    let deadline = Deadline::after(SECOND_LOOK);
    Ok(recent_once(folder, session, deadline, visit)?) // what was handed out can't be taken back
}

fn recent_once(
    folder: &Folder,
    session: &SessionName,
    deadline: Deadline,
    visit: &mut dyn FnMut(&Record<'_>),
) -> Result<(), Trouble> {
    let name = layout::log(session);
    let see = &mut |_: File<'_>| ();
    from_the_end(folder, &name, session, deadline, see, |look| recent::recent(look, visit))
}

pub(super) fn greatest_generation(
    folder: &Folder,
    session: &SessionName,
) -> Result<Generation, Error> {
    let found = steadily(|deadline| {
        let mut greatest = Generation::ZERO;
        recent_once(folder, session, deadline, &mut |record| {
            greatest = greatest.max(record.generation_that_counts().unwrap_or_default());
        })?;
        Ok(greatest)
    });
    match found {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Generation::ZERO),
        found => found,
    }
}

/// Runs a reading again, a few times, where the file was cut short under it: a writer takes back
/// what it could not finish. The deadline is that of all waits together.
fn steadily<T>(mut reading: impl FnMut(Deadline) -> Result<T, Trouble>) -> Result<T, Error> {
    let deadline = Deadline::after(SECOND_LOOK);
    let mut starts = 1;
    loop {
        match reading(deadline) {
            Err(Trouble::CutShort(_)) if starts < STARTS_MAX => starts += 1,
            done => return done.map_err(Error::from),
        }
    }
}
