//! The plain form: `{"role", "content"}` a message, in the shape of either provider.
//!
//! It states neither session nor window, and has no mark for a rewritten history.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{facts::Outcome, units::Bytes};

use super::{
    account::Account,
    arguments::Arguments,
    loose::{Flag, Gather, Gathered, Object},
    parts::Content,
    text::Text,
};

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, borrow)]
    role: Text<'a>,
    #[serde(default, borrow)]
    content: Gathered<Content<'a>>,
    #[serde(default, borrow)]
    tool_calls: Gathered<ToolCalls<'a>>,
    #[serde(default, borrow)]
    tool_call_id: Text<'a>,
    #[serde(default)]
    is_error: Flag,
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
}

/// `OpenAI`'s tool calls, which stand beside the content, and what they weigh.
#[derive(Default)]
struct ToolCalls<'a> {
    calls: Vec<ToolCall<'a>>,
    weight: Bytes,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    function: Object<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default, borrow)]
    arguments: Text<'a>,
}

/// Takes up a message.
pub(super) fn take(line: &str, account: &mut Account) -> serde_json::Result<()> {
    let message: Message<'_> = serde_json::from_str(line)?;
    account.weigh(message.weight());
    match message.role.short().as_ref() {
        "assistant" => message.answer(account),
        "user" => message.input(account),
        "tool" => {
            let said = message.content.0.texts().next().unwrap_or_default();
            account.ended(&message.tool_call_id.short(), outcome(message.is_error, &said));
        }
        _ => {}
    }
    Ok(())
}

impl Message<'_> {
    fn answer(&self, account: &mut Account) {
        account.answered(self.usage.map(RawValue::get));
        let content = &self.content.0;
        content.texts().for_each(|text| account.facts.set_statement(&text));
        for call in content.calls() {
            let arguments = Arguments::read(call.arguments());
            account.called(&call.id.short(), &call.name.short(), arguments);
        }
        for ToolCall { id, function } in &self.tool_calls.0.calls {
            let Some(function) = &function.0 else { continue };
            let arguments = function.arguments.head();
            account.called(&id.short(), &function.name.short(), Arguments::read(&arguments));
        }
    }

    fn input(&self, account: &mut Account) {
        let content = &self.content.0;
        for result in content.results() {
            let said = result.given().text().short();
            // In this shape a result that doesn't say so is none that failed.
            let failed = Flag(Some(result.failed()));
            account.ended(&result.tool_use_id.short(), outcome(failed, &said));
        }
        account.facts.set_request(&content.texts().collect::<Vec<_>>().join("\n"));
    }

    fn weight(&self) -> Bytes {
        let calls = self.tool_calls.0.weight.saturating_add(self.tool_call_id.bytes());
        self.content.0.weight().saturating_add(calls)
    }
}

fn outcome(failed: Flag, said: &str) -> Outcome {
    match (failed.0, exit(said)) {
        (Some(true), exit) => Outcome::Failed { exit },
        (_, Some(0)) | (Some(false), None) => Outcome::Worked,
        (_, Some(exit)) => Outcome::Failed { exit: Some(exit) },
        (None, None) => Outcome::Unknown,
    }
}

/// The exit status that a tool's answer opens with.
fn exit(said: &str) -> Option<i64> {
    let first = said.lines().next()?.to_ascii_lowercase();
    let marks = ["exit code", "exit status", "process exited with code"];
    let status = marks.iter().find_map(|mark| first.strip_prefix(mark))?;
    status.trim_start_matches(':').trim().parse().ok()
}

impl<'de: 'a, 'a> Gather<'de> for ToolCalls<'a> {
    type Item = Object<ToolCall<'a>>;

    fn item(&mut self, Object(call): Self::Item) {
        const CALLS_MAX: usize = 64;
        let Some(call) = call else { return };
        self.weight = self.weight.saturating_add(call.weight());
        if self.calls.len() < CALLS_MAX {
            self.calls.push(call);
        }
    }
}

impl ToolCall<'_> {
    fn weight(&self) -> Bytes {
        let function = self.function.0.as_ref();
        let said = function.map(|it| it.name.bytes().saturating_add(it.arguments.bytes()));
        self.id.bytes().saturating_add(said.unwrap_or_default())
    }
}
