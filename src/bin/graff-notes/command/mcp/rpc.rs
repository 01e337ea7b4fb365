//! JSON-RPC 2.0 as MCP speaks it: one message a line.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::LINE_BYTES_MAX;

/// A request that wants an answer.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) method: String,
    pub(super) params: Value,
}

/// The name of a request, as it came: a number that no type here holds goes back digit for digit.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Id(Option<Box<RawValue>>);

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
    Refused(Id, Refusal),
}

#[derive(Deserialize)]
struct Wire {
    jsonrpc: Option<String>,
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

#[derive(Deserialize)]
struct Named<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
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
    let refused = |code, why: String| Message::Refused(Id::NONE, Refusal::new(code, why));
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
    let id = Some(&value).filter(|value| value.is_object()).and_then(|_| Id::of(line));
    let invalid = |why: &str| {
        let id = id.clone().unwrap_or(Id::NONE);
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
pub(super) fn answer(id: &Id, outcome: Result<&Value, &Refusal>) -> String {
    let outcome = match outcome {
        Ok(result) => Outcome::Result(result),
        Err(refusal) => Outcome::Error(refusal),
    };
    // Values under fixed names always make JSON.
    serde_json::to_string(&Answer { jsonrpc: "2.0", id, outcome }).unwrap_or_default()
}

impl Id {
    /// That of a message which has none, or none that can be made out.
    const NONE: Self = Self(None);

    /// Returns the id of a message that is an object, where it is a string or a number.
    fn of(line: &[u8]) -> Option<Self> {
        let Named { id } = serde_json::from_slice(line).ok()?;
        let id = id.filter(|id| {
            id.get().starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'))
        })?;
        Some(Self(Some(id.to_owned())))
    }
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
