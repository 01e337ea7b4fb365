//! What goes through all sessions, in a store of more and more of them, each with two notes; and
//! how soon the first hit of a search is there where each has twenty.

use std::ops::Range;

use graff_notes::store::Store;

use crate::{measured, notes, sizes, table::Row, world};

const COMMANDS: [(&str, &[&str]); 3] =
    [("list", &["list"]), ("search", &["search", "2: src"]), ("stats", &["stats"])];

pub(crate) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = COMMANDS.iter().map(|(name, _)| Row::new(name)).collect();
    let folder = world::folder();
    let store = world::store(&folder);
    let mut there = 0;
    for size in sizes(10, 100_000) {
        fill(&store, there..size, 2);
        there = size;
        for (row, (_, args)) in rows.iter_mut().zip(COMMANDS) {
            row.add(size, measured::program(folder.path(), args));
        }
    }
    rows.push(first_hit());
    rows
}

/// Fills the logs of the sessions of these numbers with so many notes each.
fn fill(store: &Store, numbers: Range<u64>, notes: u64) {
    for number in numbers {
        let session = world::session(&format!("session-{number}"));
        notes::fill(store, &session, notes);
    }
}

/// The first line that is found, where each session has so many notes and only its last one has it.
fn first_hit() -> Row {
    const NOTES: u64 = 20;
    let mut row = Row::new("search, first hit in 20 notes each");
    let folder = world::folder();
    let store = world::store(&folder);
    let mut there = 0;
    for size in sizes(10, 10_000) {
        fill(&store, there..size, NOTES);
        there = size;
        row.add(size, measured::program(folder.path(), &["search", "20: src", "-n", "1"]));
    }
    row
}
