//! Which agents are here, and in which version: what they say of themselves, if they say it soon.

use std::{
    fs::File,
    io::{self, Read},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{host::hook::Host, store::Store};

use super::{Finding, bounded::Running, probe::Scratch};
use crate::{command::in_path::in_path, signals::Held};

const CHECK: &str = "agents";

/// How long all of them together have to answer: some take a second to start.
const LIMIT: Duration = Duration::from_secs(5);

/// How much of an answer is read, in bytes; the version stands in its first line.
const ANSWER_BYTES_MAX: u64 = 1_024;

/// An agent that was asked for its version.
struct Asked {
    host: Host,
    program: &'static str,
    running: io::Result<Running>,
    answer: Utf8PathBuf,
}

/// Says which agents are in PATH.
pub(super) fn all(store: &Store, held: &Held) -> Vec<Finding> {
    let Ok(scratch) = Scratch::beside(store) else { return Vec::new() }; // another check says so
    let asked = Host::ALL.map(|host| Asked::start(host, scratch.path()));
    let deadline = Instant::now() + LIMIT;
    asked.into_iter().map(|asked| asked.finding(deadline, held)).collect()
}

impl Asked {
    /// Starts an agent to say its version, into a file: a pipe would stay open for as long as
    /// whatever it starts.
    fn start(host: Host, folder: &Utf8Path) -> Self {
        let (program, answer) = (program(host), folder.join(host.as_str()));
        let running = File::create(&answer).and_then(|file| {
            let mut command = Command::new(program);
            command.arg("--version").current_dir(folder);
            Running::start(command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null()))
        });
        Self { host, program, running, answer }
    }

    fn finding(self, deadline: Instant, held: &Held) -> Finding {
        let Self { host, program, running, answer } = self;
        let is_odd = |what: String| {
            let advice = format!("see whether `{program}` starts in a terminal");
            Finding::warning(CHECK, format!("{host}: `{program} --version` {what}"), advice)
        };
        match running.map(|running| running.end_by(deadline, held)) {
            // A script whose interpreter is missing is not found either.
            Err(e) if e.kind() == io::ErrorKind::NotFound && in_path(program).next().is_none() => {
                Finding::ok(CHECK, format!("{host}: no folder in PATH has `{program}`"))
            }
            Err(e) | Ok(Err(e)) => is_odd(format!("cannot be run: {e}")),
            Ok(Ok(None)) => is_odd(format!("had not ended after {} s", LIMIT.as_secs())),
            Ok(Ok(Some(status))) if !status.success() => is_odd(format!("ended with {status}")),
            Ok(Ok(Some(_))) => match first_line(&answer) {
                // Another program may have that name.
                Some(line) => {
                    Finding::ok(CHECK, format!("{host}: `{program} --version` says {line}"))
                }
                None => is_odd("said nothing".to_owned()),
            },
        }
    }
}

/// Returns what an agent is called in PATH.
const fn program(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => "claude",
        Host::Codex => "codex",
        Host::Gemini => "gemini",
        Host::Opencode => "opencode",
        Host::Goose => "goose",
    }
}

/// Returns the first line of an answer that is not blank.
fn first_line(answer: &Utf8Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(answer).ok()?.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
