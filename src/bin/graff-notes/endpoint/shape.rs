//! How endpoints speak: what a request is, and which text of a response is the model's reply.

use graff_notes::prompt::NoteRequest;
use serde_json::{Value, json};

use super::{
    History,
    items::{items, led},
};

/// How an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `OpenAI`'s chat completions, as many servers speak them.
    Chat,
    /// `OpenAI`'s responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
}

impl Shape {
    /// What the addresses end in, in the order of the shapes.
    pub(crate) const PATHS: [&str; 3] = ["/chat/completions", "/responses", "/messages"];

    /// Returns how the endpoint at `url` speaks.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let shapes = [Self::Chat, Self::Responses, Self::Anthropic];
        Self::PATHS.into_iter().zip(shapes).find(|(end, _)| path.ends_with(end)).map(|(_, it)| it)
    }

    /// Returns the variable that its provider's own programs take the key from.
    pub(super) const fn key_variable(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// Returns the request: the history as it is, the instruction last, no tools.
    pub(super) fn body(
        self,
        host: &str,
        model: &str,
        history: &History,
        request: &NoteRequest,
    ) -> Value {
        let instruction = json!({ "role": "user", "content": request.instruction() });
        let (system, behind) = match self {
            Self::Anthropic => led(&history.messages),
            Self::Chat | Self::Responses => (String::new(), history.messages.as_slice()),
        };
        let told = behind.iter().flat_map(|message| items(message, self));
        let told: Vec<_> = told.chain([instruction]).collect();
        let cap = request.output_tokens_max().get();
        match self {
            Self::Chat => json!({ "model": model, "messages": told, (name_of_cap(host)): cap }),
            Self::Responses => {
                json!({ "model": model, "input": told, "max_output_tokens": cap, "store": false })
            }
            Self::Anthropic if system.is_empty() => {
                json!({ "model": model, "messages": told, "max_tokens": cap })
            }
            Self::Anthropic => {
                json!({ "model": model, "system": system, "messages": told, "max_tokens": cap })
            }
        }
    }

    /// Returns the model's reply, or why there is none in this response.
    pub(super) fn read(self, body: &Value) -> Result<String, String> {
        let read = match self {
            Self::Chat => chat(body),
            Self::Responses => responses(body),
            Self::Anthropic => anthropic(body),
        };
        let Read { text, is_cut, calls_tool } =
            read.ok_or_else(|| "the answer is of another form than the endpoint's".to_owned())?;
        if is_cut {
            return Err("the reply was stopped by the output limit".to_owned());
        }
        if calls_tool {
            return Err("the model called a tool".to_owned());
        }
        if text.trim().is_empty() {
            return Err("the reply has no text".to_owned());
        }
        Ok(text)
    }
}

/// Returns under which name a host of chat completions takes the cap of a reply: `OpenAI`'s
/// reasoning models refuse the one that every other server knows.
///
/// Source: the reference of `OpenAI`'s chat completions, where `max_tokens` is deprecated.
fn name_of_cap(host: &str) -> &'static str {
    if host.eq_ignore_ascii_case("api.openai.com") {
        return "max_completion_tokens";
    }
    "max_tokens"
}

/// What a response holds.
struct Read {
    text: String,
    is_cut: bool,
    calls_tool: bool,
}

fn chat(body: &Value) -> Option<Read> {
    let choice = body.get("choices")?.get(0)?;
    let message = choice.get("message")?;
    let calls = message.get("tool_calls").and_then(Value::as_array);
    Some(Read {
        text: message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        is_cut: choice.get("finish_reason").is_some_and(|it| it == "length"),
        calls_tool: calls.is_some_and(|calls| !calls.is_empty()),
    })
}

fn responses(body: &Value) -> Option<Read> {
    let output = body.get("output")?.as_array()?;
    let is = |item: &Value, kind: &str| item.get("type").is_some_and(|it| it == kind);
    let messages = output.iter().filter(|item| is(item, "message"));
    let parts = messages.filter_map(|item| item.get("content")?.as_array()).flatten();
    Some(Read {
        text: texts(parts.filter(|part| is(part, "output_text"))),
        is_cut: body.get("status").is_some_and(|it| it == "incomplete"),
        calls_tool: output.iter().any(|item| is(item, "function_call")),
    })
}

fn anthropic(body: &Value) -> Option<Read> {
    let blocks = body.get("content")?.as_array()?;
    Some(Read {
        text: texts(blocks.iter()),
        is_cut: body.get("stop_reason").is_some_and(|it| it == "max_tokens"),
        calls_tool: body.get("stop_reason").is_some_and(|it| it == "tool_use"),
    })
}

fn texts<'v>(parts: impl Iterator<Item = &'v Value>) -> String {
    parts.filter_map(|part| part.get("text")?.as_str()).collect()
}
