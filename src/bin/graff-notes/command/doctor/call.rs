//! Whether a program gives a note back when it is called as an agent calls its hook: tried with a note
//! of our own, in a store of our own, since a hook ends well whatever goes wrong.

use std::{
    fs::{self, File},
    io,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    host::hook::Host,
    log::Draft,
    note::{Author, NoteCap, NoteText},
    prompt,
    session::SessionName,
    store::Store,
    units::{Bytes, Generation},
};
use serde_json::{Value, json};
use thiserror::Error;

use super::probe::{SESSION, Scratch};
use crate::{command::hook::LONGEST, context::now, failure::Failure, signals::Held};

/// How long a call may take: a busy machine may be as long again in starting it.
const LIMIT: Duration = LONGEST.saturating_mul(2);

/// How often is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What is wrong with a program, in words that read on after its path.
#[derive(Debug, Error)]
pub(super) enum Wrong {
    #[error("cannot be run: {0}")]
    NotRun(io::Error),
    #[error("ended with {0}")]
    Ended(ExitStatus),
    #[error("had not ended after {} s", LIMIT.as_secs())]
    GoesOn,
    #[error("was called, and did not give the note back")]
    NoNote,
    #[error("was not tried: {0}")]
    NotTried(String),
}

impl Wrong {
    /// Returns what to do.
    pub(super) const fn advice(&self) -> &'static str {
        match self {
            Self::NotRun(_) => "check its rights",
            Self::NotTried(_) => Scratch::ADVICE,
            _ => "let a graff-notes that works stand before it in PATH, or in its place",
        }
    }
}

/// A store of our own with a note that nobody can know who hasn't read it, and the files of a call.
struct Trial {
    _scratch: Scratch,
    folder: Utf8PathBuf,
    note: String,
}

/// Calls the hook of `host` as that does, beside the notes in `store`; returns what is wrong, where no
/// note comes back.
pub(super) fn answers(
    program: &Utf8Path,
    host: &str,
    store: &Store,
    held: &Held,
) -> Result<(), Wrong> {
    let host: Host = host.parse().map_err(|why| Wrong::NotTried(format!("{why}")))?;
    let trial = Trial::beside(store).map_err(|why| Wrong::NotTried(why.to_string()))?;
    let mut call = trial.call(program, host).map_err(|e| Wrong::NotTried(e.to_string()))?;
    match ended(&mut call, held).map_err(Wrong::NotRun)? {
        Some(status) if status.success() => {}
        Some(status) => return Err(Wrong::Ended(status)),
        None => return Err(Wrong::GoesOn),
    }
    if trial.came_back(host) { Ok(()) } else { Err(Wrong::NoNote) }
}

impl Trial {
    fn beside(store: &Store) -> Result<Self, Failure> {
        let made = |e| Failure::system(format_args!("make a folder in {}", store.root()), &e);
        let scratch = Scratch::beside(store).map_err(made)?;
        let folder = scratch.path().canonicalize_utf8().map_err(made)?;
        let said = format!("a note for the check in {folder}");
        let fitted = NoteText::fit(&said, NoteCap::DEFAULT).map_err(Failure::input)?;
        let note = fitted.text.as_str().to_owned();
        let session = SessionName::parse(SESSION).map_err(Failure::input)?;
        let draft = Draft::Note {
            text: fitted.text,
            author: Author::Agent,
            cut: Bytes::ZERO,
            generation: Generation::ZERO,
            created_at: now(),
        };
        let _ = Store::at(&folder).append(&session, &draft)?;
        Ok(Self { _scratch: scratch, folder, note })
    }

    /// Returns the call, which leaves all that it leaves in our folder. It speaks through files: a pipe
    /// would stay open for as long as whatever it starts.
    fn call(&self, program: &Utf8Path, host: Host) -> io::Result<Command> {
        let event = match host {
            Host::Gemini => "BeforeAgent",
            Host::Opencode => "SystemPrompt",
            Host::ClaudeCode | Host::Codex | Host::Goose => "UserPromptSubmit",
        };
        let said = json!({
            "hook_event_name": event, "session_id": SESSION, "cwd": self.folder, "prompt": "",
        });
        let payload = self.folder.join("payload");
        fs::write(&payload, said.to_string())?;
        let mut call = Command::new(program);
        call.args(["hook", host.as_str(), "--root", self.folder.as_str()]);
        call.env("XDG_STATE_HOME", &self.folder).env("GOOSE_MOIM_MESSAGE_FILE", self.moim());
        call.stdin(File::open(payload)?).stdout(File::create(self.answer())?);
        call.stderr(Stdio::null());
        Ok(call)
    }

    /// Returns whether the agent would read our note now.
    fn came_back(&self, host: Host) -> bool {
        let text = if host == Host::Goose {
            fs::read_to_string(self.moim()).ok()
        } else {
            let answer = fs::read(self.answer()).ok();
            let answer: Option<Value> = answer.and_then(|it| serde_json::from_slice(&it).ok());
            let context = |it: Value| {
                it.pointer("/hookSpecificOutput/additionalContext")?.as_str().map(str::to_owned)
            };
            answer.and_then(context)
        };
        text.is_some_and(|text| prompt::extract(&text) == Some(&self.note))
    }

    fn answer(&self) -> Utf8PathBuf {
        self.folder.join("answer")
    }

    /// The file that goose would read.
    fn moim(&self) -> Utf8PathBuf {
        self.folder.join("moim.md")
    }
}

/// Runs a program to its end, or ends it where it overruns the limit, or we are to end.
fn ended(call: &mut Command, held: &Held) -> io::Result<Option<ExitStatus>> {
    let (mut child, begun) = (call.spawn()?, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > LIMIT || held.have_come() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}
