//! Taking the records of a log from elsewhere: all that are missing here, or none.
//!
//! A log only ever grows by it: what stands here stays byte for byte, damage included, and where
//! the records here are others than those from elsewhere, or more, the log is left as it is. Other
//! than an append it is one step for any number of records, since the log is
//! [replaced](super::replace).

use camino::Utf8Path;

use super::{
    Store,
    file::File,
    layout,
    lock::acquire,
    medium::Access,
    replace::{Content, Replacement, conclude},
    snapshot::read_through,
    system::Deadline,
};
use crate::{
    error::{Error, ErrorKind},
    log::{Body, Line, Record, Replay},
    note::NoteText,
    session::SessionName,
};

/// Whether an import writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportMode {
    /// It only says what it would do.
    DryRun,
    /// It does it.
    Write,
}

/// What an import did, or would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Import {
    /// The records that were missing are there now.
    Added {
        /// How many there were before.
        had: u64,
        /// How many came.
        added: u64,
    },
    /// There was nothing to add: the log here has all of the records, and maybe more.
    Nothing {
        /// How many there are.
        had: u64,
    },
    /// The two logs part: nothing was written, since one would have to give way.
    Parted {
        /// How many records they have in common from the beginning.
        common: u64,
    },
}

impl Store {
    /// Adds to a session's log those of `records` that it does not have yet.
    ///
    /// The records of the log here must be the first of `records`; else, the log stays as it is.
    /// The records keep their numbers, also where one repeats or goes back, as in a log that two
    /// histories were merged into: `verify` says of the copy what it said of the other. They are
    /// written sealed.
    ///
    /// # Errors
    ///
    /// On an error the log is as before, with the exception of
    /// [`ErrorKind::Uncertain`](crate::ErrorKind::Uncertain). A record that could not be read again
    /// is [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), and so is one to be added
    /// that has no checksum and a number or a generation which none without one
    /// [counts](Record::seq_that_counts) for: it would be sealed.
    ///
    /// # Durability
    ///
    /// On return all of them survive a crash of the process and a loss of power; before, none does.
    pub fn import(
        &self,
        session: &SessionName,
        records: &[Record<'_>],
        mode: ImportMode,
    ) -> Result<Import, Error> {
        let (folder, name) = (self.folder(), layout::log(session));
        if mode == ImportMode::DryRun {
            let handle = folder.open_if_there(&name, Access::Read)?;
            let log = handle.as_ref().map(|handle| folder.file(&name, handle.as_ref()));
            return Missing::from(log, session, records, &folder.path(&name))
                .map(|missing| missing.import);
        }
        let held = acquire(&mut None, folder, session, Deadline::after(self.patience()))?;
        conclude(folder, session)?;
        let handle = folder.open_if_there(&name, Access::Append)?;
        let log = handle.as_ref().map(|handle| folder.file(&name, handle.as_ref()));
        let missing = Missing::from(log, session, records, &folder.path(&name))?;
        if let Import::Added { added, .. } = missing.import {
            folder.sync_entries()?; // the log may be the store's first
            Replacement { folder, session, log, len: missing.len, held: &held }
                .run(&Longer { log, missing: &missing })?;
            tracing::info!(%session, added, "imported");
        }
        Ok(missing.import)
    }
}

/// What a log lacks of the records from elsewhere.
struct Missing {
    import: Import,
    /// The length of the log that was compared.
    len: u64,
    /// The missing records, behind an LF where the log has none at its end.
    lines: Vec<u8>,
}

impl Missing {
    fn from(
        log: Option<File<'_>>,
        session: &SessionName,
        records: &[Record<'_>],
        path: &Utf8Path,
    ) -> Result<Self, Error> {
        let mut theirs = records.iter();
        let (mut had, mut common, mut len) = (0_u64, 0_u64, 0);
        let mut ends_open = false;
        if let Some(log) = log {
            len = log.length_of_sole()?;
            let mut see = |line: &Line<'_>| {
                let Line::Record(record) = line else { return };
                let is_next = common == had && theirs.next().is_none_or(|r| is_same(r, record));
                had += 1;
                common += u64::from(is_next);
            };
            let mut replay = Replay::of(session);
            read_through(log, 0..len, &mut |piece| {
                ends_open = piece.last() != Some(&b'\n');
                replay.feed(piece, &mut |entry| see(&entry.line));
            })?;
            let _ = replay.finish(&mut |entry| see(&entry.line));
        }
        let rest = theirs.as_slice();
        let import = match rest.len() as u64 {
            _ if common < had => Import::Parted { common },
            0 => Import::Nothing { had },
            added => Import::Added { had, added },
        };
        let mut lines = if ends_open { b"\n".to_vec() } else { Vec::new() };
        if let Import::Added { .. } = import {
            let here = records.len() - rest.len();
            let refused = Error::on(ErrorKind::InvalidInput, "import into", path);
            write_all(records, here, session, &mut lines)
                .map_err(|why| refused.with_detail(why))?;
        }
        Ok(Self { import, len, lines })
    }
}

/// Returns whether two records say the same, sealed or not.
fn is_same(one: &Record<'_>, other: &Record<'_>) -> bool {
    Record { sealed: other.sealed, ..one.clone() } == *other
}

/// Writes the records behind the first `here`; an error says what is wrong with one of them.
fn write_all(
    records: &[Record<'_>],
    here: usize,
    session: &SessionName,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    for (number, record) in (1..).zip(records).skip(here) {
        if let Some(figure) = unvouched_for(record) {
            return Err(format!(
                "record {number}: nothing vouches for {figure}, which leaves room for no others"
            ));
        }
        if let Body::Note { text, .. } = &record.body
            && text.len() > NoteText::BYTES_LIMIT
        {
            let (bytes, most) = (text.len(), NoteText::BYTES_LIMIT);
            return Err(format!(
                "record {number}: its text has {bytes} bytes, and {most} is the most"
            ));
        }
        if !write(record, session, out) {
            return Err(format!("record {number}: it would be read as another, or as none"));
        }
    }
    Ok(())
}

/// Returns the figure of a record that would count only once it is sealed.
fn unvouched_for(record: &Record<'_>) -> Option<String> {
    let Record { seq, generation, .. } = record;
    match seq {
        Some(seq) if record.seq_that_counts().is_none() => Some(format!("seq {seq}")),
        _ if record.generation_that_counts().is_none() => Some(format!("generation {generation}")),
        _ => None,
    }
}

/// Writes a record, and returns whether it reads back as the same.
fn write(record: &Record<'_>, session: &SessionName, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    record.write(session, out);
    let line = out.get(start..).unwrap_or_default();
    let line = Line::read(line.strip_suffix(b"\n").unwrap_or(line), session);
    matches!(line, Line::Record(again) if is_same(&again, record))
}

/// A log with records behind those that it has.
struct Longer<'a> {
    log: Option<File<'a>>,
    missing: &'a Missing,
}

impl Content for Longer<'_> {
    const ATTEMPTED: &'static str = "import into";
    const DONE: &'static str = "the records are there";
    const AGAIN: &'static str = "import them again";

    fn write(&self, successor: File<'_>) -> Result<(), Error> {
        if let Some(log) = self.log {
            let mut copied = Ok(());
            let read = read_through(log, 0..self.missing.len, &mut |piece| {
                if copied.is_ok() {
                    copied = successor.append_all(piece);
                }
            })?;
            copied?;
            if read < self.missing.len {
                return Err(log.cut_short());
            }
        }
        successor.append_all(&self.missing.lines)
    }

    /// Each line was read back before it was written.
    fn check(&self, _: File<'_>) -> Result<(), Error> {
        Ok(())
    }
}
