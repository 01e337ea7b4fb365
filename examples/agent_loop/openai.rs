//! `OpenAI`'s chat completions, as many servers speak them.

use graff_notes::{
    conversation::Response,
    turn::{Item, ResponseStop, ToolCall},
    usage::Report,
};
use serde_json::{Value, json};

use super::{
    shape::{Ask, Tools, object},
    tools,
};

pub(super) fn body(model: &str, ask: &Ask<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": ask.system })];
    messages.extend(items(ask.items));
    messages.extend(ask.last.map(|text| json!({ "role": "user", "content": text })));
    let tools = ask.tools != Tools::Absent;
    let tools = tools.then(|| ("tools", tools::DESCRIPTIONS.iter().map(tool).collect()));
    let choice = (ask.tools == Tools::Withheld).then(|| ("tool_choice", json!("none")));
    let fields = [
        ("model", json!(model)),
        ("messages", Value::Array(messages)),
        ("max_tokens", json!(ask.output_tokens_max)),
    ];
    object(fields.into_iter().chain(tools).chain(choice))
}

fn tool(tool: &tools::Description) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name,
        "description": tool.purpose,
        "parameters": tool.parameters(),
    } })
}

/// What a response said, and the tools that it called, are one message.
fn items(items: &[Item]) -> Vec<Value> {
    let response = |item: &Item| matches!(item, Item::Assistant { .. } | Item::ToolCall(_));
    items
        .chunk_by(|before, item| response(before) && matches!(item, Item::ToolCall(_)))
        .filter_map(|chunk| match chunk.first()? {
            Item::Handoff { text } | Item::Prompt { text } | Item::Steer { text } => {
                Some(json!({ "role": "user", "content": text }))
            }
            Item::Assistant { .. } | Item::ToolCall(_) => Some(response_message(chunk)),
            Item::ToolResult(result) => Some(json!({
                "role": "tool", "tool_call_id": result.id, "content": result.content,
            })),
        })
        .collect()
}

fn response_message(chunk: &[Item]) -> Value {
    let text = chunk.iter().find_map(|item| match item {
        Item::Assistant { text } => Some(text),
        _ => None,
    });
    let calls = chunk.iter().filter_map(|item| match item {
        Item::ToolCall(call) => Some(json!({
            "id": call.id,
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })),
        _ => None,
    });
    let calls: Vec<Value> = calls.collect();
    let calls =
        Some(calls).filter(|calls| !calls.is_empty()).map(|calls| ("tool_calls", json!(calls)));
    object([("role", json!("assistant")), ("content", json!(text))].into_iter().chain(calls))
}

pub(super) fn read(body: &Value) -> Option<Response> {
    let choice = body.get("choices")?.get(0)?;
    let message = choice.get("message")?;
    let calls = message.get("tool_calls").and_then(Value::as_array);
    Some(Response {
        text: message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        calls: calls.into_iter().flatten().map(call).collect::<Option<_>>()?,
        stop: match choice.get("finish_reason").and_then(Value::as_str) {
            Some("error") => return None,
            Some("abort" | "cancelled") => ResponseStop::Cancelled,
            Some("length") => ResponseStop::OutputLimit,
            Some("content_filter") => ResponseStop::Refusal,
            _ => ResponseStop::EndTurn,
        },
        usage: Report::from_json(body.get("usage").unwrap_or(&Value::Null)),
    })
}

fn call(call: &Value) -> Option<ToolCall> {
    let function = call.get("function")?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ToolCall {
        id: text(call, "id")?,
        name: text(function, "name")?,
        arguments: text(function, "arguments").unwrap_or_default(),
    })
}
