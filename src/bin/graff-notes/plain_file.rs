//! Files that others may have put there: read where they are plain and short, whatever stands in
//! their place.

use std::{
    fs::{File, Metadata},
    io::{self, ErrorKind, Read},
};

use camino::Utf8Path;
use rustix::fs::OFlags;

use crate::input::open_without_waiting;

/// A plain file that was read.
#[derive(Debug)]
pub(crate) struct PlainFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) status: Metadata,
}

impl PlainFile {
    /// Reads a file of at most so many bytes; no pipe is waited for, and no device read.
    ///
    /// # Errors
    ///
    /// What is no plain file, or longer, is invalid data, as is a [text](Self::text) that is none;
    /// all else is what the system says.
    pub(crate) fn read(path: &Utf8Path, bytes_max: u64) -> io::Result<Self> {
        Self::of(open_without_waiting(path, OFlags::empty())?, bytes_max)
    }

    /// Reads a file that was opened without waiting.
    pub(crate) fn of(file: File, bytes_max: u64) -> io::Result<Self> {
        let status = file.metadata()?;
        if !status.is_file() {
            return Err(refused("it is no plain file"));
        }
        let mut bytes = Vec::new();
        // It may grow meanwhile.
        let read = file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        if read as u64 > bytes_max {
            return Err(refused(format!("it is too large: more than {bytes_max} bytes")));
        }
        Ok(Self { bytes, status })
    }

    /// Returns its text.
    pub(crate) fn text(self) -> io::Result<String> {
        String::from_utf8(self.bytes).map_err(|_| refused("it is not UTF-8"))
    }
}

fn refused(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}
