//! Which hooks each host is to call us by.

use super::call::PROGRAM;
use crate::host::hook::Host;

/// A hook in a host's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: &'static str,
    /// The matcher of its group, where it has one.
    pub(super) matcher: Option<&'static str>,
    /// The group that is put into the event's list, as JSON.
    pub(super) group: &'static str,
}

macro_rules! group {
    ($host:literal, $timeout:literal $(, $matcher:literal)?) => {
        concat!(
            "{", $("\"matcher\": \"", $matcher, "\", ",)?
            "\"hooks\": [{\"type\": \"command\", \"command\": \"graff-notes hook ", $host,
            "\", \"timeout\": ", $timeout, "}]}"
        )
    };
}

/// Without a matcher, so that every source and trigger calls; in seconds.
const CLAUDE_CODE: &str = group!("claude-code", 10);
/// Without a matcher, so that every source and trigger calls; in seconds.
const CODEX: &str = group!("codex", 10);
/// In milliseconds.
const GEMINI: &str = group!("gemini", 5000);
/// Its automatic trigger calls before every model request, and nothing is to be done then.
const GEMINI_MANUAL: &str = group!("gemini", 5000, "manual");

const fn on(event: &'static str, group: &'static str) -> Registration {
    Registration { event, matcher: None, group }
}

const ON_CLAUDE_CODE: [Registration; 6] = [
    on("SessionStart", CLAUDE_CODE),
    on("UserPromptSubmit", CLAUDE_CODE),
    on("PreCompact", CLAUDE_CODE),
    on("PostCompact", CLAUDE_CODE),
    on("Stop", CLAUDE_CODE),
    on("SessionEnd", CLAUDE_CODE),
];

const ON_CODEX: [Registration; 5] = [
    on("SessionStart", CODEX),
    on("UserPromptSubmit", CODEX),
    on("PreCompact", CODEX),
    on("Stop", CODEX),
    on("SessionEnd", CODEX),
];

const ON_GEMINI: [Registration; 6] = [
    on("BeforeAgent", GEMINI),
    on("BeforeModel", GEMINI),
    on("AfterTool", GEMINI),
    on("AfterAgent", GEMINI),
    Registration { event: "PreCompress", matcher: Some("manual"), group: GEMINI_MANUAL },
    on("SessionEnd", GEMINI),
];

impl Registration {
    /// Returns the hooks that belong into the settings of `host`; none where it has no such
    /// settings.
    #[must_use]
    pub const fn of(host: Host) -> &'static [Self] {
        match host {
            Host::ClaudeCode => &ON_CLAUDE_CODE,
            Host::Codex => &ON_CODEX,
            Host::Gemini => &ON_GEMINI,
            Host::Opencode | Host::Goose => &[],
        }
    }
}

/// Returns the command line that each of them has, in this version and in those before it.
#[must_use]
pub fn command_of(host: Host) -> String {
    format!("{PROGRAM} hook {host}")
}
