//! An agent in a folder of its own, and the endpoint that it talks to.

use std::io::Cursor;

use graff_notes::{
    conversation::Ended,
    turn::{HEADINGS, Steering},
};
use serde_json::{Value, json};

use super::agent_loop::{self, agent::Agent, flags::Flags};
use crate::support::server::{Answer, Server};

pub(super) const NOTE: &str = "Subgoal: src/parse.rs:88 still drops the CR.\n\tDead end: regex.";

/// A summary with all seven headings.
pub(super) fn summary() -> String {
    HEADINGS.map(|heading| format!("{heading}: as it was\n")).concat()
}

/// The model says this, and the endpoint reports so many input tokens.
pub(super) fn says(text: &str, tokens: impl Into<Option<u64>>) -> Answer {
    Answer::At(200, said(text, tokens))
}

pub(super) fn said(text: &str, tokens: impl Into<Option<u64>>) -> Value {
    let message = json!({ "role": "assistant", "content": text });
    response(&message, "stop", tokens.into())
}

/// A status and a body.
pub(super) type Body = (u16, Value);

/// What an answer that is given at once holds.
#[track_caller]
pub(super) fn body(answer: Answer) -> Body {
    match answer {
        Answer::At(status, body) => (status, body),
        Answer::Hanging { .. } => panic!("it hangs"),
    }
}

/// The model says this, and stops for this reason.
pub(super) fn stopped(text: &str, tokens: impl Into<Option<u64>>, reason: &str) -> Answer {
    let mut stopped = said(text, tokens);
    stopped["choices"][0]["finish_reason"] = json!(reason);
    Answer::At(200, stopped)
}

/// The model runs a command, and the endpoint reports so many input tokens.
pub(super) fn runs(command: &str, tokens: impl Into<Option<u64>>) -> Answer {
    calls("run_command", &json!({ "command": command }), tokens)
}

/// The model calls a tool, and the endpoint reports so many input tokens.
pub(super) fn calls(name: &str, arguments: &Value, tokens: impl Into<Option<u64>>) -> Answer {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "id": "c1", "type": "function", "function": function });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    Answer::At(200, response(&message, "tool_calls", tokens.into()))
}

fn response(message: &Value, reason: &str, tokens: Option<u64>) -> Value {
    let usage = tokens.map(|tokens| {
        json!({ "prompt_tokens": tokens, "completion_tokens": 7, "total_tokens": tokens + 7 })
    });
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    json!({ "id": "x", "choices": [choice], "usage": usage })
}

pub(super) fn overflows() -> Answer {
    refuses(400, "context_length_exceeded", "This model's maximum context length is 9 tokens.")
}

pub(super) fn refuses(status: u16, code: &str, message: &str) -> Answer {
    let error = json!({ "type": "invalid_request_error", "code": code, "message": message });
    Answer::At(status, json!({ "error": error }))
}

/// An agent, and the endpoint that it talks to.
pub(super) struct World {
    pub(super) folder: tempfile::TempDir,
    pub(super) server: Server,
    pub(super) agent: Agent,
}

impl World {
    #[track_caller]
    pub(super) fn new(window: u64, script: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(window, script, &[])
    }

    #[track_caller]
    pub(super) fn with(
        window: u64,
        script: impl IntoIterator<Item = Answer>,
        more: &[&str],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let server = Server::start(script);
        let flags = flags(&folder, &server, window, more);
        let flags = Flags::parse(flags.into_iter()).expect("flags");
        let agent = Agent::start(&flags).expect("an agent");
        Self { folder, server, agent }
    }

    /// Runs a turn.
    #[track_caller]
    pub(super) fn turn(&mut self, prompt: &str) -> Ended {
        self.agent.turn(prompt, &mut Vec::new()).expect("nothing is wrong with the output")
    }

    /// Runs a turn and, while it runs, whatever the user does.
    #[track_caller]
    pub(super) fn turn_while<T: Send>(
        &mut self,
        prompt: &str,
        user: impl FnOnce(&Steering) -> T + Send,
    ) -> (Ended, T) {
        let steering = self.agent.steering();
        std::thread::scope(|scope| {
            let user = scope.spawn(move || user(&steering));
            let ended = self.turn(prompt);
            (ended, user.join().expect("the user does not panic"))
        })
    }

    /// What each request so far was for.
    #[track_caller]
    pub(super) fn asked_for(&self) -> Vec<&'static str> {
        assert_eq!(self.server.left(), 0, "answers that nobody asked for");
        self.server.requests().iter().map(what_for).collect()
    }

    #[track_caller]
    pub(super) fn last(&self) -> Value {
        self.server.requests().pop().expect("a request")
    }
}

/// What a request is for: the turn, its note, or a summary.
pub(super) fn what_for(request: &Value) -> &'static str {
    if request.get("tools").is_none() {
        "summary"
    } else if request.get("tool_choice").is_some() {
        "note"
    } else {
        "turn"
    }
}

pub(super) fn flags(
    folder: &tempfile::TempDir,
    server: &Server,
    window: u64,
    more: &[&str],
) -> Vec<String> {
    let (folder, url) = (folder.path().to_str().expect("UTF-8"), server.url());
    let window = window.to_string();
    let flags = [
        "--endpoint",
        &url,
        "--model",
        "m",
        "--window-tokens",
        &window,
        "--root",
        folder,
        "--scratch",
        folder,
    ];
    flags.iter().chain(more).map(|&flag| flag.to_owned()).collect()
}

/// Runs the whole program on these lines of input, and returns what it wrote.
#[track_caller]
pub(super) fn run(flags: Vec<String>, input: &'static [u8]) -> String {
    let mut output = Vec::new();
    agent_loop::run(flags.into_iter(), Cursor::new(input), &mut output).expect("it runs");
    String::from_utf8(output).expect("UTF-8")
}

/// The system prompt of a request.
pub(super) fn system(request: &Value) -> &str {
    request["messages"][0]["content"].as_str().expect("a system prompt")
}

/// The texts of the user's messages in a request.
pub(super) fn user_texts(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().expect("messages");
    let users = messages.iter().filter(|message| message["role"] == "user");
    users.map(|message| message["content"].as_str().expect("a text")).collect()
}
