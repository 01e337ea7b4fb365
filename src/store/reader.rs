//! Reading a log without a lock, a write or a trace.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use super::{
    folder::Folder,
    layout,
    lock::LockFile,
    look::Look,
    medium::{Access, Handle, patiently},
};
use crate::{
    error::{Error, ErrorKind},
    log::{Body, Entry, Health, Line, Record, Replay, Tail},
    note::Note,
    session::SessionName,
    units::{Bytes, Generation},
};

/// How much is read at once when a log is read through, in bytes.
const PIECE: usize = 128 * 1024;

/// How long a reader waits for a writer whose half-written record it may be looking at.
const SECOND_LOOK: Duration = Duration::from_millis(20);

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

pub(super) fn newest(folder: &Folder, session: &SessionName) -> Result<Newest, Error> {
    let name = layout::log(session);
    let file = folder.open(&name, Access::Read)?;
    let look = Look::at(folder, &name, session, file.as_ref())?;
    let newest = newest_in(&look)?;
    if !newest.is_torn() || !has_changed_since(folder, session, file.as_ref(), look.len())? {
        return Ok(newest);
    }
    let file = folder.open(&name, Access::Read)?;
    newest_in(&Look::at(folder, &name, session, file.as_ref())?)
}

pub(super) fn newest_in(look: &Look<'_>) -> Result<Newest, Error> {
    let mut newest = Newest::default();
    let tail = look.back(&mut |placed| {
        let offset = placed.offset;
        match placed.line {
            Line::Record(record) => newest.note = note_of(record),
            Line::Newer => newest.doubt = Some(Doubt { cause: DoubtCause::NewerVersion, offset }),
            Line::Bad(_) => newest.doubt = Some(Doubt { cause: DoubtCause::Damaged, offset }),
            Line::Blank | Line::Foreign { .. } => {}
        }
        if newest.note.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let (None, Tail::Torn { offset, .. }) = (newest.doubt, tail) {
        newest.doubt = Some(Doubt { cause: DoubtCause::Torn, offset });
    }
    Ok(newest)
}

/// Returns the note that a record is, or `None` for the other kinds.
pub(super) fn note_of(record: Record<'_>) -> Option<Note> {
    let Body::Note { text, author, cut } = record.body else { return None };
    Some(Note {
        seq: record.seq,
        generation: record.generation,
        created_at: record.created_at,
        author,
        text: text.into_owned(),
        cut,
        sealed: record.sealed,
    })
}

impl Newest {
    fn is_torn(&self) -> bool {
        matches!(self.doubt, Some(Doubt { cause: DoubtCause::Torn, .. }))
    }
}

/// Returns whether a torn tail was a write under way: waits a moment for its writer, and compares.
fn has_changed_since(
    folder: &Folder,
    session: &SessionName,
    file: &dyn Handle,
    len: u64,
) -> Result<bool, Error> {
    let name = layout::lock(session);
    let lock = LockFile::open_if_there(folder, &name)?;
    // Whether the lock was to be had or not, what counts is what the file has become.
    let _held = lock.as_ref().map(|lock| lock.hold(folder, &name, Instant::now() + SECOND_LOOK));
    let now = patiently(|| file.status()).map_err(|e| folder.failed("look at", &name, e))?;
    Ok(now.len != len)
}

pub(super) fn replay(
    folder: &Folder,
    session: &SessionName,
    visit: &mut dyn FnMut(Entry<'_>),
) -> Result<Tail, Error> {
    let name = layout::log(session);
    let file = folder.open(&name, Access::Read)?;
    let mut replay = Replay::of(session);
    read_through(folder, &name, file.as_ref(), &mut |piece| replay.feed(piece, visit))?;
    Ok(replay.finish(visit))
}

/// Hands a file to `take` in pieces, from its beginning to the end that it has now.
pub(super) fn read_through(
    folder: &Folder,
    name: &str,
    file: &dyn Handle,
    take: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let mut buffer = vec![0; PIECE];
    let mut offset = 0;
    loop {
        match patiently(|| file.read_at(&mut buffer, offset)) {
            Ok(0) => return Ok(offset),
            Ok(read) => {
                take(buffer.get(..read).unwrap_or(&buffer));
                offset += read as u64;
            }
            Err(e) => return Err(folder.failed("read", name, e)),
        }
    }
}

pub(super) fn verify(folder: &Folder, session: &SessionName) -> Result<Health, Error> {
    let name = layout::log(session);
    let file = folder.open(&name, Access::Read)?;
    let (health, len) = examine(folder, &name, session, file.as_ref())?;
    if !health.torn_tail || !has_changed_since(folder, session, file.as_ref(), len)? {
        return Ok(health);
    }
    let file = folder.open(&name, Access::Read)?;
    examine(folder, &name, session, file.as_ref()).map(|(health, _)| health)
}

fn examine(
    folder: &Folder,
    name: &str,
    session: &SessionName,
    file: &dyn Handle,
) -> Result<(Health, u64), Error> {
    let mut replay = Replay::of(session);
    let mut health = Health::default();
    let len = read_through(folder, name, file, &mut |piece| {
        replay.feed(piece, &mut |entry| health.see(&entry));
    })?;
    let tail = replay.finish(&mut |entry| health.see(&entry));
    health.end(tail);
    Ok((health, len))
}

pub(super) fn greatest_generation(
    folder: &Folder,
    session: &SessionName,
) -> Result<Generation, Error> {
    let mut greatest = Generation::ZERO;
    let replayed = replay(folder, session, &mut |entry| {
        if let Line::Record(record) = entry.line {
            greatest = greatest.max(record.generation);
        }
    });
    match replayed {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(greatest),
    }
}
