//! Claude Code's session files: one record a line, told apart by its top-level `type`.
//!
//! Each block of an answer is a line of its own that repeats the answer's usage. Records of
//! subagents (`isSidechain`) belong to another history and are passed over, and so are the copies
//! of requests, whose messages look like those of the conversation. The window stands nowhere.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{facts::Outcome, units::Bytes};

use super::{
    account::Account,
    arguments::{Arguments, Todo, TodoEntry, TodoList, state_named},
    loose::{Flag, Gathered, Object},
    parts::{Content, Part},
    text::Text,
};

/// What stands at the start of a user record that no user wrote.
const NOT_A_REQUEST: [&str; 6] = [
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted by user",
];

/// What stands at the start of a result whose call was not allowed.
const DENIED: [&str; 3] =
    ["Claude requested permissions", "Permission to use ", "The user doesn't want to proceed"];

/// The reader of Claude Code's records: it remembers the tasks, which change one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Claude {
    tasks: TodoList,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Text<'a>,
    #[serde(default, borrow)]
    subtype: Text<'a>,
    #[serde(default, borrow)]
    session_id: Text<'a>,
    #[serde(default, borrow)]
    cwd: Text<'a>,
    #[serde(default)]
    is_sidechain: Flag,
    #[serde(default)]
    is_meta: Flag,
    #[serde(default)]
    is_compact_summary: Flag,
    #[serde(default)]
    is_api_error_message: Flag,
    #[serde(default, borrow)]
    message: Object<Message<'a>>,
    #[serde(default, borrow)]
    tool_denial_kind: Text<'a>,
    #[serde(default, borrow)]
    tool_use_result: Object<ToolUseResult<'a>>,
    #[serde(default, borrow)]
    attachment: Object<Attachment<'a>>,
    /// What the model sees of an attachment.
    #[serde(default, borrow)]
    rendered: Gathered<Content<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, borrow)]
    model: Text<'a>,
    #[serde(default, borrow)]
    content: Gathered<Content<'a>>,
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
}

/// What a tool gave back besides its text, as far as it is about tasks.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUseResult<'a> {
    /// The task that was created.
    #[serde(default, borrow)]
    task: Object<TodoEntry<'a>>,
    /// The whole list.
    #[serde(default)]
    tasks: Option<Gathered<TodoList>>,
    /// The task that was changed.
    #[serde(default, borrow)]
    task_id: Text<'a>,
    #[serde(default, borrow)]
    status_change: Object<StatusChange<'a>>,
}

#[derive(Deserialize)]
struct StatusChange<'a> {
    #[serde(default, borrow)]
    to: Text<'a>,
}

#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Text<'a>,
    #[serde(default)]
    content: Gathered<TodoList>,
}

impl Claude {
    /// Takes up a record.
    pub(super) fn take(&mut self, line: &str, account: &mut Account) -> serde_json::Result<()> {
        let record: Record<'_> = serde_json::from_str(line)?;
        if record.is_sidechain.is_set() {
            return Ok(());
        }
        account.name_session(&record.session_id.short());
        account.start_in(&record.cwd.short());
        match record.kind.short().as_ref() {
            "user" => self.take_input(record, account),
            "assistant" => take_answer(&record, account),
            "system" if record.subtype.is("compact_boundary") => {
                account.compacted(Bytes::ZERO);
            }
            "attachment" => {
                account.weigh(record.rendered.0.weight());
                self.take_attachment(record.attachment, account);
            }
            _ => {}
        }
        Ok(())
    }

    fn take_input(&mut self, record: Record<'_>, account: &mut Account) {
        let Some(message) = &record.message.0 else { return };
        let content = &message.content.0;
        account.weigh(content.weight());
        let denied = !record.tool_denial_kind.is_empty();
        for result in content.results() {
            account.ended(&result.tool_use_id.short(), outcome(result, denied));
        }
        let by_a_user = !record.is_meta.is_set() && !record.is_compact_summary.is_set();
        if by_a_user && content.results().next().is_none() {
            account.facts.set_request(&request(content));
        }
        if let Some(result) = record.tool_use_result.0 {
            self.take_tasks(result, account);
        }
    }

    fn take_tasks(&mut self, result: ToolUseResult<'_>, account: &mut Account) {
        let created = result.task.0.map(|task| task.todo()).filter(Todo::is_named);
        let moved_to = result.status_change.0;
        let changed = self.tasks.0.iter_mut().find(|task| result.task_id.is(&task.id));
        if let Some(Gathered(tasks)) = result.tasks {
            self.tasks = tasks;
        } else if let Some(task) = created {
            self.tasks.add(task);
        } else if let (Some(task), Some(moved)) = (changed, moved_to) {
            task.state = state_named(&moved.to.short());
        } else {
            return;
        }
        account.facts.set_todos(self.tasks.open());
    }

    fn take_attachment(&mut self, attachment: Object<Attachment<'_>>, account: &mut Account) {
        let Some(Attachment { kind, content: Gathered(list) }) = attachment.0 else { return };
        if matches!(kind.short().as_ref(), "task_reminder" | "todo_reminder") {
            account.facts.set_todos(list.open());
            self.tasks = list;
        }
    }
}

fn take_answer(record: &Record<'_>, account: &mut Account) {
    if record.is_api_error_message.is_set() {
        return account.answered(None);
    }
    let Some(message) = &record.message.0 else { return account.answered(None) };
    if message.model.is("<synthetic>") {
        return;
    }
    let content = &message.content.0;
    account.answered(message.usage.map(RawValue::get));
    account.weigh(content.weight());
    content.texts().for_each(|text| account.facts.set_statement(&text));
    for call in content.calls() {
        let arguments = Arguments::read(call.arguments());
        account.called(&call.id.short(), &call.name.short(), arguments);
    }
}

/// What the user wrote, without what the agent put beside it.
fn request(content: &Content<'_>) -> String {
    let by_the_user =
        |text: &Cow<'_, str>| !NOT_A_REQUEST.iter().any(|mark| text.starts_with(mark));
    content.texts().filter(by_the_user).collect::<Vec<_>>().join("\n")
}

fn outcome(result: &Part<'_>, denied: bool) -> Outcome {
    let text = result.given().text().short();
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    if denied || (result.failed() && DENIED.iter().any(|mark| text.starts_with(mark))) {
        Outcome::Denied
    } else if result.failed() && rest.starts_with("Command timed out after") {
        Outcome::TimedOut
    } else if result.failed() {
        let exit = first.strip_prefix("Exit code ").and_then(|exit| exit.trim().parse().ok());
        Outcome::Failed { exit }
    } else if text.starts_with("Command running in background with ID") {
        Outcome::Running
    } else {
        Outcome::Worked
    }
}
