//! Which agents are here, and in which version: what they say of themselves, if they say it soon.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use graff_notes::{host::hook::Host, store::Store};

use super::{
    Finding,
    bounded::{PRINTED_BYTES_MAX, Ran, Running},
    scratch::Scratch,
};
use crate::{command::in_path::in_path, output::size, signals::Held};

const CHECK: &str = "agents";

/// How long all of them together have to answer: some take a second to start.
const LIMIT: Duration = Duration::from_secs(5);

/// More of a version is not shown, in characters.
const LINE_CHARS_MAX: usize = 200;

/// Says which agents are in PATH.
pub(super) fn all(store: &Store, held: &Held) -> Vec<Finding> {
    let Ok(scratch) = Scratch::beside(store) else { return Vec::new() }; // another check says so
    let deadline = Instant::now() + LIMIT;
    let ask = &|host| {
        let found = in_path(program(host)).next();
        of(host, found.map(|program| asked(&program, scratch.path(), deadline, held)))
    };
    thread::scope(|scope| {
        let begin =
            |host| (host, thread::Builder::new().spawn_scoped(scope, move || ask(host)).ok());
        // All of them are at work before the first is waited for, where there can be threads.
        let at_work = Host::ALL.map(begin).into_iter();
        at_work
            .map(|(host, asked)| match asked {
                Some(asked) => asked.join().unwrap_or_else(|_| unknown(host)),
                None => ask(host),
            })
            .collect()
    })
}

/// Says that we failed to ask an agent.
fn unknown(host: Host) -> Finding {
    let what = format!("{host}: its version is not known: graff-notes panicked when it asked");
    Finding::warning(CHECK, what, "report this, with what stands on stderr")
}

/// Asks a program for its version.
fn asked(program: &Path, folder: &Utf8Path, deadline: Instant, held: &Held) -> io::Result<Ran> {
    let mut command = Command::new(program);
    command.arg("--version").current_dir(folder).stdin(Stdio::null());
    Running::start(&mut command)?.end_by(deadline, held)
}

/// Says what an agent has answered; `None` where it is not in PATH.
fn of(host: Host, answer: Option<io::Result<Ran>>) -> Finding {
    let program = program(host);
    let is_odd = |what: String| {
        let advice = format!("see whether `{program}` starts in a terminal");
        Finding::warning(CHECK, format!("{host}: `{program} --version` {what}"), advice)
    };
    let Some(answer) = answer else {
        return Finding::ok(CHECK, format!("{host}: no folder in PATH has `{program}`"));
    };
    match answer {
        Err(e) => is_odd(format!("cannot be run: {e}")),
        Ok(Ran::WentOn) => is_odd(format!("had not ended after {} s", LIMIT.as_secs())),
        Ok(Ran::SaidTooMuch) => is_odd(format!("prints more than {}", size(PRINTED_BYTES_MAX))),
        Ok(Ran::Ended(status, _)) if !status.success() => is_odd(format!("ended with {status}")),
        Ok(Ran::Ended(_, printed)) => match first_line(&printed) {
            // Another program may have that name.
            Some(line) => Finding::ok(CHECK, format!("{host}: `{program} --version` says {line}")),
            None => is_odd("said nothing".to_owned()),
        },
    }
}

/// Returns what an agent is called in PATH.
pub(super) const fn program(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => "claude",
        Host::Codex => "codex",
        Host::Gemini => "gemini",
        Host::Opencode => "opencode",
        Host::Goose => "goose",
    }
}

/// Returns the first line of an answer that is not blank, where the version stands, or as much of
/// it as a line has room for.
fn first_line(answer: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(answer);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(LINE_CHARS_MAX).collect())
}
