//! Whose note is meant, where a server is told and where it is not.

use std::{
    fs::{self, File, FileTimes},
    io::Write,
    os::unix::fs::MetadataExt,
    process::Stdio,
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{CWD, FileType, Mode, mknodat};
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
fn a_session_that_has_ended_is_not_at_work_any_more() {
    let world = World::new();
    is_active(&world, "one", 30 * MINUTE);
    is_active(&world, "two", MINUTE);
    ends(&world, "two");
    let mut server = Server::of(&world);
    assert_eq!(writes_for(&mut server, &json!({"text": "x"}), &Value::Null), "one");
    server.does("write_note", &json!({"text": "x", "session": "two"}));
    let mut forget = world.command(&["forget", "two", "--yes"]);
    forget.env("HOME", world.root()).env_remove("XDG_STATE_HOME");
    Ran::of(&mut forget).ends(0);
    let names = active(&world).read_dir_utf8().expect("a folder").flatten();
    assert_eq!(names.map(|entry| entry.file_name().to_owned()).collect::<Vec<_>>(), ["one"]);
    ends(&world, "one");
    let said = server.fails("write_note", &json!({"text": "x"}));
    assert!(said.contains("no session has called a hook in"), "{said}");
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
fn a_session_of_which_nobody_can_read_where_it_is_at_work_may_be_the_one_that_calls() {
    let empty = |path: &Utf8Path| fs::write(path, "").expect("written");
    let unreadable = |path: &Utf8Path| {
        fs::remove_file(path).expect("removed");
        fs::create_dir(path).expect("a folder");
    };
    let pipe = |path: &Utf8Path| {
        fs::remove_file(path).expect("removed");
        mknodat(CWD, path.as_std_path(), FileType::Fifo, Mode::RWXU, 0).expect("a FIFO");
    };
    for spoil in [&empty as &dyn Fn(&Utf8Path), &unreadable, &pipe] {
        let world = World::new();
        world.fed("a note of two", &["write", "two"]).quietly();
        is_active(&world, "one", Duration::ZERO);
        is_active(&world, "two", MINUTE);
        spoil(&active(&world).join("one"));
        let mut server = Server::of(&world);
        let said = server.fails("write_note", &json!({"text": "x"}));
        let words = "session two is at work in this folder, and of session one it cannot be read \
                     where it is; name yours with `session`";
        assert!(said.contains(words), "{said}");
        let shown = server.does("show_note", &json!({}));
        assert_eq!(shown[0], "a note of two");
        assert!(shown[2].contains("; one may be at work there too."), "{shown:?}");
        fs::remove_file(active(&world).join("two")).expect("removed");
        let said = server.fails("write_note", &json!({"text": "x"}));
        assert!(said.contains("of session one it cannot be read where it is at work"), "{said}");
        let mut server = Server::of_claude_code(&world, &[], "two");
        let said = server.does("write_note", &json!({"text": "x"})).concat();
        assert!(said.contains("session one called a hook later"), "{said}");
    }
}

#[test]
fn a_folder_is_the_same_however_it_is_spelt() {
    let world = World::new();
    let there = world.root().join("there");
    fs::create_dir(&there).expect("a folder");
    std::os::unix::fs::symlink(&there, world.root().join("link")).expect("a link");
    for spelt in ["there/", "there/.", "link", "link/../there"] {
        calls_in(&world, &world.root().join(spelt), "s1");
        for asked in ["there", "link", "there/../link/"] {
            let root = world.root().join(asked);
            let mut server = Server::with(&world, &["--root", root.as_str()], &[]);
            let said = server.does("write_note", &json!({"text": "x"}));
            assert!(said[1].contains(" of session s1,"), "{spelt}, {asked}: {said:?}");
        }
    }
    let named = there.canonicalize_utf8().expect("a folder");
    assert_eq!(fs::read_to_string(active(&world).join("s1")).expect("a file"), named.as_str());
}

#[test]
fn a_hook_that_names_an_empty_folder_is_at_work_in_the_project_that_it_runs_in() {
    let world = World::new();
    let below = world.root().join("src");
    fs::create_dir(&below).expect("a folder");
    fs::create_dir_all(world.root().join(".graff")).expect("what makes it a project");
    let payload = json!({"hook_event_name": "BeforeAgent", "session_id": "s1", "cwd": ""});
    let mut hook = world.command(&["hook", "gemini"]);
    hook.env("HOME", world.root()).env_remove("XDG_STATE_HOME").env_remove("GRAFF_ROOT");
    let mut hook =
        hook.stdin(Stdio::piped()).current_dir(&below).spawn().expect("the program starts");
    hook.stdin.take().expect("a pipe").write_all(payload.to_string().as_bytes()).expect("it reads");
    Ran::of_child(hook).quietly();
    let mut server = Server::of(&world);
    let said = server.does("write_note", &json!({"text": "x"}));
    assert!(said[0].contains(" of session s1,"), "{said:?}");
    let named = world.root().canonicalize_utf8().expect("a folder");
    assert_eq!(fs::read_to_string(active(&world).join("s1")).expect("a file"), named.as_str());
}

#[test]
fn whoever_reads_where_a_session_is_at_work_reads_it_whole_whatever_hook_comes_meanwhile() {
    let (world, elsewhere) = (World::new(), World::new());
    is_active(&world, "s1", 90 * MINUTE);
    let path = active(&world).join("s1");
    let held = File::open(&path).expect("it is noted");
    let before = held.metadata().expect("a status");
    calls_in(&world, world.root(), "s1");
    let after = fs::metadata(&path).expect("a status");
    assert_eq!(after.ino(), before.ino(), "what says the same already is only told the time");
    assert!(after.modified().expect("a time") > before.modified().expect("a time"));
    calls_in(&world, elsewhere.root(), "s1");
    assert_eq!(fs::read_to_string(&path).expect("a folder"), elsewhere.root().as_str());
    let read = std::io::read_to_string(held).expect("it is read");
    assert_eq!(read, world.root().as_str(), "nothing was cut short under its reader");
    let names = active(&world).read_dir_utf8().expect("a folder").flatten();
    assert_eq!(names.map(|entry| entry.file_name().to_owned()).collect::<Vec<_>>(), ["s1"]);
}

#[test]
fn sessions_of_other_folders_and_of_last_week_are_none_of_this_one() {
    let (world, elsewhere) = (World::new(), World::new());
    is_active(&world, "ended", 8 * 24 * 60 * MINUTE);
    let mut server = Server::of(&world);
    let said = server.fails("write_note", &json!({"text": "x"}));
    assert!(said.contains("no session has called a hook in"), "{said}");
    assert!(said.ends_with("name one with `session`: any name that you will use again"), "{said}");
    let home = elsewhere.root().as_str();
    is_active(&elsewhere, "elsewhere", Duration::ZERO);
    let mut server = Server::with(&world, &[], &[("HOME", home)]);
    assert!(server.fails("show_note", &json!({})).contains("no session has called"));
    assert_eq!(server.does("thread_hint", &json!({})), Vec::<String>::new());
}

/// A hint is put into a prompt unread.
#[test]
fn of_two_sessions_in_one_folder_none_gets_a_hint() {
    let world = World::new();
    for session in ["one", "two"] {
        world.fed("a note", &["write", session]).quietly();
    }
    is_active(&world, "one", 30 * MINUTE);
    let mut server = Server::of(&world);
    assert_eq!(server.does("thread_hint", &json!({})).len(), 1, "it is alone");
    is_active(&world, "two", MINUTE);
    assert_eq!(server.does("thread_hint", &json!({})), Vec::<String>::new());
}

#[test]
fn a_hint_holds_all_that_was_stored_whatever_may_be_stored_now() {
    let world = World::new();
    world.fed("0123456789abcdefgh", &["write", "t1"]).quietly();
    fs::write(world.root().join(".graff/config.toml"), "cap-bytes = 16\n").expect("written");
    let mut server = Server::of(&world);
    let call = json!({"name": "thread_hint", "_meta": {"threadId": "t1"}});
    let (texts, _) = server.called(&call);
    assert_eq!(graff_notes::prompt::extract(&texts.concat()), Some("0123456789abcdefgh"));
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

#[test]
fn what_the_agent_has_just_written_by_a_tool_is_not_given_back_by_the_next_hook() {
    let world = World::new();
    assert_eq!(given(&world, "s1"), "");
    let mut server = Server::of_claude_code(&world, &[], "s1");
    server.does("write_note", &json!({"text": "written by the agent"}));
    assert_eq!(given(&world, "s1"), "", "it stands in the call");
    let call =
        json!({"name": "write_note", "arguments": {"text": "x"}, "_meta": {"threadId": "s2"}});
    assert!(!server.called(&call).1);
    assert_eq!(given(&world, "s2"), "", "it stands in the call");
    let fresh = World::new();
    let mut server = Server::of(&fresh);
    server.does("write_note", &json!({"text": "for another session", "session": "s1"}));
    assert!(!fresh.files().iter().any(|path| path.contains("hooks.json")), "{:?}", fresh.files());
}

/// Whoever wrote it may be another session, and the one that has it now has never seen it.
#[test]
fn what_was_stored_for_a_session_that_was_only_seen_is_given_by_its_next_hook() {
    let world = World::new();
    assert_eq!(given(&world, "s1"), "");
    let mut server = Server::of(&world);
    server.does("write_note", &json!({"text": "of a guess"}));
    assert!(given(&world, "s1").contains("of a guess"), "it was the last one to call");
    let mut server = Server::of_claude_code(&world, &[], "before");
    let said = server.does("write_note", &json!({"text": "of one that may have ended"}));
    assert!(said[1].contains("the session that last called a hook in"), "{said:?}");
    assert!(given(&world, "before").contains("of one that may have ended"));
}

/// What a prompt in `session` is given.
#[track_caller]
fn given(world: &World, session: &str) -> String {
    let payload = json!({"hook_event_name": "BeforeAgent", "session_id": session, "prompt": "x"});
    calls(world, world.root(), &payload).ends(0).stdout().to_owned()
}

#[test]
fn a_thread_without_a_note_gets_an_empty_hint() {
    let world = World::new();
    let mut server = Server::of(&world);
    let call = json!({"name": "thread_hint", "_meta": {"threadId": "t1"}});
    assert_eq!(server.called(&call), (Vec::new(), false));
    assert!(world.files().is_empty(), "{:?}", world.files());
    world.fed("a note of t1", &["write", "t1"]).quietly();
    let (texts, _) = server.called(&call);
    assert!(texts.concat().contains("a note of t1"), "{texts:?}");
}
