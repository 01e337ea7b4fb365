//! What a history is made of.

use serde::{Deserialize, Serialize};

/// An item of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum Item {
    /// The summary that stands in for all that came before. A host sends it as the user's.
    Handoff {
        /// The summary, under a line that says what it is.
        text: String,
    },
    /// What the user asked for: a turn begins with it.
    Prompt {
        /// The text.
        text: String,
    },
    /// What the user said while the agent worked. A host sends it as the user's.
    Steer {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The text.
        text: String,
    },
    /// A tool that the model called.
    ToolCall(ToolCall),
    /// What the tool gave back.
    ToolResult(ToolResult),
}

/// A tool that the model called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that ties the call to its result.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model sent them, serialized.
    pub arguments: String,
}

/// What a tool gave back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub id: String,
    /// The text that was given back.
    pub content: String,
}

impl Item {
    /// Whether the user says this here.
    pub(super) fn says(&self, said: &str) -> bool {
        matches!(self, Self::Prompt { text } | Self::Steer { text } if text == said)
    }
}
