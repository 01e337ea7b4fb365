//! What a host calls about, and what there is to do then.

use camino::Utf8PathBuf;

use super::{client::Host, outgoing::Message};
use crate::session::SessionName;

/// One call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who calls.
    pub host: Host,
    /// The event's name as the host wrote it, which some answers must repeat.
    pub name: String,
    /// The session.
    pub session: SessionName,
    /// Whose event it is.
    pub agent: Agent,
    /// The file in which the host keeps the session, where it says so.
    pub transcript: Option<Utf8PathBuf>,
    /// The folder that the session works in, where the host says so.
    pub cwd: Option<Utf8PathBuf>,
    /// The conversation as the host hands it over, as JSON in the shape of either provider.
    pub history: Option<String>,
    /// What happened.
    pub event: Event,
}

/// Whose event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agent {
    /// The agent that the user talks to.
    Root,
    /// An agent that works for another one: its context is not kept, so it has no note.
    Worker,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A history begins, is taken up again, or has just been replaced by a summary.
    Start(Start),
    /// A model request is about to be made, and its system prompt is put together.
    SystemPrompt,
    /// A model request is about to be made, and may be changed.
    Request {
        /// What goes to the model, as far as the host shows it.
        messages: Vec<Message>,
    },
    /// The user's words are about to go to the model.
    Prompt {
        /// The words, with what the host put beside them.
        text: String,
    },
    /// A tool has answered.
    ToolEnded,
    /// The agent is about to end its turn.
    TurnEnded {
        /// Whether a hook has kept it from ending before.
        stop: Stop,
        /// What the agent said last, where the host tells.
        reply: Option<String>,
    },
    /// A summary of the history is about to be asked for.
    Compacting(Trigger),
    /// The summary is there.
    Compacted {
        /// The summary as the model wrote it, where the host tells.
        summary: Option<String>,
    },
    /// The session ends, or the host goes on with another one in its place.
    Ended,
    /// Something that asks for nothing.
    Other,
    /// What another host calls an event, and this one does not have.
    OfAnother,
}

/// How a history came to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Newly.
    Startup,
    /// Taken up again.
    Resume,
    /// Emptied by the user.
    Clear,
    /// Replaced by a summary.
    Compact,
    /// As a copy of another session's.
    Fork,
    /// In a way that is not known here.
    Other,
}

/// Whether a hook has kept the turn from ending before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// No: this is the turn's own end.
    First,
    /// Yes: it must end now.
    Again,
}

/// Why a summary is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The user wants it.
    Manual,
    /// The history has become too large.
    Auto,
}

/// What there is to do on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Task {
    /// Nothing.
    Nothing,
    /// Give the newest note, unless this history has been given it.
    Splice,
    /// Give the newest note, whatever was given before.
    Show,
    /// Put the newest note behind the summary in this request, unless it is in there.
    Patch,
    /// Ask the agent for its note, if the history is large enough.
    AskAgent,
    /// Take the agent's answer, if it was asked.
    TakeReply,
    /// Make a mechanical note, if this generation has none, and ask nobody.
    Salvage,
    /// Make a mechanical note, and ask the summariser for the agent's.
    AskSummariser,
    /// Take the note out of the summary, if it was asked for.
    TakeSummary,
    /// Bring the file up to date that the host reads before each turn.
    Refresh,
    /// Leave word that the session is no longer at work.
    SignOff,
}

impl Call {
    /// Returns what there is to do.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::host::hook::{Host, Task, read};
    ///
    /// let payload = br#"{"hook_event_name": "PreCompress", "session_id": "s1", "trigger": "auto"}"#;
    /// let call = read(Host::Gemini, payload)?;
    /// assert_eq!(call.task(), Task::Nothing, "it comes before every request, compaction or not");
    /// # Ok::<(), graff_notes::host::hook::Unread>(())
    /// ```
    pub fn task(&self) -> Task {
        match (self.agent, &self.event, self.host) {
            (Agent::Worker, _, _) => Task::Nothing,
            (Agent::Root, Event::Ended, _) => Task::SignOff,
            (Agent::Root, event, Host::ClaudeCode) => claude_code(event),
            (Agent::Root, event, Host::Codex) => codex(event),
            (Agent::Root, event, Host::Gemini) => gemini(event),
            (Agent::Root, event, Host::Opencode) => opencode(event),
            (Agent::Root, event, Host::Goose) => goose(event),
        }
    }
}

fn claude_code(event: &Event) -> Task {
    match event {
        Event::Start(_) | Event::Prompt { .. } => Task::Splice,
        Event::TurnEnded { stop, .. } => end_of_turn(*stop),
        Event::Compacting(_) => Task::AskSummariser,
        Event::Compacted { .. } => Task::TakeSummary,
        _ => Task::Nothing,
    }
}

/// Nothing that a hook prints reaches the summariser, and the summary may be sealed.
fn codex(event: &Event) -> Task {
    match event {
        Event::Start(_) | Event::Prompt { .. } => Task::Splice,
        Event::TurnEnded { stop, .. } => end_of_turn(*stop),
        Event::Compacting(_) => Task::Salvage,
        _ => Task::Nothing,
    }
}

/// What is said at the start of a session is put in front of the user's words, and Gemini CLI
/// forgets prompts that begin with it when it resumes. Its automatic trigger comes before every
/// model request, and says nothing of a compaction.
fn gemini(event: &Event) -> Task {
    match event {
        Event::Prompt { .. } | Event::ToolEnded => Task::Splice,
        Event::Request { .. } => Task::Patch,
        Event::TurnEnded { stop, .. } => end_of_turn(*stop),
        Event::Compacting(Trigger::Manual) => Task::Salvage,
        _ => Task::Nothing,
    }
}

/// The plugin asks before each request, and puts what it gets into that request's system prompt.
fn opencode(event: &Event) -> Task {
    match event {
        Event::SystemPrompt => Task::Show,
        Event::Compacting(_) => Task::AskSummariser,
        Event::Compacted { .. } => Task::TakeSummary,
        _ => Task::Nothing,
    }
}

fn goose(event: &Event) -> Task {
    match event {
        Event::Start(_) | Event::Prompt { .. } | Event::TurnEnded { .. } => Task::Refresh,
        _ => Task::Nothing,
    }
}

fn end_of_turn(stop: Stop) -> Task {
    match stop {
        Stop::First => Task::AskAgent,
        Stop::Again => Task::TakeReply,
    }
}
