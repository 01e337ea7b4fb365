//! Where a note comes from: the session's own record, stdin, or a command that asks a model.

use std::{
    ffi::OsStr,
    fmt,
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    str::FromStr,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use clap::{Arg, builder::TypedValueParser, error::ErrorKind};
use graff_notes::{
    note::{Author, NoteText},
    notebook,
    prompt::NoteRequest,
};
use rustix::process::{Pid, Signal, kill_process_group};

#[cfg(feature = "ask")]
use crate::endpoint::{Endpoint, History};
use crate::{masked, signals::Held};

/// The longest reply that is taken, in bytes: far longer than a note with all the reasoning before
/// it, and little enough to hold.
const REPLY_BYTES_MAX: u64 = 1024 * 1024;
const _: () = assert!(REPLY_BYTES_MAX > NoteText::BYTES_LIMIT as u64);

/// How often a wait looks up for a signal that came.
const GLANCE_AFTER: Duration = Duration::from_millis(50);

/// What stands before a command.
pub(crate) const COMMAND: &str = "command:";

/// The longest that a reply may be waited for, in seconds: a day is nobody's intention.
pub(crate) const PATIENCE_SECONDS_MAX: u64 = 24 * 60 * 60;

/// What stands before the address of an endpoint.
pub(crate) const ENDPOINT: &str = "endpoint:";

/// What a source may be, in words that read on after "it is".
pub(crate) const ALLOWED: &str =
    "mechanical, stdin, command: and a command, or endpoint: and an address";

/// Where a note comes from.
#[derive(Clone, Debug)]
pub(crate) enum NoteFrom {
    /// The transcript's own facts: no model is asked.
    Mechanical,
    /// A model's reply that stands on stdin.
    Stdin,
    /// A model's reply that a command prints, which is given the request.
    Command(String),
    /// A model's reply from the endpoint at this address. A build without endpoints reads it too: a
    /// setting is shared by all builds, and whether it can be followed shows where it is.
    Endpoint(String),
}

/// A command that stands for a model, and how long it may take.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) command: &'a str,
    pub(crate) transcript: &'a Utf8Path,
    pub(crate) session: &'a str,
    pub(crate) deadline: Duration,
}

impl NoteFrom {
    /// Returns who writes what comes from there.
    pub(crate) const fn author(&self) -> Author {
        match self {
            Self::Mechanical => Author::Mechanical,
            Self::Stdin | Self::Command(_) | Self::Endpoint(_) => Author::Agent,
        }
    }
}

impl FromStr for NoteFrom {
    type Err = String;

    fn from_str(source: &str) -> Result<Self, String> {
        match source {
            "mechanical" => return Ok(Self::Mechanical),
            "stdin" => return Ok(Self::Stdin),
            _ => {}
        }
        if let Some(address) = source.strip_prefix(ENDPOINT) {
            return Ok(Self::Endpoint(address.to_owned()));
        }
        match source.strip_prefix(COMMAND) {
            Some(command) if !command.trim().is_empty() => Ok(Self::Command(command.to_owned())),
            Some(_) => Err("there is no command behind `command:`".to_owned()),
            None => Err(format!("it is {ALLOWED}")),
        }
    }
}

/// Reads `--note-from`. The parser that takes a mere function would show a value that it refuses,
/// and there may be a secret in one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parser;

impl TypedValueParser for Parser {
    type Value = NoteFrom;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<NoteFrom, clap::Error> {
        let value = value.to_string_lossy();
        value.parse().map_err(|why| {
            let shown = masked::note_from(&value);
            let why = format!("invalid value '{shown}' for '--note-from <SOURCE>': {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, why).with_cmd(command)
        })
    }
}

/// Returns the reply that stands on stdin.
pub(crate) fn stdin(held: &Held) -> notebook::Answer {
    match wait(|| read(io::stdin().lock()), Duration::MAX, held) {
        Ok(Waited::Done(Ok(reply))) => text(reply),
        Ok(Waited::Done(Err(e))) | Err(e) => failed(format!("stdin cannot be read: {e}")),
        Ok(Waited::TooLong) => failed("stdin never ended".to_owned()),
        Ok(Waited::Interrupted) => notebook::Answer::Cancelled,
    }
}

/// Returns the reply of a model's endpoint, behind the history in a transcript.
#[cfg(feature = "ask")]
pub(crate) fn endpoint(
    endpoint: Endpoint,
    history: History,
    request: &NoteRequest,
    deadline: Duration,
    held: &Held,
) -> notebook::Answer {
    let request = request.clone();
    match wait(move || endpoint.answer(&history, &request, deadline), deadline, held) {
        Ok(Waited::Done(answer)) => answer,
        Ok(Waited::TooLong) => failed("the endpoint gave no answer in time".to_owned()),
        Ok(Waited::Interrupted) => notebook::Answer::Cancelled,
        Err(e) => failed(format!("the endpoint cannot be called: {e}")),
    }
}

impl Asked<'_> {
    /// Runs the command in a shell, with the request as JSON on its stdin, and returns what it
    /// prints.
    pub(crate) fn answer(&self, request: &NoteRequest, held: &Held) -> notebook::Answer {
        match self.run(request, held) {
            Ok(Waited::Done(Ok(reply))) if reply.counts() => text(reply.bytes),
            Ok(Waited::Done(Ok(Reply { status, .. }))) => {
                self.failed(format_args!("ended with {status}"))
            }
            Ok(Waited::Done(Err(e))) => self.failed(format_args!("cannot be read: {e}")),
            Ok(Waited::TooLong) => {
                let seconds = self.deadline.as_secs();
                self.failed(format_args!("gave no answer within {seconds} s"))
            }
            Ok(Waited::Interrupted) => notebook::Answer::Cancelled,
            Err(e) => self.failed(format_args!("cannot be started: {e}")),
        }
    }

    fn failed(&self, why: fmt::Arguments<'_>) -> notebook::Answer {
        failed(format!("`{}` {why}", masked::command(self.command)))
    }

    fn run(&self, request: &NoteRequest, held: &Held) -> io::Result<Waited<io::Result<Reply>>> {
        let mut request = serde_json::to_vec(request)?;
        request.push(b'\n');
        let group = Group::start()?;
        let child = self.start(&group)?;
        let waited = wait(move || converse(child, &request), self.deadline, held);
        if !matches!(waited, Ok(Waited::Done(Ok(_)))) {
            group.kill();
        }
        waited
    }

    fn start(&self, group: &Group) -> io::Result<Child> {
        Command::new("sh")
            .args(["-c", self.command])
            .env("GRAFF_TRANSCRIPT", self.transcript)
            .env("GRAFF_SESSION", self.session)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(group.id().as_raw_nonzero().get())
            .spawn()
    }
}

/// The processes that a command comes to, which end with us however we end.
///
/// A watch leads them. It waits for the end of a pipe that only we hold: that comes also where a
/// signal ends us that nobody could catch, and then it ends them all, itself included.
#[derive(Debug)]
struct Group {
    watch: Child,
}

impl Group {
    fn start() -> io::Result<Self> {
        let watch = Command::new("sh")
            .args(["-c", "read -r _; kill -s KILL 0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { watch })
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.watch)
    }

    /// Ends all of them.
    fn kill(&self) {
        let _ = kill_process_group(self.id(), Signal::KILL);
    }
}

impl Drop for Group {
    /// Lets those go on that a command left behind, unwatched.
    fn drop(&mut self) {
        let _ = self.watch.kill();
        let _ = self.watch.wait();
    }
}

/// What waiting came to.
enum Waited<T> {
    Done(T),
    TooLong,
    /// A signal asks us to end.
    Interrupted,
}

/// Runs `work` on a thread of its own, which is left alone when the wait is over: whatever it hangs
/// on ends with what it waits for, or with us.
fn wait<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    patience: Duration,
    held: &Held,
) -> io::Result<Waited<T>> {
    let (send, done) = mpsc::channel();
    thread::Builder::new().spawn(move || send.send(work()))?;
    let end = Instant::now().checked_add(patience);
    loop {
        let left = end.map_or(GLANCE_AFTER, |end| end.saturating_duration_since(Instant::now()));
        match done.recv_timeout(left.min(GLANCE_AFTER)) {
            Ok(done) => return Ok(Waited::Done(done)),
            Err(_) if held.have_come() => return Ok(Waited::Interrupted),
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
            Err(_) => return Ok(Waited::TooLong),
        }
    }
}

/// What a command printed, and how it ended.
struct Reply {
    bytes: Vec<u8>,
    status: ExitStatus,
}

impl Reply {
    /// Returns whether it is the model's: where there was more of it than is taken, what ended the
    /// command was us.
    fn counts(&self) -> bool {
        self.status.success() || is_too_long(&self.bytes)
    }
}

/// Gives the request and takes the reply at the same time: the command need not read the one
/// before it writes the other.
fn converse(mut child: Child, request: &[u8]) -> io::Result<Reply> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let bytes = thread::scope(|scope| {
        thread::Builder::new().spawn_scoped(scope, move || {
            // A command that doesn't want to hear all of it may still answer.
            stdin.map(|mut stdin| stdin.write_all(request))
        })?;
        stdout.map_or_else(|| Ok(Vec::new()), read)
    })?;
    Ok(Reply { bytes, status: child.wait()? })
}

/// Reads a reply, or so much of it that it is [too long](is_too_long).
fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut reply = Vec::new();
    from.take(REPLY_BYTES_MAX + 1).read_to_end(&mut reply)?;
    Ok(reply)
}

const fn is_too_long(reply: &[u8]) -> bool {
    reply.len() as u64 > REPLY_BYTES_MAX
}

fn text(reply: Vec<u8>) -> notebook::Answer {
    if is_too_long(&reply) {
        return failed(format!("the reply is too long: it has more than {REPLY_BYTES_MAX} bytes"));
    }
    String::from_utf8(reply)
        .map_or_else(|_| failed("the reply is not UTF-8".to_owned()), notebook::Answer::Text)
}

fn failed(why: String) -> notebook::Answer {
    notebook::Answer::Failed(why)
}
