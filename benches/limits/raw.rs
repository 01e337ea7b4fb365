//! The bare system calls: no lock, no look at the tail, no checksum, no promise.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    os::unix::fs::FileExt as _,
};

use camino::Utf8Path;

/// How much of a file's end is read for its last line, in bytes.
const TAIL_BYTES: u64 = 8192;

pub(crate) fn opened(path: &Utf8Path) -> File {
    File::options().append(true).create(true).open(path).expect("a file")
}

pub(crate) fn append(mut file: &File, line: &[u8]) {
    file.write_all(line).expect("a write");
    file.sync_data().expect("a sync");
}

pub(crate) fn append_cold(path: &Utf8Path, line: &[u8]) {
    append(&File::options().append(true).open(path).expect("a file"), line);
}

pub(crate) fn append_unsynced(path: &Utf8Path, line: &[u8]) {
    let mut file = File::options().append(true).open(path).expect("a file");
    file.write_all(line).expect("a write");
}

/// The first line of a new file, with its entry durable too.
pub(crate) fn create(path: &Utf8Path, line: &[u8]) {
    let file = File::options().append(true).create_new(true).open(path).expect("a new file");
    append(&file, line);
    let folder = File::open(path.parent().expect("a folder")).expect("the folder");
    folder.sync_all().expect("a sync");
}

pub(crate) fn last(file: &File, buffer: &mut Vec<u8>) -> usize {
    let length = file.metadata().expect("a status").len();
    buffer.resize(usize::try_from(length.min(TAIL_BYTES)).expect("small"), 0);
    file.read_exact_at(buffer, length.saturating_sub(TAIL_BYTES)).expect("a read");
    buffer.len()
}

pub(crate) fn last_cold(path: &Utf8Path, buffer: &mut Vec<u8>) -> usize {
    last(&File::open(path).expect("a file"), buffer)
}

/// Reads a file from its start, and hands each piece on.
pub(crate) fn pieces(path: &Utf8Path, buffer: &mut [u8], mut each: impl FnMut(&[u8])) {
    let mut file = File::open(path).expect("a file");
    while let read @ 1.. = file.read(buffer).expect("a read") {
        each(&buffer[..read]);
    }
}

/// Reads the last line of every log in a folder; returns how many have one.
pub(crate) fn last_of_each(folder: &Utf8Path, buffer: &mut Vec<u8>) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let logs = entries.filter(|entry| entry.file_name().as_encoded_bytes().ends_with(b".jsonl"));
    let lengths = logs.map(|entry| last(&File::open(entry.path()).expect("a file"), buffer));
    lengths.filter(|length| *length > 0).count()
}
