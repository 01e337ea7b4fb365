//! Hostile names and hostile files: each gets an answer that says what to do, and nothing is
//! written anywhere but in the store.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::{fs::PermissionsExt, process::CommandExt},
};

use graff_notes::session::SessionName;
use serde_json::json;

use crate::support::{
    skipped,
    world::{Ran, World},
};

/// The user `nobody`, as most systems number him.
const NOBODY: u32 = 65_534;

#[test]
fn names_that_could_lead_elsewhere_are_refused_with_what_to_do() {
    let world = World::new();
    let long = "x".repeat(300);
    for (name, said) in [
        ("../../etc/passwd", "holds `/`: use another character, such as `-`"),
        ("a/b", "holds `/`: use another character, such as `-`"),
        ("a\\b", "holds `\\`: use another character, such as `-`"),
        ("..", "is made of dots only: add a letter or a digit"),
        (".", "is made of dots only: add a letter or a digit"),
        ("", "is empty: give it at least one character"),
        ("a\u{1b}[31mb", "holds the control character U+001B: leave it out"),
        ("a\nb", "holds the control character U+000A: leave it out"),
        (&long, "takes 300 bytes as a file name, and 220 is the most: shorten it"),
    ] {
        for command in ["write", "show", "log", "verify", "repair", "forget"] {
            let ran = world.fed("a note", &[command, "--", name]).ends(2);
            assert_eq!(ran.stdout(), "");
            let expected = format!(
                "graff-notes: could not use {name:?} as a session: the session name {said}\n"
            );
            assert_eq!(ran.stderr(), expected, "{command}");
        }
    }
    assert_eq!(world.files(), [""; 0]);
}

#[test]
fn a_message_is_one_line_whatever_stands_in_the_path_that_it_names() {
    let world = World::new();
    let odd = "a\nb\tc\u{1b}[31md\u{202e}";
    for args in [
        &["write", "s1", "--file", odd][..],
        &["import", odd],
        &["rollover", "--transcript", odd, "--system", odd],
        &["--root", odd, "list"],
    ] {
        let ran = world.run(args);
        let (message, advice) = ran.stderr().split_once('\n').expect("a line");
        assert!(message.contains("a\\nb\\tc\\u{1b}[31md\\u{202e}"), "{args:?}: {ran}");
        assert!(advice.is_empty() || advice.starts_with("  "), "{args:?}: {ran}");
        assert!(!ran.stderr().contains(['\t', '\u{1b}', '\u{202e}']), "{args:?}: {ran}");
    }
}

#[test]
fn names_that_are_only_odd_each_keep_their_own_note() {
    let world = World::new();
    let names = [
        "A",
        "a",
        "CON",
        "con.txt",
        "café",
        "cafe\u{301}",
        ".hidden",
        "trailing.",
        "with space",
        "100%",
        "%41",
        "-flag",
        "--json",
        "日本語",
        "a:b",
        "a*?\"<>|",
        "$(id)",
        "~",
    ];
    for name in names {
        world.fed(format!("the note of {name}"), &["write", "--", name]).quietly();
    }
    for name in names {
        let ran = world.run(&["show", "--", name]).quietly();
        assert_eq!(ran.stdout(), format!("the note of {name}"));
    }
    let mut listed: Vec<_> = world
        .run(&["list", "--json"])
        .quietly()
        .answers()
        .iter()
        .map(|answer| answer["session"].as_str().expect("a name").to_owned())
        .collect();
    let mut names = names.map(str::to_owned).to_vec();
    listed.sort();
    names.sort();
    assert_eq!(listed, names);
    let logs = names.len() * 2;
    assert_eq!(world.files().len(), logs + [".graff", ".graff/notes", ".gitignore"].len());
}

/// What each command does where something that is no plain file stands in the log's place.
#[track_caller]
fn all_refuse(world: &World, what: &str) {
    let log = world.log("s1");
    let said = format!("graff-notes: could not open {log}: it is {what}, not a plain file\n");
    for args in [
        &["write", "s1"][..],
        &["show", "s1"],
        &["log", "s1"],
        &["verify", "s1"],
        &["repair", "s1"],
        &["repair", "s1", "--write"],
        &["splice", "s1"],
    ] {
        let ran = world.fed("a note", args).ends(1);
        let first = ran.stderr().split_inclusive('\n').next();
        assert_eq!(first, Some(&said[..]), "{args:?}: {ran}");
        assert!(ran.stderr().ends_with("  move it away; a session's files are plain files\n"));
    }
    let rows = world.run(&["list"]).ends(1);
    assert!(rows.stdout().contains("\tunreadable\t"), "{rows}");
}

#[test]
fn a_link_in_the_logs_place_is_not_followed() {
    let world = World::new();
    world.put("s2", "");
    let victim = world.root().join("victim");
    fs::write(&victim, "untouched").expect("a file");
    std::os::unix::fs::symlink(&victim, world.log("s1")).expect("a link");
    all_refuse(&world, "a symbolic link");
    assert_eq!(fs::read_to_string(victim).expect("the file"), "untouched");
}

#[test]
fn a_pipe_in_the_logs_place_is_not_waited_for() {
    let world = World::new();
    world.put("s2", "");
    let mode = rustix::fs::Mode::RWXU;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, world.log("s1").as_str(), kind, mode, 0).expect("a pipe");
    all_refuse(&world, "a named pipe");
}

#[test]
fn a_folder_in_the_logs_place_is_refused() {
    let world = World::new();
    world.put("s2", "");
    fs::create_dir(world.log("s1")).expect("a folder");
    all_refuse(&world, "a folder");
}

#[test]
fn a_lock_that_is_a_folder_or_may_not_be_opened_keeps_writers_out_in_words_and_no_reader() {
    let world = World::new();
    fs::write(world.root().join("note"), "another").expect("a file");
    world.fed("a note", &["write", "s1"]).quietly();
    let lock = world.store().lock_path(&SessionName::parse("s1").expect("a good name"));
    let writers = [&["write", "s1"][..], &["repair", "s1", "--write"], &["forget", "s1", "--yes"]];
    let log = fs::read(world.log("s1")).expect("the log");
    fs::remove_file(&lock).expect("a lock");
    fs::create_dir(&lock).expect("a folder");
    for args in writers {
        let ran = world.fed("another", args).ends(1);
        let said =
            format!("graff-notes: could not open {lock}: it is a folder, not a plain file\n");
        assert!(ran.stderr().starts_with(&said), "{args:?}: {ran}");
        assert!(ran.stderr().ends_with("  move it away; a session's files are plain files\n"));
        assert_eq!(fs::read(world.log("s1")).expect("the log"), log);
    }
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note");

    fs::remove_dir(&lock).expect("a folder");
    fs::write(&lock, "").expect("a lock");
    fs::set_permissions(&lock, Permissions::from_mode(0o000)).expect("modes");
    for path in ["", ".graff", ".graff/notes", ".graff/notes/s1.notes.jsonl"] {
        let path = world.root().join(path);
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("modes");
    }
    for args in writers {
        let Some(ran) = as_bound_user(&world, args) else {
            return skipped("the user nobody cannot run the program from where it is");
        };
        let said = format!("graff-notes: could not open {lock}: {}\n", denied("it"));
        assert!(ran.ends(1).stderr().starts_with(&said), "{args:?}");
        assert_eq!(fs::read(world.log("s1")).expect("the log"), log);
    }
    let shown = as_bound_user(&world, &["show", "s1"]).expect("it could run it before");
    assert_eq!(shown.quietly().stdout(), "a note");
}

#[test]
fn a_link_in_the_place_of_the_notes_folder_is_not_followed() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().expect("another folder");
    fs::create_dir(world.root().join(".graff")).expect("a folder");
    std::os::unix::fs::symlink(elsewhere.path(), world.root().join(".graff/notes"))
        .expect("a link");
    let ran = world.fed("a note", &["write", "s1"]).ends(1);
    assert!(ran.stderr().contains(": `notes` is a symbolic link, not a folder\n"), "{ran}");
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
}

/// What is said to a user whom modes bind, where `what` is ours and keeps him out.
fn denied(what: &str) -> String {
    let is_anothers = rustix::process::geteuid().is_root();
    let whose = format!("{what} belongs to another user, 0: ");
    format!("{}Permission denied (os error 13)", if is_anothers { &whose } else { "" })
}

/// Runs the program as a user whom modes bind, with the file `note` on stdin; `None` where that one
/// cannot run it.
pub(super) fn as_bound_user(world: &World, args: &[&str]) -> Option<Ran> {
    let note = fs::File::open(world.root().join("note")).expect("a note");
    let mut command = world.command(args);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.stdin(note).output() {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => None,
        ran => Some(ran.expect("the program runs").into()),
    }
}

#[test]
fn a_folder_without_permission_is_said_to_be_that() {
    let world = World::new();
    let root = world.root();
    fs::write(root.join("note"), "a note").expect("a file");
    fs::set_permissions(root, Permissions::from_mode(0o555)).expect("modes");
    let Some(ran) = as_bound_user(&world, &["write", "s1", "--json"]) else {
        skipped("the user nobody cannot run the program from where it is");
        return;
    };
    let ran = ran.ends(1);
    let error = ran.said("error");
    assert_eq!(error["kind"], json!("permission_denied"), "{ran}");
    let folder = format!("`{}`", root.file_name().expect("a name"));
    let message = format!("could not create the folder {root}/.graff: {}", denied(&folder));
    assert_eq!(error["message"], json!(message));
    assert_eq!(error["advice"], json!("check who owns the folder and the file, and their modes"));
    assert_eq!(world.files(), ["note"]);
}
