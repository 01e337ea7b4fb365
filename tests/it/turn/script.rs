//! What a scripted model is asked, and what it answers.

use graff_notes::{turn::Item, units::Tokens};

/// What the model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    Turn,
    Note,
    Summary,
}

/// A request as the model sees it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) what: For,
    pub(super) system: String,
    pub(super) items: Vec<Item>,
    /// What is asked after the history, for a note; the whole message, for a summary.
    pub(super) message: String,
    /// The limit of the output, where the library sets it.
    pub(super) output_tokens_max: Option<Tokens>,
}

impl Request {
    /// What a provider gets as the user's messages: the handoff item, prompts and steers.
    pub(super) fn user_items(&self) -> Vec<&Item> {
        let users = |item: &&Item| {
            matches!(item, Item::Handoff { .. } | Item::Prompt { .. } | Item::Steer { .. })
        };
        self.items.iter().filter(users).collect()
    }
}

/// What comes back.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// A text, and the input tokens that the provider reports.
    Text(String, Option<u64>),
    /// A call of a tool that gives this back, and the input tokens.
    Tool(String, Option<u64>),
    /// A success whose reason says that it was cancelled, and the input tokens.
    CancelledSuccess(Option<u64>),
    /// A refusal.
    Refused(u16, String),
    /// The user cancels while it is awaited.
    Cancelled,
}

pub(super) fn says(text: &str, tokens: impl Into<Option<u64>>) -> Reply {
    Reply::Text(text.to_owned(), tokens.into())
}

pub(super) fn tool(result: &str, tokens: impl Into<Option<u64>>) -> Reply {
    Reply::Tool(result.to_owned(), tokens.into())
}

pub(super) fn refuses(status: u16, body: &str) -> Reply {
    Reply::Refused(status, body.to_owned())
}
