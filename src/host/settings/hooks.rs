//! How our hooks get into a host's settings, and out of them again.

use super::{
    edit::{Container, line_break, unit},
    found::{Place, Sort, events, places},
    register::Registration,
    scan::Value,
    tree::{HOOKS, Refused, entries, handlers_of, hooks_of, items, read},
};
use crate::host::hook::Host;

/// Returns settings of `host` with a hook of ours on each event that none answers by us yet.
///
/// What is there stays as it is, whoever wrote it. A blank text counts as no settings.
///
/// # Errors
///
/// Settings that cannot be read, or that have something else where the hooks belong.
pub fn install(host: Host, settings: &str) -> Result<String, Refused> {
    let mut text = if settings.trim().is_empty() { "{}\n" } else { settings }.to_owned();
    for registration in Registration::of(host) {
        if !events(host, &text)?.iter().any(|event| event == registration.event) {
            text = with(host, &text, registration)?;
        }
    }
    Ok(text)
}

/// Returns settings of `host` without the hooks that [`install`] writes, and without the containers
/// that held only those. What a person wrote or changed stays.
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

fn with(host: Host, text: &str, registration: &Registration) -> Result<String, Refused> {
    let root = read(text)?;
    let groups = format!("{:?}: [{}]", registration.event, registration.group);
    let Some(hooks) = hooks_of(host, &root)? else {
        return Ok(Container::of(&root).append(text, &first(text, &root, &groups)));
    };
    match entries(hooks).iter().find(|entry| entry.key == registration.event) {
        None => Ok(Container::of(hooks).append(text, &groups)),
        Some(entry) => Ok(Container::of(&entry.value).append(text, registration.group)),
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
    let Some(hooks) = hooks_of(host, &root)? else { return Ok(None) };
    let ours = places(host, hooks).into_iter().rfind(|place| place.sort == Sort::Installed);
    let Some(Place { event, group, handler, .. }) = ours else { return Ok(None) };
    let Some(groups) = entries(hooks).get(event).map(|entry| &entry.value) else { return Ok(None) };
    let Some(handlers) = items(groups).get(group).and_then(handlers_of) else { return Ok(None) };
    let position = entries(&root).iter().position(|entry| entry.key == HOOKS);
    let less = if items(handlers).len() > 1 {
        Container::of(handlers).remove(text, handler)
    } else if items(groups).len() > 1 {
        Container::of(groups).remove(text, group)
    } else if entries(hooks).len() > 1 {
        Container::of(hooks).remove(text, event)
    } else {
        Container::of(&root).remove(text, position.unwrap_or_default())
    };
    Ok(Some(less))
}
