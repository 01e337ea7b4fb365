//! A history goes to an endpoint in the endpoint's own form, and so that it is not refused.

use serde_json::{Value, json};

use super::loopback::{NOTE, anthropic, ask, chat, endpoint, ok, outcome, world_of};

/// The messages that an endpoint is sent for a history, without the instruction, and all that is
/// sent; the endpoint takes them.
#[track_caller]
fn sent(history: &[Value], path: &str) -> (Vec<Value>, Value) {
    let responses = json!({"status": "completed", "output": [
        {"type": "message", "content": [{"type": "output_text", "text": NOTE}]}]});
    let (reply, messages) = match path {
        "/chat/completions" => (chat(&json!(NOTE)), "messages"),
        "/responses" => (responses, "input"),
        _ => (anthropic(NOTE), "messages"),
    };
    let (url, requests) = endpoint(vec![ok(&reply)]);
    let ran = ask(&world_of(history), &(url + path), &[]).ends(0);
    assert_eq!(outcome(&ran)["outcome"], "stored", "{path}: {ran}");
    let (_, body) = requests.recv().expect("a request");
    let said = body[messages].as_array().expect("messages");
    let (_instruction, told) = said.split_last().expect("an instruction");
    (told.to_vec(), body)
}

fn of_user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

/// Anthropic's endpoint refuses blocks of tools in a request that has no tools.
#[test]
fn calls_and_results_of_tools_go_in_the_form_of_the_endpoint_and_to_anthropic_as_text() {
    let openai = [
        json!({"role": "user", "content": "run it"}),
        json!({"role": "assistant", "content": "I do.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{\"c\":1}"}}]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "exit 1"}),
    ];
    let anthropic = [
        json!({"role": "user", "content": "run it"}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "I do."},
            {"type": "tool_use", "id": "c1", "name": "sh", "input": {"c": 1}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "exit 1"}]}),
    ];
    let responses = [
        json!({"role": "user", "content": "run it"}),
        json!({"role": "assistant", "content": "I do."}),
        json!({"type": "function_call", "call_id": "c1", "name": "sh", "arguments": "{\"c\":1}"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": "exit 1"}),
    ];
    let text = [
        json!({"role": "user", "content": "run it"}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "I do."},
            {"type": "text", "text": "Call c1 of the tool sh: {\"c\":1}"}]}),
        of_user("Result of call c1: exit 1"),
    ];
    for transcript in [&openai, &anthropic] {
        assert_eq!(sent(transcript, "/chat/completions").0, openai);
        assert_eq!(sent(transcript, "/responses").0, responses);
        let (told, body) = sent(transcript, "/messages");
        assert_eq!((told, &body["tools"]), (text.to_vec(), &Value::Null));
    }
}

#[test]
fn whatever_the_system_says_first_goes_along_as_one_text_where_an_endpoint_has_a_place_for_it() {
    let history = [
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "system", "content": [{"type": "text", "text": "You are brief."}]}),
        json!({"role": "user", "content": "mend it"}),
    ];
    assert_eq!(sent(&history, "/chat/completions").0, history);
    let (told, body) = sent(&history, "/messages");
    assert_eq!(told, history[2..]);
    assert_eq!(body["system"], "You are an agent.\n\nYou are brief.");
    let (_, body) = sent(&history[2..], "/messages");
    assert_eq!(body.get("system"), None);
}

#[test]
fn what_anthropic_would_refuse_goes_there_as_a_text_of_the_user() {
    let history = [
        json!({"role": "user", "content": "mend it", "name": "somebody"}),
        json!({"role": "assistant", "content": ""}),
        json!({"role": "assistant", "content": null}),
        json!({"role": "assistant", "content": [{"type": "text", "text": " "}]}),
        json!({"role": "system", "content": "Half of the budget is left."}),
        json!({"role": "developer", "content": [{"type": "text", "text": "Be quick."}]}),
        json!({"role": "user", "content": [{"type": "text", "text": "go on"}]}),
    ];
    let (told, _) = sent(&history, "/messages");
    let texts = ["mend it", "Half of the budget is left.", "Be quick.", "go on"];
    assert_eq!(told, texts.map(of_user));
}
