//! The promise: a session is at work where its last hook was called, until it ends, and nowhere
//! else.
//!
//! Shown by hooks in folders of every spelling, and by what stands in the files that they leave.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::MetadataExt,
    process::Stdio,
    time::Duration,
};

use camino::Utf8Path;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::{MINUTE, Server, active, calls_in, ends, is_active, writes_for};
use crate::support::world::{Ran, World};

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
