//! An open file with its name: what is asked of it, and errors that say where they happened.

use std::{io, ops::Range};

use super::{
    folder::Folder,
    medium::{Access, Handle, Rights, Stamp, Status, patiently},
};
use crate::error::{Error, ErrorKind};

/// An open file of the store, as long as somebody keeps its handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    folder: &'a Folder,
    name: &'a str,
    handle: &'a dyn Handle,
}

impl<'a> File<'a> {
    pub(super) fn new(folder: &'a Folder, name: &'a str, handle: &'a dyn Handle) -> Self {
        Self { folder, name, handle }
    }

    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    pub(super) fn status(&self) -> Result<Status, Error> {
        patiently(|| self.handle.status()).map_err(|e| self.failed("look at", e))
    }

    /// Returns what it was when it was opened.
    pub(super) fn status_at_open(&self) -> Result<Status, Error> {
        patiently(|| self.handle.status_at_open()).map_err(|e| self.failed("look at", e))
    }

    /// Returns the stamp by which it can be told later on that nobody has changed it since it was
    /// opened.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        patiently(|| self.handle.stamp()).ok().flatten()
    }

    /// Returns the length of a file that is to be appended to, if this is its only name.
    pub(super) fn length_of_sole(&self) -> Result<u64, Error> {
        self.length_if_sole(self.status()?)
    }

    /// Returns the length that `status` says, if it says that this is the file's only name.
    ///
    /// A second name, a hard link, would come with a lock of its own: ours would keep nobody out.
    pub(super) fn length_if_sole(&self, status: Status) -> Result<u64, Error> {
        if status.links <= 1 {
            return Ok(status.len);
        }
        let names = status.links;
        Err(self
            .refused(ErrorKind::NotRegularFile, "append to")
            .with_detail(format!("it has {names} names (hard links), and the lock guards one"))
            .with_advice("put a copy in its place, and run `sync`"))
    }

    /// Reads from `offset` on; returns how many bytes, 0 at the end.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Error> {
        patiently(|| self.handle.read_at(buffer, offset)).map_err(|e| self.failed("read", e))
    }

    /// Reads a range into `buffer`, in place of what it held; it gets less where the file ends.
    pub(super) fn read(&self, range: &Range<u64>, buffer: &mut Vec<u8>) -> Result<(), Error> {
        let wanted = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        buffer.resize(wanted, 0);
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let read = self.read_at(rest, range.start + filled as u64)?;
            if read == 0 {
                buffer.truncate(filled);
            }
            filled += read;
        }
        Ok(())
    }

    /// Appends in one step; returns how many bytes were taken.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<usize, Error> {
        patiently(|| self.handle.append(bytes)).map_err(|e| self.failed("append to", e))
    }

    /// Appends in as many steps as it takes, where nobody else can append between them.
    pub(super) fn append_all(&self, bytes: &[u8]) -> Result<(), Error> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.append(rest)?;
            if taken == 0 {
                return Err(self.failed("append to", io::ErrorKind::WriteZero.into()));
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    pub(super) fn cut(&self, len: u64) -> Result<(), Error> {
        patiently(|| self.handle.cut(len)).map_err(|e| self.failed("cut", e))
    }

    /// Returns whom it lets in beside owner, group and others, where that is said of it.
    pub(super) fn access_list(&self) -> Result<Option<Vec<u8>>, Error> {
        patiently(|| self.handle.access_list()).map_err(|e| self.failed("look at", e))
    }

    /// Gives the file these rights and this access list, which are those of `log`, if it has
    /// others.
    ///
    /// An error speaks of the log: this file is gone when it is read.
    pub(super) fn give(
        &self,
        rights: Rights,
        list: Option<&[u8]>,
        log: File<'_>,
    ) -> Result<(), Error> {
        if list.is_none() && self.status()?.rights == rights {
            return Ok(());
        }
        patiently(|| self.handle.give(rights, list)).map_err(|e| {
            let advice = "nothing was changed; do it as the user whose file that is";
            log.failed("keep the owner of", e).with_advice(advice)
        })
    }

    /// Makes the file's bytes durable, in one attempt: a second one that succeeds proves nothing.
    ///
    /// After a failure the system may have dropped the bytes, and calls the next attempt a success.
    /// Source: wiki.postgresql.org, "Fsync Errors".
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.handle.sync().map_err(|e| self.failed("sync", e))
    }

    /// Makes durable what stands in `range` already, whoever wrote it and whatever their sync said.
    ///
    /// The bytes are written once more: those of a failed sync count as written for the system, and
    /// a second sync would do nothing.
    pub(super) fn renew(&self, range: &Range<u64>) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.read(range, &mut bytes)?;
        if (bytes.len() as u64) < range.end.saturating_sub(range.start) {
            return Err(self.cut_short());
        }
        let handle = self.folder.open(self.name, Access::Rewrite)?;
        let twin = File::new(self.folder, self.name, handle.as_ref());
        if twin.status()?.id != self.status()?.id {
            return Err(self
                .refused(ErrorKind::Busy, "write to")
                .with_detail("another program has replaced it meanwhile")
                .with_advice("try again; what was replaced is looked at anew"));
        }
        patiently(|| handle.rewrite(&bytes, range.start))
            .map_err(|e| self.failed("write to", e))?;
        twin.sync()
    }

    pub(super) fn failed(&self, attempted: &'static str, source: io::Error) -> Error {
        self.folder.failed(attempted, self.name, source)
    }

    /// Returns an error that the system has no part in.
    pub(super) fn refused(&self, kind: ErrorKind, attempted: &'static str) -> Error {
        Error::on(kind, attempted, &self.folder.path(self.name))
    }

    /// Returns the error of a file that is shorter than it was.
    pub(super) fn cut_short(&self) -> Error {
        self.failed("read", io::ErrorKind::UnexpectedEof.into())
            .with_detail("another program has cut it short meanwhile")
            .with_advice("try again; what is there now is whole, or `verify` says what is not")
    }
}
