//! One provider's messages as another's endpoint takes them.
//!
//! A message that an endpoint takes as it is stays so, to the byte: a provider's cache knows a
//! conversation by its beginning. The request has no tools, and Anthropic's endpoint refuses blocks
//! of tools without them, so calls and results go there as text.
//!
//! Source: anthropics/anthropic-sdk-python issue 494, for what is refused.

use serde_json::{Value, json};

use super::Shape;

/// Returns what the system says before anybody else, as one text, and the messages behind that.
pub(super) fn led(messages: &[Value]) -> (String, &[Value]) {
    let is_system = |message: &Value| matches!(text_of(message, "role"), "system" | "developer");
    let (leading, rest) = messages.split_at(messages.iter().take_while(|it| is_system(it)).count());
    let said = leading.iter().map(|message| texts(message.get("content")));
    (said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"), rest)
}

/// Returns a message in the items of an endpoint.
pub(super) fn items(message: &Value, shape: Shape) -> Vec<Value> {
    let parts = parts(message);
    let as_it_is = match shape {
        Shape::Chat => !has_blocks(message),
        Shape::Anthropic => is_of_anthropic(message),
        Shape::Responses => parts.is_empty() || is_text(message),
    };
    if as_it_is {
        return vec![message.clone()];
    }
    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
    match shape {
        Shape::Chat => chat(role, &parts),
        Shape::Responses => parts.iter().map(|part| of_responses(role, part)).collect(),
        Shape::Anthropic => anthropic(role, &parts),
    }
}

/// What stands in a message that has more than a text.
enum Part<'m> {
    Text(&'m str),
    Call {
        id: &'m str,
        name: &'m str,
        /// The arguments as JSON.
        arguments: String,
    },
    Result {
        id: &'m str,
        text: String,
    },
}

/// Whether a message is a tool's result, as `OpenAI` has it.
fn is_result(message: &Value) -> bool {
    text_of(message, "role") == "tool"
}

/// Whether a message is a text and no more.
fn is_text(message: &Value) -> bool {
    let has_calls = message.get("tool_calls").is_some_and(Value::is_array);
    !is_result(message) && !has_calls && message.get("content").is_some_and(Value::is_string)
}

/// Whether Anthropic's endpoint takes a message in a request without tools: a user's or an
/// assistant's, with something in it and nothing beside it.
fn is_of_anthropic(message: &Value) -> bool {
    let says = |text: &str| !text.trim().is_empty();
    let has_content = match message.get("content") {
        Some(Value::String(text)) => says(text),
        Some(Value::Array(blocks)) => {
            let mut texts = blocks.iter().filter(|it| text_of(it, "type") == "text");
            !blocks.is_empty() && texts.all(|it| says(text_of(it, "text")))
        }
        _ => false,
    };
    let is_alone = message.as_object().is_some_and(|members| members.len() == 2);
    let is_theirs = matches!(text_of(message, "role"), "user" | "assistant");
    has_content && is_alone && is_theirs && !has_blocks(message)
}

/// Whether a message has blocks for calls and results, as Anthropic's have.
fn has_blocks(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    let is_block = |it: &Value| matches!(text_of(it, "type"), "tool_use" | "tool_result");
    blocks.is_some_and(|blocks| blocks.iter().any(is_block))
}

/// Returns the parts of a message.
fn parts(message: &Value) -> Vec<Part<'_>> {
    let content = message.get("content");
    if is_result(message) {
        return vec![Part::Result { id: text_of(message, "tool_call_id"), text: texts(content) }];
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let blocks = content.and_then(Value::as_array);
    let text = content.and_then(Value::as_str).filter(|text| !text.is_empty()).map(Part::Text);
    let blocks = blocks.into_iter().flatten().filter_map(block);
    let calls = calls.into_iter().flatten().filter_map(|call| {
        let function = call.get("function")?;
        let arguments = text_of(function, "arguments").to_owned();
        Some(Part::Call { id: text_of(call, "id"), name: text_of(function, "name"), arguments })
    });
    text.into_iter().chain(blocks).chain(calls).collect()
}

fn block(block: &Value) -> Option<Part<'_>> {
    match text_of(block, "type") {
        "text" => Some(Part::Text(text_of(block, "text"))),
        "tool_use" => Some(Part::Call {
            id: text_of(block, "id"),
            name: text_of(block, "name"),
            arguments: block.get("input").map(Value::to_string).unwrap_or_default(),
        }),
        "tool_result" => Some(Part::Result {
            id: text_of(block, "tool_use_id"),
            text: texts(block.get("content")),
        }),
        _ => None,
    }
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a content as one text.
fn texts(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks.iter().map(|block| text_of(block, "text")).collect(),
        _ => String::new(),
    }
}

fn chat(role: &str, parts: &[Part<'_>]) -> Vec<Value> {
    let (mut items, mut text, mut calls) = (Vec::new(), String::new(), Vec::new());
    for part in parts {
        match part {
            Part::Text(more) => text.push_str(more),
            Part::Call { id, name, arguments } => calls.push(json!({
                "id": id, "type": "function", "function": {"name": name, "arguments": arguments},
            })),
            Part::Result { id, text } => {
                items.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
            }
        }
    }
    // Results come first: they answer the message before.
    match (text.is_empty(), calls.is_empty()) {
        (true, true) => {}
        (_, true) => items.push(json!({"role": role, "content": text})),
        (_, false) => items.push(json!({"role": role, "content": text, "tool_calls": calls})),
    }
    items
}

fn of_responses(role: &str, part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"role": role, "content": text}),
        Part::Call { id, name, arguments } => {
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
        }
        Part::Result { id, text } => {
            json!({"type": "function_call_output", "call_id": id, "output": text})
        }
    }
}

fn anthropic(role: &str, parts: &[Part<'_>]) -> Vec<Value> {
    let role = if role == "assistant" { role } else { "user" };
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => (*text).to_owned(),
        Part::Call { id, name, arguments } => format!("Call {id} of the tool {name}: {arguments}"),
        Part::Result { id, text } => format!("Result of call {id}: {text}"),
    });
    let blocks: Vec<_> = texts
        .filter(|text| !text.trim().is_empty())
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    if blocks.is_empty() { Vec::new() } else { vec![json!({"role": role, "content": blocks})] }
}
