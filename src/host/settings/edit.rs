//! Putting an item into a JSON text and taking one out, by its bytes.
//!
//! An item goes behind the last one of its container, in that one's layout; taking it out again is
//! the exact inverse. The bytes outside are never touched: comments, order and indentation stay.

use std::ops::Range;

use super::scan::{Kind, Value, trivia};

/// The indentation where a text shows none.
const INDENT: &str = "  ";

/// The items of a container, and where it stands.
pub(super) struct Container {
    span: Range<usize>,
    /// Where each item stands; an entry of an object with its key.
    items: Vec<Range<usize>>,
    /// Whether it is an object.
    keyed: bool,
}

impl Container {
    /// Returns the container that a value is.
    pub(super) fn of(value: &Value) -> Self {
        let (items, keyed) = match &value.kind {
            Kind::Object(entries) => {
                (entries.iter().map(|entry| entry.start..entry.value.span.end).collect(), true)
            }
            Kind::Array(items) => (items.iter().map(|item| item.span.clone()).collect(), false),
            Kind::Text(_) | Kind::Other => (Vec::new(), false),
        };
        Self { span: value.span.clone(), items, keyed }
    }

    /// Returns the text with `item` behind the last one.
    pub(super) fn append(&self, text: &str, item: &str) -> String {
        let Some(last) = self.items.last() else { return self.fill(text, item) };
        let comma = comma_behind(text, last.end);
        let (place, in_line_comment) = behind_comments(text, comma.map_or(last.end, |at| at + 1));
        let separator = match self.item_indent(text) {
            Some(indent) => [line_break(text), indent].concat(),
            None if in_line_comment => self.new_line(text, 1),
            None => " ".to_owned(),
        };
        if comma.is_some() {
            return replaced(text, place..place, &[&separator, item, ","].concat());
        }
        let text = replaced(text, place..place, &[&separator, item].concat());
        replaced(&text, last.end..last.end, ",")
    }

    /// Returns the text with `item` as the first one.
    fn fill(&self, text: &str, item: &str) -> String {
        let place = self.span.start + 1;
        let wraps = self.keyed && (text.contains('\n') || self.span.start == 0);
        let new_line = |deeper| if wraps { self.new_line(text, deeper) } else { String::new() };
        let (before, behind) = (new_line(1), new_line(0));
        replaced(text, place..place, &[&before, item, &behind].concat())
    }

    /// Returns the text without the item of this number.
    pub(super) fn remove(&self, text: &str, number: usize) -> String {
        let Some(item) = self.items.get(number) else { return text.to_owned() };
        let previous = number.checked_sub(1).and_then(|number| self.items.get(number));
        let comma = comma_behind(text, item.end);
        let is_last = number + 1 == self.items.len();
        match (previous, comma) {
            (None, _) if is_last => self.empty(text, item, comma),
            // The comma before it serves as the trailing one.
            (Some(_), Some(comma)) if is_last => {
                replaced(text, lead(text, item.start)..comma + 1, "")
            }
            (Some(previous), None) => {
                let text = replaced(text, lead(text, item.start)..item.end, "");
                match comma_behind(&text, previous.end) {
                    Some(comma) => replaced(&text, comma..comma + 1, ""),
                    None => text,
                }
            }
            (_, comma) => {
                let end = comma.map_or(item.end, |comma| comma + 1);
                let gap = text.get(end..).unwrap_or_default();
                let gap = gap.len() - gap.trim_start().len();
                replaced(text, item.start..end + gap, "")
            }
        }
    }

    /// Returns the text without its only item: the inverse of [`fill`](Self::fill).
    fn empty(&self, text: &str, item: &Range<usize>, comma: Option<usize>) -> String {
        let end = comma.map_or(item.end, |comma| comma + 1);
        let behind = self.new_line(text, 0);
        let before = text.get(self.span.start + 1..item.start).unwrap_or_default();
        let own_line = before.strip_prefix(line_break(text)).is_some_and(is_indentation);
        let wrapped = own_line && text.get(end..).is_some_and(|rest| rest.starts_with(&behind));
        if wrapped {
            replaced(text, self.span.start + 1..end + behind.len(), "")
        } else {
            replaced(text, item.start..end, "")
        }
    }

    /// The white space before the first item, where that begins its line.
    fn item_indent<'t>(&self, text: &'t str) -> Option<&'t str> {
        let first = self.items.first()?;
        let line = text.get(..first.start)?.rsplit_once('\n')?.1;
        is_indentation(line).then_some(line)
    }

    /// A line break and the indentation of this container, `deeper` by so many steps.
    fn new_line(&self, text: &str, deeper: usize) -> String {
        let line = text.get(..self.span.start).unwrap_or_default();
        let line = line.rsplit_once('\n').map_or(line, |(_, line)| line);
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        [line_break(text), line.get(..indent).unwrap_or_default(), &unit(text).repeat(deeper)]
            .concat()
    }
}

fn is_indentation(text: &str) -> bool {
    text.trim_start_matches([' ', '\t']).is_empty()
}

/// The text that one step of indentation is: that of the first indented line.
pub(super) fn unit(text: &str) -> &str {
    let indents = text.lines().map(|line| {
        let content = line.trim_start_matches([' ', '\t']);
        (line.get(..line.len() - content.len()).unwrap_or_default(), content)
    });
    let mut steps =
        indents.filter(|(indent, content)| !indent.is_empty() && content.starts_with('"'));
    steps.next().map_or(INDENT, |(indent, _)| indent)
}

/// The text's line break.
pub(super) fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Where the comma behind an item stands, if there is one.
fn comma_behind(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let at = trivia(rest)?;
    rest.get(at..)?.starts_with(',').then_some(end + at)
}

/// The end of the comments that follow on the same line, and whether the last one ends with it.
fn behind_comments(text: &str, from: usize) -> (usize, bool) {
    let (mut at, mut rest) = (from, text.get(from..).unwrap_or_default());
    loop {
        let comment = rest.trim_start_matches([' ', '\t']);
        let lead = rest.len() - comment.len();
        if comment.starts_with("//") {
            let line = comment.lines().next().unwrap_or_default();
            return (at + lead + line.len(), true);
        }
        let end = comment.starts_with("/*").then(|| comment.find("*/")).flatten();
        let Some(len) = end
            .map(|end| end + 2)
            .filter(|&len| !comment.get(..len).is_none_or(|c| c.contains('\n')))
        else {
            return (at, false);
        };
        at += lead + len;
        rest = comment.get(len..).unwrap_or_default();
    }
}

/// Where the separator before an item begins: a line break with the indentation, or the spaces.
fn lead(text: &str, start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let line = before.trim_end_matches([' ', '\t']);
    let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    line.len()
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    let (before, behind) = (text.get(..range.start), text.get(range.end..));
    [before.unwrap_or_default(), by, behind.unwrap_or_default()].concat()
}
