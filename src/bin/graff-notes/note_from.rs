//! Where a note comes from: the session's own record, stdin, or a command that asks a model.

use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    str::FromStr,
    sync::mpsc,
    thread,
    time::Duration,
};

use camino::Utf8Path;
use graff_notes::{
    note::{Author, NoteText},
    notebook,
    prompt::NoteRequest,
};
use rustix::process::{Pid, Signal, kill_process_group};

/// How much is read of a reply, in bytes: more than any note may have, and little enough to hold.
const REPLY_BYTES_MAX: u64 = 1024 * 1024;
const _: () = assert!(REPLY_BYTES_MAX > NoteText::BYTES_LIMIT as u64);

/// Where a note comes from.
#[derive(Clone, Debug)]
pub(crate) enum NoteFrom {
    /// The transcript's own facts: no model is asked.
    Mechanical,
    /// A model's reply that stands on stdin.
    Stdin,
    /// A model's reply that a command prints, which is given the request.
    Command(String),
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
            Self::Stdin | Self::Command(_) => Author::Agent,
        }
    }
}

impl FromStr for NoteFrom {
    type Err = String;

    fn from_str(source: &str) -> Result<Self, String> {
        match source {
            "mechanical" => Ok(Self::Mechanical),
            "stdin" => Ok(Self::Stdin),
            _ => match source.strip_prefix("command:") {
                Some(command) if !command.trim().is_empty() => Ok(Self::Command(command.into())),
                Some(_) => Err("there is no command behind `command:`".into()),
                None => Err("it is mechanical, stdin, or command: and a command".into()),
            },
        }
    }
}

/// Returns the reply that stands on stdin.
pub(crate) fn stdin() -> notebook::Answer {
    match read(io::stdin().lock()) {
        Ok(reply) => text(reply),
        Err(e) => notebook::Answer::Failed(format!("stdin cannot be read: {e}")),
    }
}

impl Asked<'_> {
    /// Runs the command in a shell, with the request as JSON on its stdin, and returns what it
    /// prints.
    pub(crate) fn answer(&self, request: &NoteRequest) -> notebook::Answer {
        match self.run(request) {
            Ok((status, reply)) if status.success() || is_cut(&reply) => text(reply),
            Ok((status, _)) => failed(format!("`{}` ended with {status}", self.command)),
            Err(why) => failed(format!("`{}` {why}", self.command)),
        }
    }

    fn run(&self, request: &NoteRequest) -> Result<(ExitStatus, Vec<u8>), String> {
        let mut request = serde_json::to_vec(request).map_err(|e| e.to_string())?;
        request.push(b'\n');
        let started = Group::start().and_then(|group| Ok((self.start(&group)?, group)));
        let (child, group) = started.map_err(|e| format!("cannot be started: {e}"))?;
        let (done, reply) = mpsc::channel();
        // Neither thread is waited for: whatever they hang on ends with the command, or with us.
        thread::spawn(move || done.send(converse(child, &request)));
        if let Ok(reply) = reply.recv_timeout(self.deadline) {
            return reply.map_err(|e| format!("cannot be read: {e}"));
        }
        group.kill();
        Err(format!("gave no answer within {} seconds", self.deadline.as_secs()))
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

/// Gives the request and takes the reply at the same time: the command need not read the one
/// before it writes the other.
fn converse(mut child: Child, request: &[u8]) -> io::Result<(ExitStatus, Vec<u8>)> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let reply = thread::scope(|scope| {
        scope.spawn(move || {
            // A command that doesn't want to hear all of it may still answer.
            stdin.map(|mut stdin| stdin.write_all(request))
        });
        stdout.map_or_else(|| Ok(Vec::new()), read)
    })?;
    Ok((child.wait()?, reply))
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut reply = Vec::new();
    from.take(REPLY_BYTES_MAX).read_to_end(&mut reply)?;
    Ok(reply)
}

/// Whether there was more of the reply than is read: what ended the command then was us.
fn is_cut(reply: &[u8]) -> bool {
    reply.len() as u64 == REPLY_BYTES_MAX
}

fn text(reply: Vec<u8>) -> notebook::Answer {
    String::from_utf8(reply)
        .map_or_else(|_| failed("the reply is not UTF-8".to_owned()), notebook::Answer::Text)
}

fn failed(why: String) -> notebook::Answer {
    notebook::Answer::Failed(why)
}
