//! The hooks in a host's settings that call us: which events they answer, and whose lines they are.

use super::{
    call::Call,
    matcher::covers,
    register::command_of,
    scan::{Kind, Value},
    tree::{
        COMMAND, MATCHER, Refused, entries, handlers_of, hooks_of, items, place_of, read, value_of,
    },
};
use crate::host::hook::Host;

/// A hook that calls us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The event.
    pub event: String,
    /// The number of its group among the event's, from 0, as the host counts them.
    pub group: usize,
    /// Its own number in the group, from 0.
    pub handler: usize,
    /// The line of the settings that its command stands in, from 1.
    pub line: usize,
    /// Its command line.
    pub command: String,
    /// The word in that which names our program: a name, or a path.
    pub program: String,
    /// Whose line it is, and what comes of it.
    pub sort: Sort,
    /// Its matcher, where that keeps a part of the event from it which we are to answer.
    pub only: Option<String>,
}

/// Whose line a hook is, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The very line that [`install`](super::install) writes, which [`remove`](super::remove) takes
    /// out.
    Installed,
    /// Another line that calls us, which a person wrote or changed.
    Own,
    /// One that only tries, by `--dry-run`: it keeps nothing, and doesn't count.
    Trial,
}

/// A handler that calls us, and where it stands: by the numbers of the items on the way.
pub(super) struct Place<'v> {
    pub(super) event: usize,
    pub(super) group: usize,
    pub(super) handler: usize,
    pub(super) sort: Sort,
    /// Its group's matcher, where that is too narrow.
    only: Option<&'v Value>,
    call: Call,
    command: &'v str,
    /// The byte at which the command begins.
    start: usize,
}

impl Found {
    /// Returns whether it answers the event, whatever that comes from.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.sort != Sort::Trial && self.only.is_none()
    }
}

/// Returns the hooks in settings of `host` that call us, in their order.
///
/// # Errors
///
/// As for [`install`](super::install).
pub fn found(host: Host, settings: &str) -> Result<Vec<Found>, Refused> {
    if settings.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = read(settings)?;
    let Some(hooks) = hooks_of(host, &root)? else { return Ok(Vec::new()) };
    let words = |value: &Value| {
        text(value).or_else(|| settings.get(value.span.clone())).unwrap_or_default().to_owned()
    };
    let found = |Place { event, group, handler, sort, only, call, command, start }| {
        Some(Found {
            event: entries(hooks).get(event)?.key.clone(),
            group,
            handler,
            line: place_of(settings, start).0,
            command: String::from(command),
            program: call.program,
            sort,
            only: only.map(words),
        })
    };
    Ok(places(host, hooks).into_iter().filter_map(found).collect())
}

/// Returns the events that hooks in settings of `host` answer by us, whatever they come from.
///
/// # Errors
///
/// As for [`install`](super::install).
pub fn events(host: Host, settings: &str) -> Result<Vec<String>, Refused> {
    let acting = found(host, settings)?.into_iter().filter(Found::acts);
    Ok(acting.map(|found| found.event).collect())
}

/// Returns the key by which the user has told `host` in these settings to run no hook at all, if
/// one does.
///
/// # Errors
///
/// As for [`install`](super::install).
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

/// Returns where the handlers that call us stand, in their order.
pub(super) fn places(host: Host, hooks: &Value) -> Vec<Place<'_>> {
    let mut found = Vec::new();
    for (event, entry) in entries(hooks).iter().enumerate() {
        for (group, value) in items(&entry.value).iter().enumerate() {
            let only = value_of(value, MATCHER)
                .filter(|it| text(it).is_none_or(|it| !covers(host, &entry.key, it)));
            let handlers = handlers_of(value).map(items).unwrap_or_default();
            for (handler, value) in handlers.iter().enumerate() {
                let place = place(host, value, [event, group, handler]);
                found.extend(place.map(|place| Place { only, ..place }));
            }
        }
    }
    found
}

/// Returns where a handler stands, if it calls us.
fn place(host: Host, value: &Value, [event, group, handler]: [usize; 3]) -> Option<Place<'_>> {
    let is_run = value_of(value, "type").is_none_or(|it| text(it) == Some("command"));
    let value = value_of(value, COMMAND).filter(|_| is_run)?;
    let command = text(value)?;
    let call = Call::find(host, command)?;
    let sort = match &call {
        _ if command == command_of(host) => Sort::Installed,
        Call { is_trial: true, .. } => Sort::Trial,
        Call { is_trial: false, .. } => Sort::Own,
    };
    let start = value.span.start;
    Some(Place { event, group, handler, sort, only: None, call, command, start })
}

fn text(value: &Value) -> Option<&str> {
    if let Kind::Text(text) = &value.kind { Some(text) } else { None }
}
