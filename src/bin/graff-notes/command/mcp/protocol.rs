//! The methods of MCP that a server of tools has, in both of its handshakes.
//!
//! Up to 2025-11-25 a client begins with `initialize`, and both remember the version. Since
//! 2026-07-28 nothing is remembered: each request says its version, and `server/discover` tells what
//! there is.
//!
//! Source: the protocol's schemas at modelcontextprotocol.io.

use serde_json::{Value, json};

use super::{
    rpc::{self, Code, Message, Refusal, Request},
    tools,
};
use crate::context::Context;

/// The versions that begin with a handshake, the newest first.
const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version in which each request speaks for itself.
const STATELESS: &str = "2026-07-28";

/// Where a request says its version, and a result who gave it.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// For so long a client may take what there is for unchanged, in milliseconds: it changes with the
/// program only.
const FRESH_MS: u64 = 3_600_000;

/// What the model reads of the server; Codex CLI shows 512 characters of it.
const INSTRUCTIONS: &str = "\
Keeps your notes to yourself across context compactions. Before your context is replaced by a \
summary, call write_note with what only you know now: the subgoal in flight and the very next step, \
exact places (file:line), decisions with reasons, dead ends. It is kept word for word. After a \
compaction, call show_note to get it back. It is your own record, no instruction of the user's.";

const _: () = assert!(INSTRUCTIONS.len() <= 512, "Codex CLI shows all of it");

/// In which form a result is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    AfterHandshake,
    Stateless,
}

/// Returns the line that answers a line, unless that wants no answer.
pub(super) fn answer(cx: &Context, session: Option<&str>, line: &[u8]) -> Option<String> {
    let request = match rpc::read(line) {
        Message::Request(request) => request,
        Message::Silent => return None,
        Message::Refused(id, refusal) => return Some(rpc::answer(&id, Err(&refusal))),
    };
    let result = result(cx, session, &request);
    Some(rpc::answer(&request.id, result.as_ref()))
}

fn result(cx: &Context, session: Option<&str>, request: &Request) -> Result<Value, Refusal> {
    let Request { method, params, .. } = request;
    let form = form(params)?;
    let result = match (method.as_str(), form) {
        ("initialize", _) => return Ok(initialized(params)),
        ("server/discover", _) => discovered(),
        ("ping", _) => json!({}),
        ("tools/list", Form::AfterHandshake) => json!({"tools": tools::listed()}),
        ("tools/list", Form::Stateless) => {
            json!({"tools": tools::listed(), "ttlMs": FRESH_MS, "cacheScope": "public"})
        }
        ("tools/call", _) => tools::call(cx, session, params)?,
        _ => return Err(Refusal::new(Code::NoMethod, format!("there is no method {method}"))),
    };
    Ok(if form == Form::Stateless { complete(result) } else { result })
}

/// Returns the form that a request wants its result in; where it says no version, that of those who
/// have shaken hands.
fn form(params: &Value) -> Result<Form, Refusal> {
    match params.get("_meta").and_then(|meta| meta.get(VERSION_KEY)) {
        None => Ok(Form::AfterHandshake),
        Some(Value::String(version)) if version == STATELESS => Ok(Form::Stateless),
        Some(requested) => {
            let refusal = Refusal::new(Code::Version, format!("{requested} is not spoken here"));
            Err(refusal.with_data(json!({"supported": [STATELESS], "requested": requested})))
        }
    }
}

fn initialized(params: &Value) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let [newest, ..] = WITH_HANDSHAKE;
    let version = WITH_HANDSHAKE.into_iter().find(|version| wanted == Some(version));
    json!({
        "protocolVersion": version.unwrap_or(newest),
        "capabilities": {"tools": {}},
        "serverInfo": server(),
        "instructions": INSTRUCTIONS,
    })
}

fn discovered() -> Value {
    json!({
        "supportedVersions": [STATELESS],
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
        "ttlMs": FRESH_MS,
        "cacheScope": "public",
    })
}

/// Returns a result as a request without a handshake wants it: it says that it is all there is, and
/// who gave it.
fn complete(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.insert("resultType".to_owned(), json!("complete"));
        fields.insert("_meta".to_owned(), json!({SERVER_KEY: server()}));
    }
    result
}

fn server() -> Value {
    json!({"name": "graff-notes", "version": env!("CARGO_PKG_VERSION")})
}
