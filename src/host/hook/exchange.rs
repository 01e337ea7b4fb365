//! Whether the agent's last words answer our request.
//!
//! Another hook may have kept the turn from ending since, or the user may have gone on: what the
//! agent says then is no note. So the last text that was put to the model must be the one with our
//! mark. Hooks of one event are called at once, and what each has to say is a text of its own: as
//! long as only hooks have spoken, and the agent hasn't, they count as one.

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{client::Host, tail::Tail};
use crate::host::transcript::read_mended;

/// What a transcript says of the last text that a user or a hook put to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum LastInput {
    /// It is our request.
    Ours {
        /// What the agent has said since, as far as the transcript has it.
        reply: String,
    },
    /// It is another one.
    Another,
    /// It takes more of the file to tell.
    NotSeen,
}

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(rename = "type")]
    kind: Option<&'l str>,
    #[serde(rename = "isSidechain", default)]
    sidechain: bool,
    /// Whether the host has put the text there, in the user's place.
    #[serde(rename = "isMeta", default)]
    meta: bool,
    /// Claude Code's message.
    #[serde(borrow)]
    message: Option<Said<'l>>,
    /// Codex's item.
    #[serde(borrow)]
    payload: Option<Item<'l>>,
    /// Gemini's parts.
    #[serde(borrow)]
    content: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Said<'l> {
    #[serde(borrow)]
    content: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Item<'l> {
    role: Option<&'l str>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

/// What stands around the words of a hook in Codex CLI's rollouts.
const CODEX_HOOK: &str = "<hook_prompt";

/// Who speaks in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    /// A hook in the user's place, where the host tells it from the user: Gemini CLI doesn't, and
    /// joins what several have to say.
    Hook,
    Agent,
}

impl LastInput {
    /// Returns what the end of a transcript of `host` says, where our request carries `nonce`.
    pub fn find(tail: &Tail<'_>, host: Host, nonce: &str) -> Self {
        let (mut replies, mut is_answered) = (Vec::new(), false);
        for (speaker, text) in tail.lines_back().filter_map(|line| said(host, line)) {
            match speaker {
                Speaker::Agent if is_answered => return Self::Another,
                Speaker::Agent => replies.push(text),
                _ if memmem::find(text.as_bytes(), nonce.as_bytes()).is_some() => {
                    replies.retain(|reply| !reply.is_empty());
                    replies.reverse();
                    return Self::Ours { reply: replies.join("\n") };
                }
                Speaker::Hook => is_answered = true,
                Speaker::User => return Self::Another,
            }
        }
        if tail.is_whole() { Self::Another } else { Self::NotSeen }
    }
}

/// Returns who says what in a line: the agent nothing where it has only called a tool. `None` where
/// nobody says anything.
fn said(host: Host, line: &[u8]) -> Option<(Speaker, String)> {
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    let (kind, content) = match host {
        Host::Codex if line.kind? == "response_item" => {
            (line.payload.as_ref()?.role?, line.payload.as_ref()?.content)
        }
        Host::Gemini => (line.kind?, line.content),
        Host::ClaudeCode if !line.sidechain => (line.kind?, line.message.as_ref()?.content),
        _ => return None,
    };
    let text = text_of(content?.get());
    match kind {
        "user" => text.map(|text| (asking(host, line.meta, &text), text)),
        "assistant" | "gemini" => Some((Speaker::Agent, text.unwrap_or_default())),
        _ => None,
    }
}

/// Returns who speaks in the user's place.
fn asking(host: Host, meta: bool, text: &str) -> Speaker {
    let is_hook = match host {
        Host::ClaudeCode => meta,
        Host::Codex => text.starts_with(CODEX_HOOK),
        _ => false,
    };
    if is_hook { Speaker::Hook } else { Speaker::User }
}

/// Returns the words of a message, or `None` where it has only calls and results.
fn text_of(content: &str) -> Option<String> {
    if let Ok(text) = read_mended::<String>(content) {
        return Some(text).filter(|text| !text.is_empty());
    }
    let parts: Vec<Part> = read_mended(content).ok()?;
    let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
