//! A project, a home and a transcript of their own, and an agent's session that calls the program.

use std::{
    fs,
    io::Write,
    process::{Child, Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    host::hook::Host,
    log::{Line, Record},
    note::Note,
    session::SessionName,
    store::Store,
};
use serde_json::{Value, json};

use super::script::{Said, lines};
use crate::support::world::Ran;

/// A folder with a project, a home and the transcripts of one host's sessions.
pub(super) struct Desk {
    folder: tempfile::TempDir,
    pub(super) host: Host,
    env: Vec<(&'static str, String)>,
}

impl Desk {
    pub(super) fn of(host: Host) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["project/.git", "project/src", "home", "sessions"] {
            fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        Self { folder, host, env: Vec::new() }
    }

    /// The same desk with a variable in the host's environment.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    pub(super) fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).expect("a UTF-8 path")
    }

    pub(super) fn project(&self) -> Utf8PathBuf {
        self.path().join("project")
    }

    pub(super) fn home(&self) -> Utf8PathBuf {
        self.path().join("home")
    }

    pub(super) fn store(&self) -> Store {
        Store::at(self.project())
    }

    /// Where the session's transcript lies.
    pub(super) fn transcript(&self, session: &str) -> Utf8PathBuf {
        self.path().join(format!("sessions/{session}.jsonl"))
    }

    /// Writes on in a session's transcript.
    pub(super) fn says(&self, session: &str, said: &[Said<'_>]) {
        let path = self.transcript(session);
        let mut file = fs::File::options().create(true).append(true).open(path).expect("a file");
        file.write_all(lines(self.host, said).as_bytes()).expect("written");
    }

    /// The program as the host starts it, with what `args` adds.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_graff-notes"));
        command.args(args).current_dir(self.path()).env_clear();
        command.env("HOME", self.home()).env("PATH", "/usr/bin:/bin");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a hook with this on stdin, which stays open.
    pub(super) fn start(&self, stdin: &[u8], args: &[&str]) -> Child {
        let hook = [&["hook", self.host.as_str()], args].concat();
        let mut child = self.command(&hook).spawn().expect("the program starts");
        let pipe = child.stdin.as_mut().expect("a pipe");
        let _ = pipe.write_all(stdin); // it may not want to read
        child
    }

    /// Calls a hook with this on stdin.
    #[track_caller]
    pub(super) fn fed(&self, stdin: impl AsRef<[u8]>) -> Ran {
        Ran::of_hook(|| self.start(stdin.as_ref(), &[]))
    }

    /// The payload of an event of a session, as the host sends it.
    pub(super) fn payload(&self, session: &str, event: &str, more: Value) -> Value {
        let mut payload = json!({
            "session_id": session, "transcript_path": self.transcript(session),
            "cwd": self.project().join("src"), "hook_event_name": event,
        });
        if let Value::Object(more) = more {
            payload.as_object_mut().expect("an object").extend(more);
        }
        payload
    }

    /// Calls the hook of an event of a session.
    #[track_caller]
    pub(super) fn calls(&self, session: &str, event: &str, more: Value) -> Ran {
        self.fed(self.payload(session, event, more).to_string())
    }

    /// What the hook adds to the context.
    #[track_caller]
    pub(super) fn context(&self, session: &str, event: &str, more: Value) -> Option<String> {
        let ran = self.calls(session, event, more);
        if ran.stdout().is_empty() {
            return None;
        }
        let answer = ran.json();
        let context = &answer["hookSpecificOutput"];
        assert_eq!(context["hookEventName"], event, "{ran}");
        Some(context["additionalContext"].as_str().expect("a text").to_owned())
    }

    /// The end of a turn, in the host's words for it.
    #[track_caller]
    pub(super) fn stops(&self, session: &str, again: bool, reply: &str) -> Ran {
        match self.host {
            Host::Gemini => self.calls(
                session,
                "AfterAgent",
                // All that the agent said in this turn comes together.
                json!({"stop_hook_active": again, "prompt_response": format!("Done.\n{reply}")}),
            ),
            _ => self.calls(
                session,
                "Stop",
                json!({"stop_hook_active": again, "last_assistant_message": reply}),
            ),
        }
    }

    /// Runs a hook that must say nothing, on stdout or stderr.
    #[track_caller]
    pub(super) fn stops_silently(&self, session: &str, again: bool, reply: &str) {
        let ran = self.stops(session, again, reply).quietly();
        assert_eq!(ran.stdout(), "", "{ran}");
    }

    /// The prompt of a user, in the host's words for it; returns what the hook adds.
    #[track_caller]
    pub(super) fn prompt(&self, session: &str, prompt: &str) -> Option<String> {
        let event = if self.host == Host::Gemini { "BeforeAgent" } else { "UserPromptSubmit" };
        self.context(session, event, json!({"prompt": prompt}))
    }

    /// The start of a history; returns what the hook adds.
    #[track_caller]
    pub(super) fn begins(&self, session: &str, source: &str) -> Option<String> {
        self.context(session, "SessionStart", json!({"source": source}))
    }

    /// Calls a tool of our MCP server in the project.
    #[cfg(feature = "mcp")]
    #[track_caller]
    pub(super) fn calls_tool(&self, name: &str, arguments: &Value) -> Ran {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut server = self.command(&["mcp"]);
        let mut server = server.current_dir(self.project()).spawn().expect("the program starts");
        let written = writeln!(server.stdin.take().expect("a pipe"), "{call}");
        written.expect("it reads");
        Ran::of_child(server).ends(0)
    }

    /// Writes a note for a session, past the hooks.
    #[track_caller]
    pub(super) fn writes(&self, session: &str, text: &str) {
        let root = self.project();
        let args =
            ["write", session, "--root", root.as_str(), "--text", text, "--cap-bytes", "65536"];
        Ran::of(&mut self.command(&args)).ends(0);
    }

    /// The newest note of a session.
    #[track_caller]
    pub(super) fn newest(&self, session: &str) -> Option<Note> {
        let session = SessionName::parse(session).expect("a good name");
        self.store().newest(&session).ok().and_then(|newest| newest.note)
    }

    /// The records of a session: kind and generation of each.
    pub(super) fn records(&self, session: &str) -> Vec<(String, u64)> {
        let session = SessionName::parse(session).expect("a good name");
        let mut found = Vec::new();
        let kind = |record: &Record<'_>| match &record.body {
            graff_notes::log::Body::Note { author, .. } => format!("{author:?}"),
            other => format!("{other:?}"),
        };
        let _ = self.store().replay(&session, &mut |entry| {
            if let Line::Record(record) = &entry.line {
                found.push((kind(record), record.generation.get()));
            }
        });
        found
    }

    /// Every file below the desk but transcripts, by path from there.
    pub(super) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir_utf8().expect("a folder").flatten() {
                let path = entry.into_path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(below) = path.strip_prefix(self.path()) {
                    found.push(below.to_string());
                }
            }
        }
        found.retain(|path| !path.starts_with("sessions/") && !path.starts_with("home/"));
        found.sort();
        found
    }
}
