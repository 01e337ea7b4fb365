//! The history as a quotation, within a budget: newest first, and what is left out is said.
//!
//! ```text
//! [user]
//! | mend the parser                   every line of the history stands behind a bar, so that
//! [12 items, 48211 bytes, are left out here]
//! [agent]                             nothing in it can pass for a line of the request
//! | I look at the file.
//! [tool call 1]
//! | read {"path":"src/parse.rs"}
//! [result of tool call 1]
//! | fn parse() {
//! [… 9120 bytes of this are left out …]
//! | }
//! ```

use std::{collections::HashMap, fmt::Write as _, iter};

use serde::Serialize;

use super::item::Item;
use crate::{
    note::{head, tail},
    units::Bytes,
};

/// The item that a history begins with holds the task: it is always quoted, and takes at most this
/// part of the budget.
const OPENING_SHARE: usize = 4;

/// No text takes more than this part of the budget, so that one large tool result does not push
/// everything else out.
const TEXT_SHARE: usize = 4;

/// What the line that says what is left out takes at most, in bytes: its words, and two numbers.
pub(super) const MARK_BYTES_MAX: usize = 80;

/// What a model may take for the end of a line: LF, VT, FF, CR, NEL, and Unicode's two separators.
const LINE_ENDS: [char; 7] = ['\n', '\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// What a quotation does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// So many whole items are left out.
    pub items: usize,
    /// What their texts take.
    pub bytes: Bytes,
    /// So many items are quoted in part.
    pub shortened: usize,
}

/// A quotation of a history.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) text: String,
    pub(super) left_out: LeftOut,
}

/// A group of items as it is quoted: whole, or with its longest texts shortened.
#[derive(Default)]
struct Quote {
    text: String,
    shortened: usize,
}

impl Transcript {
    /// Quotes `items` within `bytes_max`, and [`MARK_BYTES_MAX`] where any are left out.
    pub(super) fn of(items: &[Item], bytes_max: usize) -> Self {
        let (opening, rest) = items.split_at(usize::from(opens(items)));
        let least = Quote::of(opening, usize::MAX).text.len().min(bytes_max / OPENING_SHARE);
        let (kept, quotes) = newest(&groups(rest), bytes_max - least);
        let taken: usize = quotes.iter().map(|quote| quote.text.len()).sum();
        let opening = Quote::within(opening, bytes_max.saturating_sub(taken));
        let (opening, first) = match opening {
            Some(opening) => (opening, items.len() - rest.len()),
            None => (Quote::default(), 0),
        };
        let out = items.get(first..items.len() - kept).unwrap_or_default();
        Self::put_together(opening, out, quotes)
    }

    fn put_together(opening: Quote, out: &[Item], quotes: Vec<Quote>) -> Self {
        let bytes = out.iter().fold(Bytes::ZERO, |sum, item| sum.saturating_add(length(item)));
        let mut left_out = LeftOut { items: out.len(), bytes, shortened: opening.shortened };
        let mut text = opening.text;
        if !out.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "[{} items, {bytes} bytes, are left out here]", out.len());
        }
        for quote in quotes {
            text.push_str(&quote.text);
            left_out.shortened += quote.shortened;
        }
        Self { text, left_out }
    }
}

/// Whether the history begins with what the work is about.
fn opens(items: &[Item]) -> bool {
    matches!(items.first(), Some(Item::Handoff { .. } | Item::Prompt { .. }))
}

/// Quotes all groups whole where they fit, else the newest with their longest texts shortened;
/// returns of how many items the quotes are, and the quotes, oldest first.
fn newest(groups: &[&[Item]], room: usize) -> (usize, Vec<Quote>) {
    let (whole, shortened) = (contiguous(groups, room, usize::MAX), room / TEXT_SHARE);
    if whole.1.len() == groups.len() { whole } else { contiguous(groups, room, shortened) }
}

/// Quotes groups from the newest on, without a gap, until one does not fit; the newest is
/// shortened until it does.
fn contiguous(groups: &[&[Item]], room: usize, text_max: usize) -> (usize, Vec<Quote>) {
    let (mut items, mut left) = (0, room);
    let mut quotes: Vec<Quote> = Vec::new();
    for group in groups.iter().rev() {
        let whole = Some(Quote::of(group, text_max)).filter(|quote| quote.text.len() <= left);
        let quote =
            if quotes.is_empty() { whole.or_else(|| Quote::within(group, left)) } else { whole };
        let Some(quote) = quote else { break };
        left -= quote.text.len();
        items += group.len();
        quotes.push(quote);
    }
    quotes.reverse();
    (items, quotes)
}

/// Parts items so that a call and its result are never parted.
fn groups(items: &[Item]) -> Vec<&[Item]> {
    items
        .chunk_by(|before, item| match item {
            Item::ToolResult(_) => true,
            Item::ToolCall(_) => matches!(before, Item::Assistant { .. } | Item::ToolCall(_)),
            _ => false,
        })
        .collect()
}

impl Quote {
    /// Quotes a group with no text longer than `text_max`.
    fn of(group: &[Item], text_max: usize) -> Self {
        let mut quote = Self::default();
        let numbers = numbers(group);
        for item in group {
            quote.push(item, &numbers, text_max);
        }
        quote
    }

    /// Quotes a group within `bytes_max`, its texts as long as that allows; `None` where there is
    /// no group, or it does not fit even without its texts.
    fn within(group: &[Item], bytes_max: usize) -> Option<Self> {
        let lengths = iter::successors(Some(bytes_max), |max| (max - max / 8).checked_sub(1));
        let mut quotes = lengths.map(|text_max| Self::of(group, text_max));
        quotes.find(|quote| !group.is_empty() && quote.text.len() <= bytes_max)
    }

    fn push(&mut self, item: &Item, numbers: &HashMap<&str, usize>, text_max: usize) {
        let number_of = |id: &str| numbers.get(id).copied().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = match item {
            Item::Handoff { .. } => writeln!(self.text, "[summary of what came before]"),
            Item::Prompt { .. } => writeln!(self.text, "[user]"),
            Item::Steer { .. } => writeln!(self.text, "[user, while the agent worked]"),
            Item::Assistant { .. } => writeln!(self.text, "[agent]"),
            Item::ToolCall(call) => {
                writeln!(self.text, "[tool call {}]", number_of(&call.id))
            }
            Item::ToolResult(result) => {
                writeln!(self.text, "[result of tool call {}]", number_of(&result.id))
            }
        };
        match item {
            Item::ToolCall(call) => {
                let text = format!("{} {}", call.name, call.arguments);
                self.push_text(&text, text_max);
            }
            Item::ToolResult(result) => self.push_text(&result.content, text_max),
            Item::Handoff { text }
            | Item::Prompt { text }
            | Item::Steer { text }
            | Item::Assistant { text } => self.push_text(text, text_max),
        }
    }

    /// Quotes a text, or its start and its end, where what matters mostly stands.
    fn push_text(&mut self, text: &str, text_max: usize) {
        if text.len() <= text_max {
            return self.push_lines(text);
        }
        let (start, end) = (head(text, text_max / 2), tail(text, text_max / 2));
        let bytes = text.len() - start.len() - end.len();
        self.shortened += 1;
        self.push_lines(start);
        let _ = writeln!(self.text, "[… {bytes} bytes of this are left out …]");
        self.push_lines(end);
    }

    fn push_lines(&mut self, text: &str) {
        for line in text.split(LINE_ENDS).filter(|_| !text.is_empty()) {
            self.text.push_str("| ");
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// The place of each call among those of its group, from 1.
fn numbers(group: &[Item]) -> HashMap<&str, usize> {
    let calls = group.iter().filter_map(|item| match item {
        Item::ToolCall(call) => Some(call.id.as_str()),
        _ => None,
    });
    calls.zip(1..).collect()
}

fn length(item: &Item) -> Bytes {
    match item {
        Item::Handoff { text }
        | Item::Prompt { text }
        | Item::Steer { text }
        | Item::Assistant { text } => Bytes::of(text),
        Item::ToolCall(call) => Bytes::of(&call.name).saturating_add(Bytes::of(&call.arguments)),
        Item::ToolResult(result) => Bytes::of(&result.content),
    }
}
