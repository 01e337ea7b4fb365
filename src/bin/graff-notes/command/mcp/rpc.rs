//! JSON-RPC 2.0 as MCP speaks it: one message a line.
//!
//! What a message means is the SDK's to say. Here stands what its own lines lack: what is no
//! message is refused rather than passed over, an id goes back digit for digit, and half of a
//! surrogate pair reads as U+FFFD.

use graff_notes::host::transcript::read_mended;
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, ServerResult},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::line::LINE_BYTES_MAX;

/// What a line holds.
#[derive(Debug)]
pub(super) enum Message {
    /// What wants an answer.
    Request(Id, Box<ClientRequest>),
    /// What wants none.
    Notification(ClientNotification),
    /// Nothing, a notification that nobody knows, or an answer, though nobody asked.
    Silent,
    /// What can't be answered but with this.
    Refused(Id, ErrorData),
}

/// The name of a request, as it came: a number that no type here holds goes back digit for digit.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Id(Option<Box<RawValue>>);

/// The line that answers a request.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Result(&'a ServerResult),
    Error(&'a ErrorData),
}

#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<String>,
    method: Option<String>,
}

#[derive(Deserialize)]
struct Named<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
}

/// Returns what a line says.
pub(super) fn read(line: &[u8]) -> Message {
    if line.trim_ascii().is_empty() {
        return Message::Silent;
    }
    if line.len() > LINE_BYTES_MAX {
        return invalid(Id::NONE, format!("a message is at most {LINE_BYTES_MAX} bytes long"));
    }
    let read = match str::from_utf8(line) {
        Ok(line) => read_mended::<Value>(line),
        Err(_) => serde_json::from_slice(line), // which says where it is none
    };
    match read {
        Ok(value) => {
            let id = value.is_object().then(|| Id::of(line)).flatten();
            message(value, id)
        }
        Err(why) => {
            Message::Refused(Id::NONE, ErrorData::parse_error(format!("no JSON: {why}"), None))
        }
    }
}

/// Returns what a value says, where its line names it so.
fn message(value: Value, id: Option<Id>) -> Message {
    // Serde reads a list as the fields in their order, too.
    let envelope = Envelope::deserialize(&value).ok().filter(|_| value.is_object());
    let Some(Envelope { jsonrpc, method }) = envelope else {
        return invalid(id.unwrap_or(Id::NONE), "no JSON-RPC message");
    };
    if jsonrpc.as_deref() != Some("2.0") {
        return invalid(id.unwrap_or(Id::NONE), "`jsonrpc` is not \"2.0\"");
    }
    let has = |key| value.get(key).is_some(); // an id of null is one, and a bad one
    let (has_id, is_answer) = (has("id"), has("result") || has("error"));
    match (method, id) {
        (Some(method), Some(id)) => request(value, id, &method),
        (Some(_), None) if has_id => invalid(Id::NONE, "an id is a string or a number"),
        (Some(_), None) => notification(value),
        (None, _) if is_answer => Message::Silent,
        (None, id) => invalid(id.unwrap_or(Id::NONE), "it has no method, and answers nothing"),
    }
}

fn notification(value: Value) -> Message {
    match serde_json::from_value(value) {
        Ok(ClientJsonRpcMessage::Notification(said)) => Message::Notification(said.notification),
        _ => Message::Silent,
    }
}

fn request(mut value: Value, id: Id, method: &str) -> Message {
    if let Some(fields) = value.as_object_mut() {
        // The SDK's ids are strings and numbers of 64 bits; it is handed one that it can hold.
        fields.insert("id".to_owned(), Value::from(0));
    }
    if let Ok(ClientJsonRpcMessage::Request(asked)) = serde_json::from_value(value) {
        return Message::Request(id, Box::new(asked.request));
    }
    let why = format!("the parameters of {method} are no object of MCP");
    Message::Refused(id, ErrorData::invalid_params(why, None))
}

fn invalid(id: Id, why: impl Into<String>) -> Message {
    Message::Refused(id, ErrorData::invalid_request(why.into(), None))
}

impl<'a> Answer<'a> {
    /// Returns the line that answers the request of this id.
    pub(super) fn to(id: &'a Id, outcome: Result<&'a ServerResult, &'a ErrorData>) -> Self {
        let outcome = match outcome {
            Ok(result) => Outcome::Result(result),
            Err(refusal) => Outcome::Error(refusal),
        };
        Self { jsonrpc: "2.0", id, outcome }
    }
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
