//! The promise: a session that goes on from another one begins with that one's note.
//!
//! Shown by the transcripts by which the real agents say so.

use std::fs;

use graff_notes::host::hook::Host;
use serde_json::json;

use super::{super::script::Said::Compacted, NOTE, desk, is_given};

#[test]
fn a_fork_of_codex_keeps_its_parents_note_as_its_first() {
    let desk = desk(Host::Codex);
    is_given(desk.begins("s1", "startup"));
    let meta = json!({"type": "session_meta", "payload": {"id": "s2", "forked_from_id": "s1"}});
    fs::write(desk.transcript("s2"), format!("{meta}\n")).expect("written");
    assert_eq!(desk.begins("s2", "fork"), None, "the copied context has it");
    assert_eq!(desk.newest("s2").expect("a note of its own").text, NOTE);
    desk.says("s2", &[Compacted("first")]);
    is_given(desk.begins("s2", "compact"));
}

#[test]
fn a_fork_whose_word_or_its_parents_cannot_be_read_begins_with_its_parents_note() {
    for unreadable in ["s1", "s2"] {
        let desk = desk(Host::Codex);
        let meta = json!({"type": "session_meta", "payload": {"id": "s2", "forked_from_id": "s1"}});
        fs::write(desk.transcript("s2"), format!("{meta}\n")).expect("written");
        let word = desk.project().join(format!(".graff/notes/{unreadable}.hooks.json"));
        fs::create_dir(word).expect("a folder");
        let ran = desk.calls("s2", "SessionStart", json!({"source": "fork"}));
        is_given(ran.json()["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned));
        assert!(ran.stderr().contains(&format!("{unreadable}.hooks.json")), "{ran}");
        assert_eq!(desk.newest("s2").expect("a note of its own").text, NOTE);
    }
}

#[test]
fn a_fork_of_claude_code_finds_its_parent_once_its_transcript_is_there() {
    let desk = desk(Host::ClaudeCode);
    desk.writes("s0", "of another session altogether");
    assert_eq!(desk.begins("s2", "fork"), None, "its transcript is not there yet");
    assert_eq!(desk.prompt("s2", "try it another way"), None);
    let copied = fs::read_to_string(desk.transcript("s1")).expect("the parent's");
    fs::write(desk.transcript("s2"), copied).expect("written");
    is_given(desk.prompt("s2", "go on"));
    assert_eq!(desk.newest("s2").expect("a note of its own").text, NOTE);
    assert_eq!(desk.prompt("s2", "go on"), None);
}

#[test]
fn a_fork_of_nobody_we_know_is_looked_for_no_longer() {
    let desk = desk(Host::ClaudeCode);
    assert_eq!(desk.begins("s2", "fork"), None);
    let own = json!({"type": "user", "uuid": "another", "message": {"content": "hello"}});
    fs::write(desk.transcript("s2"), format!("{own}\n")).expect("written");
    assert_eq!(desk.prompt("s2", "go on"), None);
    let word = fs::read_to_string(desk.project().join(".graff/notes/s2.hooks.json")).expect("word");
    assert!(!word.contains("parent"), "{word}");
}

#[test]
fn a_session_that_is_resumed_under_a_new_name_goes_on_in_the_old_ones_file() {
    let desk = desk(Host::ClaudeCode);
    let started = json!({"transcript_path": desk.transcript("s9"), "source": "startup"});
    assert_eq!(desk.context("s9", "SessionStart", started), None, "nothing is guessed");
    let resumed = json!({"transcript_path": desk.transcript("s1"), "source": "resume"});
    is_given(desk.context("s9", "SessionStart", resumed));
}
