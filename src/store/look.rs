//! A look at a log from its end, line by line, as far back as the question needs.

use std::ops::{ControlFlow, Range};

use super::{
    folder::Folder,
    medium::{Handle, patiently},
};
use crate::{
    error::{Error, ErrorKind},
    log::{Placed, Rewind, Tail},
    session::SessionName,
    units::Bytes,
};

/// A log whose end has been read.
#[derive(Debug)]
pub(super) struct Look<'f> {
    folder: &'f Folder,
    name: &'f str,
    session: &'f SessionName,
    file: &'f dyn Handle,
    len: u64,
    /// The first window from the end, which mostly has every answer.
    end: Vec<u8>,
}

impl<'f> Look<'f> {
    pub(super) fn at(
        folder: &'f Folder,
        name: &'f str,
        session: &'f SessionName,
        file: &'f dyn Handle,
    ) -> Result<Self, Error> {
        let len = patiently(|| file.status()).map_err(|e| folder.failed("look at", name, e))?.len;
        let mut look = Self { folder, name, session, file, len, end: Vec::new() };
        if let Some(window) = look.rewind().wants() {
            let mut end = Vec::new();
            look.read(window, &mut end)?;
            look.end = end;
        }
        Ok(look)
    }

    fn rewind(&self) -> Rewind<'f> {
        Rewind::of(self.session, Bytes::new(self.len))
    }

    /// Returns the file's length.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether something stands behind the last LF.
    pub(super) fn is_open(&self) -> bool {
        self.end.last().is_some_and(|byte| *byte != b'\n')
    }

    /// Calls `visit` with each line, the last one first, until it breaks off; returns the tail.
    ///
    /// Memory stays within one window, whatever the file holds.
    pub(super) fn back(
        &self,
        visit: &mut dyn FnMut(Placed<'_>) -> ControlFlow<()>,
    ) -> Result<Tail, Error> {
        let mut rewind = self.rewind();
        let mut buffer = Vec::new();
        let mut window = self.end.as_slice();
        while rewind.feed(window, visit).is_continue()
            && let Some(wanted) = rewind.wants()
        {
            self.read(wanted, &mut buffer)?;
            window = &buffer;
        }
        Ok(rewind.tail().unwrap_or(Tail::Clean))
    }

    fn read(&self, window: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), Error> {
        let wanted = usize::try_from(window.end - window.start).unwrap_or(usize::MAX);
        buffer.clear();
        buffer.resize(wanted, 0);
        let mut rest = buffer.as_mut_slice();
        let mut offset = window.start;
        while !rest.is_empty() {
            let read = patiently(|| self.file.read_at(rest, offset))
                .map_err(|e| self.folder.failed("read", self.name, e))?;
            if read == 0 {
                return Err(Error::on(ErrorKind::Io, "read", &self.folder.path(self.name))
                    .with_detail("the file was cut short meanwhile; try again"));
            }
            offset += read as u64;
            rest = rest.get_mut(read..).unwrap_or_default();
        }
        Ok(())
    }
}
