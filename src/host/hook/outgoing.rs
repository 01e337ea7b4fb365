//! The request that Gemini CLI is about to make, as its hook may change it.
//!
//! Nothing is called after a compression, so this is the one place where it shows that the history
//! has lost the note. What is changed here is changed in this request only.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a summary that took a history's place has in it.
const SUMMARY: &str = "<state_snapshot>";

/// A message of the request; calls of tools and their results are not shown to hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    role: String,
    content: String,
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// The part of a payload that has the messages.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Outgoing {
    #[serde(default)]
    pub(super) messages: Vec<Message>,
}

/// Returns the messages with `block` behind the summary; `None` where the history has no summary,
/// or has the note: dressed, as its header's `dated` words show, or bare, as the agent wrote it.
///
/// The host matches messages by their position, so none is added and none is taken out.
#[must_use]
pub fn behind_summary(
    messages: &[Message],
    block: &str,
    dated: &str,
    note: &str,
) -> Option<Vec<Message>> {
    let has = |text: &str| messages.iter().any(|message| message.content.contains(text));
    let summary = messages.iter().rposition(|message| message.content.contains(SUMMARY))?;
    if has(dated) || has(note) {
        return None;
    }
    let mut messages = messages.to_vec();
    let content = &mut messages.get_mut(summary)?.content;
    content.push_str("\n\n");
    content.push_str(block);
    Some(messages)
}
