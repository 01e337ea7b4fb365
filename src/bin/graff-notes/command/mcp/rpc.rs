//! JSON-RPC 2.0 as MCP speaks it: one message a line.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LINE_BYTES_MAX;

/// A request that wants an answer.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
}

/// Why a request gets no result.
#[derive(Debug, Serialize)]
pub(super) struct Refusal {
    code: Code,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// What JSON-RPC and MCP call it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    /// It is no JSON.
    Parse,
    /// It is JSON, and no message.
    Invalid,
    /// There is no such method.
    NoMethod,
    /// The method takes other parameters.
    Params,
    /// The protocol is spoken in other versions here.
    Version,
}

/// What a line holds.
#[derive(Debug)]
pub(super) enum Message {
    Request(Request),
    /// A notification, or an answer: nobody waits for one.
    Silent,
    /// What can't be answered but with this.
    Refused(Value, Refusal),
}

#[derive(Deserialize)]
struct Wire {
    jsonrpc: Option<String>,
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Result(&'a Value),
    Error(&'a Refusal),
}

/// Returns what a line says.
pub(super) fn read(line: &[u8]) -> Message {
    let refused = |code, why: String| Message::Refused(Value::Null, Refusal::new(code, why));
    if line.trim_ascii().is_empty() {
        return Message::Silent;
    }
    if line.len() > LINE_BYTES_MAX {
        return refused(Code::Invalid, format!("a message is at most {LINE_BYTES_MAX} bytes long"));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(why) => return refused(Code::Parse, format!("no JSON: {why}")),
    };
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let invalid = |why: &str| {
        let id = id.clone().unwrap_or_default();
        Message::Refused(id, Refusal::new(Code::Invalid, why.to_owned()))
    };
    match serde_json::from_value(value) {
        Ok(Wire { jsonrpc: Some(version), id: given, method, params }) if version == "2.0" => {
            match (method, given, id.clone()) {
                (Some(method), _, Some(id)) => Message::Request(Request { id, method, params }),
                (Some(_), Some(_), None) => invalid("an id is a string or a number"),
                _ => Message::Silent,
            }
        }
        Ok(_) => invalid("`jsonrpc` is not \"2.0\""),
        Err(_) => invalid("no JSON-RPC message"),
    }
}

/// Returns the line that answers a request.
pub(super) fn answer(id: &Value, outcome: Result<&Value, &Refusal>) -> String {
    let outcome = match outcome {
        Ok(result) => Outcome::Result(result),
        Err(refusal) => Outcome::Error(refusal),
    };
    // Values under fixed names always make JSON.
    serde_json::to_string(&Answer { jsonrpc: "2.0", id, outcome }).unwrap_or_default()
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds what a program can make of it.
    pub(super) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i32(match self {
            Self::Parse => -32_700,
            Self::Invalid => -32_600,
            Self::NoMethod => -32_601,
            Self::Params => -32_602,
            Self::Version => -32_022,
        })
    }
}
