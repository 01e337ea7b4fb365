//! Messages, handshakes and what is refused.

use serde_json::{Value, json};

use super::Server;
use crate::support::world::World;

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
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {}});
        let answer = server.asked("initialize", &params);
        assert_eq!(answer["result"]["protocolVersion"], spoken, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "graff-notes");
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
        let instructions = answer["result"]["instructions"].as_str().expect("a text");
        assert!(instructions.chars().count() <= 512, "{instructions}");
    }
    server.ends().quietly();
}

#[test]
fn a_client_without_a_handshake_is_told_all_with_each_result() {
    let world = World::new();
    let mut server = Server::of(&world);
    let found = server.asked("server/discover", &stateless("2026-07-28"));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(found["result"]["capabilities"], json!({"tools": {}}));
    let tools = server.asked("tools/list", &stateless("2026-07-28"));
    for cacheable in [&found["result"], &tools["result"]] {
        assert!(cacheable["ttlMs"].is_u64(), "{cacheable}");
        assert_eq!(cacheable["cacheScope"], "public");
    }
    let mut params = stateless("2026-07-28");
    params["name"] = json!("thread_hint");
    let called = server.asked("tools/call", &params);
    assert_eq!(called["result"]["ttlMs"], Value::Null);
    for answer in [&found, &tools, &called] {
        assert_eq!(answer["result"]["resultType"], "complete");
        let server = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server["name"], "graff-notes");
    }
    let other = server.asked("tools/list", &stateless("2031-01-01"));
    assert_eq!(other["error"]["code"], -32_022);
    assert_eq!(other["error"]["data"]["supported"], json!(["2026-07-28"]));
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
        (r#"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#, json!(2), -32_601),
        (r#"{"jsonrpc":"2.0","id":3,"method":""}"#, json!(3), -32_601),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, json!(4), -32_602),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm"}}"#,
            json!(5),
            -32_602,
        ),
        (&long, json!(null), -32_600),
    ] {
        let start = &line[..line.len().min(80)];
        let answer = server.answers(line);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{start}");
        assert!(!answer["error"]["message"].as_str().expect("words").is_empty());
        assert_eq!(server.asked("ping", &json!({}))["result"], json!({}), "{start}");
    }
    server.send(b"\xFF\xFE");
    assert_eq!(server.next()["error"]["code"], -32_700);
    server.ends().quietly();
}
