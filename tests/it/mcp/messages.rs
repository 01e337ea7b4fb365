//! Messages, handshakes and what is refused.

use std::{io::Write, process::Stdio};

use serde_json::{Value, json};

use super::Server;
use crate::support::world::{Ran, World};

const PING: &str = r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#;

/// What a request says that makes no handshake.
fn stateless(version: &str) -> Value {
    json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }})
}

#[test]
fn the_version_that_the_client_asks_for_is_spoken_else_the_newest() {
    let world = World::new();
    let mut server = Server::of(&world);
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let client = json!({"name": "c", "version": "1"});
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": client});
        let answer = server.asked("initialize", &params);
        assert_eq!(answer["result"]["protocolVersion"], spoken, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "graff-notes");
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
        let instructions = answer["result"]["instructions"].as_str().expect("a text");
        assert!(instructions.chars().count() <= 512, "{instructions}");
        // As all have it that begin with a handshake.
        let pinged = server.asked("ping", &json!({}));
        assert_eq!(pinged["result"], json!({}), "{asked}: {pinged}");
        let tools = server.asked("tools/list", &json!({}));
        assert_eq!(tools["result"]["resultType"], Value::Null, "{asked}");
    }
    server.ends().quietly();
}

#[test]
fn a_client_without_a_handshake_is_told_what_there_is_and_how_long_it_holds() {
    let world = World::new();
    let mut server = Server::of(&world);
    let found = server.asked("server/discover", &stateless("2026-07-28"));
    let speaks = |versions: &Value| {
        let versions = versions.as_array().expect("a list").clone();
        versions.contains(&json!("2026-07-28"))
    };
    assert!(speaks(&found["result"]["supportedVersions"]), "{found}");
    assert_eq!(found["result"]["capabilities"], json!({"tools": {}}));
    let server_info = &found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server_info["name"], "graff-notes");
    let tools = server.asked("tools/list", &stateless("2026-07-28"));
    for cacheable in [&found["result"], &tools["result"]] {
        assert_eq!(cacheable["ttlMs"], 3_600_000, "{cacheable}");
        assert_eq!(cacheable["cacheScope"], "public");
    }
    let mut params = stateless("2026-07-28");
    params["name"] = json!("thread_hint");
    let called = server.asked("tools/call", &params);
    assert_eq!(called["result"]["ttlMs"], Value::Null);
    for answer in [&found, &tools, &called] {
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    }
    let other = server.asked("tools/list", &stateless("2031-01-01"));
    assert_eq!(other["error"]["code"], -32_022);
    assert!(speaks(&other["error"]["data"]["supported"]), "{other}");
    server.ends().quietly();
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    let world = World::new();
    let mut server = Server::of(&world);
    for id in
        ["0", "-7", "18446744073709551616", "123456789012345678901234567890", "1.50", "\"\\u00e9\""]
    {
        server.send(format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"ping"}}"#));
        assert_eq!(server.line(), format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"));
        server.send(format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#));
        assert!(
            server.line().starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":"))
        );
    }
    server.ends().quietly();
}

/// F210. A greeting or a line of a log there costs the client its connection.
#[test]
fn stdout_has_messages_alone_from_the_first_byte_to_the_last() {
    let world = World::new();
    let call = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let client = json!({"name": "a client", "version": "1"});
    let version = "2025-11-25";
    let asked = [
        call(
            1,
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
        ),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        call(2, "tools/list", json!({})),
        call(
            3,
            "tools/call",
            json!({"name": "write_note", "arguments": {"text": "a note", "session": "s1"}}),
        ),
        call(4, "tools/call", json!({"name": "show_note", "arguments": {"session": "nobody"}})),
        call(5, "no/such/method", json!({})),
        "no message".to_owned(),
    ];
    // What says the most elsewhere: a terminal's colours, and all that can be told of the inside.
    let mut command = world.command(&["mcp"]);
    command.env("CLICOLOR_FORCE", "1").env("RUST_LOG", "trace").env("HOME", world.root());
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    for line in asked {
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }
    drop(stdin);
    let ran = Ran::of_child(child).ends(0);
    let messages: Vec<Value> = ran
        .stdout()
        .split_inclusive('\n')
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line:?}")))
        .collect();
    assert_eq!(messages.len(), 6, "{ran}");
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{ran}");
}

#[test]
fn what_wants_no_answer_gets_none() {
    let world = World::new();
    let mut server = Server::of(&world);
    for line in [
        "",
        "  ",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of_the_future","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
    ] {
        server.send(line);
    }
    assert_eq!(server.asked("ping", &json!({}))["result"], json!({}));
    server.ends().quietly();
}

#[test]
fn what_is_no_request_is_refused_by_its_code_and_the_next_one_is_answered() {
    let world = World::new();
    let mut server = Server::of(&world);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5_000_000));
    for (line, id, code) in [
        ("hello", json!(null), -32_700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"pi"#, json!(null), -32_700),
        ("[]", json!(null), -32_600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, json!(null), -32_600),
        ("7", json!(null), -32_600),
        (r#"{"id":1,"method":"ping"}"#, json!(1), -32_600),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), -32_600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, json!(1), -32_600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, json!(null), -32_600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null), -32_600),
        (r#"{"jsonrpc":"2.0","id":5}"#, json!(5), -32_600),
        (r#"{"jsonrpc":"2.0","id":5,"method":null}"#, json!(5), -32_600),
        (r#"{"jsonrpc":"2.0"}"#, json!(null), -32_600),
        (r#"["2.0","ping"]"#, json!(null), -32_600),
        (r#"["2.0",1,"ping"]"#, json!(null), -32_600),
        (r#"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#, json!(2), -32_601),
        (r#"{"jsonrpc":"2.0","id":3,"method":""}"#, json!(3), -32_601),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, json!(4), -32_602),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm"}}"#,
            json!(5),
            -32_602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"show_note","arguments":[]}}"#,
            json!(6),
            -32_602,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}"#, json!(7), -32_602),
        (r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{}}"#, json!(8), -32_602),
        (&long, json!(null), -32_600),
    ] {
        let start = &line[..line.len().min(80)];
        server.send(line);
        server.send(PING); // so that an answer which doesn't come isn't waited for
        let answer = server.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{start}");
        let words = answer["error"]["message"].as_str().expect("words");
        assert!(words.contains(' '), "{start}: {words}");
        assert_eq!(server.next()["result"], json!({}), "{start}");
    }
    server.send(b"\xFF\xFE");
    assert_eq!(server.next()["error"]["code"], -32_700);
    server.ends().quietly();
}

#[test]
fn half_a_surrogate_pair_costs_itself_and_not_the_request() {
    let world = World::new();
    let mut server = Server::with(&world, &["--session", "s1"], &[]);
    let note = "next: the emoji \u{FFFD} cut in src/x.rs:10";
    let asked = call(7, "write_note", &json!({"text": note})).to_string();
    let answer = server.answers(asked.replace(char::REPLACEMENT_CHARACTER, r"\ud83d"));
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(7), &json!(false)),
        "{answer}"
    );
    assert_eq!(server.does("show_note", &json!({}))[0], note);
    server.ends().quietly();
}

#[test]
fn a_flag_that_names_no_session_is_refused_at_the_start() {
    let world = World::new();
    for name in ["../x", ""] {
        let ran = world.fed("", &["mcp", "--session", name]).ends(2);
        assert!(ran.stderr().contains(&format!("could not use {name:?} as a session")), "{ran}");
    }
}

#[test]
fn what_is_not_served_is_refused_in_words() {
    let world = World::new();
    let mut server = Server::of(&world);
    let mut listen = stateless("2026-07-28");
    listen["notifications"] = json!({"toolsListChanged": true});
    for (method, params) in [
        ("resources/list", json!({})),
        ("prompts/list", json!({})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}}),
        ),
        ("subscriptions/listen", listen),
    ] {
        let refused = &server.asked(method, &params)["error"];
        assert_eq!(refused["code"], -32_601, "{method}: {refused}");
        assert_eq!(refused["message"], format!("there is no method {method}"));
    }
    server.ends().quietly();
}

#[test]
fn a_message_of_a_mebibyte_is_read_and_one_byte_more_is_refused() {
    let world = World::new();
    let mut server = Server::of(&world);
    for (bytes, key) in [(1 << 20, "result"), ((1 << 20) + 1, "error")] {
        let answer = server.answers(PING.to_owned() + &" ".repeat(bytes - PING.len()));
        assert!(answer[key].is_object(), "{bytes}: {answer}");
    }
    server.ends().quietly();
}

#[test]
fn what_was_asked_at_once_is_answered_in_its_order() {
    let world = World::new();
    let mut server = Server::with(&world, &["--session", "s1"], &[]);
    let lines: Vec<_> = (1..=40)
        .map(|id| match id % 4 {
            0 => json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id - 1}}),
            1 => call(id, "write_note", &json!({"text": format!("note {id}")})),
            2 => call(id, "show_note", &json!({})),
            _ => json!({"jsonrpc": "2.0", "id": id, "method": "ping"}),
        })
        .map(|line| line.to_string())
        .collect();
    server.send(lines.join("\n"));
    for id in (1..=40).filter(|id| id % 4 != 0) {
        let answer = server.next();
        assert_eq!(answer["id"], id, "{answer}");
        if id % 4 == 2 {
            let shown = &answer["result"]["content"][0]["text"];
            assert_eq!(*shown, format!("note {}", id - 1), "the last one that was written");
        }
    }
    server.ends().quietly();
}

#[test]
fn the_last_message_needs_no_line_break() {
    let world = World::new();
    let mut server = Server::with(&world, &["--session", "s1"], &[]);
    let last = call(1, "write_note", &json!({"text": "the last"})).to_string();
    server.stdin.write_all(last.as_bytes()).expect("it reads");
    let Server { mut child, stdin, mut stdout, .. } = server;
    drop(stdin);
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut said).expect("it ends");
    assert!(said.contains("saved: it is record 1"), "{said}");
    child.stdout = Some(stdout.into_inner());
    Ran::of_child(child).ends(0).quietly();
}

#[test]
fn whoever_stops_listening_ends_the_server_quietly_and_what_was_asked_is_done() {
    let world = World::new();
    let Server { child, mut stdin, stdout, .. } = Server::with(&world, &["--session", "s1"], &[]);
    drop(stdout);
    let asked = call(1, "write_note", &json!({"text": "unheard"})).to_string();
    stdin.write_all(format!("{asked}\n").as_bytes()).expect("it reads");
    Ran::of_child(child).ends(0).quietly(); // though its stdin is open still
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "unheard");
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_a_hundred_megabytes_takes_no_more_than_the_longest_one() {
    let world = World::new();
    let mut server = Server::of(&world);
    let piece = vec![b'x'; 1_000_000];
    for _ in 0..100 {
        server.stdin.write_all(&piece).expect("it reads");
    }
    server.send("");
    assert_eq!(server.next()["error"]["code"], -32_600);
    assert_eq!(server.asked("ping", &json!({}))["result"], json!({}));
    let longest = call(9, "write_note", &json!({"text": "x".repeat(1_000_000), "session": "s1"}));
    let refused = server.answers(longest.to_string());
    assert_eq!(refused["result"]["isError"], true, "65,536 bytes are the most");
    let peak = crate::support::peak_kib(server.child.id());
    assert!(peak < super::PEAK_KIB_MAX, "{peak} KiB");
    server.ends().quietly();
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}
