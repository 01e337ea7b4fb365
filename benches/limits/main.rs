//! The operations of this crate beside the bare system calls that move the same bytes.
//!
//! `cargo bench` prints, operation by operation, how many times its raw limit ours takes: the
//! median of many rounds, in each of which both ran, and the quartiles. Absolute figures differ
//! from machine to machine and from hour to hour, ratios hardly do. Files are new, below `target`
//! or where `GRAFF_NOTES_BENCH_FOLDER` says, and the first line says on what file system that is.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement that cannot go on ends here and says why; its figures go to stdout"
)]

#[path = "../../tests/it/support/long_transcript.rs"]
mod long_transcript;
mod pair;
mod processes;
mod program;
mod raw;
mod reading;
mod splicing;
mod team;
mod transcripts;
mod unsynced;
mod world;
mod writing;

use criterion::Criterion;

fn main() {
    if processes::played_a_part() {
        return;
    }
    world::say_where();
    let mut criterion = Criterion::default().warm_up_time(pair::WARM_UP).configure_from_args();
    for operations in [
        writing::operations,
        reading::operations,
        splicing::operations,
        transcripts::operations,
        processes::operations,
        program::operations,
    ] {
        operations(&mut criterion);
    }
    criterion.final_summary();
}
