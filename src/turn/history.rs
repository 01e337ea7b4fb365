//! What the model is shown: the host's history, as items that are always whole.

use std::{error, fmt};

use serde::Serialize;

use super::{Item, Summary, ToolCall, ToolResult};
use crate::units::Bytes;

/// The items that the model is shown.
///
/// Every tool result follows its call, and every call has a result before anything else comes:
/// whatever is added while calls are open gives them a result that says that they were stopped. The
/// prompt that a turn is about is kept apart as well, so that a rewriting in the midst of the turn
/// can seat it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    items: Vec<Item>,
    /// Where the items begin that no response has answered yet.
    unseen: usize,
    live: Option<Live>,
}

/// The turn that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Live {
    prompt: String,
    /// Where its items begin.
    from: usize,
    /// Where its prompt stands.
    at: usize,
}

/// What stands behind the summary after a rewriting, before what no response has answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reseat {
    /// Nothing: the prompt was answered, and to show it again would ask for it twice.
    None,
    /// The prompt that is being answered.
    LivePrompt,
}

/// What a cap took from a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// How many items.
    pub items: usize,
    /// What they weighed.
    pub bytes: Bytes,
}

/// Why items make no history, or tool results do not fit it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum HistoryRefused {
    /// A result answers no call that is open.
    NoSuchCall {
        /// The id that it names.
        id: String,
    },
    /// A call has no result.
    Unanswered {
        /// The id of the call.
        id: String,
    },
}

/// What a handoff item begins with, on a line of its own.
const HANDOFF_LINE: &str = "[Summary of the conversation so far, which it replaces]";

/// What stands as the result of a tool call that a turn left behind when it stopped.
const STOPPED: &str = "[no result: the turn was stopped before this call had ended]";

impl History {
    /// Returns a history without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the history of a session that is resumed.
    ///
    /// # Errors
    ///
    /// Refuses items of which a result has no call, or a call no result before anything else comes.
    pub fn resumed(items: Vec<Item>) -> Result<Self, HistoryRefused> {
        let mut open: Vec<&str> = Vec::new();
        let mut before = None;
        for item in &items {
            if let (Item::ToolCall(_), Some(Item::ToolResult(_))) = (item, before.replace(item)) {
                all_answered(&open)?; // the calls of the response before
            }
            match item {
                Item::ToolCall(call) => open.push(&call.id),
                Item::ToolResult(result) => match open.iter().position(|id| *id == result.id) {
                    Some(at) => drop(open.remove(at)),
                    None => return Err(HistoryRefused::NoSuchCall { id: result.id.clone() }),
                },
                _ => all_answered(&open)?,
            }
        }
        all_answered(&open)?;
        let answers = |item: &Item| !matches!(item, Item::Prompt { .. } | Item::Steer { .. });
        let unseen = items.iter().rposition(answers).map_or(0, |last| last + 1);
        Ok(Self { unseen, items, live: None })
    }

    /// Returns the items, oldest first.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the prompt of the turn that runs.
    #[must_use]
    pub fn live_prompt(&self) -> Option<&str> {
        self.live.as_ref().map(|live| live.prompt.as_str())
    }

    /// Begins a turn: what was carried over from the last one, then the prompt.
    pub fn begin(&mut self, carried: Vec<String>, prompt: String) {
        self.end();
        let from = self.items.len();
        self.items.extend(carried.into_iter().map(|text| Item::Steer { text }));
        self.live = Some(Live { prompt: prompt.clone(), from, at: self.items.len() });
        self.items.push(Item::Prompt { text: prompt });
    }

    /// Begins a turn with what was carried over alone, the last of which is what it is about; it
    /// stays a steer, and so is never lost to a rewriting before a response has answered it.
    pub fn begin_carried(&mut self, carried: Vec<String>) {
        self.end();
        let Some(prompt) = carried.last().cloned() else { return };
        let from = self.items.len();
        self.live = Some(Live { prompt, from, at: from + carried.len() - 1 });
        self.steer(carried);
    }

    /// Adds what the user said meanwhile.
    pub fn steer(&mut self, texts: Vec<String>) {
        if texts.is_empty() {
            return;
        }
        self.stop_calls();
        self.items.extend(texts.into_iter().map(|text| Item::Steer { text }));
    }

    /// Adds a response: what the model said, unless that is blank, and the tools that it called.
    pub fn answer(&mut self, text: String, calls: Vec<ToolCall>) {
        self.stop_calls();
        if !text.trim().is_empty() {
            self.items.push(Item::Assistant { text });
        }
        self.items.extend(calls.into_iter().map(Item::ToolCall));
        self.unseen = self.items.len();
    }

    /// Adds the results of the calls of the last response, all of them, in any order.
    ///
    /// # Errors
    ///
    /// Refuses a result without a call and a call without a result; nothing is added then.
    pub fn results(&mut self, results: Vec<ToolResult>) -> Result<(), HistoryRefused> {
        self.answers_all(&results)?;
        self.push_results(results);
        Ok(())
    }

    pub(crate) fn push_results(&mut self, results: Vec<ToolResult>) {
        self.items.extend(results.into_iter().map(Item::ToolResult));
    }

    /// Whether these are the results of the calls that are open.
    pub(crate) fn answers_all(&self, results: &[ToolResult]) -> Result<(), HistoryRefused> {
        let mut open = self.open_calls();
        for result in results {
            match open.iter().position(|id| *id == result.id) {
                Some(at) => drop(open.remove(at)),
                None => return Err(HistoryRefused::NoSuchCall { id: result.id.clone() }),
            }
        }
        all_answered(&open)
    }

    /// Ends the turn: calls that it left open get a result that says so.
    pub fn end(&mut self) {
        self.stop_calls();
        self.live = None;
    }

    fn stop_calls(&mut self) {
        let open: Vec<String> = self.open_calls().into_iter().map(str::to_owned).collect();
        let stopped = |id| Item::ToolResult(ToolResult { id, content: STOPPED.to_owned() });
        self.items.extend(open.into_iter().map(stopped));
    }

    /// Cuts whole turns off, oldest first, until the rest weighs at most `cap` by `weigh`.
    ///
    /// The summary that a history begins with, the turn that runs, and steers that no response has
    /// answered yet are never cut. A prompt whose turn failed may be: that was reported.
    pub fn cut(&mut self, cap: Bytes, weigh: impl Fn(&Item) -> Bytes) -> Option<Cut> {
        let mut over = self.items.iter().map(&weigh).fold(Bytes::ZERO, Bytes::saturating_add);
        over = over.saturating_sub(cap);
        let first = usize::from(matches!(self.items.first(), Some(Item::Handoff { .. })));
        let last = self.last_cut();
        let (mut cut, mut passed) = (Cut { items: 0, bytes: Bytes::ZERO }, Bytes::ZERO);
        for (at, item) in self.items.iter().enumerate().take(last).skip(first) {
            if cut.bytes >= over {
                break;
            }
            passed = passed.saturating_add(weigh(item));
            if at + 1 == last || self.is_boundary(at + 1) {
                cut = Cut { items: at + 1 - first, bytes: passed };
            }
        }
        (cut.items > 0).then(|| {
            self.remove(first, first + cut.items);
            cut
        })
    }

    /// Where the last turn begins that may not be cut, since it runs or holds a steer that no
    /// response has answered: within it, a cut could part a result from its call.
    fn last_cut(&self) -> usize {
        let is_steer = |item: &Item| matches!(item, Item::Steer { .. });
        let unseen = self.items.get(self.unseen..).unwrap_or_default();
        let steer =
            unseen.iter().position(is_steer).map_or(self.items.len(), |at| self.unseen + at);
        let kept = self.live.as_ref().map_or(steer, |live| live.from.min(steer));
        let whole = |at: &usize| *at == self.items.len() || self.is_boundary(*at);
        (0..=kept).rev().find(whole).unwrap_or_default()
    }

    /// Replaces all items by a summary of them, and what is to be seated behind it.
    pub fn install(&mut self, summary: &Summary, reseat: Reseat) {
        let items = self.replaced(summary, reseat);
        self.unseen = 1;
        match (reseat, &mut self.live) {
            (Reseat::LivePrompt, Some(live)) => {
                live.from = 1;
                live.at = items.iter().position(|item| item.says(&live.prompt)).unwrap_or(1);
            }
            _ => self.live = None,
        }
        self.items = items;
    }

    /// Returns the items that [`install`](Self::install) would leave: the summary, the live prompt
    /// where it is to be seated again, and word for word what the user has said and no response has
    /// answered. In the midst of a turn that is not a prompt whose turn failed, since what was too
    /// large then would be too large again.
    #[must_use]
    pub fn replaced(&self, summary: &Summary, reseat: Reseat) -> Vec<Item> {
        let live = self.live.as_ref().filter(|_| reseat == Reseat::LivePrompt);
        let summary = Item::Handoff { text: format!("{HANDOFF_LINE}\n{}", summary.as_str()) };
        let seen = live.filter(|live| live.at < self.unseen);
        let seated = seen.map(|live| Item::Prompt { text: live.prompt.clone() });
        let unseen =
            self.items.iter().enumerate().skip(self.unseen).filter(|(at, item)| match item {
                Item::Steer { .. } => true,
                Item::Prompt { .. } => live.is_none_or(|live| live.at == *at),
                _ => false,
            });
        let unseen = unseen.map(|(_, item)| item.clone());
        [summary].into_iter().chain(seated).chain(unseen).collect()
    }

    /// The calls of the last response that have no result yet.
    fn open_calls(&self) -> Vec<&str> {
        let calls = self.items.iter().rev().map_while(|item| match item {
            Item::ToolCall(call) => Some(call.id.as_str()),
            _ => None,
        });
        let mut open: Vec<&str> = calls.collect();
        open.reverse();
        open
    }

    /// Whether a turn begins at `at`: with its prompt, or with the steers carried over to it.
    fn is_boundary(&self, at: usize) -> bool {
        let is_steer = |item: &&Item| matches!(item, Item::Steer { .. });
        let before = at.checked_sub(1).and_then(|before| self.items.get(before));
        if before.as_ref().is_some_and(is_steer) {
            return false;
        }
        let mut rest = self.items.get(at..).unwrap_or_default().iter().skip_while(is_steer);
        matches!(rest.next(), Some(Item::Prompt { .. }))
    }

    fn remove(&mut self, from: usize, to: usize) {
        let items = self.items.drain(from..to).count();
        if let Some(live) = &mut self.live {
            live.from = live.from.saturating_sub(items);
            live.at = live.at.saturating_sub(items);
        }
        self.unseen = self.unseen.saturating_sub(items);
    }
}

fn all_answered(open: &[&str]) -> Result<(), HistoryRefused> {
    match open.first() {
        Some(id) => Err(HistoryRefused::Unanswered { id: (*id).to_owned() }),
        None => Ok(()),
    }
}

impl fmt::Display for HistoryRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchCall { id } => write!(f, "a tool result answers {id:?}, which is no call"),
            Self::Unanswered { id } => write!(f, "the tool call {id:?} has no result"),
        }
    }
}

impl error::Error for HistoryRefused {}
