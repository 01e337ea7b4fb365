//! An endpoint on the loopback, and runs of `ask` against it. It refuses what Anthropic's refuses.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::Command,
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

pub(super) const KEY: &str = "sk-secret-key-0123456789";
pub(in crate::program) const NOTE: &str =
    "SUBGOAL: mend src/parse.rs:88; the CR is dropped in read_line";

/// What the endpoint does with a connection, as raw bytes.
#[derive(Clone)]
pub(in crate::program) enum Act {
    Say(String),
    /// Says this, and then a byte now and then for ever.
    Drip(String),
}

/// An endpoint that does one thing after the other; it gives out the requests: head and body.
pub(in crate::program) fn endpoint(script: Vec<Act>) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (send, requests) = mpsc::channel();
    thread::spawn(move || {
        for act in script {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("another handle"));
            let (head, body) = request(&mut reader);
            let refusal = anthropic_refuses(&head, &body);
            let _ = send.send((head, body));
            match refusal.map_or(act, bad_request) {
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

/// A proxy that stands for every host, which answers one request.
pub(super) fn proxy(act: Act) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (send, requests) = mpsc::channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut reader = BufReader::new(stream.try_clone().expect("another handle"));
        let (mut head, mut body) = request(&mut reader);
        if head.starts_with("CONNECT ") {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("a tunnel");
            (head, body) = request(&mut reader);
        }
        let _ = send.send((head, body));
        let (Act::Say(said) | Act::Drip(said)) = act;
        let _ = stream.write_all(said.as_bytes());
    });
    (url, requests)
}

/// Reads a request: head and body.
fn request(reader: &mut impl BufRead) -> (String, Value) {
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
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

/// Why Anthropic's endpoint would refuse this request.
///
/// Source: anthropics/anthropic-sdk-python issue 494, and the reference of its messages.
fn anthropic_refuses(head: &str, body: &Value) -> Option<&'static str> {
    if !head.starts_with("POST /v1/messages ") {
        return None;
    }
    let messages = body["messages"].as_array().expect("messages");
    messages.iter().find_map(|message| {
        let blank = |text: &Value| text.as_str().is_some_and(|text| text.trim().is_empty());
        let has_blank = |block: &Value| block["type"] == "text" && blank(&block["text"]);
        let is_tool =
            |block: &Value| ["tool_use", "tool_result"].iter().any(|kind| block["type"] == *kind);
        let content = &message["content"];
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let members = message.as_object().expect("a message").keys();
        if message["role"] != "user" && message["role"] != "assistant" {
            Some("role: Input should be 'user' or 'assistant'")
        } else if members.filter(|key| !["role", "content"].contains(&key.as_str())).count() > 0 {
            Some("Extra inputs are not permitted")
        } else if blocks.is_empty() && content.as_str().is_none_or(str::is_empty) {
            Some("messages must have non-empty content")
        } else if blank(content) || blocks.iter().any(has_blank) {
            Some("text content blocks must contain non-whitespace text")
        } else if body["tools"].is_null() && blocks.iter().any(is_tool) {
            Some("Requests which include `tool_use` or `tool_result` blocks must define tools")
        } else {
            None
        }
    })
}

fn bad_request(why: &str) -> Act {
    let error = json!({"type": "invalid_request_error", "message": why});
    http("400 Bad Request", "", &json!({"type": "error", "error": error}).to_string())
}

pub(super) fn http(status: &str, headers: &str, body: &str) -> Act {
    let length = body.len();
    Act::Say(format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    ))
}

pub(in crate::program) fn ok(body: &Value) -> Act {
    http("200 OK", "", &body.to_string())
}

pub(in crate::program) fn chat(text: &Value) -> Value {
    json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
}

pub(super) fn anthropic(text: &str) -> Value {
    json!({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn"})
}

/// A world whose agent has this history.
pub(super) fn world_of(history: &[Value]) -> World {
    let world = World::new();
    let lines: Vec<_> = history.iter().map(|message| format!("{message}\n")).collect();
    fs::write(world.root().join("t.jsonl"), lines.concat()).expect("a transcript");
    world
}

pub(super) fn world() -> World {
    world_of(&[
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "user", "content": "mend the parser", "usage": {"x": 1}}),
        json!({"role": "assistant", "content": "I look at src/parse.rs"}),
    ])
}

pub(super) fn ask(world: &World, url: &str, more: &[&str]) -> Ran {
    Ran::of(&mut asking(world, url, KEY, more))
}

/// A run of `ask` with this key.
pub(super) fn asking(world: &World, url: &str, key: &str, more: &[&str]) -> Command {
    let args = ["ask", "--transcript", "t.jsonl", "--session", "s1", "--model", "m"];
    let mut command = world.command(&[&args[..], &["--endpoint", url, "--json"], more].concat());
    command.env("GRAFF_API_KEY", key);
    directly(&mut command);
    command
}

/// Has a command go to the loopback itself: whoever runs the tests may be behind a proxy.
pub(in crate::program) fn directly(command: &mut Command) {
    for scheme in ["http", "https", "all", "no"] {
        let name = format!("{scheme}_proxy");
        command.env_remove(name.to_uppercase()).env_remove(name);
    }
}

pub(super) fn outcome(ran: &Ran) -> Value {
    assert!(!format!("{ran}").contains(KEY), "the key shows: {ran}");
    ran.json()["outcome"].clone()
}
