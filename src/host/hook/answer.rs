//! What is printed for the host to read: exact bytes, or none.
//!
//! One unknown key loses the whole answer on Codex CLI, a line before the object loses it on Gemini
//! CLI, and an event's name that is not the caller's loses it on Claude Code. So there are four
//! forms, each seen to work, and nothing else is ever printed.

use serde::Serialize;

use super::{client::Host, event::Call, outgoing::Message};

/// What the host is told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// A text for the model's context.
    Context(String),
    /// The turn must not end yet: the model goes on with this text.
    Block(String),
    /// Other messages for the request that is about to be made.
    Request(Vec<Message>),
    /// A text for the model that writes the summary.
    Summariser(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextOutput<'a> {
    hook_specific_output: Context<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Context<'a> {
    hook_event_name: &'a str,
    additional_context: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestOutput<'a> {
    hook_specific_output: Request<'a>,
}

#[derive(Serialize)]
struct Request<'a> {
    #[serde(rename = "hookEventName")]
    hook_event_name: &'a str,
    llm_request: Messages<'a>,
}

#[derive(Serialize)]
struct Messages<'a> {
    messages: &'a [Message],
}

#[derive(Serialize)]
struct BlockOutput<'a> {
    decision: &'static str,
    reason: &'a str,
}

impl Answer {
    /// Returns what to print for the host that made `call`; empty where there is nothing to say.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::host::hook::{Answer, Host, read};
    ///
    /// let payload = br#"{"hook_event_name": "BeforeAgent", "session_id": "s1", "prompt": "go on"}"#;
    /// let call = read(Host::Gemini, payload)?;
    /// let printed = r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"x"}}"#;
    /// assert_eq!(Answer::Context("x".into()).print(&call), format!("{printed}\n"));
    /// # Ok::<(), graff_notes::host::hook::Unread>(())
    /// ```
    #[must_use]
    pub fn print(&self, call: &Call) -> String {
        let context = |text| {
            object(&ContextOutput {
                hook_specific_output: Context {
                    hook_event_name: &call.name,
                    additional_context: text,
                },
            })
        };
        match self {
            Self::Nothing => String::new(),
            // It becomes instructions as it stands: JSON would be read out to the model.
            Self::Summariser(text) if call.host == Host::ClaudeCode => format!("{text}\n"),
            Self::Context(text) | Self::Summariser(text) => context(text),
            Self::Request(messages) => object(&RequestOutput {
                hook_specific_output: Request {
                    hook_event_name: &call.name,
                    llm_request: Messages { messages },
                },
            }),
            Self::Block(reason) => object(&BlockOutput { decision: refusal(call.host), reason }),
        }
    }
}

/// The word by which a host is kept from ending a turn.
const fn refusal(host: Host) -> &'static str {
    match host {
        Host::Gemini => "deny",
        _ => "block",
    }
}

fn object(value: &impl Serialize) -> String {
    // Strings under fixed names always make JSON.
    serde_json::to_string(value).map_or_else(|_| String::new(), |line| format!("{line}\n"))
}
