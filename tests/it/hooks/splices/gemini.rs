//! The promise holds for Gemini CLI too, which calls nothing after a compression: the next prompt,
//! tool result or request gives the note.

use std::{fs, io::Write};

use graff_notes::host::hook::Host;
use serde_json::json;

use super::{
    super::{
        desk::Desk,
        script::Said::{Agent, Compacted, Tool},
    },
    NOTE, desk, is_given,
};

#[test]
fn on_gemini_the_next_tool_result_makes_up_for_it_in_a_running_turn() {
    let desk = desk(Host::Gemini);
    let tool = || json!({"tool_name": "read_file", "tool_response": {"llmContent": "x"}});
    is_given(desk.prompt("s1", "go on"));
    assert_eq!(desk.context("s1", "AfterTool", tool()), None);
    desk.says("s1", &[Compacted("first"), Tool("x"), Agent("on it", 2_000)]);
    is_given(desk.context("s1", "AfterTool", tool()));
    assert_eq!(desk.context("s1", "AfterTool", tool()), None);
}

#[test]
fn on_gemini_a_request_behind_a_compression_gets_the_note_that_the_history_lost() {
    let desk = desk(Host::Gemini);
    let request = |contents: &[&str]| {
        let message = |content: &&str| json!({"role": "user", "content": content, "more": 7});
        json!({"llm_request": {"messages": contents.iter().map(message).collect::<Vec<_>>()}})
    };
    let patched = |contents: &[&str]| {
        let ran = desk.calls("s1", "BeforeModel", request(contents)).quietly();
        (!ran.stdout().is_empty()).then(|| ran.json()["hookSpecificOutput"].clone())
    };
    let summary = "<session_context/><state_snapshot>first</state_snapshot>";
    let found = patched(&[summary, "Got it.", "go on"]).expect("the note");
    let messages = &found["llm_request"]["messages"];
    assert_eq!(found["hookEventName"], "BeforeModel");
    assert_eq!((messages[1].clone(), messages[2].clone()), {
        let same = request(&["Got it.", "go on"])["llm_request"]["messages"].clone();
        (same[0].clone(), same[1].clone())
    });
    let with_note = messages[0]["content"].as_str().expect("a text");
    assert!(with_note.starts_with(&format!("{summary}\n\n===")), "{with_note}");
    is_given(with_note.to_owned());
    assert_eq!(patched(&[with_note, "Got it.", "go on"]), None, "it is in there");
    assert_eq!(patched(&[summary, "Got it.", NOTE]), None, "the agent has just written it");
    assert_eq!(patched(&["hello", "Got it."]), None, "nothing is lost without a compression");
    for odd in [json!({}), json!({"llm_request": 7}), json!({"llm_request": {"messages": [7]}})] {
        assert_eq!(desk.calls("s1", "BeforeModel", odd).quietly().stdout(), "");
    }
}

#[test]
fn on_gemini_nothing_is_said_at_the_start() {
    let desk = desk(Host::Gemini);
    for source in ["startup", "resume", "clear"] {
        assert_eq!(desk.begins("s1", source), None, "it would cost the user's prompt");
    }
}

/// Writes down a compression of Gemini CLI that has left what a prompt was given in the history.
fn keeps(desk: &Desk, summary: &str, given: &str) {
    let kept = json!({"$set": {"messages": [
        {"id": "c1", "type": "user", "content": [{"text": format!("<state_snapshot>{summary}")}]},
        {"id": "c2", "type": "user", "content": [{"text": "go on"}, {"text": given}]},
    ]}});
    let file = fs::File::options().append(true).open(desk.transcript("s1"));
    file.and_then(|mut file| writeln!(file, "{kept}")).expect("written");
}

#[test]
fn on_gemini_a_compaction_that_kept_the_note_gives_no_second_one() {
    let desk = desk(Host::Gemini);
    let given = desk.prompt("s1", "go on").expect("the note");
    keeps(&desk, "first", &given);
    assert_eq!(desk.prompt("s1", "go on"), None);
    desk.says("s1", &[Compacted("second")]);
    is_given(desk.prompt("s1", "go on"));
}

/// What the end of the turn has counted, the next prompt doesn't read again.
#[test]
fn a_note_that_a_history_kept_is_known_to_be_in_it_whichever_hook_sees_that_first() {
    for (event, more) in [
        ("AfterAgent", json!({"stop_hook_active": false, "prompt_response": "done"})),
        ("PreCompress", json!({"trigger": "manual"})),
    ] {
        let desk = desk(Host::Gemini).with("GRAFF_WINDOW_TOKENS", "10000");
        let given = desk.prompt("s1", "go on").expect("the note");
        keeps(&desk, "first", &given);
        desk.says("s1", &[Agent("on it", 9_000)]);
        desk.calls("s1", event, more);
        assert_eq!(desk.prompt("s1", "go on"), None, "{event}");
        desk.says("s1", &[Compacted("second")]);
        assert!(desk.prompt("s1", "go on").is_some(), "{event}: that one kept nothing");
    }
}
