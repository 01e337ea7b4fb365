//! Settings as a host reads them: an object, with all hooks under one key.
//!
//! ```text
//! {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}
//!                   └ groups                  └ handlers
//! ```

use std::collections::BTreeSet;

use thiserror::Error;

use super::{
    register::Registration,
    scan::{self, Broken, Kind, Value},
};
use crate::host::hook::Host;

pub(super) const HOOKS: &str = "hooks";
pub(super) const COMMAND: &str = "command";
pub(super) const MATCHER: &str = "matcher";

/// Why settings are left alone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refused {
    /// They are no JSON, not even with comments.
    #[error("line {line}, column {column} is no JSON")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// The character of the line, from 1.
        column: usize,
    },
    /// A key stands twice where our hooks belong: the host takes the last one, and the person may
    /// mean the first.
    #[error("line {line}, column {column} has the key {key:?} again")]
    Repeated {
        /// The key.
        key: String,
        /// The line of its second place, from 1.
        line: usize,
        /// The character of that line, from 1.
        column: usize,
    },
    /// Something has another type than the host reads.
    #[error("{what} is not {wanted}")]
    Shape {
        /// What it is.
        what: String,
        /// What must stand there.
        wanted: &'static str,
    },
}

/// Returns what a text says, if it is settings.
pub(super) fn read(text: &str) -> Result<Value, Refused> {
    let root = scan::scan(text).map_err(|broken| at(text, broken))?.root;
    if !matches!(root.kind, Kind::Object(_)) {
        return Err(shape("the whole".to_owned(), "an object"));
    }
    match repeated_in(&root) {
        None => Ok(root),
        Some(entry) => {
            let (line, column) = place_of(text, entry.start);
            Err(Refused::Repeated { key: entry.key.clone(), line, column })
        }
    }
}

/// Returns an entry whose key stands before it in the same object, on the way to our handlers.
fn repeated_in(root: &Value) -> Option<&scan::Entry> {
    let hooks = value_of(root, HOOKS);
    let groups = || hooks.into_iter().flat_map(entries).flat_map(|entry| items(&entry.value));
    let handlers = || groups().filter_map(handlers_of).flat_map(items);
    repeated(root, Some(HOOKS))
        .or_else(|| repeated(hooks?, None))
        .or_else(|| groups().find_map(|group| repeated(group, Some(HOOKS))))
        .or_else(|| handlers().find_map(|handler| repeated(handler, Some(COMMAND))))
}

/// Returns the first entry of an object that repeats a key: this one, or any where none is named.
fn repeated<'v>(object: &'v Value, key: Option<&str>) -> Option<&'v scan::Entry> {
    let mut seen = BTreeSet::new();
    let mut meant = entries(object).iter().filter(|entry| key.is_none_or(|key| entry.key == key));
    meant.find(|entry| !seen.insert(&entry.key))
}

/// Returns the object that holds all hooks, where there is one. The events that `host` is to call
/// us on must be lists in it.
pub(super) fn hooks_of(host: Host, root: &Value) -> Result<Option<&Value>, Refused> {
    let Some(hooks) = value_of(root, HOOKS) else { return Ok(None) };
    if !matches!(hooks.kind, Kind::Object(_)) {
        return Err(shape(format!("`{HOOKS}`"), "an object"));
    }
    let is_no_list = |event: &&str| {
        value_of(hooks, event).is_some_and(|groups| !matches!(groups.kind, Kind::Array(_)))
    };
    match Registration::of(host).iter().map(|hook| hook.event).find(is_no_list) {
        Some(event) => Err(shape(format!("`{HOOKS}.{event}`"), "a list")),
        None => Ok(Some(hooks)),
    }
}

/// Returns the list of handlers in a group, where there is one.
pub(super) fn handlers_of(group: &Value) -> Option<&Value> {
    value_of(group, HOOKS)
}

/// Returns what an object has under a key.
pub(super) fn value_of<'v>(object: &'v Value, key: &str) -> Option<&'v Value> {
    entries(object).iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

/// Returns the entries of an object; none of anything else.
pub(super) fn entries(value: &Value) -> &[scan::Entry] {
    if let Kind::Object(entries) = &value.kind { entries } else { &[] }
}

/// Returns the items of a list; none of anything else.
pub(super) fn items(value: &Value) -> &[Value] {
    if let Kind::Array(items) = &value.kind { items } else { &[] }
}

/// Returns the refusal of something that has another type.
fn shape(what: String, wanted: &'static str) -> Refused {
    Refused::Shape { what, wanted }
}

fn at(text: &str, Broken { at }: Broken) -> Refused {
    let (line, column) = place_of(text, at);
    Refused::Broken { line, column }
}

/// Returns the line and the character of the line, from 1, at which a byte stands.
pub(super) fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
