//! A model's endpoint is asked once, within bounds: whatever it does, the call ends in time, the
//! attempt is on record, and the key shows nowhere.

#[cfg(not(feature = "ask"))]
#[test]
fn a_build_without_endpoints_says_how_to_get_one_with_them() {
    let world = crate::support::world::World::new();
    let ran = world.run(&["ask", "--transcript", "t", "--endpoint", "http://x/messages"]).ends(2);
    assert!(ran.stderr().contains("this build has no endpoints"), "{ran}");
    assert!(ran.stderr().contains("--features ask"), "{ran}");
    let args =
        ["rollover", "--transcript", "t", "--system", "s", "--note-from", "endpoint:http://x"];
    assert!(world.run(&args).stderr().contains("--features ask"));
}

#[cfg(feature = "ask")]
mod asked {
    use std::{
        fs,
        io::{BufRead, BufReader, Read, Write},
        net::TcpListener,
        sync::mpsc::{self, Receiver},
        thread,
        time::Duration,
    };

    use serde_json::{Value, json};

    use crate::support::world::{Ran, World};

    const KEY: &str = "sk-secret-key-0123456789";
    const NOTE: &str = "SUBGOAL: mend src/parse.rs:88; the CR is dropped in read_line";

    /// What the endpoint does with a connection, as raw bytes.
    #[derive(Clone)]
    enum Act {
        Say(String),
        /// Says this, and then a byte now and then for ever.
        Drip(String),
    }

    /// An endpoint that does one thing after the other; it gives out the requests: head and body.
    fn endpoint(script: Vec<Act>) -> (String, Receiver<(String, Value)>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (send, requests) = mpsc::channel();
        thread::spawn(move || {
            for act in script {
                let (mut stream, _) = listener.accept().expect("a connection");
                let mut reader = BufReader::new(stream.try_clone().expect("another handle"));
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    let lower = line.to_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a length");
                    }
                    head += &line;
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a body");
                let _ = send.send((head, serde_json::from_slice(&body).unwrap_or_default()));
                match act {
                    Act::Say(bytes) => drop(stream.write_all(bytes.as_bytes())),
                    Act::Drip(bytes) => {
                        let _ = stream.write_all(bytes.as_bytes());
                        while stream.write_all(b" ").is_ok() {
                            thread::sleep(Duration::from_millis(50));
                        }
                    }
                }
            }
        });
        (url, requests)
    }

    fn http(status: &str, headers: &str, body: &str) -> Act {
        let length = body.len();
        Act::Say(format!(
            "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
        ))
    }

    fn ok(body: &Value) -> Act {
        http("200 OK", "", &body.to_string())
    }

    fn chat(text: &Value) -> Value {
        json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
    }

    fn world() -> World {
        let world = World::new();
        let history = [
            json!({"role": "system", "content": "You are an agent."}),
            json!({"role": "user", "content": "mend the parser", "usage": {"x": 1}}),
            json!({"role": "assistant", "content": "I look at src/parse.rs"}),
        ];
        let lines = history.map(|message| format!("{message}\n")).concat();
        fs::write(world.root().join("t.jsonl"), lines).expect("a transcript");
        world
    }

    fn ask(world: &World, url: &str, more: &[&str]) -> Ran {
        let args = ["ask", "--transcript", "t.jsonl", "--session", "s1", "--model", "m"];
        let mut command =
            world.command(&[&args[..], &["--endpoint", url, "--json"], more].concat());
        command.env("GRAFF_API_KEY", KEY);
        for proxy in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(proxy);
        }
        Ran::of(&mut command)
    }

    fn outcome(ran: &Ran) -> Value {
        assert!(!format!("{ran}").contains(KEY), "the key shows: {ran}");
        ran.json()["outcome"].clone()
    }

    #[test]
    fn each_kind_of_endpoint_gets_the_history_and_the_instruction_and_its_reply_is_stored() {
        let responses = json!({"status": "completed", "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": NOTE}]}]});
        let anthropic = json!({"content": [{"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": NOTE}], "stop_reason": "end_turn"});
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
            ("/messages", anthropic, "messages", 0, "max_tokens", "x-api-key: "),
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

    #[test]
    fn calls_and_results_of_tools_go_in_the_form_of_the_endpoint() {
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
        for transcript in [&openai, &anthropic] {
            let shapes = [
                ("/chat/completions", "messages", &openai[..]),
                ("/messages", "messages", &anthropic),
                ("/responses", "input", &responses),
            ];
            for (path, messages, expected) in shapes {
                let (url, requests) = endpoint(vec![ok(&json!({}))]);
                let world = World::new();
                let lines = transcript.clone().map(|message| format!("{message}\n")).concat();
                fs::write(world.root().join("t.jsonl"), lines).expect("a transcript");
                ask(&world, &(url + path), &[]).ends(1);
                let (_, body) = requests.recv().expect("a request");
                let said = body[messages].as_array().expect("messages");
                let (_instruction, told) = said.split_last().expect("an instruction");
                assert_eq!(told, expected, "{path}");
            }
        }
    }

    #[test]
    fn an_endpoint_that_says_the_key_is_not_believed_to_mean_it() {
        let (url, _requests) = endpoint(vec![ok(&chat(&json!(format!("{NOTE}; {KEY}"))))]);
        let world = world();
        outcome(&ask(&world, &(url + "/chat/completions"), &[]).ends(0));
        let stored = world.run(&["show", "s1"]).quietly();
        assert_eq!(stored.stdout(), format!("{NOTE}; (the key)"));
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
            (
                http("401 Unauthorized", "", &echo.to_string()),
                "Incorrect API key provided: (the key)",
            ),
            (
                http("429 Too Many", "retry-after: 3600\r\n", "{}"),
                "the endpoint refuses for rate or quota",
            ),
            (http("307 Moved", "location: http://127.0.0.1:1/\r\n", ""), "with status 307"),
            (ok(&huge), "larger than"),
            (Act::Say(String::new()), "call failed"),
        ] {
            let (url, requests) = endpoint(vec![act]);
            let world = world();
            let ran = ask(&world, &(url + "/chat/completions"), &["--timeout", "600"]).ends(1);
            let outcome = outcome(&ran);
            assert_eq!(outcome["outcome"], "call_failed", "{why}: {ran}");
            let said = outcome["figures"]["reason"].as_str().expect("a reason");
            assert!(why == "call failed" || said.contains(why), "{why}: {said}");
            assert_eq!(requests.iter().count(), 1, "{why}: it is asked once");
            world.run(&["show", "s1"]).ends(3);
        }
        let (url, _) = endpoint(vec![ok(&chat(&json!("none")))]);
        assert_eq!(
            outcome(&ask(&world(), &(url + "/chat/completions"), &[]).ends(0))["outcome"],
            "opted_out"
        );
    }

    #[test]
    fn an_endpoint_that_drips_is_left_when_the_time_is_up() {
        let drip = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{".to_owned();
        let (url, _requests) = endpoint(vec![Act::Drip(drip)]);
        let world = world();
        let ran = ask(&world, &(url + "/chat/completions"), &["--timeout", "1"]).ends(1);
        assert_eq!(outcome(&ran)["outcome"], "call_failed", "{ran}");
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
}
