//! What a record says is what counts: never the name of a file, nor the place of a key.

use graff_notes::{
    facts::{FileAction, Outcome},
    host::transcript::Form,
    units::Bytes,
    usage::{Item, pressure},
};
use proptest::prelude::*;
use serde_json::json;

use super::{fixture, in_lines, read};

#[test]
fn the_forms_are_told_apart_by_the_first_record_that_says_enough() {
    let table = [
        (r#"{"type":"summary","summary":"x","leafUuid":"u"}"#, Some(Form::ClaudeCode)),
        (r#"{"type":"user","sessionId":"s","message":{}}"#, Some(Form::ClaudeCode)),
        (r#"{"sessionId":"s","isMeta":true,"type":"mode"}"#, Some(Form::ClaudeCode)),
        (r#"{"timestamp":"t","type":"session_meta","payload":{}}"#, Some(Form::Codex)),
        (r#"{"payload":{"type":"message"},"type":"response_item"}"#, Some(Form::Codex)),
        (r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#, Some(Form::Gemini)),
        (r#"{"$set":{"lastUpdated":"t"}}"#, Some(Form::Gemini)),
        (r#"{"id":"i","type":"gemini","content":"x"}"#, Some(Form::Gemini)),
        (r#"{"role":"user","content":"x"}"#, Some(Form::Plain)),
        (r#"{"id":"i","type":"message","role":"assistant","content":[]}"#, Some(Form::Plain)),
        (r#"{"id":"i","type":"user","content":"x"}"#, None),
        (r#"{"type":"session_meta","payload":"x"}"#, None),
        (r#"{"role":null,"content":"x"}"#, None),
        ("{}", None),
    ];
    for (record, form) in table {
        assert_eq!(read(record).form, form, "{record}");
        let behind_others = format!("{{}}\n{{\"v\":1}}\njunk\n{record}\n");
        assert_eq!(read(behind_others).form, form, "{record} behind records that say nothing");
    }
}

#[test]
fn every_session_is_known_by_any_of_its_halves() {
    let sessions = [
        ("claude-compacted.jsonl", Form::ClaudeCode),
        ("codex-compacted.jsonl", Form::Codex),
        ("gemini-compacted.jsonl", Form::Gemini),
        ("plain-openai.jsonl", Form::Plain),
    ];
    for (name, form) in sessions {
        let bytes = fixture(name);
        let (first, second) = bytes.split_at(bytes.len() / 2);
        assert_eq!(read(first).form, Some(form), "{name}");
        assert_eq!(read(second).form, Some(form), "{name}");
    }
}

#[test]
fn a_history_weighs_what_its_texts_calls_results_and_images_weigh() {
    let arguments = r#"{"path":"größe.rs"}"#;
    let input: serde_json::Value = serde_json::from_str(arguments).unwrap();
    let long = "ä\n\"".repeat(100_000);
    let records = [
        json!({"role": "user", "content": "wie groß?\n"}),
        json!({"role": "assistant", "content": [
            {"type": "text", "text": "let me see"},
            {"type": "tool_use", "id": "t1", "name": "read", "input": input}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [
                {"type": "text", "text": long}, {"type": "image", "source": {}}]},
            {"type": "image", "source": {"data": "x".repeat(50_000)}}]}),
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "function": {"name": "read", "arguments": arguments}}]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "🦀"}),
    ];
    let expected = pressure([
        Item::Text("wie groß?\n"),
        Item::Text("let me see"),
        Item::ToolCall { id: "t1", name: "read", arguments },
        Item::ToolResult { id: "t1", content: &long },
        Item::Image,
        Item::Image,
        Item::ToolCall { id: "c1", name: "read", arguments },
        Item::ToolResult { id: "c1", content: "🦀" },
    ]);
    assert_eq!(read(in_lines(&records)).pressure, expected);
}

#[test]
fn a_message_of_many_parts_weighs_with_all_of_them() {
    let parts = vec![json!({"type": "text", "text": "xx"}); 5_000];
    let transcript = read(json!({"role": "user", "content": parts}).to_string());
    assert_eq!(transcript.pressure, Bytes::new(10_000));
}

#[test]
fn gemini_puts_a_message_that_comes_again_in_the_place_of_the_first() {
    let call = json!({"id": "c", "name": "read_file", "args": {"file_path": "a.rs"},
        "status": "success", "result": [{"functionResponse": {"response": {"output": "x"}}}]});
    let bare = json!({"id": "1", "type": "gemini", "content": "abc", "tokens": {"input": 5}});
    let mut whole = bare.clone();
    whole["toolCalls"] = json!([call]);
    let transcript = read(format!("{bare}\n{whole}\n{whole}\n"));
    let call = Item::ToolCall { id: "c", name: "read_file", arguments: r#"{"file_path":"a.rs"}"# };
    assert_eq!(transcript.pressure, pressure([Item::Text("abc"), call]));
    assert_eq!(transcript.facts.files().count(), 1);
    assert_eq!(transcript.facts.commands().count(), 0);
}

#[test]
fn what_a_hook_of_gemini_sends_in_the_users_place_is_no_request() {
    let asked = json!({"id": "1", "type": "user",
        "displayContent": [{"text": "<hook_context>a</hook_context>\n\nasked"}],
        "content": [{"text": "<hook_context>a</hook_context>\n\nasked"},
            {"text": "<hook_context>b</hook_context>"}]});
    let sent = json!({"id": "2", "type": "user", "content": [
        {"text": "write a note"}, {"text": "<hook_context>b</hook_context>"}]});
    assert_eq!(read(format!("{asked}\n{sent}\n")).facts.request(), None, "no form yet");
    let header = json!({"sessionId": "s", "projectHash": "h"});
    let transcript = read(format!("{header}\n{asked}\n{sent}\n"));
    assert_eq!(transcript.facts.request(), Some("asked"));
}

#[test]
fn older_rollouts_of_codex_say_requests_and_exit_statuses_their_own_way() {
    let user = json!({"type": "event_msg", "payload": {"type": "user_message", "message": "hi"}});
    let call = json!({"type": "response_item", "payload": {"type": "function_call", "call_id": "c",
        "name": "shell", "arguments": r#"{"command":["bash","-lc","make all"]}"#}});
    let output = json!({"type": "response_item", "payload": {"type": "function_call_output",
        "call_id": "c", "output": "{\"output\":\"no rule\",\"metadata\":{\"exit_code\":2}}"}});
    let transcript = read(format!("{user}\n{call}\n{output}\n"));
    assert_eq!(transcript.facts.request(), Some("hi"));
    let command = transcript.facts.commands().next().unwrap();
    assert_eq!(command.text, "make all");
    assert_eq!(command.outcome, Outcome::Failed { exit: Some(2) });
}

#[test]
fn an_exit_status_that_a_command_merely_prints_is_not_its_own() {
    let call = json!({"type": "response_item", "payload": {"type": "function_call", "call_id": "c",
        "name": "exec_command", "arguments": r#"{"cmd":"cat log"}"#}});
    let reports = [
        ("Process exited with code 0", Outcome::Worked),
        ("Process exited with code 3", Outcome::Failed { exit: Some(3) }),
        ("Process running with session ID 7", Outcome::Running),
        ("Original token count: 5", Outcome::Unknown),
    ];
    for (report, outcome) in reports {
        let said = format!("Wall time: 0.1\n{report}\nOutput:\nExit code: 9\n");
        let output = json!({"type": "response_item", "payload": {
            "type": "function_call_output", "call_id": "c", "output": said}});
        let transcript = read(in_lines([&call, &output]));
        assert_eq!(transcript.facts.commands().next().unwrap().outcome, outcome, "{report}");
    }
}

#[test]
fn the_folder_is_the_first_that_is_said_and_the_session_the_last() {
    let record = |session, cwd| json!({"type": "user", "sessionId": session, "cwd": cwd});
    let transcript = read(in_lines([&record("s1", "/p"), &record("s2", "/p/src")]));
    assert_eq!(transcript.cwd.as_deref(), Some("/p"));
    assert_eq!(transcript.session.as_deref(), Some("s2"));
}

#[test]
fn a_patch_that_moves_a_file_deletes_one_and_writes_one() {
    let change = json!({"type": "event_msg", "payload": {"type": "item_completed", "item": {
        "type": "FileChange", "id": "c", "status": "completed", "changes": {
            "/p/a.rs": {"type": "update", "move_path": "/p/b.rs"}}}}});
    let meta = json!({"type": "session_meta", "payload": {"id": "s", "cwd": "/p"}});
    let transcript = read(format!("{meta}\n{change}\n"));
    let files: Vec<_> = transcript.facts.files().map(|it| (it.path.as_str(), it.action)).collect();
    assert_eq!(files, [("b.rs", FileAction::Written), ("a.rs", FileAction::Deleted)]);
}

#[test]
fn a_call_whose_result_never_came_is_known_with_an_unknown_outcome() {
    let call = json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}]});
    let transcript = read(call.to_string());
    assert_eq!(transcript.facts.commands().next().unwrap().outcome, Outcome::Unknown);
}

/// A text as JSON, with every character escaped whose turn it is.
fn escaped(text: &str, turns: &[bool]) -> String {
    let escape = |c: char| {
        let mut units = [0; 2];
        let escapes = c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
        escapes.collect::<Vec<_>>().concat()
    };
    let turns = turns.iter().copied().cycle();
    std::iter::zip(text.chars(), turns)
        .map(|(c, turn)| match c {
            '\n' if !turn => r"\n".to_owned(),
            '"' | '\\' if !turn => format!("\\{c}"),
            c if turn || c.is_control() => escape(c),
            c => c.to_string(),
        })
        .collect()
}

proptest! {
    #[test]
    fn a_text_is_what_its_escapes_stand_for(
        text in "(?s)x.{0,60}x",
        turns in prop::collection::vec(any::<bool>(), 1..20),
    ) {
        let json = escaped(&text, &turns);
        let record = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{json}"}}]}}"#);
        let transcript = read(&record);
        prop_assert_eq!(transcript.facts.request(), Some(text.as_str()), "{}", record);
        prop_assert_eq!(transcript.pressure, Bytes::of(&text));
    }
}
