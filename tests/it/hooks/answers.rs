//! The promise: what is printed is exactly what the host takes, and nothing else.
//!
//! Shown by the bytes, for each host: one unknown key, or a line before the object, loses the whole
//! answer on one of them without a word.

use graff_notes::host::hook::{Answer, Host, read};

use super::payload;

/// A text with what hosts, shells and JSON treat specially.
const TEXT: &str = "[2026] {\"a\"} <b>\n\té \u{1F980} \\ \u{7}";
const QUOTED: &str = r#""[2026] {\"a\"} <b>\n\té 🦀 \\ \u0007""#;

#[track_caller]
fn printed(host: Host, event: &str, answer: &Answer) -> String {
    answer.print(&read(host, &payload(host, event)).expect("a payload"))
}

#[test]
fn a_context_is_the_one_object_that_all_take_with_the_callers_event() {
    for (host, event, name) in [
        (Host::ClaudeCode, "session-start-compact", "SessionStart"),
        (Host::ClaudeCode, "user-prompt-submit", "UserPromptSubmit"),
        (Host::Codex, "session-start-compact", "SessionStart"),
        (Host::Gemini, "before-agent", "BeforeAgent"),
        (Host::Gemini, "after-tool", "AfterTool"),
        (Host::Opencode, "system-prompt", "SystemPrompt"),
    ] {
        let golden = format!(
            "{{\"hookSpecificOutput\":{{\"hookEventName\":\"{name}\",\"additionalContext\":{QUOTED}}}}}\n"
        );
        assert_eq!(printed(host, event, &Answer::Context(TEXT.to_owned())), golden, "{host}");
    }
}

#[test]
fn a_turn_is_held_up_in_the_hosts_own_word() {
    for (host, event, word) in [
        (Host::ClaudeCode, "stop", "block"),
        (Host::Codex, "stop", "block"),
        (Host::Gemini, "after-agent", "deny"),
    ] {
        let golden = format!("{{\"decision\":\"{word}\",\"reason\":{QUOTED}}}\n");
        assert_eq!(printed(host, event, &Answer::Block(TEXT.to_owned())), golden, "{host}");
    }
}

#[test]
fn a_summariser_gets_plain_words_and_never_json() {
    let answer = Answer::Summariser("Add a section.".to_owned());
    assert_eq!(printed(Host::ClaudeCode, "pre-compact-auto", &answer), "Add a section.\n");
}

#[test]
fn nothing_is_nothing_at_all() {
    for host in [Host::ClaudeCode, Host::Codex] {
        assert_eq!(printed(host, "stop", &Answer::Nothing), "");
    }
}
