//! The hooks in a host's settings: which are ours, and how they get in and out.
//!
//! ```text
//! {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}
//!                   └ groups                  └ handlers
//! ```

use std::collections::BTreeSet;

use thiserror::Error;

use super::{
    edit::{Container, line_break, unit},
    register::{Registration, is_ours},
    scan::{self, Broken, Kind, Value},
};
use crate::host::hook::Host;

const HOOKS: &str = "hooks";
const COMMAND: &str = "command";

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

/// Where a hook of ours stands among those of a host, as the host counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The event.
    pub event: String,
    /// The number of its group among the event's, from 0.
    pub group: usize,
    /// Its own number in the group, from 0.
    pub handler: usize,
}

/// Where one of our handlers stands, by the numbers of the items on the way.
struct Place {
    event: usize,
    group: usize,
    handler: usize,
}

/// Returns settings of `host` with each of its hooks in them; those that are there stay as they
/// are.
///
/// A blank text counts as no settings.
///
/// # Errors
///
/// Settings that cannot be read, or that have something else where the hooks belong.
pub fn install(host: Host, settings: &str) -> Result<String, Refused> {
    let mut text = if settings.trim().is_empty() { "{}\n" } else { settings }.to_owned();
    for registration in Registration::of(host) {
        if !events(host, &text)?.iter().any(|event| event == registration.event) {
            text = with(&text, registration)?;
        }
    }
    Ok(text)
}

/// Returns settings of `host` without any hook of ours, and without the containers that held only
/// ours.
///
/// # Errors
///
/// As for [`install`].
pub fn remove(host: Host, settings: &str) -> Result<String, Refused> {
    let mut text = settings.to_owned();
    while let Some(less) = without_last(host, &text)? {
        text = less;
    }
    Ok(text)
}

/// Returns the events for which settings of `host` have a hook of ours.
///
/// # Errors
///
/// As for [`install`].
pub fn events(host: Host, settings: &str) -> Result<Vec<String>, Refused> {
    Ok(positions(host, settings)?.into_iter().map(|position| position.event).collect())
}

/// Returns where settings of `host` have a hook of ours.
///
/// # Errors
///
/// As for [`install`].
pub fn positions(host: Host, settings: &str) -> Result<Vec<Position>, Refused> {
    if settings.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = read(settings)?;
    let Some(hooks) = hooks_of(&root)? else { return Ok(Vec::new()) };
    let entries = entries(hooks);
    let position = |Place { event, group, handler }| {
        Some(Position { event: entries.get(event)?.key.clone(), group, handler })
    };
    Ok(places(host, hooks).into_iter().filter_map(position).collect())
}

/// Returns the command line by which settings of `host` have us called on an event, if they do.
///
/// # Errors
///
/// As for [`install`].
pub fn command(host: Host, settings: &str, event: &str) -> Result<Option<String>, Refused> {
    if settings.trim().is_empty() {
        return Ok(None);
    }
    let root = read(settings)?;
    let Some(hooks) = hooks_of(&root)? else { return Ok(None) };
    let on_event = entries(hooks).iter().filter(|entry| entry.key == event);
    let groups = on_event.flat_map(|entry| items(&entry.value));
    let mut handlers = groups.filter_map(handlers_of).flat_map(items);
    Ok(handlers.find_map(|handler| ours(host, handler)).map(str::to_owned))
}

/// Returns the key by which the user has told `host` in these settings to run no hook at all, if
/// one does.
///
/// # Errors
///
/// As for [`install`].
pub fn switched_off(host: Host, settings: &str) -> Result<Option<&'static str>, Refused> {
    let (key, path, off) = match host {
        Host::ClaudeCode => ("disableAllHooks", &["disableAllHooks"][..], "true"),
        Host::Gemini => ("hooksConfig.enabled", &["hooksConfig", "enabled"][..], "false"),
        Host::Codex | Host::Opencode | Host::Goose => return Ok(None),
    };
    if settings.trim().is_empty() {
        return Ok(None);
    }
    let root = read(settings)?;
    let found = path.iter().try_fold(&root, |value, key| value_of(value, key));
    let is_off = found.is_some_and(|value| settings.get(value.span.clone()) == Some(off));
    Ok(is_off.then_some(key))
}

fn with(text: &str, registration: &Registration) -> Result<String, Refused> {
    let root = read(text)?;
    let groups = format!("{:?}: [{}]", registration.event, registration.group);
    let Some(hooks) = hooks_of(&root)? else {
        return Ok(container(&root).append(text, &first(text, &root, &groups)));
    };
    match entries(hooks).iter().find(|entry| entry.key == registration.event) {
        None => Ok(container(hooks).append(text, &groups)),
        Some(entry) if matches!(entry.value.kind, Kind::Array(_)) => {
            Ok(container(&entry.value).append(text, registration.group))
        }
        Some(_) => Err(shape(format!("`hooks.{}`", registration.event), "a list")),
    }
}

/// Returns the entry for all hooks with `groups` as its only one, laid out as the text is.
fn first(text: &str, root: &Value, groups: &str) -> String {
    if !text.contains('\n') && !entries(root).is_empty() {
        return format!("\"{HOOKS}\": {{{groups}}}");
    }
    let (end, indent) = (line_break(text), unit(text));
    format!("\"{HOOKS}\": {{{end}{indent}{indent}{groups}{end}{indent}}}")
}

/// Returns the text without the last handler of ours, or `None` where there is none.
fn without_last(host: Host, text: &str) -> Result<Option<String>, Refused> {
    let root = read(text)?;
    let Some(hooks) = hooks_of(&root)? else { return Ok(None) };
    let Some(Place { event, group, handler }) = places(host, hooks).pop() else { return Ok(None) };
    let Some(groups) = entries(hooks).get(event).map(|entry| &entry.value) else { return Ok(None) };
    let Some(handlers) = items(groups).get(group).and_then(handlers_of) else { return Ok(None) };
    let position = entries(&root).iter().position(|entry| entry.key == HOOKS);
    let less = if items(handlers).len() > 1 {
        container(handlers).remove(text, handler)
    } else if items(groups).len() > 1 {
        container(groups).remove(text, group)
    } else if entries(hooks).len() > 1 {
        container(hooks).remove(text, event)
    } else {
        container(&root).remove(text, position.unwrap_or_default())
    };
    Ok(Some(less))
}

/// Returns where our handlers stand, in their order.
fn places(host: Host, hooks: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    for (event, entry) in entries(hooks).iter().enumerate() {
        for (group, value) in items(&entry.value).iter().enumerate() {
            let handlers = handlers_of(value).map(items).unwrap_or_default();
            let ours = handlers.iter().enumerate().filter(|(_, it)| ours(host, it).is_some());
            found.extend(ours.map(|(handler, _)| Place { event, group, handler }));
        }
    }
    found
}

/// Returns the command of a handler that calls us.
fn ours(host: Host, handler: &Value) -> Option<&str> {
    match value_of(handler, COMMAND) {
        Some(Value { kind: Kind::Text(command), .. }) if is_ours(host, command) => Some(command),
        _ => None,
    }
}

fn read(text: &str) -> Result<Value, Refused> {
    let root = scan::scan(text).map_err(|broken| at(text, broken))?;
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

/// Returns the object that holds all hooks, where there is one.
fn hooks_of(root: &Value) -> Result<Option<&Value>, Refused> {
    match value_of(root, HOOKS) {
        Some(hooks) if !matches!(hooks.kind, Kind::Object(_)) => {
            Err(shape(format!("`{HOOKS}`"), "an object"))
        }
        found => Ok(found),
    }
}

fn handlers_of(group: &Value) -> Option<&Value> {
    value_of(group, HOOKS)
}

fn value_of<'v>(object: &'v Value, key: &str) -> Option<&'v Value> {
    entries(object).iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

fn entries(value: &Value) -> &[scan::Entry] {
    if let Kind::Object(entries) = &value.kind { entries } else { &[] }
}

fn items(value: &Value) -> &[Value] {
    if let Kind::Array(items) = &value.kind { items } else { &[] }
}

fn container(value: &Value) -> Container {
    Container::of(value)
}

fn shape(what: String, wanted: &'static str) -> Refused {
    Refused::Shape { what, wanted }
}

fn at(text: &str, Broken { at }: Broken) -> Refused {
    let (line, column) = place_of(text, at);
    Refused::Broken { line, column }
}

/// Returns the line and the character of the line, from 1, at which a byte stands.
fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
