//! Anthropic's messages.

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
    let mut messages = items(ask.items);
    messages.extend(ask.last.map(|text| json!({ "role": "user", "content": text })));
    let tools = ask.tools != Tools::Absent;
    let tools = tools.then(|| ("tools", tools::DESCRIPTIONS.iter().map(tool).collect()));
    let choice = ask.tools == Tools::Withheld;
    let choice = choice.then(|| ("tool_choice", json!({ "type": "none" })));
    let fields = [
        ("model", json!(model)),
        ("system", json!(ask.system)),
        ("messages", Value::Array(messages)),
        ("max_tokens", json!(ask.output_tokens_max)),
    ];
    object(fields.into_iter().chain(tools).chain(choice))
}

fn tool(tool: &tools::Description) -> Value {
    json!({
        "name": tool.name,
        "description": tool.purpose,
        "input_schema": tool.parameters(),
    })
}

/// What a response said and called is one message, and so are the results of its calls.
fn items(items: &[Item]) -> Vec<Value> {
    items
        .chunk_by(|before, item| {
            matches!(
                (before, item),
                (Item::Assistant { .. } | Item::ToolCall(_), Item::ToolCall(_))
                    | (Item::ToolResult(_), Item::ToolResult(_))
            )
        })
        .filter_map(|chunk| {
            let role = match chunk.first()? {
                Item::Assistant { .. } | Item::ToolCall(_) => "assistant",
                _ => "user",
            };
            let content: Vec<Value> = chunk.iter().map(block).collect();
            Some(json!({ "role": role, "content": content }))
        })
        .collect()
}

fn block(item: &Item) -> Value {
    match item {
        Item::Handoff { text }
        | Item::Prompt { text }
        | Item::Steer { text }
        | Item::Assistant { text } => json!({ "type": "text", "text": text }),
        Item::ToolCall(call) => json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({})),
        }),
        Item::ToolResult(result) => json!({
            "type": "tool_result", "tool_use_id": result.id, "content": result.content,
        }),
    }
}

pub(super) fn read(body: &Value) -> Option<Response> {
    let blocks = body.get("content")?.as_array()?;
    let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    Some(Response {
        text: texts.collect::<Vec<_>>().concat(),
        calls: blocks.iter().filter(|block| is_call(block)).map(call).collect::<Option<_>>()?,
        stop: match body.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => ResponseStop::OutputLimit,
            Some("refusal") => ResponseStop::Refusal,
            _ => ResponseStop::EndTurn,
        },
        usage: Report::from_json(body.get("usage").unwrap_or(&Value::Null)),
    })
}

fn is_call(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("tool_use")
}

fn call(block: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        id: block.get("id")?.as_str()?.to_owned(),
        name: block.get("name")?.as_str()?.to_owned(),
        arguments: block.get("input")?.to_string(),
    })
}
