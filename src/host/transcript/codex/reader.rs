//! What each record means.

use serde_json::value::RawValue;

use crate::{
    facts::{FileAction, Outcome},
    host::transcript::{account::Account, arguments::Arguments, loose::Number, text::Text},
    units::Tokens,
};

use super::record::{Item, OldOutput, Payload, Record};

/// What stands at the start of an output whose call failed, where no exit status is said.
const FAILED: [&str; 2] = ["apply_patch verification failed", "unsupported call: "];

/// The reader of Codex's records.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Codex {
    /// Whether a response waits for its token count.
    awaits_count: bool,
}

impl Codex {
    /// Takes up a record.
    pub(in super::super) fn take(
        &mut self,
        line: &str,
        account: &mut Account,
    ) -> serde_json::Result<()> {
        let record: Record<'_> = serde_json::from_str(line)?;
        let Some(payload) = record.payload.0 else { return Ok(()) };
        match record.kind.short().as_ref() {
            "session_meta" if account.session.is_none() => {
                account.name_session(&payload.id.short());
                account.start_in(&payload.cwd.short());
            }
            "response_item" => {
                let summarises = record.metadata.0.is_some_and(|it| it.compaction_output.is_set());
                self.take_response_item(&payload, summarises, account);
            }
            "event_msg" => self.take_event(&payload, account),
            "compacted" => {
                self.awaits_count = false;
                let replaced = payload.replacement_history;
                let left = replaced.map_or_else(|| payload.message.bytes(), |history| history.0.0);
                account.compacted(left);
            }
            _ => {}
        }
        Ok(())
    }
}

impl Codex {
    fn take_response_item(&mut self, item: &Payload<'_>, summarises: bool, account: &mut Account) {
        account.weigh(item.weight());
        match item.kind.short().as_ref() {
            "message" if item.role.is("assistant") => {
                self.answered(!summarises, account);
                if !summarises {
                    item.content.0.texts().for_each(|text| account.facts.set_statement(&text));
                }
            }
            "reasoning" => self.answered(true, account),
            "function_call" => {
                self.answered(true, account);
                let arguments = item.arguments.head();
                account.called(
                    &item.call_id.short(),
                    &item.name.short(),
                    Arguments::read(&arguments),
                );
            }
            "custom_tool_call" => {
                self.answered(true, account);
                let arguments = item.input.head();
                let arguments = Arguments::of_text(&arguments);
                account.called(&item.call_id.short(), &item.name.short(), arguments);
            }
            "function_call_output" | "custom_tool_call_output" => {
                account.ended(&item.call_id.short(), outcome_told(item.output.text()));
            }
            _ => {}
        }
    }

    /// Takes up a piece of a response, whose count is yet to come.
    fn answered(&mut self, awaits_count: bool, account: &mut Account) {
        self.awaits_count = awaits_count;
        account.answered(None);
    }

    fn take_event(&mut self, event: &Payload<'_>, account: &mut Account) {
        take_window(event.model_context_window, account);
        match event.kind.short().as_ref() {
            "token_count" => {
                let Some(info) = &event.info.0 else { return };
                take_window(info.model_context_window, account);
                if self.awaits_count {
                    account.answered(info.last_token_usage.map(RawValue::get));
                    self.awaits_count = false;
                }
            }
            // Versions up to 0.100 or so; later ones write an item.
            "user_message" => account.facts.set_request(&event.message.head()),
            "item_completed" => event.item.0.iter().for_each(|item| take_item(item, account)),
            _ => {}
        }
    }
}

fn take_window(Number(tokens): Number, account: &mut Account) {
    let tokens = tokens.and_then(|tokens| u64::try_from(tokens).ok());
    if let Some(tokens) = tokens.filter(|tokens| *tokens > 0) {
        account.window = Some(Tokens::new(tokens));
    }
}

fn take_item(item: &Item<'_>, account: &mut Account) {
    let id = &item.id.short();
    match item.kind.short().as_ref() {
        "UserMessage" => {
            account.facts.set_request(&item.content.0.texts().collect::<Vec<_>>().join("\n"));
        }
        "CommandExecution" => {
            let outcome = item.outcome();
            account.ended(id, outcome);
            if outcome == Outcome::Worked {
                for path in &item.parsed_cmd.0.0 {
                    let path = account.relative(&absolute(path, &item.cwd.short()));
                    account.facts.touch(&path, FileAction::Read);
                }
            }
        }
        "FileChange" => {
            let outcome = item.outcome();
            account.ended(id, outcome);
            if outcome == Outcome::Worked {
                for (path, action) in &item.changes.0.0 {
                    account.facts.touch(&account.relative(path), *action);
                }
            }
        }
        _ => {}
    }
}

/// How a call ended, as far as the text says that was given back: a report, `Output:`, and then
/// the output itself, in which nothing counts.
fn outcome_told(text: &Text<'_>) -> Outcome {
    let said = text.short();
    let report = said.split("\nOutput:\n").next().unwrap_or_default();
    let marks = ["Process exited with code ", "Exit code: "];
    let exit = report.lines().find_map(|line| {
        marks.iter().find_map(|mark| line.strip_prefix(mark)?.trim().parse().ok())
    });
    match exit.or_else(|| exit_in_json(&text.head())) {
        Some(0) => Outcome::Worked,
        Some(exit) => Outcome::Failed { exit: Some(exit) },
        None if report.contains("\nProcess running with session ID ") => Outcome::Running,
        None if FAILED.iter().any(|mark| said.starts_with(mark)) => Outcome::Failed { exit: None },
        None => Outcome::Unknown,
    }
}

/// The exit status in the form of older rollouts: `{"output", "metadata": {"exit_code"}}`.
fn exit_in_json(text: &str) -> Option<i64> {
    let output = text.starts_with('{').then(|| serde_json::from_str::<OldOutput>(text).ok())??;
    output.metadata.0?.exit_code.0
}

/// The path as seen from the root; `cwd` may be a `file:` address.
fn absolute(path: &str, cwd: &str) -> String {
    let cwd = cwd.strip_prefix("file://").unwrap_or(cwd);
    if path.starts_with('/') || cwd.is_empty() { path.to_owned() } else { format!("{cwd}/{path}") }
}
