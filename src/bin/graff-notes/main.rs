//! The program `graff-notes`: what the library does, at the hand of a person or a script.
//!
//! stdout carries the answer and nothing else; what is to be said besides goes to stderr. With
//! `--json` both speak JSON, one object a line: an answer on stdout, `{"error":…}` and
//! `{"warning":…}` on stderr. A reader that closes the pipe early ends the program quietly, and
//! changes no verdict that the exit status tells.

mod alike;
mod args;
mod calendar;
mod command;
mod completing;
mod context;
mod disguise;
mod doubt;
#[cfg(feature = "ask")]
mod endpoint;
mod exit;
mod failure;
mod figures;
mod input;
mod masked;
mod moment;
mod needle;
mod note_from;
mod output;
mod parallel;
mod plain_file;
mod renaming;
mod root;
mod selection;
mod settings;
mod signals;
mod splicing;
mod totals;
mod transcript;
mod typed;
mod watch;
mod words;

use std::process::ExitCode;

use args::Cli;
use context::Context;
use exit::Exit;
use failure::{Stop, heard_or_not};

fn main() -> ExitCode {
    completing::answer_a_shell();
    signals::outlive_the_size_limit();
    args::parse().map_or_else(|exit| exit, run).into()
}

fn run(Cli { common, command }: Cli) -> Exit {
    let mut cx = Context::new(common);
    let ran = command.run(&mut cx);
    let flushed = heard_or_not(cx.out.close());
    match ran.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(Stop::ReaderGone) => Exit::Done,
        Err(Stop::Failed(failure)) => cx.notices.failure(&failure),
    }
}
