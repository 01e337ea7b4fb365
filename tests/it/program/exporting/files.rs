//! An export takes no file's place unasked, nor one that it is not worth.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use graff_notes::session::SessionName;
use serde_json::json;

use super::{MARKDOWN, world};
use crate::support::world::World;

/// Replaces a backup.
const BACK_UP: [&str; 6] = ["export", "--format", "json", "-o", "b.json", "--force"];

#[test]
fn a_file_is_written_whole_and_never_over_another_one_unasked() {
    let world = world();
    let file = world.root().join("out.md");
    let ran = world.run(&["export", "s3", "--output", "out.md"]).quietly();
    assert_eq!(ran.stdout(), "out.md\t1\t1\t0\n");
    let (_, s3) = MARKDOWN.split_once("# s3").expect("the second session");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), format!("# s3{s3}"));
    assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o600);
    let ran = world.run(&["export", "--output", "out.md"]).ends(2);
    assert_eq!(
        ran.stderr(),
        "graff-notes: could not write out.md: it is there already\n  --force replaces it\n"
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), format!("# s3{s3}"));
    let ran = world.run(&["export", "--output", "out.md", "--force", "--json"]).ends(5);
    let answer =
        json!({"path": "out.md", "format": "markdown", "sessions": 2, "records": 4, "damage": 3});
    assert_eq!(ran.json(), answer);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), MARKDOWN);
    let files = world.files();
    let strange = files.iter().filter(|file| file.contains(".part"));
    assert_eq!(strange.count(), 0, "{files:?}");
}

#[test]
fn what_is_no_plain_file_is_never_written_to() {
    let world = world();
    fs::create_dir(world.root().join("folder")).expect("a folder");
    fs::write(world.root().join("victim"), "untouched").expect("a file");
    symlink("victim", world.root().join("link")).expect("a link");
    let pipe = world.root().join("pipe");
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, pipe.as_str(), kind, rustix::fs::Mode::RWXU, 0)
        .expect("a pipe");
    for path in ["folder", "link", "pipe"] {
        let ran = world.run(&["export", "--output", path, "--force"]).ends(2);
        let said = format!("graff-notes: could not write {path}: it is there, and no plain file\n");
        assert_eq!(ran.stderr(), said);
    }
    assert_eq!(fs::read_to_string(world.root().join("victim")).expect("a file"), "untouched");
    let ran = world.run(&["export", "--output", "not/there"]).ends(1);
    assert!(ran.stderr().starts_with("graff-notes: could not create not/there: "), "{ran}");
}

#[test]
fn a_failure_leaves_no_file() {
    let world = World::new();
    world.put("s1", "{\"v\":1,\"session\":\"s1\",\"text\":\"a note\"}\n");
    let before = world.files();
    world.run(&["export", "nobody", "--output", "out"]).ends(3);
    world.run(&["export", "s1", "--json", "--format", "markdown"]).ends(2);
    world.run(&["export", "--session-glob", "x", "--output", "out"]).ends(3);
    World::new().run(&["export"]).ends(3);
    assert_eq!(world.files(), before);
}

#[test]
fn an_export_without_a_session_that_was_named_replaces_no_file_whatever_the_others_are() {
    let world = World::new();
    world.put("good", "{\"v\":1,\"session\":\"good\",\"text\":\"a note\"}\n");
    world.put("damaged", "junk\n");
    fs::create_dir(world.log("unreadable")).expect("a folder in its place");
    let backup = world.root().join("b.json");
    fs::write(&backup, "a good backup").expect("a file");
    let others: [(&str, i32); 3] = [("good", 3), ("damaged", 5), ("unreadable", 1)];
    for which in 0..1_u8 << others.len() {
        let others: Vec<_> =
            others.iter().enumerate().filter(|(at, _)| which >> at & 1 == 1).collect();
        let names: Vec<_> = others.iter().map(|(_, (name, _))| *name).collect();
        let is = |status| others.iter().any(|(_, (_, its))| *its == status);
        let status = [5, 1].into_iter().find(|status| is(*status)).unwrap_or(3);
        for sessions in [[&names[..], &["gone"]].concat(), [&["gone"], &names[..]].concat()] {
            let ran = world.run(&[&BACK_UP[..], &sessions].concat()).ends(status);
            assert_eq!(ran.stdout(), "", "{sessions:?}: {ran}");
            assert_eq!(fs::read_to_string(&backup).expect("it is there"), "a good backup");
        }
    }
}

#[test]
fn an_export_replaces_no_file_where_no_log_can_be_read_and_else_by_what_can() {
    let world = World::new();
    world.put("s2", "{\"v\":1,\"session\":\"s2\",\"text\":\"a note\"}\n");
    fs::create_dir(world.log("s1")).expect("a folder in its place");
    let backup = world.root().join("b.json");
    fs::write(&backup, "a good backup").expect("a file");
    for sessions in [&["s1"][..], &["s1", "s1"], &["--session-glob", "s1"]] {
        let ran = world.run(&[&BACK_UP[..], sessions].concat()).ends(1);
        assert_eq!(ran.stdout(), "", "{ran}");
        assert_eq!(fs::read_to_string(&backup).expect("it is there"), "a good backup");
    }
    world.run(&[&BACK_UP[..], &["--session-glob", "zzz*"]].concat()).ends(3);
    assert_eq!(fs::read_to_string(&backup).expect("it is there"), "a good backup");
    world.run(&["export", "s1", "-o", "new.json"]).ends(1);
    assert!(!world.root().join("new.json").exists());
    let none_of_it = world.run(&[&BACK_UP[..], &["--since", "now"]].concat()).ends(1);
    assert_eq!(none_of_it.stdout(), "b.json\t0\t0\t0\n", "it was read, and had nothing to say");
    let rest = world.run(&BACK_UP).ends(1);
    assert_eq!(rest.stdout(), "b.json\t1\t1\t0\n", "what can be read is exported");
}

// Where the system has no files without a name, a killed process leaves one that is hidden: see
// `new_files`.
#[cfg(target_os = "linux")]
#[test]
fn who_interrupts_it_finds_the_whole_file_or_none() {
    let world = World::new();
    let log = |session: &str| {
        let note = |at| format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"note {at}\"}}\n");
        (0..100).map(note).collect::<String>()
    };
    let sessions: Vec<_> = (0..100).map(|at| format!("s{at}")).collect();
    for session in &sessions {
        world.put(session, log(session));
    }
    let before = world.files();
    let file = world.root().join("out.jsonl");
    for instant in 0..24 {
        let args = ["export", "--format", "jsonl", "--output", "out.jsonl"];
        let mut child =
            world.command(&args).stdout(std::process::Stdio::null()).spawn().expect("it starts");
        for _ in 0..instant * 400 {
            std::thread::yield_now();
        }
        let _ = child.kill(); // it may have ended by then
        child.wait().expect("it ends");
        if let Ok(whole) = fs::read_to_string(&file) {
            assert_eq!(whole.lines().count(), 10_000, "killed at instant {instant}");
            fs::remove_file(&file).expect("it is removed");
        }
        assert_eq!(world.files(), before, "killed at instant {instant}");
    }
}

#[test]
fn the_stores_own_files_are_never_replaced() {
    let world = world();
    let log = world.log("s1");
    let notes = log.parent().expect("a folder").to_owned();
    symlink(&notes, world.root().join("link")).expect("a link");
    fs::create_dir(notes.join("below")).expect("a folder");
    let (lock, below) = (world.store().lock_path(&session("s1")), notes.join("below/x.md"));
    let ignore = notes.with_file_name(".gitignore");
    let linked = world.root().join("link/s1.notes.jsonl");
    let before = fs::read(&log).expect("the log");
    for path in [&log, &lock, &below, &ignore, &linked, &".graff/notes/s1.notes.jsonl".into()] {
        let ran = world.run(&["export", "--force", "--output", path.as_str()]).ends(2);
        let said = format!("could not write {path}: it would stand among the store's own files");
        assert!(ran.stderr().contains(&said), "{ran}");
        assert_eq!(fs::read(&log).expect("the log"), before, "{path}");
    }
    world.run(&["export", "--force", "--output", "s1.notes.jsonl"]).ends(5);
}

fn session(name: &str) -> SessionName {
    SessionName::parse(name).expect("a good name")
}

#[test]
fn what_a_file_is_called_by_says_what_is_written_where_nothing_else_does() {
    let world = world();
    for (args, format) in [
        (&["-o", "a.json"][..], "json"),
        (&["-o", "a.jsonl"], "jsonl"),
        (&["-o", "a.md"], "markdown"),
        (&["-o", "a"], "markdown"),
        (&["-o", "b.json", "--format", "jsonl"], "jsonl"),
        (&["-o", "b.jsonl", "--json"], "jsonl"),
    ] {
        let path = world.root().join(args[1]);
        world.run(&[&["export", "s3"], args].concat()).ends(0);
        let expected = world.run(&["export", "s3", "--format", format]).ends(0);
        assert_eq!(fs::read_to_string(path).expect("a file"), expected.stdout(), "{args:?}");
    }
}
