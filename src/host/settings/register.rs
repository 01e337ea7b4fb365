//! Which hooks each host is to call us by.

use crate::host::hook::Host;

/// The program's name, which the user's `PATH` resolves: an absolute path would change with each
/// build, and Codex CLI asks for trust anew whenever the line changes.
const PROGRAM: &str = "graff-notes";

/// What the program is told to do.
const SUBCOMMAND: &str = "hook";

/// A hook in a host's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: &'static str,
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
    Registration { event, group }
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
    on("PreCompress", GEMINI_MANUAL),
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

/// Returns whether a command line calls our hook for `host`, wherever the program lies, whatever is
/// set before it and whatever flags the user has added.
pub(super) fn is_ours(host: Host, command: &str) -> bool {
    let words = words(command);
    let mut words = words.iter().map(String::as_str).skip_while(|word| is_assignment(word));
    let program = words.next().and_then(|word| word.rsplit(['/', '\\']).next());
    if program != Some(PROGRAM) {
        return false;
    }
    let mut behind_flag = false;
    let subcommand = words.by_ref().find(|word| {
        let is_value = std::mem::replace(&mut behind_flag, word.starts_with('-'));
        *word == SUBCOMMAND || !(behind_flag || is_value)
    });
    subcommand == Some(SUBCOMMAND) && words.find_map(|word| word.parse().ok()) == Some(host)
}

/// Whether a word sets a variable for the program behind it.
fn is_assignment(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name))
}

/// Returns the words of a command line as a shell takes it, without their quotes. A backslash that
/// hides nothing stays: a path of Windows has them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        let hides = |next: &char| matches!(next, ' ' | '"' | '\'');
        if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '"' | '\'') {
            quote = Some(c);
            word.get_or_insert_default(); // it may be empty
        } else if quote.is_none() && c.is_whitespace() {
            words.extend(word.take());
        } else {
            let hidden = if c == '\\' && quote != Some('\'') { rest.next_if(hides) } else { None };
            word.get_or_insert_default().push(hidden.unwrap_or(c));
        }
    }
    words.extend(word);
    words
}
