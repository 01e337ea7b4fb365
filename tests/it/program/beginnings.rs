//! A person at a terminal names a session to be read by the beginning of its name; a script, and
//! whoever writes, by all of it.

use crate::support::world::{Ran, World};

/// A store with sessions of these names.
fn world(names: &[&str]) -> World {
    let world = World::new();
    for name in names {
        for text in ["an older note", &format!("the note of {name}")] {
            world.run(&["write", name, "--text", text]).quietly();
        }
    }
    world
}

/// The commands that read and end by themselves.
const READING: [&str; 6] = ["show", "log", "diff", "verify", "export", "splice"];

/// What each of them says of that session, in words that no hint on stderr has.
const OF_FIX_PARSER: [&str; 6] = [
    "the note of fix-parser",
    "an older note",
    "the note of fix-parser",
    "2 notes",
    "the note of fix-parser",
    "the note of fix-parser",
];

/// At a terminal, where an empty prompt is typed.
fn at_terminal(world: &World, args: &[&str]) -> Ran {
    world.at_terminal(120, "\u{4}", args)
}

#[test]
fn the_beginning_of_one_name_will_do_at_a_terminal() {
    let world = world(&["fix-parser", "plan"]);
    for (command, of_it) in READING.into_iter().zip(OF_FIX_PARSER) {
        for beginning in ["f", "fix", "fix-parser"] {
            let ran = at_terminal(&world, &[command, beginning]).ends(0);
            assert!(ran.stdout().contains(of_it), "{command} {beginning}: {ran}");
            assert!(!ran.stdout().contains("plan"), "{command} {beginning}: {ran}");
        }
        // Whatever goes wrong, a prompt comes out of `splice`.
        let not_there = if command == "splice" { 0 } else { 3 };
        at_terminal(&world, &[command, "nobody"]).ends(not_there);
        at_terminal(&world, &[command, "parser"]).ends(not_there);
    }
}

#[test]
fn a_whole_name_is_that_session_whatever_others_begin_with_it() {
    let world = world(&["fix", "fix-a", "fix-b"]);
    let ran = world.at_terminal(120, "", &["show", "fix"]).ends(0);
    assert!(ran.stdout().ends_with("the note of fix\r\n"), "{ran}");
}

#[test]
fn a_session_whose_log_was_only_begun_is_itself_and_not_the_beginning_of_another() {
    let world = world(&["fix-parser"]);
    std::fs::write(world.log("fix").with_extension("repairing"), "").expect("a mark");
    for command in ["show", "log", "diff", "export"] {
        let ran = world.at_terminal(120, "", &[command, "fix"]).ends(3);
        assert!(
            ran.stdout().contains("could not find session fix: it has no log"),
            "{command}: {ran}"
        );
        assert!(!ran.stdout().contains("the note of"), "{command}: {ran}");
    }
}

#[test]
fn the_beginning_of_several_names_is_refused_with_the_names() {
    let world = world(&["fix-a", "fix b", "plan"]);
    for command in READING {
        let ran = at_terminal(&world, &[command, "fix"]).ends(2);
        assert!(ran.stdout().contains("write more of it: 'fix b', fix-a"), "{command}: {ran}");
    }
    // One that goes on is refused before it begins.
    let ran = at_terminal(&world, &["follow", "fix"]).ends(2);
    assert!(ran.stdout().contains("write more of it: 'fix b', fix-a"), "{ran}");
    let many: Vec<_> = (10..30).map(|number| format!("s{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let ran = self::world(&many).at_terminal(120, "", &["show", "s"]).ends(2);
    assert!(ran.stdout().contains(": s10, s11, s12, s13, s14, s15, s16, s17 and 12 more"), "{ran}");
}

#[test]
fn a_script_is_never_given_the_note_of_another_session_than_it_names() {
    let world = world(&["task-12"]);
    let before = world.files();
    for command in READING.into_iter().filter(|command| *command != "splice") {
        let ran = world.run(&[command, "task-1"]).ends(3);
        assert_eq!(ran.stdout(), "", "{command}: {ran}");
        assert!(ran.stderr().contains("sessions that begin so: task-12"), "{command}: {ran}");
        let ran = world.at_terminal(120, "", &[command, "task-1", "--json"]).ends(3);
        assert!(!ran.stdout().contains("note of"), "{command}: {ran}");
    }
    assert_eq!(world.files(), before, "reading makes nothing");
}

#[test]
fn whoever_writes_names_the_whole_session_at_a_terminal_too() {
    let world = world(&["task-12"]);
    let log = || std::fs::read(world.log("task-12")).expect("a log");
    let before = log();
    for args in [&["repair", "task-1", "--write"][..], &["forget", "task-1", "--yes"]] {
        let ran = world.at_terminal(120, "", args).ends(3);
        assert!(ran.stdout().contains("sessions that begin so: task-12"), "{ran}");
    }
    // What a prompt is piped out of is a script.
    let spliced = world.fed("the base", &["splice", "task-1"]).ends(0);
    assert_eq!(spliced.stdout(), "the base");
    world.at_terminal(120, "", &["write", "task-1", "--text", "a note"]).ends(0);
    assert!(world.log("task-1").exists());
    assert_eq!(log(), before);
}

#[test]
fn what_a_list_leaves_of_a_long_name_will_do_with_the_mark_at_its_end() {
    let world = world(&["fix-parser", "plan"]);
    for cut in ["fix-p…", "f…", "fix-parse…"] {
        let ran = at_terminal(&world, &["show", cut]).ends(0);
        assert!(ran.stdout().contains("the note of fix-parser"), "{cut}: {ran}");
    }
    at_terminal(&world, &["show", "fix-parser…"]).ends(3);
    world.run(&["show", "fix-p…"]).ends(3);
}
