//! The promise: a hint and a hook give a note to the session that it is for, and not to the one
//! that has just written it.
//!
//! Shown by what the next hook says, and by what `thread_hint` does.

use std::fs;

use serde_json::json;

use super::{MINUTE, Server, calls, is_active};
use crate::support::world::World;

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
