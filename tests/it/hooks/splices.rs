//! The promise: after a compaction, on resume and at the start of a session that has a note, the
//! note is in the context once, word for word, and in no other session's.
//!
//! Shown by the orders of hooks that the real agents were seen to have.

mod doubts;
mod forks;
mod gemini;

use std::{fs, io::Write};

use graff_notes::{host::hook::Host, prompt::extract};
use serde_json::json;

use super::{
    desk::Desk,
    script::Said::{Agent, Compacted, User},
};
use crate::support::world::Ran;

const NOTE: &str = "[Subgoal] make <b>retry_test</b> green\n\t\"src/retry.rs:41\" \u{1F980}";

/// A session of `host` under way, with a note of its first generation.
fn desk(host: Host) -> Desk {
    let desk = Desk::of(host);
    desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
    desk.writes("s1", NOTE);
    desk
}

#[track_caller]
fn is_given(context: impl Into<Option<String>>) {
    let context = context.into();
    assert_eq!(context.as_deref().and_then(extract), Some(NOTE), "{context:?}");
}

#[test]
fn a_session_that_has_a_note_is_given_it_at_its_start_and_at_each_compaction() {
    for host in [Host::ClaudeCode, Host::Codex] {
        let desk = desk(host);
        is_given(desk.begins("s1", "startup"));
        assert_eq!(desk.prompt("s1", "go on"), None, "{host}");
        for generation in 0..3 {
            desk.writes("s1", NOTE);
            desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
            if host == Host::Codex {
                desk.says("s1", &[Compacted(&generation.to_string())]);
            }
            is_given(desk.begins("s1", "compact"));
            if host == Host::ClaudeCode {
                desk.says("s1", &[Compacted(&generation.to_string())]);
            }
            desk.says("s1", &[Agent("on it", 2_000)]);
            assert_eq!(desk.prompt("s1", "go on"), None, "{host}");
            assert_eq!(desk.begins("s1", "resume"), None, "{host}: it is in the context still");
        }
    }
}

#[test]
fn every_source_of_a_start_but_clear_gives_it() {
    for source in ["startup", "resume", "compact", "fork", "something-new"] {
        for host in [Host::ClaudeCode, Host::Codex] {
            is_given(desk(host).begins("s1", source));
        }
    }
}

#[test]
fn resume_and_compact_before_one_request_give_it_once() {
    let desk = desk(Host::Codex);
    is_given(desk.begins("s1", "startup"));
    desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
    desk.says("s1", &[Compacted("first")]);
    is_given(desk.begins("s1", "resume"));
    assert_eq!(desk.begins("s1", "compact"), None);
    assert_eq!(desk.prompt("s1", "go on"), None);
}

#[test]
fn of_hooks_at_once_that_were_registered_twice_one_gives_it() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        for _ in 0..5 {
            let desk = desk(host);
            let event = if host == Host::Gemini { "BeforeAgent" } else { "SessionStart" };
            let payload = desk.payload("s1", event, json!({"source": "startup", "prompt": "go"}));
            let payload = payload.to_string();
            // All of them are under way before any has its payload whole.
            let (begin, end) = payload.split_at(payload.len() - 1);
            let mut hooks = [(); 6].map(|()| desk.start(begin.as_bytes(), &[]));
            for hook in &mut hooks {
                let pipe = hook.stdin.as_mut().expect("a pipe");
                pipe.write_all(end.as_bytes()).expect("it reads");
            }
            let ran = hooks.map(|hook| Ran::of_child(hook));
            let given = ran.iter().filter(|ran| !ran.stdout().is_empty());
            assert_eq!(given.count(), 1, "{host}: {ran:?}");
        }
    }
}

#[test]
fn where_the_start_was_missed_the_next_prompt_makes_up_for_it() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let desk = desk(host);
        is_given(desk.prompt("s1", "go on"));
        desk.says("s1", &[Compacted("first"), Agent("on it", 2_000)]);
        is_given(desk.prompt("s1", "go on"));
        assert_eq!(desk.prompt("s1", "go on"), None, "{host}");
    }
}

#[test]
fn losing_the_word_costs_at_most_a_repeat() {
    let desk = desk(Host::Codex);
    is_given(desk.begins("s1", "startup"));
    desk.says("s1", &[Compacted("first")]);
    is_given(desk.begins("s1", "compact"));
    for junk in ["", "{\"given\":", "{\"generation\":99999}"] {
        fs::write(desk.project().join(".graff/notes/s1.hooks.json"), junk).expect("written");
        is_given(desk.prompt("s1", "go on"));
        assert_eq!(desk.prompt("s1", "go on"), None);
    }
}

#[test]
fn a_word_that_is_no_plain_file_is_a_lost_one() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let desk = desk(host);
        let word = desk.project().join(".graff/notes/s1.hooks.json");
        let _ = fs::remove_file(&word);
        fs::create_dir(&word).expect("a folder");
        let event = if host == Host::Gemini { "BeforeAgent" } else { "UserPromptSubmit" };
        let ran = desk.calls("s1", event, json!({"prompt": "go on"}));
        is_given(ran.json()["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned));
        assert!(ran.stderr().contains("s1.hooks.json"), "{host}: {ran}");
    }
}

#[test]
fn a_hook_waits_for_no_pipe_in_the_state_folder() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let desk = desk(Host::ClaudeCode);
    let state = desk.home().join(".local/state/graff-notes");
    fs::create_dir_all(state.join("active")).expect("folders");
    for name in ["claude-code", "active/s1"] {
        let _ = fs::remove_file(state.join(name));
        let pipe = state.join(name);
        mknodat(CWD, pipe.as_std_path(), FileType::Fifo, Mode::RWXU, 0).expect("a FIFO");
    }
    is_given(desk.begins("s1", "startup"));
}

#[test]
fn a_session_without_a_note_is_told_nothing_and_leaves_no_trace() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::Opencode] {
        let desk = Desk::of(host);
        desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
        for source in ["startup", "resume", "clear", "compact"] {
            assert_eq!(desk.begins("s1", source), None, "{host} {source}");
        }
        assert_eq!(desk.context("s1", "SystemPrompt", json!({})), None, "{host}");
        assert_eq!(desk.prompt("s1", "go on"), None, "{host}");
        assert_eq!(desk.files(), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn a_cleared_session_has_another_name_and_starts_empty() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let desk = desk(host);
        let before = desk.files();
        assert_eq!(desk.begins("s2", "clear"), None, "{host}");
        assert_eq!(desk.prompt("s2", "something else"), None, "{host}");
        assert_eq!(desk.files(), before, "{host}: nothing to do leaves no trace");
        is_given(desk.prompt("s1", "go on")); // taken up again, it has its note still
    }
}

#[test]
fn a_history_that_is_cleared_under_its_own_name_starts_empty_and_keeps_its_notes() {
    for host in [Host::ClaudeCode, Host::Codex] {
        let desk = desk(host);
        assert_eq!(desk.begins("s1", "clear"), None, "{host}");
        assert_eq!(desk.prompt("s1", "something else"), None, "{host}");
        assert_eq!(desk.newest("s1").expect("its note").text, NOTE, "{host}");
    }
}

#[test]
fn where_the_word_of_a_second_compaction_is_lost_the_note_is_given_all_the_same() {
    for host in [Host::ClaudeCode, Host::Codex] {
        let desk = desk(host);
        is_given(desk.begins("s1", "startup"));
        desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
        for (generation, agent) in [("0", 2_000), ("1", 3_000)] {
            if host == Host::Codex {
                desk.says("s1", &[Compacted(generation)]);
            }
            is_given(desk.begins("s1", "compact"));
            if host == Host::ClaudeCode {
                desk.says("s1", &[Compacted(generation)]);
            }
            desk.says("s1", &[Agent("on it", agent)]);
            assert_eq!(desk.prompt("s1", "go on"), None, "{host}");
        }
    }
}

#[test]
fn a_note_fits_every_hosts_limit_and_says_what_is_left_out() {
    for text in ["x".repeat(65_000), "é".repeat(30_000), "\u{1F980}".repeat(10_000)] {
        for (host, event) in [
            (Host::ClaudeCode, "SessionStart"), // 10,000 characters
            (Host::Codex, "SessionStart"),      // 2,500 tokens of four bytes
            (Host::Gemini, "BeforeAgent"),
            (Host::Opencode, "SystemPrompt"),
        ] {
            let desk = Desk::of(host);
            desk.writes("s1", &text);
            let more = json!({"source": "startup", "prompt": "go on"});
            let given = desk.context("s1", event, more).expect("the start of the note");
            assert!(given.len() <= 9_000 && given.len() > 8_900, "{host}: {} bytes", given.len());
            let shown = extract(&given).expect("a note");
            assert!(text.starts_with(shown));
            let left_out = format!("The last {} bytes of what is stored", text.len() - shown.len());
            assert!(given.contains(&left_out), "{given}");
            assert!(given.contains("`graff-notes show s1` prints all of it"), "{given}");
        }
    }
}

#[test]
fn the_project_is_what_the_host_names() {
    let other = tempfile::tempdir().expect("a folder");
    let elsewhere = other.path().to_str().expect("UTF-8");
    let claude = desk(Host::ClaudeCode).with("CLAUDE_PROJECT_DIR", elsewhere);
    assert_eq!(claude.begins("s1", "startup"), None, "the notes of another project");
    let gemini = desk(Host::Gemini).with("CLAUDE_PROJECT_DIR", elsewhere);
    is_given(gemini.prompt("s1", "go on"));
    let gemini = desk(Host::Gemini).with("GEMINI_PROJECT_DIR", elsewhere);
    assert_eq!(gemini.prompt("s1", "go on"), None);
}
