//! The promise: the plugin for opencode puts the newest note into each request's system prompt, has
//! the summariser asked for a note and keeps what it wrote; where the program is missing, hangs or
//! prints something else, opencode goes on as if there were no plugin.
//!
//! Shown by running the installed file under Node, with a session of opencode's shape.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use graff_notes::{host::hook::Host, prompt::extract};
use serde_json::{Value, json};

use super::desk::Desk;
use crate::support::{skipped, world::Ran};

/// Calls the plugin as opencode does, through one compaction, and prints what it added.
const DRIVER: &str = r#"
import { GraffNotes } from "./graff-notes.mjs"
const sessions = JSON.parse(process.argv[2])
const never = () => new Promise((done) => setTimeout(done, 60_000).unref())
const messages = async ({ path }) => ({ data: sessions[path.id].filter(Boolean) })
const get = async ({ path }) => ({ data: { id: path.id, ...sessions.info?.[path.id] } })
const client = { session: sessions.hangs ? { messages: never, get: never } : { messages, get } }
const directory = sessions.directory ?? process.argv[3]
const hooks = await GraffNotes({ client, directory })
const prompt = async (sessionID, first) => {
  const system = [first]
  await hooks["experimental.chat.system.transform"]({ sessionID, model: {} }, { system })
  return system.slice(1)
}
const said = { before: await prompt("s1", "You are an agent.") }
const context = []
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, { context })
said.context = context
sessions.s1?.push(sessions.summary, sessions.later)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
said.after = await prompt("s1", "You are an agent.")
said.title = await prompt("s1", "You are a title generator. You output titles.")
said.summary = await prompt("s1", "You are a helpful context summarization agent.")
said.nobody = await prompt(undefined, "You are an agent.")
said.other = await prompt("s2", "You are an agent.")
console.log(JSON.stringify(said))
"#;

const NOTE: &str = "SUBGOAL: make <retry_test> green; src/retry.rs:41 \u{1F980}";

/// Returns what the plugin adds where `program` is what PATH has for it; `None` without Node.
fn run(program: Option<&str>) -> Option<(Desk, Value)> {
    driven(program, &session())
}

/// The same with these sessions.
fn driven(program: Option<&str>, sessions: &Value) -> Option<(Desk, Value)> {
    let node = Command::new("sh").args(["-c", "command -v node"]).output().expect("a shell");
    if !node.status.success() {
        skipped("node is not to be had");
        return None;
    }
    let desk = Desk::of(Host::Opencode);
    Ran::of(&mut desk.command(&["hooks", "install", "opencode"])).ends(0);
    let installed = desk.home().join(".config/opencode/plugins/graff-notes.js");
    fs::copy(installed, desk.path().join("graff-notes.mjs")).expect("the plugin");
    fs::write(desk.path().join("driver.mjs"), DRIVER).expect("written");
    let bin = desk.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    if let Some(program) = program {
        fs::write(bin.join("graff-notes"), program).expect("written");
        fs::set_permissions(bin.join("graff-notes"), Permissions::from_mode(0o755))
            .expect("a mode");
    }
    let node = String::from_utf8(node.stdout).expect("UTF-8");
    let mut command = Command::new(node.trim());
    command.args(["driver.mjs", &sessions.to_string(), desk.project().as_str()]);
    command.current_dir(desk.path()).env_clear().stdin(Stdio::null());
    command.env("HOME", desk.home()).env("PATH", format!("{bin}:/usr/bin:/bin"));
    let ran = Ran::of(command.stdout(Stdio::piped()).stderr(Stdio::piped())).quietly();
    let said = ran.json();
    Some((desk, said))
}

/// A session as opencode hands it to plugins: a prompt, a command that failed, and the summary.
fn session() -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    let tool = json!({"type": "tool", "callID": "c1", "tool": "bash", "state": {
        "status": "completed", "input": {"command": "cargo test retry_test"},
        "output": "error: test failed", "metadata": {"exit": 101},
    }});
    let summary = format!("## Goal\nDone.\n<note_to_self>\n{NOTE}\n</note_to_self>");
    json!({
        "s1": [
            {"info": {"role": "user"}, "parts": [text("make retry_test green")]},
            {"info": {"role": "assistant"}, "parts": [text("I run it."), tool]},
        ],
        "summary": {"info": {"role": "assistant", "summary": true}, "parts": [text(&summary)]},
        "later": {"info": {"role": "user", "summary": {"diffs": []}}, "parts": [text("go on")]},
    })
}

#[test]
fn a_note_goes_through_a_compaction_and_into_the_agents_requests_alone() {
    let program = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_graff-notes"));
    let Some((desk, said)) = run(Some(&program)) else { return };
    assert_eq!(said["before"], json!([]), "no note yet");
    let asked = said["context"][0].as_str().expect("a request");
    assert!(asked.contains("note_to_self"), "{asked}");
    let kinds: Vec<_> = desk.records("s1").into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["Mechanical", "Agent", "Rollover"]);
    let given = said["after"].as_array().expect("what was added");
    let given: Vec<_> = given.iter().filter_map(Value::as_str).filter_map(extract).collect();
    assert_eq!(given, [NOTE], "once");
    for other in ["title", "summary", "nobody", "other"] {
        assert_eq!(said[other], json!([]), "{other}");
    }
}

#[test]
fn an_agent_that_works_for_another_has_no_note_and_is_asked_for_none() {
    let program = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_graff-notes"));
    let mut sessions = session();
    sessions["info"] = json!({"s1": {"parentID": "s0"}});
    let Some((desk, said)) = driven(Some(&program), &sessions) else { return };
    for added in ["before", "context", "after"] {
        assert_eq!(said[added], json!([]), "{added}: {said}");
    }
    assert_eq!(desk.newest("s1"), None);
    let active = desk.home().join(".local/state/graff-notes/active");
    assert!(!active.join("s1").exists() && active.join("s2").exists(), "it is not at work here");
}

#[test]
fn what_goes_wrong_in_a_hook_never_reaches_opencode() {
    let program = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_graff-notes"));
    let with = |key: &str, value: Value| {
        let mut sessions = session();
        sessions[key] = value;
        sessions
    };
    let odd = json!([{"info": {"role": "user"}}, {"parts": []}]);
    for (sessions, asked) in [
        (with("s1", odd), true), // messages of another shape
        (with("directory", json!("/no\u{0}where")), false), // nothing can be started
        (with("hangs", json!(true)), true), // opencode doesn't answer its own plugin
    ] {
        let begun = Instant::now();
        let Some((_, said)) = driven(Some(&program), &sessions) else { return };
        let context = said["context"].as_array().map(Vec::len);
        assert_eq!(context, Some(usize::from(asked)), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_session_whose_messages_cannot_be_had_is_compacted_all_the_same() {
    let program = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_graff-notes"));
    // Without a list of messages the driver's own client throws.
    let Some((_, said)) = driven(Some(&program), &json!({"s1": null})) else { return };
    assert_eq!(said["after"], json!([]), "{said}");
}

#[test]
fn a_program_that_is_missing_fails_or_hangs_changes_nothing() {
    let programs = [
        None,
        Some("#!/bin/sh\nexit 7\n"),
        Some("#!/bin/sh\nexec echo usage: graff-notes\n"),
        Some("#!/bin/sh\nsleep 30\n"), // which goes on where the shell is ended
    ];
    for program in programs {
        let begun = Instant::now();
        let Some((desk, said)) = run(program) else { return };
        // Five calls of three seconds, and none of thirty.
        assert!(begun.elapsed() < Duration::from_secs(60), "{program:?}: {:?}", begun.elapsed());
        for added in said.as_object().expect("an object").values() {
            assert_eq!(*added, json!([]), "{program:?}: {said}");
        }
        assert_eq!(desk.newest("s1"), None);
    }
}
