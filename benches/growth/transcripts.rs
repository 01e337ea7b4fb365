//! A rollover, with a longer and longer transcript.

use std::{fs::File, io::Write as _};

use crate::{
    long_transcript::long_transcript,
    measured::{self, RUN},
    sizes,
    table::Row,
    world,
};

/// What every transcript here is over, in tokens, so that each run makes its note.
const CEILING: &str = "1000";

pub(crate) fn rows() -> Vec<Row> {
    let (mut row, folder) = (Row::new("rollover"), world::folder());
    let path = |name: &str| world::path(&folder).join(name).into_string();
    let (transcript, system) = (path("transcript.jsonl"), path("SYSTEM.md"));
    std::fs::write(&system, "You are careful.\n").expect("a prompt");
    for size in sizes(1_000_000, 1_000_000_000) {
        let mut file = std::io::BufWriter::new(File::create(&transcript).expect("a file"));
        for line in long_transcript(usize::try_from(size).expect("it fits")) {
            file.write_all(line.as_bytes()).expect("a line");
        }
        file.flush().expect("the rest");
        let session = format!("{size} bytes, run {RUN}");
        let args = ["rollover", "--session", &session, "--ceiling-tokens", CEILING];
        let files = ["--transcript", &transcript, "--system", &system];
        row.add(size, measured::program(folder.path(), &[&args[..], &files].concat()));
    }
    vec![row]
}
