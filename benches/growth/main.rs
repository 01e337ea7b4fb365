//! How time and memory grow with what is there: notes in a log, sessions in a store, a transcript.
//!
//! `cargo bench --bench growth` prints a row an operation: what it took at each size, and the
//! exponent over the last three sizes, that is, the last two decades: 0 where it stays the same
//! there and 1 where it grows as they do. Before them most of a run is the program's start. Behind
//! `--`, `notes`, `sessions` or `transcript` picks one of the tables. It takes some minutes and
//! some gigabytes of disk, and is no part of `cargo bench`.
//!
//! Time and memory are those of whole runs of the program, so that nothing is left out; appends and
//! the newest note are also timed by themselves. A time is the least of some runs, since whatever
//! else the machine does only adds to it. Memory is the most that was held at once, read from
//! `/proc` while the program is at work.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement that cannot go on ends here, and says what it finds and how far it is"
)]
#![expect(clippy::cast_precision_loss, reason = "a figure is shown with two digits")]

#[path = "../../tests/it/support/long_transcript.rs"]
mod long_transcript;
mod measured;
mod notes;
mod sessions;
mod table;
mod transcripts;
#[path = "../limits/world.rs"]
#[expect(dead_code, reason = "other benchmarks need more")]
mod world;

use std::env;

/// Returns the sizes from `least` up to `most`, each ten times the one before; where this runs as a
/// test, only the first.
fn sizes(least: u64, most: u64) -> impl Iterator<Item = u64> {
    let most = if world::is_measured() { most } else { least };
    std::iter::successors(Some(least), |size| Some(size * 10)).take_while(move |size| *size <= most)
}

fn main() {
    let only = env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    world::say_where();
    for (name, rows) in [
        ("notes", notes::rows as fn() -> Vec<table::Row>),
        ("sessions", sessions::rows),
        ("transcript", transcripts::rows),
    ] {
        if name.contains(&only) {
            println!("{}\n", table::markdown(name, &rows()));
        }
    }
}
