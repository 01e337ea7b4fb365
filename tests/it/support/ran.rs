//! What a run of the program came to, and what a test asserts of it.

use std::{
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::Value;

use super::{found::in_time, schema::Schema};

/// How long a run of the program may take: far longer than any does on a loaded machine.
const LONGEST_RUN: Duration = Duration::from_secs(180);

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Ran {
    #[track_caller]
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::of_child(command.spawn().expect("the program starts"))
            .checked_against_the_schemas(command)
    }

    /// Asserts that what was asked for in JSON is as the schemas say.
    #[track_caller]
    pub(super) fn checked_against_the_schemas(self, command: &Command) -> Self {
        let args: Vec<_> = command.get_args().filter_map(|arg| arg.to_str()).collect();
        let args: Vec<_> = args.split(|arg| *arg == "--").next().unwrap_or_default().to_vec();
        if !args.contains(&"--json") || args.iter().any(|arg| ["--help", "--version"].contains(arg))
        {
            return self;
        }
        let answers = args.iter().find_map(|arg| Schema::of(arg));
        for (schema, said) in [(answers, &self.stdout), (Schema::of("notices"), &self.stderr)] {
            let (Some(schema), Ok(said)) = (schema, std::str::from_utf8(said)) else { continue };
            // On stderr there may also be what a command said that was run.
            let lines: String = said.split_inclusive('\n').filter(|l| l.starts_with('{')).collect();
            for object in objects(&lines) {
                let faults = schema.faults(&object);
                assert!(faults.is_empty(), "{args:?} answers {object}: {faults:#?}");
            }
        }
        self
    }

    /// Waits for a run; one that goes on for minutes is killed, so that its test fails and the
    /// suite ends.
    #[track_caller]
    pub(crate) fn of_child(child: Child) -> Self {
        let (ended, end) = mpsc::channel::<()>();
        let pid = rustix::process::Pid::from_child(&child);
        let guard = thread::spawn(move || {
            let overran = end.recv_timeout(LONGEST_RUN) == Err(mpsc::RecvTimeoutError::Timeout);
            if overran {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            overran
        });
        let output = child.wait_with_output().expect("the program ends");
        drop(ended);
        assert!(!guard.join().expect("the guard ends"), "killed after {LONGEST_RUN:?}");
        output.into()
    }

    /// Waits for a hook that is started, and for another one where it gave up, as it does where the
    /// machine is too busy for it.
    #[track_caller]
    pub(crate) fn of_hook(mut start: impl FnMut() -> Child) -> Self {
        in_time(|| Some(Self::of_child(start())).filter(|ran| !ran.gave_up())).ends(0)
    }

    /// Whether it was a hook, and gave up at its deadline.
    #[track_caller]
    pub(crate) fn gave_up(&self) -> bool {
        self.stderr().contains("gave up after 1.8 seconds")
    }

    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self}");
        self
    }

    /// Asserts that a signal ended it.
    #[track_caller]
    pub(crate) fn ends_by(self, signal: Signal) -> Self {
        assert_eq!(self.status.signal(), Some(signal.as_raw()), "{self}");
        self
    }

    pub(crate) fn has_status(&self, status: i32) -> bool {
        self.status.code() == Some(status)
    }

    /// Asserts that it is done, and said nothing on stderr.
    #[track_caller]
    pub(crate) fn quietly(self) -> Self {
        let ran = self.ends(0);
        assert_eq!(ran.stderr(), "", "{ran}");
        ran
    }

    #[track_caller]
    pub(crate) fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("UTF-8 on stdout")
    }

    #[track_caller]
    pub(crate) fn stderr(&self) -> &str {
        std::str::from_utf8(&self.stderr).expect("UTF-8 on stderr")
    }

    /// The one answer on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let [answer] = self.answers().try_into().unwrap_or_else(|_| panic!("one answer: {self}"));
        answer
    }

    /// Every answer on stdout, one a line.
    #[track_caller]
    pub(crate) fn answers(&self) -> Vec<Value> {
        objects(self.stdout())
    }

    /// What the one object on stderr says under `name`.
    #[track_caller]
    pub(crate) fn said(&self, name: &str) -> Value {
        let [said] = objects(self.stderr()).try_into().unwrap_or_else(|_| panic!("one: {self}"));
        said.get(name).unwrap_or_else(|| panic!("{name} in {said}")).clone()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { status, stdout, stderr } = self;
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(bytes));
        write!(f, "{status}\n-- stdout\n{stdout}\n-- stderr\n{stderr}")
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let std::process::Output { status, stdout, stderr } = output;
        Self { status, stdout, stderr }
    }
}

#[track_caller]
fn objects(lines: &str) -> Vec<Value> {
    let object = |line| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(value.is_object(), "an object a line: {line}");
        value
    };
    lines.lines().map(object).collect()
}
