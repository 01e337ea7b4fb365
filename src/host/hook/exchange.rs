//! Whether the agent's last words answer our request.
//!
//! Another hook may have kept the turn from ending too, or the user may have gone on: what the agent
//! says then is no note. So the last text that was put to the model must be the one with our mark.

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{client::Host, tail::Tail};

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

/// Who speaks in a line.
enum Speaker {
    /// A user, or a hook in the user's place.
    User,
    Agent,
}

impl LastInput {
    /// Returns what the end of a transcript of `host` says, where our request carries `nonce`.
    pub fn find(tail: &Tail<'_>, host: Host, nonce: &str) -> Self {
        let mut replies = Vec::new();
        for line in tail.lines_back() {
            match said(host, line) {
                Some((Speaker::User, text))
                    if memmem::find(text.as_bytes(), nonce.as_bytes()).is_some() =>
                {
                    replies.reverse();
                    return Self::Ours { reply: replies.join("\n") };
                }
                Some((Speaker::User, _)) => return Self::Another,
                Some((Speaker::Agent, text)) => replies.push(text),
                None => {}
            }
        }
        if tail.is_whole() { Self::Another } else { Self::NotSeen }
    }
}

/// Returns who says what in a line; `None` where nobody says anything in words.
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
    let speaker = match kind {
        "user" => Speaker::User,
        "assistant" | "gemini" => Speaker::Agent,
        _ => return None,
    };
    Some((speaker, text_of(content?.get())?))
}

/// Returns the words of a message, or `None` where it has only calls and results.
fn text_of(content: &str) -> Option<String> {
    if let Ok(text) = serde_json::from_str::<String>(content) {
        return Some(text).filter(|text| !text.is_empty());
    }
    let parts: Vec<Part> = serde_json::from_str(content).ok()?;
    let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
