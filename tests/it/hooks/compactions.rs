//! The promise: a compaction is never held up, and finds a note made; on Claude Code and opencode
//! the model that writes the summary is asked for a better one, which is taken out of it.
//!
//! Shown on transcripts of the real agents, and by living through compactions.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use graff_notes::{host::hook::Host, note::Author, session::SessionName, store::HOOK_PATIENCE};
use serde_json::json;

use super::{
    desk::Desk,
    payload,
    script::Said::{Agent, Compacted, User},
};
use crate::support::{found::in_time, world::Ran};

const NOTE: &str = "Subgoal: make retry_test green; src/retry.rs:41";

/// How long a hook takes at most.
const LONGEST: Duration = Duration::from_secs(2);

fn summary(note: &str) -> serde_json::Value {
    let summary = format!(
        "<analysis>x</analysis>\n<summary>\nDone.\n<note_to_self>\n{note}\n</note_to_self>\n</summary>"
    );
    json!({"trigger": "auto", "compact_summary": summary})
}

#[track_caller]
fn with_transcript(host: Host, name: &str) -> Desk {
    let desk = Desk::of(host);
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transcripts/").to_owned() + name;
    fs::copy(from, desk.transcript("s1")).expect("a transcript");
    desk
}

#[test]
fn a_mechanical_note_names_the_task_the_files_and_the_last_failure() {
    for (host, name, event, trigger, failure) in [
        (
            Host::ClaudeCode,
            "claude-over-90-percent.jsonl",
            "PreCompact",
            "auto",
            "timed out: sleep 5",
        ),
        (Host::Codex, "codex-over-90-percent.jsonl", "PreCompact", "auto", "failed: no_such_tool"),
        (
            Host::Gemini,
            "gemini-compacted.jsonl",
            "PreCompress",
            "manual",
            "failed: read_file nonexistent.txt",
        ),
    ] {
        let desk = with_transcript(host, name);
        desk.calls("s1", event, json!({"trigger": trigger}));
        let note = desk.newest("s1").expect("a note");
        assert_eq!(note.author, Author::Mechanical, "{host}");
        let (task, files) = (
            "Last user request:\n- Now document add in README.md\n",
            if host == Host::Gemini { "- written: README.md\n" } else { "- edited: README.md\n" },
        );
        let (_, commands) =
            note.text.split_once("Last commands, newest first:\n").expect("commands");
        let (commands, touched) =
            commands.split_once("\nFiles touched, newest first:\n").expect("files");
        assert!(note.text.contains(task) && touched.starts_with(files), "{host}: {}", note.text);
        let last_failure = commands.lines().find(|line| !line.starts_with("- worked: "));
        assert_eq!(last_failure, Some(&*format!("- {failure}")), "{host}: {}", note.text);
    }
}

#[test]
fn no_more_of_any_note_is_kept_than_is_set() {
    let transcript = "claude-over-90-percent.jsonl";
    let desk = with_transcript(Host::ClaudeCode, transcript).with("GRAFF_CAP_BYTES", "100");
    let asked = desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
    assert!(asked.stdout().contains("At most 100 bytes are kept"), "{asked}");
    let note = desk.newest("s1").expect("a note");
    assert_eq!(note.author, Author::Mechanical);
    assert!(note.text.len() <= 100, "{}", note.text);
    desk.calls("s1", "PostCompact", summary(&"x".repeat(200)));
    let note = desk.newest("s1").expect("a note");
    assert_eq!((note.author, note.text), (Author::Agent, "x".repeat(100)));
}

#[test]
fn before_a_compaction_nothing_is_blocked() {
    let codex = with_transcript(Host::Codex, "codex-over-90-percent.jsonl");
    let ran = codex.calls("s1", "PreCompact", json!({"trigger": "auto"})).quietly();
    assert_eq!(ran.stdout(), "");
    let claude = with_transcript(Host::ClaudeCode, "claude-over-90-percent.jsonl");
    let ran = claude.calls("s1", "PreCompact", json!({"trigger": "auto"})).quietly();
    assert!(ran.stdout().starts_with("For the summary only: "), "{ran}");
    assert!(!ran.stdout().contains("decision"), "{ran}");
}

#[test]
fn several_calls_before_one_compaction_make_one_note() {
    for (host, name, event) in [
        (Host::ClaudeCode, "claude-over-90-percent.jsonl", "PreCompact"),
        (Host::Codex, "codex-over-90-percent.jsonl", "PreCompact"),
        (Host::Gemini, "gemini-compacted.jsonl", "PreCompress"),
    ] {
        for calls in 2..=4 {
            let (in_turn, at_once) = (with_transcript(host, name), with_transcript(host, name));
            let payload =
                |desk: &Desk| desk.payload("s1", event, json!({"trigger": "manual"})).to_string();
            (0..calls).for_each(|_| drop(in_turn.fed(payload(&in_turn)).quietly()));
            thread::scope(|scope| {
                for _ in 0..calls {
                    scope.spawn(|| at_once.fed(payload(&at_once)));
                }
            });
            for desk in [in_turn, at_once] {
                let kinds: Vec<_> = desk.records("s1").into_iter().map(|(kind, _)| kind).collect();
                assert_eq!(kinds, ["Mechanical"], "{host}, {calls} calls");
            }
        }
    }
}

#[test]
fn what_gemini_calls_before_every_request_makes_no_note() {
    let desk = with_transcript(Host::Gemini, "gemini-compacted.jsonl");
    let ran = desk.calls("s1", "PreCompress", json!({"trigger": "auto"})).quietly();
    assert_eq!((ran.stdout(), desk.files()), ("", Vec::new()));
}

/// Writes an earlier note, and holds the store's lock for as long as the file is open.
#[track_caller]
fn busy(desk: &Desk) -> fs::File {
    desk.writes("s1", "an earlier note");
    let session = SessionName::parse("s1").expect("a good name");
    let lock = fs::File::open(desk.store().lock_path(&session)).expect("the lock file");
    fs2::FileExt::lock_exclusive(&lock).expect("the lock");
    lock
}

/// A writer of everyday waits for five seconds: at its deadline a hook would end without a word on
/// the lock. A hook that is late by nothing but a busy machine is called again.
#[test]
fn a_busy_store_is_waited_for_with_the_patience_of_hooks() {
    let desk = with_transcript(Host::ClaudeCode, "claude-over-90-percent.jsonl");
    let _lock = busy(&desk);
    let payload = desk.payload("s1", "PreCompact", json!({"trigger": "auto"})).to_string();
    let (ran, waited) = in_time(|| {
        let begin = Instant::now();
        let ran = Ran::of_child(desk.start(payload.as_bytes(), &[])).ends(0);
        let waited = begin.elapsed();
        (!ran.gave_up() && waited < LONGEST).then_some((ran, waited))
    });
    assert!(ran.stderr().contains(" has it\n"), "{ran}");
    assert!(waited >= HOOK_PATIENCE, "{waited:?}");
}

#[test]
fn a_busy_store_does_not_hold_up_a_compaction() {
    let desk = with_transcript(Host::Codex, "codex-over-90-percent.jsonl");
    let _lock = busy(&desk);
    let ran = desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
    assert_eq!(ran.stdout(), "", "{ran}");
    assert!(ran.stderr().contains("lock") && !ran.stderr().contains("gave up"), "{ran}");
    // What a note is written down for is not lost with the writing: this one is just repeated.
    let given = desk.begins("s1", "compact").expect("the note, since reading waits for nobody");
    assert!(given.contains("an earlier note"), "{given}");
}

#[test]
fn the_note_is_taken_out_of_the_summary_and_given_at_the_next_prompt() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
    desk.calls("s1", "PreCompact", json!({"trigger": "auto", "custom_instructions": null}));
    let at_once = desk.begins("s1", "compact").expect("the mechanical note");
    assert!(at_once.contains("Mechanical note"), "{at_once}");
    desk.calls("s1", "PostCompact", summary(NOTE)).quietly();
    let note = desk.newest("s1").expect("a note");
    assert_eq!((note.text.as_str(), note.generation.get()), (NOTE, 0), "of the history before");
    desk.says("s1", &[Compacted("Done."), Agent("going on", 2_000)]);
    let next = desk.prompt("s1", "and now?").expect("a newer note than was given");
    assert_eq!(graff_notes::prompt::extract(&next), Some(NOTE));
    assert_eq!(desk.prompt("s1", "and now?"), None);
    assert_eq!(
        desk.records("s1"),
        [("Mechanical".to_owned(), 0), ("Rollover".to_owned(), 1), ("Agent".to_owned(), 0)]
    );
}

#[test]
fn half_a_surrogate_pair_in_a_summary_costs_itself_and_not_the_note() {
    let desk = with_transcript(Host::ClaudeCode, "claude-over-90-percent.jsonl");
    desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
    let note = "Subgoal: fix emoji \u{FFFD} cut in src/x.rs:10";
    let payload = desk.payload("s1", "PostCompact", summary(note)).to_string();
    desk.fed(payload.replace(char::REPLACEMENT_CHARACTER, r"\ud83d")).quietly();
    assert_eq!(desk.newest("s1").expect("a note").text.as_str(), note);
}

#[test]
fn a_summary_without_the_section_or_with_none_in_it_stores_nothing() {
    for compacted in [summary("none"), json!({"compact_summary": "Done."}), json!({})] {
        let desk = Desk::of(Host::ClaudeCode);
        desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
        desk.calls("s1", "PreCompact", json!({"trigger": "manual"}));
        desk.calls("s1", "PostCompact", compacted).quietly();
        assert_eq!(desk.newest("s1").map(|note| note.author), Some(Author::Mechanical));
    }
}

#[test]
fn a_summary_that_was_not_asked_is_left_alone() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
    desk.calls("s1", "PostCompact", summary(NOTE)).quietly();
    assert_eq!(desk.files(), Vec::<String>::new());
}

#[test]
fn an_agent_that_has_written_its_note_is_not_asked_through_the_summary() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
    desk.writes("s1", NOTE);
    let ran = desk.calls("s1", "PreCompact", json!({"trigger": "auto"})).quietly();
    assert_eq!(ran.stdout(), "");
    assert_eq!(desk.records("s1"), [("Agent".to_owned(), 0)]);
}

#[test]
fn opencode_hands_over_the_conversation_and_the_summary() {
    let desk = Desk::of(Host::Opencode);
    let session = "0a6d1c7e-5b1f-4c39-9d2a-7f3e8b1c2d4e";
    let call = |name: &str| -> Ran {
        let payload = String::from_utf8(payload(Host::Opencode, name)).expect("UTF-8");
        desk.fed(payload.replace("@CWD@", desk.project().as_str())).quietly()
    };
    assert_eq!(call("system-prompt").stdout(), "", "no note yet");
    let asked = call("pre-compact").json();
    let asked = asked["hookSpecificOutput"]["additionalContext"].as_str().expect("a request");
    assert!(asked.contains("note_to_self"), "{asked}");
    let note = desk.newest(session).expect("a mechanical note").text;
    assert!(
        note.contains("make retry_test green") && note.contains("cargo test retry_test"),
        "{note}"
    );
    call("post-compact");
    for _ in 0..2 {
        let given = call("system-prompt").json();
        let given = given["hookSpecificOutput"]["additionalContext"].as_str().expect("a note");
        assert_eq!(
            graff_notes::prompt::extract(given),
            Some("SUBGOAL: make retry_test green; src/retry.rs:41")
        );
    }
    assert_eq!(desk.records(session).last(), Some(&("Rollover".to_owned(), 1)));
}

/// No hook comes with Gemini's compressions, and before there is a note nothing is counted.
#[cfg(feature = "mcp")]
#[test]
fn a_note_by_a_tool_after_a_compaction_that_nobody_counted_is_of_the_history_since() {
    for (host, event) in [
        (Host::ClaudeCode, "PreCompact"),
        (Host::Codex, "PreCompact"),
        (Host::Gemini, "PreCompress"),
    ] {
        let desk = Desk::of(host);
        desk.says("s1", &[User("fix the retry"), Agent("on it", 9_000)]);
        assert_eq!(desk.prompt("s1", "go on"), None, "{host}: there is no note");
        desk.says("s1", &[Compacted("first"), User("and its test"), Agent("on it", 2_000)]);
        let said = desk.calls_tool("write_note", &json!({"text": NOTE, "session": "s1"}));
        assert!(said.stdout().contains("session s1, generation 1\""), "{host}: {said}");
        desk.calls("s1", event, json!({"trigger": "manual"}));
        let newest = desk.newest("s1").expect("a note");
        assert_eq!((newest.text.as_str(), newest.author), (NOTE, Author::Agent), "{host}");
        desk.says("s1", &[Compacted("second"), User("and its page"), Agent("on it", 2_000)]);
        desk.calls("s1", event, json!({"trigger": "manual"}));
        let newest = desk.newest("s1").expect("a note");
        let said = (newest.generation.get(), newest.author);
        assert_eq!(said, (2, Author::Mechanical), "{host}: that history has none from the agent");
    }
}
