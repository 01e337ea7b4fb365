//! The lines that come on stdin, a message each.

use std::io::{BufRead, Read};

use graff_notes::note::NoteText;

use crate::failure::Failure;

/// A longer message is refused, in bytes without its line break: room for a note of the largest
/// size with each byte escaped, twice over. What is made of a message can take a hundred times its
/// size.
pub(super) const LINE_BYTES_MAX: usize = 1024 * 1024;

const _: () = assert!(LINE_BYTES_MAX > 2 * 6 * NoteText::BYTES_LIMIT, "six stand for one at most");

/// Reads the next message into `line`, without its line break, and the first bytes of it where it
/// is too long; returns false at the end.
pub(super) fn read_line(stdin: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    line.clear();
    let most = LINE_BYTES_MAX as u64 + 1;
    let read = stdin.by_ref().take(most).read_until(b'\n', line);
    let read = read.and_then(|read| {
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        if !ended && line.len() > LINE_BYTES_MAX {
            stdin.skip_until(b'\n')?;
        }
        Ok(read)
    });
    read.map(|read| read > 0).map_err(|e| Failure::system("read a message from stdin", &e))
}
