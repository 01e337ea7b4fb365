//! What each record means.

use serde_json::value::RawValue;

use crate::{
    facts::Outcome,
    host::transcript::{account::Account, arguments::Arguments, loose::Gathered},
    units::Bytes,
};

use super::record::{Count, History, Record, SUMMARY, ToolCall, ToolCalls};

/// What stands at the start of the text that tells the model where it is.
const SETTING: &str = "<session_context>";
/// What stands around a text that a hook put before or behind a prompt.
const HOOK: (&str, &str) = ("<hook_context>", "</hook_context>");

/// The reader of Gemini's records.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Gemini {
    /// The last message, for when it comes again.
    last: Option<Last>,
    /// The id of the summary that the history opens with.
    summary: Option<String>,
}

#[derive(Clone, Debug)]
struct Last {
    id: String,
    weight: Bytes,
    calls_taken: usize,
}

impl Gemini {
    /// Takes up a record.
    pub(in super::super) fn take(
        &mut self,
        line: &str,
        account: &mut Account,
    ) -> serde_json::Result<()> {
        let record: Record<'_> = serde_json::from_str(line)?;
        account.name_session(&record.session.short());
        if let Some(set) = record.set.0 {
            account.name_session(&set.session.short());
            if let Some(Gathered(history)) = set.messages {
                self.replace(history, account);
            }
            return Ok(());
        }
        match record.kind.short().as_ref() {
            "user" => {
                self.weigh(&record, account);
                account.facts.set_request(&record.request());
            }
            "gemini" => {
                self.weigh(&record, account);
                let usage = record.tokens.0.as_ref().map(Count::as_usage);
                account.answered(usage.as_deref());
                record.content.0.said().for_each(|text| account.facts.set_statement(&text));
                self.take_calls(&record.tool_calls.0, account);
            }
            _ => {}
        }
        Ok(())
    }

    fn replace(&mut self, history: History, account: &mut Account) {
        self.last = None;
        if history.summary.is_some() && history.summary != self.summary {
            account.compacted(history.weight);
            self.summary = history.summary;
        } else {
            account.pressure = history.weight;
        }
    }

    /// Adds a message to the live history, or puts it in the place of the same one before.
    fn weigh(&mut self, record: &Record<'_>, account: &mut Account) {
        let calls = record.tool_calls.0.weight();
        let weight = record.content.0.weight.saturating_add(calls);
        let id = record.id.short();
        let again = self.last.take().filter(|last| last.id == id);
        let before = again.as_ref().map_or(Bytes::ZERO, |last| last.weight);
        account.pressure = account.pressure.saturating_sub(before).saturating_add(weight);
        let calls_taken = again.map_or(0, |last| last.calls_taken);
        self.last = Some(Last { id: id.into_owned(), weight, calls_taken });
    }

    fn take_calls(&mut self, calls: &ToolCalls<'_>, account: &mut Account) {
        let taken = self.last.as_ref().map_or(0, |last| last.calls_taken);
        let ended = calls.0.iter().skip(taken).map_while(|call| Some((call, call.outcome()?)));
        let mut count = taken;
        for (call, outcome) in ended {
            let arguments = Arguments::read(call.args.map_or("", RawValue::get));
            account.called(&call.id.short(), &call.name.short(), arguments);
            account.ended(&call.id.short(), outcome);
            count += 1;
        }
        self.last.iter_mut().for_each(|last| last.calls_taken = count);
    }
}

/// Returns what the summary goes by that a line puts at a history's start, if it does.
pub(in crate::host) fn summary(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let record: Record<'_> = serde_json::from_str(&line).ok()?;
    let Gathered(history) = record.set.0?.messages?;
    history.summary
}

impl Record<'_> {
    /// What the user wrote, empty where nobody did.
    ///
    /// Where hooks add to prompts, a prompt is shown without what they added; what a hook itself
    /// sent in the user's place is shown to nobody.
    fn request(&self) -> String {
        let texts: Vec<_> = self.content.0.said().collect();
        if self.display.is_none() && texts.iter().any(|text| text.starts_with(HOOK.0)) {
            return String::new();
        }
        let prompt = texts.iter().map(|text| without_hook(text));
        let prompt = prompt.filter(|text| !text.starts_with(SETTING) && !text.starts_with(SUMMARY));
        prompt.collect::<Vec<_>>().join("\n")
    }
}

/// The text without what a hook put before it.
fn without_hook(text: &str) -> &str {
    let behind = text.strip_prefix(HOOK.0).and_then(|text| text.split_once(HOOK.1));
    behind.map_or(text, |(_, behind)| behind.trim_start())
}

impl Count<'_> {
    /// The count in the words of the providers: what came from a cache is inside the input.
    fn as_usage(&self) -> String {
        let figure = |figure: Option<&RawValue>| figure.map_or("null", RawValue::get).to_owned();
        let (input, output) = (figure(self.input), figure(self.output));
        format!(r#"{{"prompt_tokens":{input},"completion_tokens":{output}}}"#)
    }
}

impl ToolCall<'_> {
    /// How the call ended; `None` where it has not.
    fn outcome(&self) -> Option<Outcome> {
        let response = self.result.0.0.as_ref().and_then(|result| result.response.0.as_ref());
        let exit = response.and_then(|response| exit(&response.output.whole()));
        match (self.status.short().as_ref(), exit) {
            ("cancelled", _) => Some(Outcome::Denied),
            ("success", None | Some(0)) => Some(Outcome::Worked),
            ("success" | "error", exit) => Some(Outcome::Failed { exit }),
            _ => None,
        }
    }
}

/// The exit status that the shell's report ends with; it says none where that is 0.
fn exit(end: &str) -> Option<i64> {
    let report = end.trim_end().strip_suffix("</untrusted_context>").unwrap_or(end);
    let mut lines = report.trim_end().lines().rev();
    let lines = lines.by_ref().skip_while(|line| line.starts_with("Process Group PGID: "));
    let exit = lines.map(|line| line.strip_prefix("Exit Code: ")).next().flatten();
    exit.and_then(|exit| exit.trim().parse().ok())
}
