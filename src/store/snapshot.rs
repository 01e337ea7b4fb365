//! A log up to the end that it had when it was opened, and how to open one when that end is whole.

use std::ops::Range;

use super::{
    file::File,
    folder::Folder,
    lock::LockFile,
    medium::{Access, Handle},
    system::Deadline,
};
use crate::{error::Error, session::SessionName};

/// How much of a log is read at once, to go through it or to copy it, in bytes.
pub(super) const PIECE: u64 = 128 * 1024;

/// A log, up to the end that it had when it was opened.
#[derive(Debug)]
pub(super) struct Snapshot {
    handle: Box<dyn Handle>,
    len: u64,
    /// All of it, where that was read to see how it ends.
    whole: Option<Vec<u8>>,
}

impl Snapshot {
    pub(super) fn now(folder: &Folder, name: &str) -> Result<Self, Error> {
        let handle = folder.open(name, Access::Read)?;
        let len = folder.file(name, handle.as_ref()).status_at_open()?.len;
        Ok(Self { handle, len, whole: None })
    }

    /// Opens a log when no writer is in the middle of a record, if such a moment comes soon.
    ///
    /// Whether the lock was to be had or not, what counts is what the file is by then.
    pub(super) fn settled(
        folder: &Folder,
        name: &str,
        session: &SessionName,
        deadline: Deadline,
    ) -> Result<Self, Error> {
        let lock = LockFile::open_if_there(folder, session).ok().flatten();
        let _held = lock.and_then(|lock| lock.hold_if_free(folder, deadline));
        Self::now(folder, name)
    }

    /// Opens a log, and waits a moment where it ends in the middle of a line.
    ///
    /// How it ends is in its last byte; of a log that is one piece this reads all at once.
    pub(super) fn whole_lines(
        folder: &Folder,
        name: &str,
        session: &SessionName,
        deadline: Deadline,
    ) -> Result<Self, Error> {
        let snapshot = Self::now(folder, name)?;
        let is_one_piece = snapshot.len <= PIECE;
        let begin = if is_one_piece { 0 } else { snapshot.len - 1 };
        let mut end = Vec::new();
        snapshot.file(folder, name).read(&(begin..snapshot.len), &mut end)?;
        if end.last().is_some_and(|byte| *byte != b'\n') {
            return Self::settled(folder, name, session, deadline);
        }
        Ok(Self { whole: is_one_piece.then_some(end), ..snapshot })
    }

    /// Hands the log to `take` in pieces; returns where it, or the file, ended.
    pub(super) fn read_through(
        &self,
        folder: &Folder,
        name: &str,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u64, Error> {
        let Some(all) = &self.whole else {
            return read_through(self.file(folder, name), 0..self.len, take);
        };
        take(all);
        Ok(all.len() as u64)
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn file<'a>(&'a self, folder: &'a Folder, name: &'a str) -> File<'a> {
        folder.file(name, self.handle.as_ref())
    }
}

/// Hands a range of a file to `take` in pieces; returns where it, or the file, ended.
pub(super) fn read_through(
    file: File<'_>,
    range: Range<u64>,
    take: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let mut buffer = Vec::new();
    let mut offset = range.start;
    while offset < range.end {
        file.read(&(offset..range.end.min(offset + PIECE)), &mut buffer)?;
        if buffer.is_empty() {
            break;
        }
        take(&buffer);
        offset += buffer.len() as u64;
    }
    Ok(offset)
}
