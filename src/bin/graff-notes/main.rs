//! The program `graff-notes`: what the library does, at the hand of a person or a script.
//!
//! stdout carries the answer and nothing else; what is to be said besides goes to stderr. With
//! `--json` both speak JSON, one object a line: an answer on stdout, `{"error":…}` and
//! `{"warning":…}` on stderr. A reader that closes the pipe early ends the program quietly.

mod args;
mod calendar;
mod command;
mod context;
mod disguise;
mod doubt;
mod exit;
mod failure;
mod figures;
mod moment;
mod needle;
mod note_from;
mod output;
mod parallel;
mod root;
mod selection;
mod splicing;
mod tally;
mod transcript;
mod words;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use context::Context;
use exit::Exit;
use failure::Stop;

fn main() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(refused) => args::refuse(&refused),
    };
    exit.into()
}

fn run(Cli { common, command }: Cli) -> Exit {
    let mut cx = Context::new(common);
    let ran = command.run(&mut cx);
    let flushed = cx.out.flush();
    match ran.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(Stop::ReaderGone) => Exit::Done,
        Err(Stop::Failed(failure)) => cx.notices.failure(&failure),
    }
}
