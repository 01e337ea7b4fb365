//! The promise: a dry run of a hook prints what the host would get, or says on one line of stderr
//! why it would get nothing, and writes nothing.
//!
//! Shown by a call of each kind, for each reason that there is but `NoRoom`: no name and no note
//! leave the host none of it, as the last test shows.

use graff_notes::{host::hook::Host, session::SessionName};
use serde_json::{Value, json};

use super::{desk::Desk, script::Said};
use crate::support::world::Ran;

#[track_caller]
fn dry(desk: &Desk, payload: &str) -> Ran {
    Ran::of_hook(|| desk.start(payload.as_bytes(), &["--dry-run"])).ends(0)
}

/// Says that a dry run of this event gives the host nothing, for this reason and no other.
#[track_caller]
fn comes_to_nothing(desk: &Desk, event: &str, more: Value, why: &str) {
    let before = desk.files();
    let ran = dry(desk, &desk.payload("s1", event, more).to_string());
    assert_eq!(ran.stdout(), "", "{event}: {ran}");
    assert_eq!(ran.stderr(), format!("graff-notes: {why}\n"), "{event}");
    assert_eq!(desk.files(), before, "{event}");
}

#[test]
fn a_dry_run_says_what_it_would_and_writes_nothing() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.writes("s1", "a note of s1");
    let before = desk.files();
    for _ in 0..2 {
        let payload = desk.payload("s1", "SessionStart", json!({"source": "startup"})).to_string();
        let ran = dry(&desk, &payload).quietly();
        assert!(ran.stdout().contains("a note of s1"), "{ran}");
    }
    desk.says("s2", &[Said::Agent("done", 190_000)]);
    let payload = desk.payload("s2", "Stop", json!({"stop_hook_active": false})).to_string();
    let ran = dry(&desk, &payload);
    assert!(ran.stderr().contains("would ask: 190000 of 200000 tokens are used"), "{ran}");
    assert_eq!((ran.stdout(), desk.files()), ("", before), "{ran}");
}

#[test]
fn a_dry_run_on_a_session_without_a_note_says_why_nothing_is_to_be_done() {
    let desk = Desk::of(Host::ClaudeCode);
    let ran = dry(&desk, "");
    assert_eq!((ran.stdout(), ran.stderr()), ("", "graff-notes: nothing to do: stdin is empty\n"));
    let end = |again: bool| json!({"stop_hook_active": again});
    for (event, more, why) in [
        ("SessionStart", json!({"source": "startup"}), "the session has no note"),
        ("Notification", json!({}), "Notification asks for nothing"),
        ("Stop", json!({"agent_id": "a1"}), "the agent works for another one, whose note is kept"),
        ("Stop", end(false), "there is no transcript yet, or none with a request"),
        ("Stop", end(true), "the agent was asked for nothing"),
        ("PostCompact", json!({"compact_summary": "so far"}), "no compaction was announced"),
    ] {
        comes_to_nothing(&desk, event, more, &format!("nothing to do: {why}"));
    }
    comes_to_nothing(
        &desk,
        "SessionEnd",
        json!({"reason": "other"}),
        "would leave word that session s1 has ended",
    );
    desk.says("s1", &[Said::Agent("done", 10_000)]);
    let far = "nothing to do: only 10000 of 200000 tokens are used";
    comes_to_nothing(&desk, "Stop", end(false), far);
}

#[test]
fn a_dry_run_on_a_history_that_has_its_note_says_so() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[Said::User("make it green"), Said::Agent("on it", 190_000)]);
    assert!(desk.stops("s1", false, "on it").stdout().contains("block"));
    let asked =
        "nothing to do: the agent has written its note in this history, or was asked for it";
    comes_to_nothing(&desk, "Stop", json!({"stop_hook_active": false}), asked);
    desk.writes("s1", "a note of s1");
    assert!(desk.begins("s1", "startup").is_some());
    for (event, more, why) in [
        ("SessionStart", json!({"source": "resume"}), "this history has the note"),
        ("UserPromptSubmit", json!({"prompt": "go on"}), "this history has the note"),
        ("SessionStart", json!({"source": "clear"}), "the user has emptied the history"),
        ("PreCompact", json!({"trigger": "auto"}), "this history has a note of its own"),
    ] {
        comes_to_nothing(&desk, event, more, &format!("nothing to do: {why}"));
    }
    desk.calls("s1", "PreCompact", json!({"trigger": "auto"}));
    for (summary, why) in [
        ("so far", "nothing to do: the summary has no note in it"),
        (
            "so far <note_to_self>\nSubgoal: make it green\n</note_to_self>",
            "would store the note in the summary",
        ),
    ] {
        comes_to_nothing(&desk, "PostCompact", json!({"compact_summary": summary}), why);
    }
}

#[test]
fn a_dry_run_for_each_other_host_says_why_nothing_is_to_be_done() {
    let codex = Desk::of(Host::Codex);
    let nothing = "nothing to do: nothing is known that a note could be made of";
    comes_to_nothing(&codex, "PreCompact", json!({"trigger": "auto"}), nothing);
    let gemini = Desk::of(Host::Gemini);
    let asks = "nothing to do: PreCompress asks for nothing";
    comes_to_nothing(&gemini, "PreCompress", json!({"trigger": "auto"}), asks);
    gemini.writes("s1", "a note of s1");
    let request = json!({"llm_request": {"messages": [{"role": "user", "content": "go on"}]}});
    let whole = "nothing to do: the request has the note, or no summary that it could stand behind";
    comes_to_nothing(&gemini, "BeforeModel", request, whole);
    let goose = Desk::of(Host::Goose);
    let unnamed = "nothing to do: GOOSE_MOIM_MESSAGE_FILE names no file";
    comes_to_nothing(&goose, "UserPromptSubmit", json!({}), unnamed);
    let file = goose.path().join("moim.md");
    let root = goose.project();
    let goose = goose.with("GOOSE_MOIM_MESSAGE_FILE", file.as_str());
    let goose = goose.with("GRAFF_ROOT", root.as_str());
    let current = "nothing to do: the file that goose reads is up to date";
    comes_to_nothing(&goose, "UserPromptSubmit", json!({}), current);
    goose.writes("s1", "a note of s1");
    comes_to_nothing(&goose, "UserPromptSubmit", json!({}), &format!("would change {file}"));
}

#[test]
fn a_dry_run_on_an_event_of_another_host_says_so_and_the_hook_is_silent() {
    for (host, event) in [
        (Host::ClaudeCode, "PreCompress"),
        (Host::Codex, "AfterAgent"),
        (Host::Gemini, "PreCompact"),
        (Host::Gemini, "Stop"),
        (Host::Opencode, "UserPromptSubmit"),
        (Host::Goose, "BeforeAgent"),
    ] {
        let desk = Desk::of(host);
        desk.says("s1", &[Said::User("make it green"), Said::Agent("on it", 190_000)]);
        let more = || json!({"trigger": "manual", "prompt": "go on", "stop_hook_active": false});
        let said = format!("nothing to do: {host} has no event {event}");
        comes_to_nothing(&desk, event, more(), &said);
        let before = desk.files();
        let ran = desk.calls("s1", event, more()).quietly();
        assert_eq!((ran.stdout(), desk.files()), ("", before), "{host} {event}: {ran}");
    }
}

#[test]
fn a_dry_run_on_our_own_request_as_a_prompt_says_that_it_is_that() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[Said::User("make it green"), Said::Agent("on it", 190_000)]);
    let asked = desk.stops("s1", false, "on it").json();
    desk.writes("s1", "a note of s1");
    let prompt = json!({"prompt": format!("Stop hook feedback:\n{}", asked["reason"].as_str().expect("words"))});
    let ours = "nothing to do: the prompt is our own request for a note";
    comes_to_nothing(&desk, "UserPromptSubmit", prompt, ours);
}

#[test]
fn a_dry_run_at_the_end_of_a_turn_without_a_figure_says_that_there_is_none() {
    let desk = Desk::of(Host::ClaudeCode);
    desk.says("s1", &[Said::Agent("on it", 190_000), Said::Compacted("so far")]);
    let unknown = "nothing to do: the transcript does not say how many tokens are used";
    comes_to_nothing(&desk, "Stop", json!({"stop_hook_active": false}), unknown);
}

/// Names as long as a name can be, of what is written longest or could be taken for a mark.
#[test]
fn the_longest_name_and_the_longest_note_leave_room_for_a_note() {
    let longest = ["a", "=", "\"", "\\", "é", "\u{1F980}", "\u{7f}"].map(|piece| {
        let parses = |name: &String| SessionName::parse(name).is_ok();
        (1..=220).rev().map(|count| piece.repeat(count)).find(parses)
    });
    let mut told = 0;
    for session in longest.into_iter().flatten() {
        for note in ["=".repeat(65_000), "é".repeat(32_000)] {
            let desk = Desk::of(Host::ClaudeCode);
            desk.writes(&session, &note);
            let start = json!({"source": "startup"});
            let ran = dry(&desk, &desk.payload(&session, "SessionStart", start).to_string());
            assert!(ran.quietly().stdout().contains(&note[..100]), "{session}");
            told += 1;
        }
    }
    assert!(told >= 8, "{told} names are too few");
}
