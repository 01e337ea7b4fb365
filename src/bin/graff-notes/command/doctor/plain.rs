//! Files that others may have put there, as far as their text is looked at.

use std::{fs::File, io};

use camino::Utf8Path;

use crate::plain_file::PlainFile;

/// A longer file is none that is looked at here, in bytes: settings are shorter.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Returns the text of a file; no pipe is waited for, and no device read.
pub(super) fn text(path: &Utf8Path) -> io::Result<String> {
    PlainFile::read(path, BYTES_MAX)?.text()
}

/// Returns the text of a file that was opened without waiting.
pub(super) fn text_of(file: File) -> io::Result<String> {
    PlainFile::of(file, BYTES_MAX)?.text()
}
