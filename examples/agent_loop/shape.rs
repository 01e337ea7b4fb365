//! What is said to a model, whichever way its endpoint speaks.

use graff_notes::{conversation::Response, turn::Item, units::Tokens};
use serde_json::Value;

use super::{anthropic, openai};

/// How an endpoint speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// `OpenAI`'s chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// A request to a model.
pub(crate) struct Ask<'a> {
    pub(crate) system: &'a str,
    pub(crate) items: &'a [Item],
    /// What the user's last message is, behind the items.
    pub(crate) last: Option<&'a str>,
    pub(crate) tools: Tools,
    pub(crate) output_tokens_max: Tokens,
}

/// What the model may do with the tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tools {
    /// Call them.
    Offered,
    /// Know of them: they stay in the request, since providers refuse a history of tool calls
    /// without them, and their cache would not know it again.
    Withheld,
    /// Nothing: there are none.
    Absent,
}

impl Shape {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            _ => None,
        }
    }

    /// The path of the endpoint's only call.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/messages",
        }
    }

    pub(crate) fn body(self, model: &str, ask: &Ask<'_>) -> Value {
        match self {
            Self::OpenAi => openai::body(model, ask),
            Self::Anthropic => anthropic::body(model, ask),
        }
    }

    /// Reads a successful response; `None` where it is none.
    pub(crate) fn read(self, body: &str) -> Option<Response> {
        let body: Value = serde_json::from_str(body).ok()?;
        match self {
            Self::OpenAi => openai::read(&body),
            Self::Anthropic => anthropic::read(&body),
        }
    }
}

/// Returns the JSON object of these fields.
pub(crate) fn object(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
