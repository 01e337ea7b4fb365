//! Whether a group of hooks is called on all of an event that we answer.
//!
//! A matcher narrows its group to some sources of the event, and each host reads it in its own way:
//! as a name, as names, or as a regular expression. What its letters alone don't tell counts as
//! narrow: of a hook too many nothing comes, since a note is given once, and of one too few neither
//! does the note.

use super::register::Registration;
use crate::host::hook::Host;

/// What every host takes for no matcher at all.
const NONE: [&str; 2] = ["", "*"];

/// Regular expressions that every source matches.
const ALL: [&str; 3] = [".*", ".+", "^.*$"];

/// Returns whether a group with this matcher is called whenever we are to answer `event`. Where
/// we are to answer nothing, no matcher is too narrow.
pub(super) fn covers(host: Host, event: &str, matcher: &str) -> bool {
    let wanted = Registration::of(host).iter().find(|it| it.event == event);
    wanted.is_none_or(|wanted| {
        NONE.contains(&matcher)
            || wanted.matcher == Some(matcher)
            || is_unread(host, event)
            || is_expression(host, event) && (ALL.contains(&matcher) || names_all(event, matcher))
    })
}

/// Whether the host calls the hooks of an event whatever their matcher is.
///
/// Source: the hooks pages of Claude Code and Codex CLI.
fn is_unread(host: Host, event: &str) -> bool {
    matches!(host, Host::ClaudeCode | Host::Codex) && matches!(event, "UserPromptSubmit" | "Stop")
}

/// Whether the host takes the matcher for a regular expression. Gemini CLI does so for tools, and
/// elsewhere for a name.
fn is_expression(host: Host, event: &str) -> bool {
    match host {
        Host::ClaudeCode | Host::Codex => true,
        Host::Gemini => event == "AfterTool",
        Host::Opencode | Host::Goose => false,
    }
}

/// Whether a matcher is a choice of names, and every source of the event is among them.
fn names_all(event: &str, matcher: &str) -> bool {
    let inner = matcher.strip_prefix("^(").and_then(|it| it.strip_suffix(")$"));
    let named: Vec<_> = inner.unwrap_or(matcher).split('|').collect();
    let sources = sources(event);
    !sources.is_empty() && sources.iter().all(|source| named.contains(source))
}

/// Returns what an event comes from; none where that is not known of all versions.
fn sources(event: &str) -> &'static [&'static str] {
    match event {
        "SessionStart" => &["startup", "resume", "clear", "compact", "fork"],
        "PreCompact" | "PostCompact" => &["manual", "auto"],
        _ => &[],
    }
}
