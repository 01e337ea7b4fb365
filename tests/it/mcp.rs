//! The promise: a model that knows tools can write and read its notes over MCP, whichever handshake
//! its client makes; stdout carries messages and nothing else, and trouble is told in words.
//!
//! Shown by the built program as a server, on lines as clients write them.

mod messages;
mod recorded;
mod sessions;
mod tools;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

/// What a server may hold, in KiB: the program, and the longest line a few times over.
#[cfg(target_os = "linux")]
const PEAK_KIB_MAX: u64 = 32 * 1024;

/// A server at work, and the client's end of its pipes.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn of(world: &World) -> Self {
        Self::with(world, &[], &[])
    }

    /// A server with these flags and variables, and no others that say whose note is meant.
    fn with(world: &World, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = world.command(&[&["mcp"], flags].concat());
        command.env_remove("CLAUDE_CODE_SESSION_ID").env_remove("XDG_STATE_HOME");
        command.env("HOME", world.root()).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout, asked: 0 }
    }

    /// A server that Claude Code has started for a session.
    fn of_claude_code(world: &World, flags: &[&str], session: &str) -> Self {
        let mut server = Self::with(world, flags, &[("CLAUDE_CODE_SESSION_ID", session)]);
        server.greets("claude-code");
        server
    }

    /// The handshake of a client that goes by this name.
    #[track_caller]
    fn greets(&mut self, client: &str) {
        let client = json!({"name": client, "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.asked("initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    }

    fn send(&mut self, line: impl AsRef<[u8]>) {
        self.stdin.write_all(line.as_ref()).expect("it reads");
        self.stdin.write_all(b"\n").expect("it reads");
    }

    /// The next line, with its LF.
    #[track_caller]
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it answers");
        line
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} in {line:?}"))
    }

    /// The answer to a line.
    #[track_caller]
    fn answers(&mut self, line: impl AsRef<[u8]>) -> Value {
        self.send(line);
        self.next()
    }

    /// The answer to a request.
    #[track_caller]
    fn asked(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answer = self.answers(request.to_string());
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    /// The texts that a call of a tool comes to, and whether they tell of an error.
    #[track_caller]
    fn called(&mut self, params: &Value) -> (Vec<String>, bool) {
        let answer = self.asked("tools/call", params);
        let result = &answer["result"];
        let content = result["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let texts = content.iter().map(|block| block["text"].as_str().expect("text").to_owned());
        (texts.collect(), result["isError"].as_bool().expect("a flag"))
    }

    #[track_caller]
    fn tool(&mut self, name: &str, arguments: &Value) -> (Vec<String>, bool) {
        self.called(&json!({"name": name, "arguments": arguments}))
    }

    /// The texts of a call that succeeds.
    #[track_caller]
    fn does(&mut self, name: &str, arguments: &Value) -> Vec<String> {
        let (texts, is_error) = self.tool(name, arguments);
        assert!(!is_error, "{texts:?}");
        texts
    }

    /// What a call that fails says.
    #[track_caller]
    fn fails(&mut self, name: &str, arguments: &Value) -> String {
        let (texts, is_error) = self.tool(name, arguments);
        assert!(is_error, "{texts:?}");
        texts.concat()
    }

    /// Closes its stdin, and returns what it said besides.
    #[track_caller]
    fn ends(self) -> Ran {
        let Self { mut child, stdin, mut stdout, .. } = self;
        drop(stdin);
        let mut rest = String::new();
        stdout.read_line(&mut rest).expect("it ends");
        assert_eq!(rest, "", "nobody asked for that");
        child.stdout = Some(stdout.into_inner());
        Ran::of_child(child).ends(0)
    }
}
