//! Damaged logs, through the built program: what is read and said, and what a `write` makes of
//! them.
//!
//! The inputs are those in fixtures/logs. Each test says which report it answers: the table in
//! `faults::reported` has them all.

use std::fs::{self, File};

use proptest::prelude::*;

use super::{names::as_bound_user, splicing::read_only};
use crate::support::{logs::fixture, skipped, world::World};

/// A world in which session `kiln` has one of the logs that are fixtures.
fn world(log: &str) -> World {
    let world = World::new();
    world.put("kiln", fixture(log));
    world
}

/// What `verify` has to say of session `kiln`.
#[track_caller]
pub(super) fn verified(world: &World, status: i32) -> serde_json::Value {
    world.run(&["verify", "kiln", "--json"]).ends(status).json()
}

/// Puts bytes behind a log, as whoever dies in the middle of a write does.
pub(super) fn append(world: &World, bytes: &str) {
    let log = File::options().append(true).open(world.log("kiln"));
    std::io::Write::write_all(&mut log.expect("a log"), bytes.as_bytes()).expect("it is written");
}

/// F002.
#[test]
fn a_torn_record_costs_neither_of_two_notes_that_follow_it() {
    let world = World::new();
    world.fed("first", &["write", "kiln"]).quietly();
    append(&world, "{\"half");
    world.fed("second", &["write", "kiln"]).quietly();
    world.fed("third", &["write", "kiln"]).quietly();
    let said = verified(&world, 5);
    assert_eq!((&said["notes"], &said["bad_lines"]), (&3.into(), &1.into()), "{said}");
    assert_eq!(said["torn_tail"], false, "{said}");
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), "third");
}

/// F004.
#[test]
fn a_log_of_one_torn_record_is_an_empty_log_and_everything_goes_on() {
    let world = world("only_torn");
    world.run(&["list"]).ends(0);
    let spliced = world.fed("You fire kilns.\n", &["splice", "kiln"]).ends(0);
    assert_eq!(spliced.stdout(), "You fire kilns.\n");
    let payload = format!(
        r#"{{"session_id":"kiln","hook_event_name":"SessionStart","source":"resume","cwd":"{}"}}"#,
        world.root()
    );
    assert_eq!(world.fed(payload, &["hook", "claude-code"]).ends(0).stdout(), "");
    let written = world.fed("the first that is whole", &["write", "kiln"]).quietly();
    assert_eq!(written.stdout(), "1\t0\tstored\n");
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), "the first that is whole");
}

/// F019.
#[test]
fn a_stray_byte_before_each_of_three_notes_costs_none_of_them() {
    let world = World::new();
    world.fed("one", &["write", "kiln"]).quietly();
    for round in 1..=3 {
        append(&world, "x");
        let text = format!("n{round}");
        world.fed(&text, &["write", "kiln"]).quietly();
        assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), text);
        let said = verified(&world, 5);
        let figures = ["notes", "bad_lines"].map(|figure| said[figure].as_u64());
        assert_eq!(figures, [Some(round + 1), Some(round)], "{said}");
        assert_eq!(said["torn_tail"], false, "{said}");
    }
}

/// F020.
#[test]
fn a_half_line_that_may_be_a_live_write_is_changed_by_nothing_that_reads() {
    let world = World::new();
    world.fed("one", &["write", "kiln"]).quietly();
    append(&world, "{\"half\":");
    let (bytes, files) = (fs::read(world.log("kiln")).expect("a log"), world.files());
    let reads: [(&[&str], i32); 7] = [
        (&["show", "kiln"], 0),
        (&["log", "kiln"], 0),
        (&["splice", "kiln"], 0),
        (&["list"], 0),
        (&["stats"], 0),
        (&["verify", "kiln"], 5),
        (&["repair", "kiln"], 5),
    ];
    for (args, status) in reads {
        world.fed("base", args).ends(status);
        assert_eq!(fs::read(world.log("kiln")).expect("a log"), bytes, "{args:?}");
        assert_eq!(world.files(), files, "{args:?}");
    }
}

/// F025.
#[test]
fn lines_that_end_in_cr_alone_are_named_and_a_repair_wins_them_back() {
    let world = world("cr_only");
    let said = verified(&world, 5);
    let why = "lines end in CR alone: several records look like one line; \
               repair takes it out, and wins back what is whole in it";
    let detail = said["faults"][0]["detail"].as_str().expect("words");
    assert!(detail.ends_with(why), "{said}");
    assert_eq!(said["notes"], 0, "{said}");
    assert_eq!(fs::read(world.log("kiln")).expect("a log"), fixture("cr_only"));
    world.run(&["repair", "kiln", "--write"]).ends(0);
    assert_eq!(verified(&world, 0)["notes"], 3);
}

/// F028: the file stays as it is, byte for byte, and a note goes on a line of its own behind it.
#[test]
fn a_file_in_utf_16_holds_no_note_is_named_for_it_and_is_kept_whole() {
    let world = world("utf16");
    let said = verified(&world, 5);
    assert_eq!(said["notes"], 0, "{said}");
    let encoding = "UTF-16 text: some program saved the file in another encoding";
    let detail = said["faults"][0]["detail"].as_str().expect("words");
    assert!(detail.starts_with(encoding), "{said}");
    world.run(&["show", "kiln"]).ends(5);
    world.fed("behind it", &["write", "kiln"]).quietly();
    let log = fs::read(world.log("kiln")).expect("a log");
    let behind = log.strip_prefix(&fixture("utf16")[..]).expect("it is kept whole");
    assert!(
        behind.starts_with(b"\n{\"v\":1,") && behind.ends_with(b"\"}\n"),
        "{}",
        behind.escape_ascii()
    );
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), "behind it");
}

/// F060.
#[test]
fn of_two_notes_with_one_number_the_later_is_shown_and_verify_says_so() {
    let world = world("dup_seq");
    let newest = String::from_utf8(fixture("dup_seq")).expect("UTF-8");
    let newest = newest.lines().last().expect("a line");
    let newest: serde_json::Value = serde_json::from_str(newest).expect("JSON");
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), newest["text"]);
    let said = verified(&world, 5);
    assert_eq!(said["faults"][0]["reason"], "seq_repeated", "{said}");
    assert_eq!((&said["notes"], &said["bad_lines"]), (&3.into(), &0.into()), "{said}");
}

/// F063.
#[test]
fn a_note_from_the_future_is_not_the_newest_and_is_shown_to_be_ahead() {
    let world = world("future_date");
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), "stamped today");
    let log = world.at_terminal(100, "", &["log", "kiln", "--color", "never"]).ends(0);
    let ahead = log.stdout().lines().find(|line| line.contains("ran ahead")).expect("its row");
    assert!(ahead.contains(" in ") && ahead.contains(" years "), "{ahead}");
}

/// F108.
#[test]
fn in_a_folder_that_cannot_be_written_to_a_write_fails_and_prompts_and_hooks_go_on() {
    let world = World::new();
    world.fed("one", &["write", "s1"]).quietly();
    read_only(&world);
    let feed = |what: &str| {
        let note = world.root().join("note");
        let _ = fs::remove_file(&note);
        fs::write(note, what).expect("a file");
    };
    feed("two");
    let Some(ran) = as_bound_user(&world, &["write", "s1", "--json"]) else {
        return skipped("the user nobody cannot run the program from where it is");
    };
    assert_eq!(ran.ends(1).said("error")["kind"], "permission_denied");
    let run = |args: &[&str]| as_bound_user(&world, args).expect("it could run it before");
    assert!(run(&["splice", "s1"]).ends(0).stdout().starts_with("two"));
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact"] {
        feed(&format!(
            r#"{{"session_id":"s1","hook_event_name":"{event}","source":"resume","trigger":"auto","cwd":"{}"}}"#,
            world.root()
        ));
        run(&["hook", "claude-code"]).ends(0);
    }
    assert_eq!(run(&["show", "s1"]).quietly().stdout(), "one");
}

proptest! {
    // Each sample is four runs of the program; one that fails is printed with its seed.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_comes_back_from_show_and_from_a_prompt_as_it_went_in(
        text in prop_oneof![any::<String>(), "(?s)[\0-\u{9f}\u{2028}\u{feff}🏺é]{1,200}"],
        base in "(?s).{0,80}",
    ) {
        prop_assume!(!text.trim().is_empty());
        let world = World::new();
        world.fed(&text, &["write", "kiln"]).quietly();
        prop_assert_eq!(&world.run(&["show", "kiln"]).quietly().stdout, text.as_bytes());
        let spliced = world.fed(&base, &["splice", "kiln"]).quietly().stdout;
        let extracted = world.fed(&spliced, &["splice", "--extract"]).quietly().stdout;
        prop_assert_eq!(&extracted, text.as_bytes());
    }
}

#[test]
fn a_note_without_a_number_is_shown_and_compared_by_its_line() {
    let world = World::new();
    let note = |text| format!("{{\"v\":1,\"session\":\"kiln\",\"text\":\"{text}\"}}\n");
    world.put("kiln", ["\n", &note("one"), "junk\n", &note("two"), &note("three")].concat());
    assert_eq!(world.run(&["show", "kiln", "--line", "2"]).quietly().stdout(), "one");
    assert_eq!(world.run(&["show", "kiln", "--line", "4"]).quietly().stdout(), "two");
    world.run(&["show", "kiln", "--line", "3"]).ends(5);
    world.run(&["show", "kiln", "--line", "6"]).ends(3);
    let diff = ["diff", "kiln", "--from", "line:2", "--to", "line:4", "--json"];
    let changes = world.run(&diff).ends(0).json()["changes"].to_string();
    assert!(changes.contains("one") && changes.contains("two"), "{changes}");
    world.run(&["diff", "kiln", "--from", "line:3"]).ends(3);
    world.run(&["diff", "kiln", "--from", "line:x"]).ends(2);
    let log = world.at_terminal(100, "", &["log", "kiln", "--color", "never"]).ends(0);
    assert!(log.stdout().contains("line:4 "), "{log}");
    let lines = world.run(&["log", "kiln", "--json"]).answers();
    let lines: Vec<_> = lines.iter().map(|record| record["line"].as_u64()).collect();
    assert_eq!(lines, [Some(2), Some(4), Some(5)]);
}
