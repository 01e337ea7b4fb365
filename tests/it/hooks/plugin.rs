//! The promise: the plugin for opencode puts the newest note into each request's system prompt, has
//! the summariser asked for a note and keeps what it wrote; where the program is missing, hangs or
//! prints something else, opencode goes on as if there were no plugin.
//!
//! Shown by running the installed file under Node, with a session of opencode's shape.

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use graff_notes::{host::hook::Host, prompt::extract};
use serde_json::{Value, json};

use super::desk::Desk;
use crate::support::{
    found::{in_time, put_script, script, was_late},
    skipped,
    world::Ran,
};

/// Calls the plugin as opencode does, through one compaction, and prints what it added.
const DRIVER: &str = r#"
import { GraffNotes } from "./graff-notes.mjs"
const sessions = JSON.parse(process.argv[2])
const never = () => new Promise((done) => setTimeout(done, 60_000).unref())
const messages = async ({ path }) => ({ data: sessions[path.id].filter(Boolean) })
const get = async ({ path }) => {
  if (sessions.failures-- > 0) throw new Error("busy")
  return { data: { id: path.id, ...sessions.info?.[path.id] } }
}
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
#[track_caller]
fn driven(program: Option<&str>, sessions: &Value) -> Option<(Desk, Value)> {
    let node = Command::new("sh").args(["-c", "command -v node"]).output().expect("a shell");
    if !node.status.success() {
        skipped("node is not to be had");
        return None;
    }
    let node = String::from_utf8(node.stdout).expect("UTF-8");
    Some(in_time(|| {
        let (desk, said) = driven_once(node.trim(), program, sessions);
        (!was_late(&desk.path().join("bin"))).then_some((desk, said))
    }))
}

fn driven_once(node: &str, program: Option<&str>, sessions: &Value) -> (Desk, Value) {
    let desk = Desk::of(Host::Opencode);
    Ran::of(&mut desk.command(&["hooks", "install", "opencode"])).ends(0);
    let installed = desk.home().join(".config/opencode/plugins/graff-notes.js");
    fs::copy(installed, desk.path().join("graff-notes.mjs")).expect("the plugin");
    fs::write(desk.path().join("driver.mjs"), DRIVER).expect("written");
    let bin = desk.path().join("bin");
    if let Some(program) = program {
        put_script(&bin, program);
    }
    let mut command = Command::new(node);
    command.args(["driver.mjs", &sessions.to_string(), desk.project().as_str()]);
    command.current_dir(desk.path()).env_clear().stdin(Stdio::null());
    command.env("HOME", desk.home()).env("PATH", format!("{bin}:/usr/bin:/bin"));
    let begun = Instant::now();
    let ran = Ran::of(command.stdout(Stdio::piped()).stderr(Stdio::piped())).quietly();
    // Seven hooks of three seconds each at the most, and none of thirty.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    (desk, ran.json())
}

/// A session as opencode hands it to plugins: a prompt, a command that failed, and the summary.
fn session() -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    let tool = |id: &str, name: &str, input: Value, exit: Value| {
        json!({"type": "tool", "callID": id, "tool": name, "state": {
            "status": "completed", "input": input, "output": "said", "metadata": exit,
        }})
    };
    let failed = json!({"exit": 101});
    let command = tool("c1", "bash", json!({"command": "cargo test retry_test"}), failed);
    let edit = tool("c2", "edit", json!({"filePath": "src/retry.rs"}), json!({}));
    let patch = "*** Begin Patch\n*** Update File: src/lib.rs\n*** End Patch";
    let patch = tool("c3", "apply_patch", json!({"patchText": patch}), json!({}));
    let summary = format!("## Goal\nDone.\n<note_to_self>\n{NOTE}\n</note_to_self>");
    json!({
        "s1": [
            {"info": {"role": "user"}, "parts": [text("make retry_test green")]},
            {"info": {"role": "assistant"}, "parts": [text("I run it."), command, edit, patch]},
        ],
        "summary": {"info": {"role": "assistant", "summary": true}, "parts": [text(&summary)]},
        "later": {"info": {"role": "user", "summary": {"diffs": []}}, "parts": [text("go on")]},
    })
}

#[test]
fn a_note_goes_through_a_compaction_and_into_the_agents_requests_alone() {
    let Some((desk, said)) = run(Some(&script())) else { return };
    assert_eq!(said["before"], json!([]), "no note yet");
    let asked = said["context"][0].as_str().expect("a request");
    assert!(asked.contains("note_to_self"), "{asked}");
    let kinds: Vec<_> = desk.records("s1").into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["Mechanical", "Agent", "Rollover"]);
    let root = desk.project();
    let mechanical = ["show", "s1", "--previous", "--root", root.as_str()];
    let mechanical = Ran::of(&mut desk.command(&mechanical)).quietly();
    for fact in [
        "make retry_test green",
        "failed: cargo test retry_test",
        "edited: src/retry.rs",
        "edited: src/lib.rs",
    ] {
        let is_fact = |line: &str| line.strip_prefix("- ") == Some(fact);
        assert!(mechanical.stdout().lines().any(is_fact), "{fact}: {mechanical}");
    }
    let given = said["after"].as_array().expect("what was added");
    let given: Vec<_> = given.iter().filter_map(Value::as_str).filter_map(extract).collect();
    assert_eq!(given, [NOTE], "once");
    for other in ["title", "summary", "nobody", "other"] {
        assert_eq!(said[other], json!([]), "{other}");
    }
}

#[test]
fn an_agent_that_works_for_another_has_no_note_and_is_asked_for_none() {
    let mut sessions = session();
    sessions["info"] = json!({"s1": {"parentID": "s0"}});
    let Some((desk, said)) = driven(Some(&script()), &sessions) else { return };
    for added in ["before", "context", "after"] {
        assert_eq!(said[added], json!([]), "{added}: {said}");
    }
    assert_eq!(desk.newest("s1"), None);
    let active = desk.home().join(".local/state/graff-notes/active");
    assert!(!active.join("s1").exists() && active.join("s2").exists(), "it is not at work here");
}

#[test]
fn whether_an_agent_works_for_another_is_asked_again_where_opencode_has_not_said_so() {
    let mut sessions = session();
    sessions["info"] = json!({"s1": {"parentID": "s0"}});
    sessions["failures"] = json!(1);
    let Some((desk, said)) = driven(Some(&script()), &sessions) else { return };
    assert_eq!(said["context"], json!([]), "{said}");
    assert_eq!(desk.newest("s1"), None);
}

#[test]
fn what_goes_wrong_in_a_hook_never_reaches_opencode() {
    let with = |key: &str, value: Value| {
        let mut sessions = session();
        sessions[key] = value;
        sessions
    };
    let odd = json!([{"info": {"role": "user"}}, {"parts": []}]);
    for (sessions, asked) in [
        (with("s1", odd), true), // messages of another shape
        (with("directory", json!("/no\u{0}where")), false), // nothing can be started
        // opencode doesn't answer its own plugin: then no time is left for the program.
        (with("hangs", json!(true)), false),
    ] {
        let Some((_, said)) = driven(Some(&script()), &sessions) else { return };
        let context = said["context"].as_array().map(Vec::len);
        assert_eq!(context, Some(usize::from(asked)), "{said}");
    }
}

#[test]
fn a_session_whose_messages_cannot_be_had_is_compacted_all_the_same() {
    // Without a list of messages the driver's own client throws.
    let Some((_, said)) = driven(Some(&script()), &json!({"s1": null})) else { return };
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
        let Some((desk, said)) = run(program) else { return };
        for added in said.as_object().expect("an object").values() {
            assert_eq!(*added, json!([]), "{program:?}: {said}");
        }
        assert_eq!(desk.newest("s1"), None);
    }
}
