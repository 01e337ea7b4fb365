//! What a host says on stdin, made into a [`Call`].
//!
//! Payloads grow from version to version, so what is not known is passed over: a key, a source, a
//! whole event, and one that only another host has. What is known and has another type than
//! expected counts as absent, but for the mark of a subagent: whatever it is, the session's note is
//! not the subagent's to write. In what was said, half of a surrogate pair reads as U+FFFD; a name
//! or a path with one counts as absent.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

use super::{
    client::Host,
    event::{Agent, Call, Event, Start, Stop, Trigger},
    outgoing::{Message, Outgoing},
};
use crate::{
    host::transcript::read_mended,
    session::{NameRefused, SessionName},
};

/// Why a payload says nothing that can be acted on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unread {
    /// It is no JSON object.
    #[error("read the host's payload: it is no JSON object: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It names no event.
    #[error("read the host's payload: it names no event")]
    NoEvent,
    /// It names no session, and a made-up name would file the note where nobody finds it.
    #[error("find the session: the host's payload names none")]
    NoSession,
    /// It names a session that can't be stored under.
    #[error("use {name:?} as a session: {why}")]
    BadSession {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: NameRefused,
    },
}

/// The top level of a payload; each value is looked at on its own.
#[derive(Deserialize)]
#[serde(transparent)]
struct Payload<'p>(#[serde(borrow)] BTreeMap<String, &'p RawValue>);

/// Reads what `host` has written on stdin.
///
/// # Errors
///
/// What is no object, names no event, or no session that can be stored under: nothing is guessed.
pub fn read(host: Host, payload: &[u8]) -> Result<Call, Unread> {
    let payload: Payload<'_> = serde_json::from_slice(without_mark(payload))?;
    let name = payload.event().ok_or(Unread::NoEvent)?;
    let session = payload.text("session_id").ok_or(Unread::NoSession)?;
    let session = match SessionName::parse(&session) {
        Ok(session) => session,
        Err(NameRefused::Empty) => return Err(Unread::NoSession),
        Err(why) => return Err(Unread::BadSession { name: session, why }),
    };
    let agent = if payload.has("agent_id") { Agent::Worker } else { Agent::Root };
    let transcript = payload.text("transcript_path").filter(|path| !path.is_empty());
    let folder = |key| payload.text(key).filter(|path| !path.is_empty());
    let cwd = folder("cwd").or_else(|| folder("working_dir"));
    let history = payload.0.get("messages").map(|messages| messages.get().to_owned());
    let event = payload.read_event(host, &name);
    Ok(Call {
        host,
        name,
        session,
        agent,
        transcript: transcript.map(Into::into),
        cwd: cwd.map(Into::into),
        history,
        event,
    })
}

impl Payload<'_> {
    /// The event's name; goose has another key for it than the others.
    fn event(&self) -> Option<String> {
        self.text("hook_event_name").or_else(|| self.text("event"))
    }

    fn read_event(&self, host: Host, name: &str) -> Event {
        let has = |host: Host| host.events().contains(&name);
        match name {
            _ if !has(host) && Host::ALL.into_iter().any(has) => Event::OfAnother,
            "SessionStart" => Event::Start(self.start()),
            "SystemPrompt" => Event::SystemPrompt,
            "UserPromptSubmit" | "BeforeAgent" => {
                Event::Prompt { text: self.words("prompt").unwrap_or_default() }
            }
            "BeforeModel" => Event::Request { messages: self.messages() },
            "AfterTool" => Event::ToolEnded,
            "PreCompact" | "PreCompress" => Event::Compacting(self.trigger()),
            "PostCompact" => Event::Compacted { summary: self.words("compact_summary") },
            "Stop" | "AfterAgent" => {
                Event::TurnEnded { stop: self.stop(), reply: self.words("last_assistant_message") }
            }
            "SessionEnd" => Event::Ended,
            _ => Event::Other,
        }
    }

    fn start(&self) -> Start {
        match self.text("source").as_deref() {
            Some("startup") => Start::Startup,
            Some("resume") => Start::Resume,
            Some("clear") => Start::Clear,
            Some("compact") => Start::Compact,
            Some("fork") => Start::Fork,
            _ => Start::Other,
        }
    }

    fn trigger(&self) -> Trigger {
        match self.text("trigger").as_deref() {
            Some("manual") => Trigger::Manual,
            _ => Trigger::Auto,
        }
    }

    fn stop(&self) -> Stop {
        let again = self.0.get("stop_hook_active").is_some_and(|flag| flag.get() == "true");
        if again { Stop::Again } else { Stop::First }
    }

    fn messages(&self) -> Vec<Message> {
        let request = self.0.get("llm_request").map(|request| request.get());
        let outgoing = request.and_then(|request| read_mended(request).ok());
        outgoing.map_or_else(Vec::new, |Outgoing { messages }| messages)
    }

    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| value.get() != "null")
    }

    /// What somebody has said, which an agent may have cut inside a character.
    fn words(&self, key: &str) -> Option<String> {
        read_mended(self.0.get(key)?.get()).ok()
    }

    fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }
}

fn without_mark(payload: &[u8]) -> &[u8] {
    payload.trim_ascii_start().strip_prefix(b"\xEF\xBB\xBF").unwrap_or(payload)
}
