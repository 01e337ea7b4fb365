//! A look at a log from its end, line by line, as far back as the question needs.

use std::ops::ControlFlow;

use super::file::File;
use crate::{
    error::Error,
    log::{Placed, Rewind, Tail},
    session::SessionName,
    units::Bytes,
};

/// A log whose end has been read.
#[derive(Debug)]
pub(super) struct Look<'f> {
    file: File<'f>,
    session: &'f SessionName,
    len: u64,
    /// The first window from the end, which mostly has every answer.
    end: Vec<u8>,
}

/// Why a look ended early.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The file is shorter than it was when the look began.
    CutShort(Error),
    /// It cannot be read.
    Failed(Error),
}

impl<'f> Look<'f> {
    /// Looks at the first `len` bytes of a log.
    pub(super) fn at(file: File<'f>, session: &'f SessionName, len: u64) -> Result<Self, Trouble> {
        let mut look = Self { file, session, len, end: Vec::new() };
        let mut end = Vec::new();
        look.read(&look.rewind(), &mut end)?;
        look.end = end;
        Ok(look)
    }

    fn rewind(&self) -> Rewind<'f> {
        Rewind::of(self.session, Bytes::new(self.len))
    }

    /// Returns the file's length when the look began.
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
    ) -> Result<Tail, Trouble> {
        let mut rewind = self.rewind();
        let mut buffer = Vec::new();
        let mut window = self.end.as_slice();
        while rewind.feed(window, visit).is_continue() && rewind.wants().is_some() {
            self.read(&rewind, &mut buffer)?;
            window = &buffer;
        }
        Ok(rewind.tail().unwrap_or(Tail::Clean))
    }

    /// Reads what the rewind wants next.
    fn read(&self, rewind: &Rewind<'_>, buffer: &mut Vec<u8>) -> Result<(), Trouble> {
        let Some(window) = rewind.wants() else { return Ok(()) };
        self.file.read(&window, buffer)?;
        if (buffer.len() as u64) < window.end - window.start {
            return Err(Trouble::CutShort(self.file.cut_short()));
        }
        Ok(())
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::CutShort(error) | Trouble::Failed(error) => error,
        }
    }
}
