//! Files that others may have put there: read where they are plain and short, whatever stands in
//! their place.

use std::{
    fs::File,
    io::{self, Read},
};

use camino::Utf8Path;
use rustix::fs::OFlags;

use crate::input::open_without_waiting;

/// A longer file is none that is looked at here, in bytes: settings are shorter.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Returns the text of a file; no pipe is waited for, and no device read.
pub(super) fn text(path: &Utf8Path) -> io::Result<String> {
    text_of(open_without_waiting(path, OFlags::empty())?)
}

/// Returns the text of a file that was opened without waiting.
pub(super) fn text_of(file: File) -> io::Result<String> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    if !file.metadata()?.is_file() {
        return refused("it is no plain file");
    }
    let mut text = String::new();
    if file.take(BYTES_MAX + 1).read_to_string(&mut text)? as u64 > BYTES_MAX {
        return refused("it is too long");
    }
    Ok(text)
}
