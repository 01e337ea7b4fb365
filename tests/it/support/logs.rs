//! Logs as bytes: the fixtures, and what a replay or a rewind sees in them.

use std::{fs, path::PathBuf};

use graff_notes::log::{Health, Line, Record, Replay};

pub(crate) use crate::properties::seen::*;

/// The bytes of one fixture.
#[track_caller]
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name).with_extension("jsonl")).unwrap()
}

/// Every fixture: its name and its bytes.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = paths
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
        })
        .collect();
    all.sort();
    all
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "fixtures", "logs"].iter().collect()
}

/// The good records of this session in a file.
pub(crate) fn records(file: &[u8]) -> Vec<Record<'static>> {
    let lines = replay(file).0.into_iter().map(|seen| seen.line);
    lines
        .filter_map(|line| if let Line::Record(record) = line { Some(record) } else { None })
        .collect()
}

/// The figures of a file.
pub(crate) fn health(file: &[u8]) -> Health {
    let session = session();
    let mut health = Health::default();
    let mut replay = Replay::of(&session);
    replay.feed(file, &mut |entry| health.see(&entry));
    let tail = replay.finish(&mut |entry| health.see(&entry));
    health.end(tail);
    health
}
