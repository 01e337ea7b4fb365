//! A rollover, with a longer and longer transcript.

use std::{fs::File, io::Write as _};

use crate::{long_transcript::long_transcript, measured, sizes, table::Row, world};

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
        let args =
            ["rollover", "--session", "s1", "--transcript", &transcript, "--system", &system];
        row.add(size, measured::program(folder.path(), &args));
    }
    vec![row]
}
