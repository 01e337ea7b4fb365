//! Every exit status, with the words that go with it.

mod damage;

use std::fs::{self, File};

use graff_notes::session::SessionName;

use crate::support::world::{Ran, World};

/// A transcript whose last request filled a window of 10,000 tokens.
const FULL_TRANSCRIPT: &str = "{\"role\":\"user\",\"content\":\"mend src/a.rs\"}\n\
    {\"role\":\"assistant\",\"content\":\"on it\",\"usage\":{\"input_tokens\":9000}}\n";

/// The other process that has a session's lock.
fn locked(world: &World, session: &str) -> File {
    let session = SessionName::parse(session).expect("a good name");
    let path = world.store().lock_path(&session);
    let file = File::options().write(true).open(path).expect("the lock file");
    fs2::FileExt::lock_exclusive(&file).expect("the lock");
    file
}

#[test]
fn done_is_0_and_says_nothing_but_the_answer() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note");
}

#[test]
fn help_and_version_are_done() {
    let world = World::new();
    assert!(world.run(&["--help"]).quietly().stdout().contains("Exit status: 0 done, 1 failed"));
    assert!(world.run(&["--version"]).quietly().stdout().starts_with("graff-notes "));
}

#[test]
fn every_command_shows_an_example() {
    let world = World::new();
    let help = world.run(&["--help"]).quietly();
    let (_, commands) = help.stdout().split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("options behind it");
    for command in commands.lines().filter(|line| !line.starts_with("   ")) {
        let name = command.split_whitespace().next().expect("a name");
        let help = world.run(&[name, "--help"]).quietly();
        assert!(help.stdout().contains("Examples:\n  "), "{name}: {help}");
        assert!(help.stdout().contains(&format!("graff-notes {name}")), "{name}: {help}");
    }
}

#[test]
fn failed_is_1() {
    let world = World::new();
    let ran = world.run(&["write", "s1", "--file", "not-there"]).ends(1);
    assert_eq!(
        ran.stderr(),
        "graff-notes: could not read the note from not-there: No such file or directory (os error 2)\n"
    );
    assert_eq!(ran.stdout(), "");
}

#[test]
fn a_full_disk_behind_stdout_is_a_failure() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut show = world.command(&["show", "s1"]);
    let ran = crate::support::world::Ran::of(show.stdout(full)).ends(1);
    assert!(
        ran.stderr().starts_with("graff-notes: could not write the answer to stdout: No space")
    );
}

#[test]
fn what_is_on_disk_is_said_to_be_where_the_answer_cannot_be_written() {
    let world = World::new();
    let full = || File::options().write(true).open("/dev/full").expect("/dev/full");
    let log = "{\"v\":1,\"session\":\"s2\",\"text\":\"a note\"}\n";
    std::fs::write(world.root().join("s2.jsonl"), log).expect("a log");
    for (args, stored) in [
        (&["write", "s1", "--text", "a"][..], "the note is on disk: record 1 of generation 0"),
        (
            &["write", "s1", "--text", "b", "--json"],
            "the note is on disk: record 2 of generation 0",
        ),
        (&["write", "s1", "--text", "b"], "the note is on disk: record 2 of generation 0"),
        (&["import", "s2.jsonl"], "the import is on disk: 1 record came"),
        (&["forget", "s3", "--yes", "--json"], "session s3 is forgotten"),
    ] {
        world.run(&["write", "s3", "--text", "to be forgotten"]).quietly();
        let mut command = world.command(args);
        let ran = crate::support::world::Ran::of(command.stdout(full())).ends(1);
        assert!(ran.stderr().contains("could not write the answer to stdout: No space"), "{ran}");
        assert!(ran.stderr().contains(stored), "{args:?}: {ran}");
    }
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "b");
    assert_eq!(world.run(&["show", "s2"]).quietly().stdout(), "a note");
    world.run(&["show", "s3"]).ends(3);
}

#[test]
fn a_help_that_cannot_be_written_is_a_failure() {
    let world = World::new();
    for args in [&["--help"][..], &["--version"], &["write", "--help"]] {
        let full = File::options().write(true).open("/dev/full").expect("/dev/full");
        let ran = crate::support::world::Ran::of(world.command(args).stdout(full)).ends(1);
        let said = "graff-notes: could not write the answer to stdout: No space";
        assert!(ran.stderr().starts_with(said), "{args:?}: {ran}");
    }
}

#[test]
fn what_people_type_from_habit_is_another_name_of_a_command() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "the note"]).quietly();
    for (typed, meant) in [
        (&["cat", "s1"][..], &["show", "s1"][..]),
        (&["ls"], &["list"]),
        (&["grep", "note"], &["search", "note"]),
        (&["check"], &["verify"]),
        (&["fsck"], &["verify"]),
        (&["hooks", "uninstall", "codex", "--help"], &["hooks", "remove", "codex", "--help"]),
        (&["tail", "--help"], &["follow", "--help"]),
        (&["watch", "--help"], &["follow", "--help"]),
        (&["delete", "--help"], &["forget", "--help"]),
    ] {
        let [typed, meant] = [typed, meant].map(|args| world.run(args).quietly());
        assert_eq!(typed.stdout(), meant.stdout());
    }
    world.run(&["rm", "s1", "--yes"]).quietly();
    assert!(!world.log("s1").exists());
}

#[test]
fn wrong_usage_is_2() {
    let world = World::new();
    for args in [
        &[][..],
        &["rite", "s1"],
        &["write"],
        &["write", "s1", "--text", "a", "--file", "b"],
        &["write", "s1", "--text", "a", "--generation", "-1"],
        &["write", "s1", "--text", "a", "--cap-bytes", "15"],
        &["write", "s1", "--text", "a", "--cap-bytes", "65537"],
        &["write", "s1", "--text", " \n\t"],
        &["show", "s1", "--seq", "1", "--previous"],
        &["splice"],
        &["decide", "--percent", "0"],
        &["decide", "--percent", "101"],
        &["decide", "--percent", "80%"],
        &["decide", "--ceiling-tokens", "999"],
        &["decide", "--bytes-per-token", "0"],
        &["man", "rite"],
        &["completions", "cmd.exe"],
        &["list", "--root", "/not/there"],
    ] {
        let ran = world.run(args).ends(2);
        assert_eq!(ran.stdout(), "", "{args:?}");
        assert!(!ran.stderr().is_empty(), "{args:?}");
    }
    assert_eq!(world.files(), [""; 0], "nothing was made");
}

#[test]
fn what_is_wrong_with_a_command_line_is_one_sentence_in_json() {
    let world = World::new();
    for (args, message) in [
        (&["config", "--json"][..], "could not read the command line: a command is missing"),
        (&["hooks", "--json"], "could not read the command line: a command is missing"),
        (&["--json"], "could not read the command line: a command is missing"),
        (
            &["search", "--json"],
            "could not read the command line: the following required arguments were not provided: \
             <TEXT>",
        ),
        (&["rite", "--json"], "could not read the command line: unrecognized subcommand 'rite'"),
    ] {
        let error = world.run(args).ends(2).said("error");
        assert_eq!(error["message"], message, "{args:?}");
        assert_eq!(error["advice"], "`graff-notes --help` lists what there is");
    }
    let help = world.run(&["write", "--help"]).quietly();
    for args in
        [&["help", "write"][..], &["--json", "help", "write"], &["--color=never", "help", "write"]]
    {
        assert_eq!(world.run(args).quietly().stdout(), help.stdout(), "{args:?}");
    }
}

#[test]
fn a_note_over_the_limit_is_refused_and_one_over_the_cap_is_cut_and_said_to_be() {
    let world = World::new();
    let ran = world.fed("x".repeat(65_537), &["write", "s1"]).ends(2);
    assert_eq!(
        ran.stderr(),
        "graff-notes: could not read the note from stdin: it has more than 65536 bytes\n  shorten it\n"
    );
    let ran = world.fed("x".repeat(4_100), &["write", "s1"]).ends(0);
    assert_eq!(ran.stderr(), "graff-notes: cut 100 bytes off the note: over the cap of 4000\n");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout.len(), 4_000);
    world.fed("x".repeat(65_536), &["write", "s1", "--cap-bytes", "65536"]).quietly();
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout.len(), 65_536);
}

#[test]
fn a_note_that_is_no_text_is_refused() {
    let ran = World::new().fed(b"caf\xe9 closed", &["write", "s1"]).ends(2);
    assert_eq!(
        ran.stderr(),
        "graff-notes: could not store the note: stdin is not UTF-8 at byte 3\n"
    );
}

#[test]
fn nothing_there_is_3_and_makes_nothing() {
    let world = World::new();
    for args in [
        &["show", "s1"][..],
        &["log", "s1"],
        &["verify"],
        &["verify", "s1"],
        &["repair", "s1"],
        &["repair", "s1", "--write"],
        &["forget", "s1", "--yes"],
    ] {
        let ran = world.run(args).ends(3);
        assert_eq!(ran.stdout(), "", "{args:?}");
        assert!(ran.stderr().starts_with("graff-notes: could not "), "{args:?}: {ran}");
    }
    world.run(&["list"]).quietly();
    world.run(&["where"]).quietly();
    world.run(&["decide", "--session", "s1"]).quietly();
    assert_eq!(world.fed("base", &["splice", "s1"]).quietly().stdout(), "base");
    assert_eq!(world.files(), [""; 0]);
}

#[test]
fn a_note_that_is_not_on_record_is_not_there() {
    let world = World::new();
    world.fed("a note", &["write", "s1", "--generation", "4"]).quietly();
    for (which, said) in [
        (&["--seq", "2"][..], "note 2 of session s1: no note has this number"),
        (&["--gen", "3"], "a note of generation 3 of session s1: there is none"),
        (&["--previous"], "the note before the newest of session s1: there is none"),
    ] {
        let ran = world.run(&[&["show", "s1"], which].concat()).ends(3);
        assert!(ran.stderr().starts_with(&format!("graff-notes: could not show {said}")), "{ran}");
    }
}

#[test]
fn busy_is_4_and_names_the_holder() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    let _lock = locked(&world, "s1");
    let ran = world.fed("another", &["write", "s1"]).ends(4);
    assert!(ran.stderr().starts_with("graff-notes: could not lock "), "{ran}");
    assert!(ran.stderr().contains(&format!("process {}", std::process::id())), "{ran}");
    assert!(ran.stderr().ends_with("reading needs no lock\n"), "{ran}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note");
}

#[test]
fn busy_is_4_with_every_command_that_writes_to_a_log() {
    let world = World::new();
    let note = |text: &str| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"{text}\"}}\n");
    world.put("s1", note("a note") + "junk\n");
    let file = |name: &str, text: String| fs::write(world.root().join(name), text);
    file("s1.jsonl", FULL_TRANSCRIPT.to_owned()).expect("a transcript");
    file("log", note("a note") + &note("another")).expect("a log to take in");
    file("PROMPT.md", "base\n".to_owned()).expect("a prompt");
    let lock = world.store().lock_path(&SessionName::parse("s1").expect("a good name"));
    File::create(lock).expect("the lock file");
    let _lock = locked(&world, "s1");
    let before = fs::read(world.log("s1")).expect("a log");
    let turn = ["--transcript", "s1.jsonl", "--window-tokens", "10000", "--generation", "1"];
    let rollover = [&["rollover", "--system", "PROMPT.md"], &turn[..]].concat();
    let mut rows = vec![
        vec!["write", "s1", "--text", "another"],
        vec!["repair", "s1", "--write"],
        vec!["import", "log"],
        vec!["forget", "s1", "--yes"],
        rollover.clone(),
        [&rollover[..], &["--note-from", "command:echo a note that is long enough"]].concat(),
    ];
    if cfg!(feature = "ask") {
        let endpoint = "endpoint:http://localhost:1/v1/responses";
        rows.push([&rollover[..], &["--note-from", endpoint, "--model", "m"]].concat());
        let endpoint = "http://localhost:1/v1/responses";
        rows.push([&["ask", "--endpoint", endpoint, "--model", "m"], &turn[..]].concat());
    }
    // Each waits for the lock, so all do at once.
    let children = rows.iter().map(|args| world.command(args).spawn().expect("it starts"));
    for (args, child) in rows.iter().zip(children.collect::<Vec<_>>()) {
        let ran = Ran::of_child(child);
        assert!(ran.has_status(4), "{args:?}: {ran}");
        assert!(ran.to_string().contains("s1.notes.lock"), "{args:?}: {ran}");
    }
    assert_eq!(fs::read(world.log("s1")).expect("a log"), before);
}

#[test]
fn refused_by_the_gate_is_6_where_a_note_is_required_and_else_0() {
    let world = World::new();
    let worker = ["decide", "--depth", "1"];
    world.run(&worker).quietly();
    world.run(&[&worker[..], &["--require-note"]].concat()).ends(6);
    world.run(&["decide", "--require-note"]).quietly();
}

#[test]
fn where_no_session_is_yet_it_is_said_so_and_not_that_none_is_such() {
    let world = World::new();
    let none = |args: &[&str]| world.run(args).ends(3).stderr().to_owned();
    for command in ["verify", "export"] {
        let why = format!("there is no session in {}/.graff/notes yet\n", world.root());
        assert!(none(&[command]).ends_with(&why), "{command}");
    }
    assert!(none(&["verify", "--session-glob", "x"]).contains("there is no such session in"));
}

#[test]
fn forgetting_unasked_needs_a_yes() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    let ran = world.fed("y\n", &["forget", "s1"]).ends(2);
    assert!(ran.stderr().ends_with("  say --yes where nobody can be asked\n"), "{ran}");
    assert_eq!(world.run(&["forget", "s1", "--yes"]).quietly().stdout(), "");
    world.run(&["show", "s1"]).ends(3);
    assert!(!world.log("s1").exists());
}
