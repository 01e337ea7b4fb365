//! One call, whatever the endpoint does.

use std::fs;

use serde_json::{Value, json};

use super::loopback::{
    Act, KEY, NOTE, anthropic, ask, asking, chat, endpoint, http, ok, outcome, proxy, world,
};
use crate::support::world::Ran;

#[test]
fn each_kind_of_endpoint_gets_the_history_and_the_instruction_and_its_reply_is_stored() {
    let responses = json!({"status": "completed", "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": NOTE}]}]});
    for (path, reply, messages, led_by, cap, key) in [
        (
            "/chat/completions",
            chat(&json!(NOTE)),
            "messages",
            1,
            "max_tokens",
            "authorization: Bearer ",
        ),
        ("/responses", responses, "input", 1, "max_output_tokens", "authorization: Bearer "),
        ("/messages", anthropic(NOTE), "messages", 0, "max_tokens", "x-api-key: "),
    ] {
        let (url, requests) = endpoint(vec![ok(&reply)]);
        let world = world();
        let ran = ask(&world, &(url + path), &[]).ends(0);
        assert_eq!(outcome(&ran)["outcome"], "stored", "{path}: {ran}");
        assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), NOTE);
        let (head, body) = requests.recv().expect("a request");
        assert!(head.contains(&format!("{key}{KEY}\r\n")), "{path}: {head}");
        let said = body[messages].as_array().expect("messages");
        assert_eq!(said.len(), led_by + 3, "{path}: {body}");
        assert_eq!(said[led_by], json!({"role": "user", "content": "mend the parser"}));
        let last = said.last().and_then(|it| it["content"].as_str()).expect("an instruction");
        assert!(last.contains("none"), "{last}");
        assert_eq!((&body["model"], &body[cap]), (&json!("m"), &json!(4096)), "{path}");
        assert_eq!(body.get("tools"), None, "{path}");
        let kinds: Vec<_> = world.run(&["log", "s1", "--json"]).ends(0).answers();
        assert_eq!(kinds[0]["kind"], "attempt", "it is on record first");
        assert!(!fs::read_to_string(world.log("s1")).expect("a log").contains(KEY));
        // The generation has had its attempt: nobody is asked again.
        let again = ask(&world, "http://127.0.0.1:1/messages", &[]).ends(6);
        assert_eq!(again.json()["refusal"], "already_attempted");
    }
}

/// Asks an endpoint that gives no reply, once and within its time; returns why there was none.
#[track_caller]
fn failed(act: Act) -> String {
    let (url, requests) = endpoint(vec![act]);
    let world = world();
    let ran = ask(&world, &(url + "/chat/completions"), &["--timeout", "600"]).ends(1);
    let outcome = outcome(&ran);
    assert_eq!(outcome["outcome"], "call_failed", "{ran}");
    assert_eq!(requests.iter().count(), 1, "it is asked once: {ran}");
    world.run(&["show", "s1"]).ends(3);
    outcome["figures"]["reason"].as_str().expect("a reason").to_owned()
}

#[test]
fn what_is_no_reply_fails_the_call_and_leaves_no_note() {
    let cut = json!({"choices": [{"message": {"content": NOTE}, "finish_reason": "length"}]});
    let overflow = json!({"error": {"code": "context_length_exceeded", "message": "too long"}});
    let echo = json!({"error": {"message": format!("Incorrect API key provided: {KEY}")}});
    // A reply like any other, but for its size.
    let mut huge = chat(&json!(NOTE));
    huge["padding"] = json!("x".repeat(3 << 20));
    for (act, why) in [
        (ok(&chat(&json!(""))), "the reply has no text"),
        (ok(&chat(&Value::Null)), "the reply has no text"),
        (ok(&cut), "the reply was stopped by the output limit"),
        (ok(&json!({"fine": true})), "the answer is of another form"),
        (http("200 OK", "", "<html>hello</html>"), "the answer is no JSON"),
        (
            http("400 Bad Request", "", &overflow.to_string()),
            "the history is too large for the model",
        ),
        (http("401 Unauthorized", "", &echo.to_string()), "Incorrect API key provided: (the key)"),
        (
            http("429 Too Many", "retry-after: 3600\r\n", "{}"),
            "refuses for rate or quota, with status 429, and asks to be left alone for 3600 s",
        ),
        (http("307 Moved", "location: http://127.0.0.1:1/\r\n", ""), "with status 307"),
        (ok(&huge), "larger than"),
    ] {
        let said = failed(act);
        assert!(said.contains(why), "{why}: {said}");
    }
    // In which words hangs on who is the first to see that the connection is gone.
    assert_ne!(failed(Act::Say(String::new())), "");
    let (url, _) = endpoint(vec![ok(&chat(&json!("none")))]);
    assert_eq!(
        outcome(&ask(&world(), &(url + "/chat/completions"), &[]).ends(0))["outcome"],
        "opted_out"
    );
}

#[test]
fn what_a_model_only_thinks_is_no_reply() {
    let thought = "SUBGOAL: mend src/parse.rs:88, or so it may be thought";
    let summary = json!([{"type": "summary_text", "text": thought}]);
    let responses = json!({"status": "completed", "output": [
        {"type": "reasoning", "summary": summary, "content": [{"type": "reasoning_text", "text": thought}]}]});
    let anthropic = json!({"content": [{"type": "thinking", "thinking": thought, "signature": "s"}],
        "stop_reason": "end_turn"});
    let chat = json!({"choices": [{"message": {"content": null, "reasoning_content": thought},
        "finish_reason": "stop"}]});
    for (path, reply) in
        [("/responses", responses), ("/messages", anthropic), ("/chat/completions", chat)]
    {
        let (url, _requests) = endpoint(vec![ok(&reply)]);
        let world = world();
        let outcome = outcome(&ask(&world, &(url + path), &[]).ends(1));
        assert_eq!(outcome["outcome"], "call_failed", "{path}: {outcome}");
        assert_eq!(outcome["figures"]["reason"], "the reply has no text", "{path}");
        world.run(&["show", "s1"]).ends(3);
    }
}

#[test]
fn openai_itself_is_told_the_cap_under_the_name_that_its_reasoning_models_take() {
    for (url, member, other) in [
        ("http://api.openai.com/v1/chat/completions", "max_completion_tokens", "max_tokens"),
        ("http://API.OpenAI.com:80/v1/chat/completions", "max_completion_tokens", "max_tokens"),
        (
            "http://api.openai.com.example/v1/chat/completions",
            "max_tokens",
            "max_completion_tokens",
        ),
        (
            "http://u@other.example/api.openai.com/chat/completions",
            "max_tokens",
            "max_completion_tokens",
        ),
    ] {
        let (proxy, requests) = proxy(ok(&chat(&json!(NOTE))));
        let world = world();
        let mut command = asking(&world, url, KEY, &[]);
        let ran = Ran::of(command.env("http_proxy", &proxy).env("NO_PROXY", "")).ends(0);
        assert_eq!(outcome(&ran)["outcome"], "stored", "{url}: {ran}");
        let (_, body) = requests.recv().expect("a request");
        assert_eq!(body[member], 4096, "{url}: {body}");
        assert_eq!(body.get(other), None, "{url}: {body}");
    }
}

#[test]
fn what_holds_for_a_rollover_holds_where_a_model_is_asked_outright() {
    let (url, _requests) = endpoint(vec![ok(&chat(&json!(NOTE)))]);
    let url = url + "/chat/completions";
    let world = world();
    let mut command = asking(&world, &url, KEY, &["--generation", "7"]);
    let ran = Ran::of(command.env("GRAFF_CAP_BYTES", "16")).ends(0);
    assert_eq!(ran.json()["generation"], 7, "{ran}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), &NOTE[..16]);
    let drip = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{".to_owned();
    for flag in [&[][..], &["--note-timeout-seconds", "1"]] {
        let (url, _requests) = endpoint(vec![Act::Drip(drip.clone())]);
        let world = self::world();
        let mut command = asking(&world, &(url + "/chat/completions"), KEY, flag);
        if flag.is_empty() {
            command.env("GRAFF_NOTE_TIMEOUT_SECONDS", "1");
        }
        let ran = Ran::of(&mut command).ends(1);
        assert_eq!(outcome(&ran)["figures"]["reason"], "there was no answer in time");
    }
    for flag in [["--cap-bytes", "15"], ["--timeout", "0"], ["--note-timeout-seconds", "86401"]] {
        ask(&world, "http://127.0.0.1:1/messages", &flag).ends(2);
    }
}

#[test]
fn an_endpoint_that_drips_is_left_when_the_time_is_up() {
    let drip = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{".to_owned();
    let (url, _requests) = endpoint(vec![Act::Drip(drip)]);
    let world = world();
    let ran = ask(&world, &(url + "/chat/completions"), &["--timeout", "1"]).ends(1);
    let outcome = outcome(&ran);
    assert_eq!(outcome["outcome"], "call_failed", "{ran}");
    assert_eq!(outcome["figures"]["reason"], "there was no answer in time");
}

/// What no address can be that is called, with why.
const NO_ADDRESS: [(&str, &str); 8] = [
    ("api.example/v1/messages", "it must begin with https:// or http://"),
    ("/v1/messages", "it must begin with https:// or http://"),
    ("ftp://api.example/messages", "it must begin with https:// or http://"),
    ("http:///messages", "is no address that can be called: "),
    ("http://h:99999/messages", "its port is no number up to 65535"),
    ("http://a b/messages", "there is white space in it"),
    ("https://u:s3cret@h/v1", "https://***@h/*** tells of no interface that is spoken here"),
    ("", "tells of no interface"),
];

#[test]
fn what_can_be_known_before_the_call_is_refused_before_anything_is_on_record() {
    let world = world();
    let refused = |command: &mut std::process::Command, why: &str| {
        let ran = Ran::of(command).ends(2);
        assert!(ran.stderr().contains(why), "{why}: {ran}");
        assert!(!ran.stderr().contains("s3cret"), "{ran}");
        assert!(!world.root().join(".graff").exists(), "{why}: an attempt is on record");
    };
    for (url, why) in NO_ADDRESS {
        refused(&mut asking(&world, url, KEY, &[]), why);
    }
    let good = "http://127.0.0.1:1/messages";
    refused(&mut asking(&world, good, KEY, &["--timeout", "0"]), "may be 1 to 86400");
    refused(&mut asking(&world, good, KEY, &["--timeout", "86401"]), "may be 1 to 86400");
    refused(&mut asking(&world, good, "sk\n-of-two-lines", &[]), "the key in GRAFF_API_KEY");
    let mut nameless = world.command(&["ask", "--transcript", "t.jsonl", "--endpoint", good]);
    refused(nameless.env("HOME", world.root()), "--model, with GRAFF_MODEL, or with a line `model");
    let mut blank = world.command(&["ask", "--transcript", "t.jsonl", "--endpoint", good]);
    refused(blank.args(["--model", " "]), "the model's name is blank");
}

#[test]
fn a_rollover_that_can_ask_nobody_prints_its_prompt_and_spends_no_attempt() {
    let world = world();
    fs::write(world.root().join("prompt"), "You are an agent.").expect("a prompt");
    let history = json!({"role": "user", "content": "x".repeat(2_000)});
    fs::write(world.root().join("t.jsonl"), format!("{history}\n")).expect("a transcript");
    let refused = |source: &str, more: &[&str], why: &str| {
        let mut rollover = world.command(&["rollover", "--transcript", "t.jsonl", "--system"]);
        rollover.args(["prompt", "--ceiling-tokens", "1000", "--note-from", source]).args(more);
        let ran = Ran::of(&mut rollover).ends(2);
        assert_eq!(ran.stdout(), "You are an agent.", "{ran}");
        let said = "could not ask for a note, and put no attempt on record: ";
        assert!(ran.stderr().contains(said) && ran.stderr().contains(why), "{why}: {ran}");
        assert!(!world.root().join(".graff").exists(), "{why}: an attempt is on record");
    };
    for (url, why) in NO_ADDRESS {
        refused(&format!("endpoint:{url}"), &["--model", "m"], why);
    }
    let good = "endpoint:http://127.0.0.1:1/messages";
    refused(good, &[], "no model at the endpoint is named");
    for source in [good, "command:cat"] {
        let never = ["--model", "m", "--note-timeout-seconds", "0"];
        refused(source, &never, "--note-timeout-seconds is 0, and may be 1 to 86400");
    }
}

#[test]
fn who_asks_to_be_asked_later_is_if_there_is_time() {
    let later = || http("429 Too Many", "retry-after: 1\r\n", "{}");
    let (url, requests) = endpoint(vec![later(), ok(&chat(&json!(NOTE)))]);
    let ran = ask(&world(), &(url + "/chat/completions"), &["--timeout", "60"]).ends(0);
    assert_eq!(outcome(&ran)["outcome"], "stored", "{ran}");
    assert_eq!(requests.iter().count(), 2);
}

#[test]
fn who_asks_to_be_asked_later_for_ever_is_left_after_three_times() {
    for status in ["429 Too Many Requests", "503 Service Unavailable", "529 Overloaded"] {
        let (url, requests) = endpoint(vec![http(status, "retry-after: 0\r\n", "{}"); 9]);
        let world = world();
        let ran = ask(&world, &(url + "/chat/completions"), &["--timeout", "600"]).ends(1);
        assert_eq!(outcome(&ran)["outcome"], "call_failed", "{ran}");
        assert_eq!(requests.try_iter().count(), 3, "{ran}");
        let kinds = world.run(&["log", "s1", "--json"]).ends(0).answers();
        assert_eq!(kinds.len(), 1, "one attempt is on record: {kinds:?}");
        ask(&world, "http://127.0.0.1:1/messages", &[]).ends(6);
    }
}

#[test]
fn one_call_of_the_pool_pays_for_each_time_that_is_asked() {
    let later = || http("429 Too Many Requests", "retry-after: 0\r\n", "{}");
    // Six of ten are held back, so that this is the last that may be spent.
    let last = ["--calls-cap", "10", "--calls-used", "3"];
    let (url, requests) = endpoint(vec![later(), later(), ok(&chat(&json!(NOTE)))]);
    let world = world();
    let ran = ask(&world, &(url + "/chat/completions"), &last).ends(0);
    assert_eq!(outcome(&ran)["outcome"], "stored", "{ran}");
    assert_eq!(requests.iter().count(), 3);
    let records = world.run(&["log", "s1", "--json"]).ends(0).answers();
    let kinds: Vec<_> = records.iter().map(|record| record["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("attempt"), Some("note")], "one attempt: {records:?}");
}

#[test]
fn the_call_is_paid_from_the_pool_or_not_made() {
    let world = world();
    let calls = ["--calls-cap", "10", "--calls-used", "4"];
    let ran = ask(&world, "http://127.0.0.1:1/messages", &calls).ends(6);
    assert_eq!(ran.json()["refusal"], "budget");
    assert!(!world.root().join(".graff").exists(), "no attempt either");
}

#[test]
fn a_rollover_takes_its_note_from_an_endpoint() {
    let (url, requests) = endpoint(vec![ok(&chat(&json!(NOTE)))]);
    let world = world();
    let history = json!({"role": "user", "content": "x".repeat(2_000)});
    fs::write(world.root().join("t.jsonl"), format!("{history}\n")).expect("a transcript");
    fs::write(world.root().join("prompt"), "You are an agent.").expect("a prompt");
    let source = format!("endpoint:{url}/chat/completions");
    let args = [
        "rollover",
        "--transcript",
        "t.jsonl",
        "--system",
        "prompt",
        "--session",
        "s1",
        "--ceiling-tokens",
        "1000",
        "--note-from",
        &source,
        "--model",
        "m",
    ];
    let ran = world.run(&args).ends(0);
    assert!(ran.stdout().contains(NOTE), "{ran}");
    assert_eq!(requests.iter().count(), 1);
}
