//! Whose note is meant, where a server is told and where it is not.

mod at_work;
mod given;

use std::{
    fs::{File, FileTimes},
    io::Write,
    process::Stdio,
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::Server;
use crate::support::world::{Ran, World};

/// Lets a hook of `session` be called in the world's folder, so long ago.
fn is_active(world: &World, session: &str, ago: Duration) {
    calls_in(world, world.root(), session);
    let then = SystemTime::now().checked_sub(ago).expect("a time");
    let file = File::options().write(true).open(active(world).join(session));
    let times = FileTimes::new().set_modified(then);
    file.expect("it is noted").set_times(times).expect("set");
}

/// Calls a hook of `session` in this folder, for the user whose home is the world.
fn calls_in(world: &World, folder: &Utf8Path, session: &str) {
    is_told(world, folder, session, "BeforeAgent");
}

/// Lets the host say that `session` has ended.
fn ends(world: &World, session: &str) {
    is_told(world, world.root(), session, "SessionEnd");
}

/// Calls a hook with this event.
fn is_told(world: &World, folder: &Utf8Path, session: &str, event: &str) {
    let payload = json!({"hook_event_name": event, "session_id": session, "prompt": "x"});
    calls(world, folder, &payload).quietly();
}

/// Calls a hook with this payload.
fn calls(world: &World, folder: &Utf8Path, payload: &Value) -> Ran {
    let mut hook = world.command(&["hook", "gemini", "--root", folder.as_str()]);
    hook.env("HOME", world.root()).env_remove("XDG_STATE_HOME").stdin(Stdio::piped());
    let mut hook = hook.spawn().expect("the program starts");
    let mut pipe = hook.stdin.take().expect("a pipe");
    pipe.write_all(payload.to_string().as_bytes()).expect("it reads");
    drop(pipe);
    Ran::of_child(hook)
}

/// The folder in which each session at work has its file.
fn active(world: &World) -> Utf8PathBuf {
    world.root().join(".local/state/graff-notes/active")
}

const MINUTE: Duration = Duration::from_secs(60);

/// The session that a note is written for.
#[track_caller]
fn writes_for(server: &mut Server, arguments: &Value, meta: &Value) -> String {
    let call = json!({"name": "write_note", "arguments": arguments, "_meta": meta});
    let (texts, is_error) = server.called(&call);
    assert!(!is_error, "{texts:?}");
    let (_, session) = texts[0].split_once(" of session ").expect("a session");
    session.split([',', ' ']).next().expect("a name").to_owned()
}

#[test]
fn what_stands_nearest_to_the_call_says_whose_note_it_is() {
    let world = World::new();
    is_active(&world, "seen", Duration::ZERO);
    let meta = json!({"threadId": "thread", "sessionId": "thread"});
    let (named, nameless) = (json!({"text": "x", "session": "named"}), json!({"text": "x"}));
    let mut server = Server::of_claude_code(&world, &["--session", "flag"], "environment");
    assert_eq!(writes_for(&mut server, &named, &meta), "named");
    assert_eq!(writes_for(&mut server, &nameless, &meta), "flag");
    let mut server = Server::of_claude_code(&world, &[], "environment");
    assert_eq!(writes_for(&mut server, &nameless, &meta), "thread");
    assert_eq!(writes_for(&mut server, &nameless, &json!({"sessionId": "older"})), "older");
    assert_eq!(
        writes_for(&mut server, &nameless, &json!({"claudecode/toolUseId": "t"})),
        "environment"
    );
    let mut server = Server::of_claude_code(&world, &[], "");
    assert_eq!(writes_for(&mut server, &nameless, &Value::Null), "seen");
}

#[test]
fn a_session_that_was_only_seen_is_named_in_the_answer() {
    let world = World::new();
    is_active(&world, "old", 90 * MINUTE);
    is_active(&world, "new", MINUTE);
    let mut server = Server::of(&world);
    let said = server.does("write_note", &json!({"text": "x"}));
    assert!(said[1].starts_with("It is that of session new, which was last active in"), "{said:?}");
    assert!(!said[1].contains("at work there too"), "{said:?}");
}

#[test]
fn of_two_sessions_in_one_folder_none_is_taken_for_the_other_in_silence() {
    let world = World::new();
    world.fed("a note of two", &["write", "two"]).quietly();
    is_active(&world, "one", 30 * MINUTE);
    is_active(&world, "two", MINUTE);
    let mut server = Server::of(&world);
    let said = server.fails("write_note", &json!({"text": "x"}));
    assert!(said.contains("sessions two and one are at work in this folder; name yours"), "{said}");
    let shown = server.does("show_note", &json!({}));
    assert_eq!(shown[0], "a note of two");
    assert!(shown[2].contains("one is at work there too"), "{shown:?}");
    server.does("write_note", &json!({"text": "x", "session": "one"}));
}

/// A server of Claude Code knows one session, that of its start.
#[test]
fn a_session_of_the_environment_that_another_one_has_followed_is_named_with_the_other() {
    let world = World::new();
    is_active(&world, "before", 30 * MINUTE);
    let mut server = Server::of_claude_code(&world, &[], "before");
    assert_eq!(server.does("write_note", &json!({"text": "x"})).len(), 1, "nobody else is there");
    is_active(&world, "after", MINUTE);
    for (tool, arguments) in [("write_note", json!({"text": "y"})), ("show_note", json!({}))] {
        let said = server.does(tool, &arguments).pop().expect("words");
        let words = "It is that of session before, which this server was started for; the session \
                     that last called a hook in";
        assert!(said.starts_with(words), "{said}");
        assert!(said.ends_with(" is after. Where that is you, say so with `session`."), "{said}");
    }
    assert_eq!(world.run(&["show", "before"]).quietly().stdout(), "y");
    let said = server.does("write_note", &json!({"text": "z", "session": "after"}));
    assert_eq!(said, ["saved: it is record 1 of session after, generation 0"]);
    let mut server = Server::of_claude_code(&world, &[], "after");
    assert_eq!(server.does("show_note", &json!({})).len(), 2, "it is the last one");
}

/// A `/clear` ends the session, and the server with its environment goes on.
#[test]
fn a_session_of_the_environment_that_has_ended_gives_way_to_the_one_that_followed() {
    let world = World::new();
    is_active(&world, "before", 30 * MINUTE);
    let mut server = Server::of_claude_code(&world, &[], "before");
    assert_eq!(server.does("write_note", &json!({"text": "x"})).len(), 1);
    ends(&world, "before");
    is_active(&world, "after", Duration::ZERO);
    let said = server.does("write_note", &json!({"text": "y"}));
    assert_eq!(said[0], "saved: it is record 1 of session after, generation 0");
    assert!(said[1].starts_with("It is that of session after, which was last active"), "{said:?}");
    calls_in(&world, world.root(), "before"); // it was taken up again
    assert_eq!(writes_for(&mut server, &json!({"text": "z"}), &Value::Null), "before");
}

#[test]
fn a_session_of_the_environment_that_has_ended_gives_way_to_none_that_called_only_before_its_end() {
    let world = World::new();
    is_active(&world, "older", 30 * MINUTE);
    calls_in(&world, world.root(), "before");
    ends(&world, "before");
    let mut server = Server::of_claude_code(&world, &[], "before");
    let said = server.does("write_note", &json!({"text": "x"}));
    let words = "It is that of session before, which this server was started for; it has ended, and \
                 none has called a hook in";
    assert!(said[0].contains(" of session before, generation 0"), "{said:?}");
    assert!(said[1].starts_with(words), "{said:?}");
    is_active(&world, "after", Duration::ZERO);
    let said = server.does("write_note", &json!({"text": "x"}));
    assert!(
        said[0].contains(" of session after, generation 0"),
        "the older one is not it: {said:?}"
    );
}

#[test]
fn an_agent_that_was_started_by_claude_code_does_not_go_by_its_environment() {
    let world = World::new();
    is_active(&world, "of-gemini", MINUTE);
    let inherited = [("CLAUDE_CODE_SESSION_ID", "of-claude-code")];
    let mut server = Server::with(&world, &[], &inherited);
    server.greets("gemini-cli-mcp-client");
    assert_eq!(writes_for(&mut server, &json!({"text": "x"}), &Value::Null), "of-gemini");
    let mut stateless = Server::with(&world, &[], &inherited);
    for (client, session) in [("claude-code", "of-claude-code"), ("mcp", "of-gemini")] {
        let client = json!({"name": client, "version": "1"});
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": client,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        assert_eq!(writes_for(&mut stateless, &json!({"text": "x"}), &meta), session);
    }
}

#[test]
fn of_many_sessions_in_one_folder_all_are_named() {
    let world = World::new();
    world.fed("a note of three", &["write", "three"]).quietly();
    for (session, minutes) in [("one", 30), ("two", 20), ("three", 1)] {
        is_active(&world, session, minutes * MINUTE);
    }
    let mut server = Server::of(&world);
    let said = server.fails("write_note", &json!({"text": "x"}));
    assert!(said.contains("sessions three, two and one are at work in this folder"), "{said}");
    let shown = server.does("show_note", &json!({}));
    assert!(shown[2].contains("; two and one are at work there too."), "{shown:?}");
}

#[test]
fn where_nobody_named_a_session_and_it_has_no_note_those_that_have_one_are_told() {
    let world = World::new();
    let mut server = Server::of_claude_code(&world, &[], "new");
    let said = server.fails("show_note", &json!({}));
    assert!(!said.contains("have notes"), "nobody has one: {said}");
    world.fed("a note of one", &["write", "one"]).quietly();
    let said = server.fails("show_note", &json!({}));
    assert!(said.ends_with("; session one has notes here: name yours with `session`"), "{said}");
    for number in 2..=12 {
        world.fed("a note", &["write", &format!("s{number}")]).quietly();
    }
    let newest = File::options().write(true).open(world.log("one")).expect("a log");
    newest.set_modified(SystemTime::now() + MINUTE).expect("set");
    let said = server.fails("show_note", &json!({}));
    assert!(said.contains("; sessions one, s"), "the newest first: {said}");
    assert!(said.ends_with(" and 2 more have notes here: name yours with `session`"), "{said}");
    let said = server.fails("show_note", &json!({"session": "named"}));
    assert!(!said.contains("have notes"), "{said}");
}
