//! The lines that agents write into their transcripts, as far as hooks look at them.

use graff_notes::host::hook::Host;
use serde_json::{Value, json};

/// What happens in a session, in the host's own lines.
#[derive(Clone, Copy)]
pub(super) enum Said<'a> {
    User(&'a str),
    /// A hook keeps the turn from ending with these words.
    Hook(&'a str),
    /// The agent answers; the request had so many tokens.
    Agent(&'a str, u64),
    /// A tool gives this back.
    Tool(&'a str),
    /// A subagent is told this.
    Worker(&'a str),
    /// The history is replaced by this summary.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the program lives it"))]
    Compacted(&'a str),
}

/// Returns the lines that `host` writes.
pub(super) fn lines(host: Host, said: &[Said<'_>]) -> String {
    let lines = said.iter().flat_map(|said| match host {
        Host::ClaudeCode => claude(*said),
        Host::Codex => codex(*said),
        _ => gemini(*said),
    });
    lines.fold(String::new(), |text, line| format!("{text}{line}\n"))
}

fn claude(said: Said<'_>) -> Vec<Value> {
    let user = |content: Value, meta: bool, sidechain: bool| {
        json!({
            "type": "user", "uuid": "5f0c", "sessionId": "s1", "isMeta": meta, "isSidechain": sidechain,
            "message": {"role": "user", "content": content},
        })
    };
    vec![match said {
        Said::User(text) => user(json!(text), false, false),
        Said::Hook(text) => user(json!(format!("Stop hook feedback:\n{text}")), true, false),
        Said::Tool(text) => user(json!([{"type": "tool_result", "content": text}]), false, false),
        Said::Worker(text) => user(json!(text), false, true),
        Said::Agent(text, tokens) => json!({
            "type": "assistant", "sessionId": "s1", "isSidechain": false,
            "message": {
                "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": text}],
                "usage": {
                    "input_tokens": 3, "cache_read_input_tokens": tokens.saturating_sub(3),
                    "cache_creation_input_tokens": 0, "output_tokens": 40,
                },
            },
        }),
        Said::Compacted(summary) => {
            return vec![
                json!({"type": "system", "subtype": "compact_boundary", "sessionId": "s1"}),
                json!({
                    "type": "user", "sessionId": "s1", "isCompactSummary": true,
                    "message": {"role": "user", "content": summary},
                }),
            ];
        }
    }]
}

fn codex(said: Said<'_>) -> Vec<Value> {
    let message = |role: &str, text: &str| {
        json!({
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [{"type": "text", "text": text}]},
        })
    };
    let count = |tokens: u64| {
        json!({"type": "event_msg", "payload": {"type": "token_count", "info": {
            "last_token_usage": {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens},
            "model_context_window": 190_000,
        }}})
    };
    match said {
        Said::User(text) | Said::Worker(text) => vec![message("user", text)],
        Said::Hook(text) => {
            vec![message(
                "user",
                &format!("<hook_prompt hook_run_id=\"stop:1\">{text}</hook_prompt>"),
            )]
        }
        Said::Agent(text, tokens) => vec![message("assistant", text), count(tokens)],
        Said::Tool(text) => vec![json!({
            "type": "response_item", "payload": {"type": "function_call_output", "output": text},
        })],
        Said::Compacted(summary) => {
            vec![json!({"type": "compacted", "payload": {"message": summary}}), count(6_000)]
        }
    }
}

fn gemini(said: Said<'_>) -> Vec<Value> {
    let user = |parts: Value| json!({"id": "u1", "type": "user", "content": parts});
    vec![match said {
        Said::User(text) | Said::Hook(text) | Said::Worker(text) => user(json!([{"text": text}])),
        Said::Tool(text) => user(json!([{"functionResponse": {"response": {"output": text}}}])),
        Said::Agent(text, tokens) => json!({
            "id": format!("g{}", text.len()), "type": "gemini", "content": text,
            "tokens": {"input": tokens, "output": 10, "total": tokens + 10},
        }),
        Said::Compacted(summary) => json!({"$set": {"messages": [
            {"id": "c0", "type": "user", "content": [{"text": "<session_context>\n"}]},
            {"id": summary, "type": "user", "content": [{"text": format!("<state_snapshot>{summary}")}]},
            {"id": "c2", "type": "gemini", "content": [{"text": "Got it."}]},
        ]}}),
    }]
}
