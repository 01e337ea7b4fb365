//! Whether a note comes back when an agent's hook is called as the agent calls it, by the command
//! that stands in its settings: tried with a note of our own, in a store of our own, since a hook
//! ends well whatever goes wrong.

use std::{
    env, io,
    process::{Command, ExitStatus},
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    host::{hook::Host, settings::command_of},
    log::Draft,
    note::{Author, NoteCap, NoteText},
    prompt,
    session::SessionName,
    store::Store,
    units::{Bytes, Generation},
};
use serde_json::{Value, json};
use thiserror::Error;

use super::{
    bounded::{PRINTED_BYTES_MAX, Ran, Running},
    plain,
    probe::SESSION,
    scratch::Scratch,
    workplace::Untried,
};
use crate::{
    command::hook::LONGEST,
    context::now,
    masked,
    output::{quoted, size},
    signals::Held,
};

/// How long a call may take: a busy machine may be as long again in starting it.
const LIMIT: Duration = LONGEST.saturating_mul(2);

/// The status under which a shell ends that finds no program of the name.
///
/// Source: POSIX, "Exit Status for Commands".
const NOT_FOUND: i32 = 127;

/// The files of a call: what it is told, and what goose would read.
const PAYLOAD: &str = "payload";
const MOIM: &str = "moim.md";

/// What a shell takes for more than the words of one program: nothing that has one of these is
/// called.
const MORE_THAN_WORDS: [char; 12] = [';', '|', '&', '<', '>', '(', ')', '$', '`', '#', '\n', '\r'];

/// Whose settings a command stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The user's own.
    User,
    /// The project's: those of whoever made it.
    Project,
}

/// What a hook is called by, as it stands in an agent's settings.
#[derive(Debug)]
pub(super) struct Called {
    host: Host,
    command: String,
}

/// Why a command is not called, in words that read on after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Uncalled {
    #[error("stands in the project's settings, which whoever made the repository wrote")]
    OfProject,
    #[error("has more for a shell to do than to run one program")]
    NotPlain,
    #[error("names its root")]
    NamesRoot,
}

/// What is wrong with a call, in words that read on after the command.
#[derive(Debug, Error)]
pub(super) enum Wrong {
    #[error("cannot be run: {0}")]
    NotRun(io::Error),
    #[error("needs the shell {0}, which is not to be found")]
    NoShell(String),
    #[error("names a program that is not to be found")]
    NotFound,
    #[error("ended with {0}")]
    Ended(ExitStatus),
    #[error("had not ended after {} s", LIMIT.as_secs())]
    GoesOn,
    #[error("printed more than {}", size(PRINTED_BYTES_MAX))]
    SaidTooMuch,
    #[error("was called, and did not give the note back")]
    NoNote,
    #[error("was not tried: {0}")]
    NotTried(Untried),
}

/// A store of our own with a note that nobody can know who hasn't read it, and the files of a call.
struct Trial {
    scratch: Scratch,
    folder: Utf8PathBuf,
    note: String,
}

impl Called {
    /// Returns the calls of `host` by these commands, or by ours, where its settings have none.
    pub(super) fn all(host: Host, commands: Vec<String>) -> Vec<Self> {
        let commands = if commands.is_empty() { vec![command_of(host)] } else { commands };
        commands.into_iter().map(|command| Self { host, command }).collect()
    }

    /// Returns the event by which a note is asked for.
    const fn event(host: Host) -> &'static str {
        match host {
            Host::Gemini => "BeforeAgent",
            Host::Opencode => "SystemPrompt",
            Host::ClaudeCode | Host::Codex | Host::Goose => "UserPromptSubmit",
        }
    }

    /// Returns the command as it is shown: an edited one may hold a secret.
    pub(super) fn shown(&self) -> String {
        if self.is_ours() { self.command.clone() } else { masked::command(&self.command) }
    }

    /// Returns whether it is the very command that `hooks install` writes.
    pub(super) fn is_ours(&self) -> bool {
        self.command == command_of(self.host)
    }

    /// Returns why it is not called, where it had better not be: a repository that was cloned must
    /// not run anything here, and one that says itself where the notes are cannot be tried
    /// elsewhere.
    pub(super) fn uncalled(&self, whose: Whose) -> Option<Uncalled> {
        if self.is_ours() {
            None
        } else if whose == Whose::Project {
            Some(Uncalled::OfProject)
        } else if self.command.contains(MORE_THAN_WORDS) {
            Some(Uncalled::NotPlain)
        } else {
            self.command.contains("--root").then_some(Uncalled::NamesRoot)
        }
    }

    /// Returns the shell through which its agent runs it: Codex the user's own, with what that
    /// reads at a login, and opencode none.
    pub(super) fn shell(&self) -> Option<String> {
        match self.host {
            Host::ClaudeCode | Host::Goose => Some("/bin/sh".to_owned()),
            Host::Gemini => Some("bash".to_owned()),
            Host::Codex => Some(env::var("SHELL").unwrap_or_else(|_| "/bin/sh".to_owned())),
            Host::Opencode => None,
        }
    }

    /// Calls it beside the notes in `store`; returns what is wrong, where no note comes back.
    pub(super) fn answers(&self, store: &Store, held: &Held) -> Result<(), Wrong> {
        let trial = Trial::beside(store).map_err(Wrong::NotTried)?;
        let failed = |e| Wrong::NotTried(Untried::failed(&trial.folder, e));
        let mut call = trial.call(self, store).map_err(failed)?;
        let not_run = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => self.shell().map_or(Wrong::NotFound, Wrong::NoShell),
            _ => Wrong::NotRun(e),
        };
        let running = Running::start(&mut call).map_err(not_run)?;
        match running.end_by(Instant::now() + LIMIT, held).map_err(Wrong::NotRun)? {
            Ran::Ended(status, printed) if status.success() => {
                if trial.came_back(self.host, &printed) { Ok(()) } else { Err(Wrong::NoNote) }
            }
            Ran::Ended(status, _) if status.code() == Some(NOT_FOUND) => Err(Wrong::NotFound),
            Ran::Ended(status, _) => Err(Wrong::Ended(status)),
            Ran::SaidTooMuch => Err(Wrong::SaidTooMuch),
            Ran::WentOn => Err(Wrong::GoesOn),
        }
    }

    /// Returns what runs it, as its agent does. It goes by the notes below `root`: a variable says
    /// the same, which a shell may set anew.
    fn program(&self, root: &Utf8Path) -> Command {
        let Some(shell) = self.shell() else {
            let mut command = Command::new("graff-notes");
            command.args(["hook", self.host.as_str(), "--root", root.as_str()]);
            return command;
        };
        let flag = if self.host == Host::Codex { "-lc" } else { "-c" };
        let mut command = Command::new(shell);
        command.arg(flag).arg(format!("{} --root {}", self.command, quoted(root.as_str())));
        command
    }
}

impl Trial {
    fn beside(store: &Store) -> Result<Self, Untried> {
        let scratch = Scratch::beside(store)?;
        let folder = scratch.path().to_owned();
        let said = format!("a note for the check in {folder}");
        let fitted =
            NoteText::fit(&said, NoteCap::DEFAULT).map_err(|e| Untried::Failed(e.to_string()))?;
        let note = fitted.text.as_str().to_owned();
        let session = SessionName::parse(SESSION).map_err(|e| Untried::Failed(e.to_string()))?;
        let draft = Draft::Note {
            text: fitted.text,
            author: Author::Agent,
            cut: Bytes::ZERO,
            generation: Generation::ZERO,
            created_at: now(),
        };
        let _ = Store::at(&folder)
            .append(&session, &draft)
            .map_err(|e| Untried::Failed(e.with_causes()))?;
        Ok(Self { scratch, folder, note })
    }

    /// Returns the call, which leaves all that it leaves in our folder, and begins there: a path
    /// that is not absolute must find nothing in the project.
    fn call(&self, called: &Called, store: &Store) -> io::Result<Command> {
        let said = json!({
            "hook_event_name": Called::event(called.host), "session_id": SESSION,
            "cwd": self.folder, "prompt": "",
        });
        self.scratch.put(PAYLOAD, said.to_string().as_bytes())?;
        let mut call = called.program(&self.folder);
        call.current_dir(&self.folder).env("GRAFF_ROOT", &self.folder);
        call.env("CLAUDE_PROJECT_DIR", store.root()).env("GEMINI_PROJECT_DIR", store.root());
        call.env("XDG_STATE_HOME", &self.folder);
        // The file that goose would read.
        call.env("GOOSE_MOIM_MESSAGE_FILE", self.folder.join(MOIM));
        call.stdin(self.scratch.open(PAYLOAD)?);
        Ok(call)
    }

    /// Returns whether the agent would read our note now, where the call printed this.
    fn came_back(&self, host: Host, printed: &[u8]) -> bool {
        let text = if host == Host::Goose {
            self.scratch.open(MOIM).and_then(plain::text_of).ok()
        } else {
            let answer: Option<Value> = serde_json::from_slice(printed).ok();
            let context = |it: Value| {
                it.pointer("/hookSpecificOutput/additionalContext")?.as_str().map(str::to_owned)
            };
            answer.and_then(context)
        };
        text.is_some_and(|text| prompt::extract(&text) == Some(&self.note))
    }
}
