//! Notes kept with this crate, and with what somebody would pick instead.
//!
//! `cargo bench` in this folder prints the table as Markdown; `cargo bench -- --svg FILE` draws it
//! as well, FILE seen from the repository's own folder. Every engine does the same work on files of
//! its own, below `target` or where `GRAFF_NOTES_BENCH_FOLDER` says, in turn with the others: a
//! round holds one run of each, and another goes first in each round. A figure is the median over
//! the rounds of the ratio to the bare system calls of the same round, with the quartiles. What an
//! engine's setting promises is printed below the table.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement that cannot go on ends here, and its figures go to stdout"
)]

mod chart;
mod engines;
mod operations;
mod processes;
#[expect(dead_code, reason = "some calls are for the crate's own benchmarks only")]
#[path = "../limits/raw.rs"]
mod raw;
mod rounds;
mod table;
#[path = "../limits/team.rs"]
mod team;
#[path = "../limits/unsynced.rs"]
mod unsynced;
#[expect(dead_code, reason = "as above")]
#[path = "../limits/world.rs"]
mod world;

use std::{env, fs::File, path::Path};

fn main() {
    if processes::played_a_part() {
        return;
    }
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let (svg, only) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => (None, ""),
        ["--svg", file] => (Some(file), ""),
        [only] if !only.starts_with('-') => (None, only),
        _ => {
            eprintln!("usage: cargo bench [-- (--svg FILE | PART-OF-AN-OPERATION'S-NAME)]");
            std::process::exit(2);
        }
    };
    // Cargo runs this in the folder of the package, wherever it was called.
    let svg = svg.map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file));
    if let Some(file) = &svg {
        File::create(file).expect("a place for the picture");
    }
    world::say_where();
    let rows: Vec<_> = operations::ALL
        .iter()
        .filter(|operation| operation.name.contains(only))
        .map(|operation| {
            eprintln!("{}", operation.name);
            rounds::measure(operation)
        })
        .collect();
    print!("{}", table::markdown(&rows));
    if let Some(file) = &svg {
        chart::draw(&rows, file);
    }
}
