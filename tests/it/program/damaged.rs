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
fn verified(world: &World, status: i32) -> serde_json::Value {
    world.run(&["verify", "kiln", "--json"]).ends(status).json()
}

/// Puts bytes behind a log, as whoever dies in the middle of a write does.
fn append(world: &World, bytes: &str) {
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

/// Damage of many kinds, a tail included, that stands before a record, around one or without any.
#[test]
fn a_record_is_won_back_only_where_verify_says_so() {
    let world = World::new();
    world.fed("sealed", &["write", "kiln"]).quietly();
    let sealed = fs::read_to_string(world.log("kiln")).expect("a log");
    let (sealed, record) = (sealed.trim_end(), r#"{"v":1,"session":"kiln","text":"one"}"#);
    let lines = [
        (record.to_owned(), None),
        ("junk".to_owned(), Some(0)),
        ("\0\0{\"v\":1".to_owned(), Some(0)),
        (format!("{{\"v\":1,{record}"), Some(1)),
        (format!("<<<<<<< HEAD{sealed}"), Some(1)),
        (format!("BZh9{sealed}"), Some(1)),
        (format!("{{\"v\":1,\"v\":1,\"x\":{sealed}}}"), Some(1)),
        (format!("{{\"v\":1,\"session\":{sealed}}}"), Some(1)),
        ("{\"v\":1,\"te".to_owned(), Some(0)),
    ];
    let expected: Vec<_> = lines.iter().filter_map(|(_, won_back)| *won_back).collect();
    // Each by itself too: what one line holds must not hide that another was never looked into.
    for (line, won_back) in &lines {
        let Some(won_back) = won_back else { continue };
        world.put("kiln", format!("{record}\n{line}"));
        assert_won_back(&world, &[*won_back]);
        world.put("kiln", format!("{line}\n{record}\n"));
        assert_won_back(&world, &[*won_back]);
    }
    world.put("kiln", lines.map(|(line, _)| line).join("\n"));
    assert_won_back(&world, &expected);
}

/// Checks what `repair` wins back from each bad line, and that `verify` says the same.
#[track_caller]
fn assert_won_back(world: &World, expected: &[u64]) {
    let repair = world.run(&["repair", "kiln", "--json"]).ends(5).json();
    let won_back = |line: &serde_json::Value| line["won_back"].as_u64();
    let won_back: Vec<_> =
        repair["lines"].as_array().expect("lines").iter().map(won_back).collect();
    assert_eq!(won_back, expected.iter().copied().map(Some).collect::<Vec<_>>(), "{repair}");
    let said = verified(world, 5);
    let says = |fault: &serde_json::Value| fault["detail"].to_string().contains("wins back");
    let says: Vec<_> = said["faults"].as_array().expect("faults").iter().map(says).collect();
    assert_eq!(says, expected.iter().map(|won| *won > 0).collect::<Vec<_>>(), "{said}");
    let shown = world.at_terminal(400, "", &["verify", "kiln"]).ends(5);
    let lines = expected.iter().filter(|won| **won > 0).count();
    assert_eq!(shown.stdout().matches("wins back").count(), lines, "{shown}");
}

/// What `verify` and `repair` call each damaged line.
fn reasons(world: &World) -> [Vec<String>; 2] {
    let named = |faults: &serde_json::Value| {
        let faults = faults.as_array().expect("an array").iter();
        faults.map(|fault| format!("{}: {}", fault["line"], fault["reason"])).collect()
    };
    let repair = world.run(&["repair", "kiln", "--json"]).ends(5).json();
    [named(&verified(world, 5)["faults"]), named(&repair["lines"])]
}

#[test]
fn verify_and_repair_have_one_word_for_one_thing() {
    let world = World::new();
    world.fed("one", &["write", "kiln"]).quietly();
    let whole = fs::read_to_string(world.log("kiln")).expect("a log");
    let flipped = whole.replace("one", "two");
    world.put("kiln", format!("{whole}junk\n{flipped}{{\"v\":1,{whole}{{\"v\":1"));
    let [verify, repair] = reasons(&world);
    assert_eq!(verify, repair);
    assert_eq!(verify.last().expect("the tail"), "5: \"torn_tail\"");
    let said = world.run(&["verify", "kiln"]).ends(5);
    for (reason, words) in [
        ("checksum_mismatch", "the record is not as it was written; repair takes it out\n"),
        (
            "run_together",
            "on the same line; repair takes it out, and wins back what is whole in it\n",
        ),
    ] {
        assert!(said.stdout().contains(&format!("{reason}\t")), "{said}");
        assert!(said.stdout().contains(words), "{said}");
    }
}

#[test]
fn what_a_repair_leaves_is_said_and_where_what_it_took_out_is() {
    let world = World::new();
    let foreign = "{\"v\":1,\"session\":\"wheel\",\"text\":\"not ours\"}\n";
    let ours = foreign.replace("wheel", "kiln");
    world.put("kiln", format!("{ours}{foreign}"));
    assert_eq!(verified(&world, 5)["faults"][0]["reason"], "foreign");
    let repair = world.run(&["repair", "kiln", "--json"]).ends(0).json();
    assert_eq!((&repair["clean"], &repair["faults_left"]), (&true.into(), &1.into()), "{repair}");
    let said = world.at_terminal(400, "", &["repair", "kiln"]).ends(0);
    assert!(
        said.stdout().contains("1 fault stays, which `graff-notes verify kiln` names"),
        "{said}"
    );

    world.put("kiln", format!("{ours}junk\n{foreign}"));
    assert!(verified(&world, 5)["rejected_path"].is_null());
    world.run(&["repair", "kiln", "--write"]).ends(0);
    let path = world.log("kiln").with_extension("rejected");
    assert_eq!(verified(&world, 5)["rejected_path"], path.as_str());
    let row = format!("kiln\tremark\t-\t-\trejected\twhat repairs took out is kept in {path}\n");
    assert!(world.run(&["verify"]).ends(5).stdout().ends_with(&row));
    let said = world.at_terminal(400, "", &["repair", "kiln"]).ends(0);
    assert!(
        said.stdout().contains(&format!("what earlier repairs took out is in {path}")),
        "{said}"
    );

    // As `repair --help` says: a log without the records of others.
    let export = world.run(&["export", "kiln", "--format", "jsonl"]).ends(5);
    world.run(&["forget", "kiln", "--yes"]).ends(0);
    world.fed(export.stdout(), &["import", "-"]).ends(5);
    verified(&world, 0);
    assert_eq!(world.run(&["show", "kiln"]).quietly().stdout(), "not ours");
}

#[test]
fn at_a_terminal_faults_come_first_and_remarks_of_one_sort_are_one_line() {
    let world = World::new();
    for text in 0..9 {
        world.run(&["write", "kiln", "--text", &format!("note {text}")]).ends(0);
    }
    append(&world, "junk\n");
    let said = world.at_terminal(400, "", &["verify", "kiln", "--color", "never"]).ends(5);
    let rows: Vec<_> = said.stdout().lines().skip(1).map(str::trim_end).collect();
    assert_eq!(rows.len(), 3, "{said}");
    assert!(rows[0].starts_with("  fault   line 10, byte "), "{said}");
    let alike = "  remark  lines 2, 3, 4, 5, 6 and 3 more: notes of the same generation as the note \
                 before; repair keeps them";
    assert_eq!(rows[1], alike);
    assert_eq!(verified(&world, 5)["remarks"].as_array().map(Vec::len), Some(8));
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

#[test]
fn a_list_says_where_a_session_stands_beyond_its_newest_note() {
    let world = World::with_every_kind();
    let answer = world.run(&["list", "--json"]).ends(0).json();
    assert_eq!(
        (&answer["generation"], &answer["newest"]["gen"]),
        (&4.into(), &3.into()),
        "{answer}"
    );
}
