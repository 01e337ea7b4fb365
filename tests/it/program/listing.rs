//! What `list` shows of a session, in which order, and what that asks of the machine.

use std::{collections::BTreeSet, fs, process::Command};

use graff_notes::session::SessionName;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::support::{
    skipped,
    world::{Ran, World},
};

const NOTE: &str = "{\"v\":1,\"session\":\"s1\",\"text\":\"one\"}\n";

/// The names of the calls that `list` makes from its first log on until it answers; `None` where
/// strace is not to be had. What a debug build of std asks before it closes a file is left out.
fn calls(world: &World) -> Option<Vec<String>> {
    let (out, plain) = (world.root().join("trace"), world.command(&["list"]));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", out.as_str()]).arg(plain.get_program()).args(plain.get_args());
    strace.current_dir(world.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    let ran = strace.output().ok().filter(|output| output.status.success()).map(Ran::from);
    let Some(ran) = ran else {
        skipped("strace is not to be had, or may not trace here");
        return None;
    };
    assert_eq!(ran.stdout().lines().count(), 1, "{ran}");
    let trace = fs::read_to_string(out).expect("a trace");
    let calls =
        trace.lines().filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('('));
    let own = calls.filter(|(_, arguments)| !arguments.contains("F_GETFD"));
    let from_the_log = own.skip_while(|(_, arguments)| !arguments.contains("s1.notes.jsonl"));
    let until_the_answer = from_the_log.take_while(|(name, _)| *name != "write");
    Some(until_the_answer.map(|(name, _)| name.to_owned()).collect())
}

#[test]
fn a_session_is_listed_without_a_call_that_has_no_reason() {
    let world = World::new();
    world.put("s1", NOTE);
    let Some(calls) = calls(&world) else { return };
    let expected = [
        "openat2", // no link on the way
        "fstat",   // a plain file, and its length
        "pread64", // all of it: what is wrong can stand anywhere
        "close",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn the_first_line_of_the_newest_note_stands_where_there_is_room_for_it() {
    let world = World::new();
    world.fed("an older note", &["write", "s1"]).quietly();
    world.fed("\n  goal:\tthe \u{7}parser \nmore", &["write", "s1"]).quietly();
    world.put("s2", "");
    let answers = world.run(&["list", "--json"]).quietly().answers();
    let lines: Vec<_> = answers.iter().map(|answer| &answer["first_line"]).collect();
    assert_eq!(lines, [&json!("goal:\tthe \u{7}parser"), &Value::Null]);
    for columns in 40..120 {
        let list = world.at_terminal(columns, "", &["list", "--color", "never"]).ends(0);
        let [head, s1, s2] = list.stdout().lines().collect::<Vec<_>>().try_into().expect("rows");
        let before =
            head.split_once("health  ").map_or(head.len() + 2, |(before, _)| before.len() + 8);
        let has_room = usize::from(columns) >= before + 12;
        assert_eq!(head.ends_with("health  first line"), has_room, "{columns}: {list}");
        if has_room {
            assert!(s1.contains("ok      goal:\\tthe"), "{columns}: {list}");
            assert!(s2.ends_with("ok      -"), "{columns}: {list}");
            assert!(s1.chars().count() <= usize::from(columns), "{columns}: {list}");
        } else {
            assert!(s1.ends_with("ok") && s2.ends_with("ok"), "{columns}: {list}");
        }
    }
    let row = world.run(&["list"]).quietly();
    assert!(!row.stdout().contains("goal"), "a script has its columns: {row}");
}

/// What a terminal of so many columns shows, a row a session, each with its name and whether it has
/// its first line.
#[track_caller]
fn listed(world: &World, columns: u16) -> Vec<(String, bool)> {
    let list = world.at_terminal(columns, "", &["list", "--color", "never"]).ends(0);
    let lines: Vec<_> = list.stdout().lines().collect();
    for line in &lines {
        assert!(UnicodeWidthStr::width(*line) <= usize::from(columns), "{columns}: {list}");
    }
    let row = |line: &&str| {
        let (name, rest) = line.split_once("  ").expect("columns");
        (name.to_owned(), rest.contains("the first"))
    };
    lines.iter().skip(1).map(row).collect()
}

/// A store whose sessions have a note each.
fn sessions(names: &[&str]) -> World {
    let world = World::new();
    for name in names {
        world.run(&["write", name, "--text", "the first line of a note"]).quietly();
    }
    world
}

#[test]
fn names_give_way_to_first_lines_and_stay_apart_and_whole_enough_to_be_typed() {
    let uuids = [
        "01a228fc-177a-7ee1-a52c-b1ca81ea619f",
        "01a228fc-1b02-7d4b-8e2f-0c6f1a9d2b11",
        "5f0c7a52-6b1e-4c7d-9d3a-8a1f5e2b7c90",
    ];
    let greatest = "g".repeat(SessionName::STEM_BYTES_MAX);
    let wide = "会議の議事録をまとめる作業の続き".to_owned();
    let all: Vec<&str> = uuids.into_iter().chain([&*greatest, &*wide, "plan"]).collect();
    for names in [&uuids[..], &all] {
        let world = sessions(names);
        for columns in [80, 120] {
            let rows = listed(&world, columns);
            assert!(rows.iter().all(|(_, has_line)| *has_line), "{columns}: {rows:?}");
            let shown: BTreeSet<_> = rows.iter().map(|(name, _)| name).collect();
            assert_eq!(shown.len(), names.len(), "{columns}: {rows:?}");
            for (shown, _) in &rows {
                let beginning = shown.trim_end_matches('…');
                let meant: Vec<_> =
                    names.iter().filter(|name| name.starts_with(beginning)).collect();
                assert_eq!(meant.len(), 1, "{columns}: {shown}");
                let ran = world.at_terminal(120, "", &["show", shown]).ends(0);
                assert!(ran.stdout().contains("the first line of a note"), "{columns}: {ran}");
            }
            let whole = rows.iter().filter(|(name, _)| names.contains(&name.as_str())).count();
            assert!(columns == 80 || whole >= 3, "a UUID has room among 120 columns: {rows:?}");
        }
        let piped = world.run(&["list"]).quietly();
        let piped: BTreeSet<_> =
            piped.stdout().lines().filter_map(|row| row.split('\t').next()).collect();
        assert_eq!(piped, names.iter().copied().collect(), "a script has whole names");
        let answers = world.run(&["list", "--json"]).quietly().answers();
        assert!(
            answers
                .iter()
                .all(|answer| names.contains(&answer["session"].as_str().expect("a name")))
        );
    }
}

/// Then nobody could tell the rows apart: the first line goes instead.
#[test]
fn names_that_would_be_alike_are_told_apart_before_a_first_line_is_shown() {
    let names = ["the-same-long-beginning-of-a-name-1", "the-same-long-beginning-of-a-name-2"];
    let world = sessions(&names);
    let rows = listed(&world, 80);
    assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), [false, false]);
    assert!(rows.iter().all(|(name, _)| name.starts_with("the-same-long-beginning")), "{rows:?}");
    assert_eq!(listed(&world, 120), names.map(|name| (name.to_owned(), true)));
}

#[test]
fn names_are_told_apart_where_no_line_has_room_for_it() {
    let beginning = "a".repeat(49);
    let names = ["", "-one", "-two"].map(|end| beginning.clone() + end);
    let world = sessions(&names.each_ref().map(String::as_str));
    for columns in (60..200).step_by(10) {
        let list = world.at_terminal(columns, "", &["list", "--color", "never"]).ends(0);
        let shown = list.stdout().lines().skip(1).filter_map(|row| row.split(' ').next());
        let shown: BTreeSet<_> = shown.collect();
        assert_eq!(shown.len(), 3, "{columns}: {list}");
        for name in shown {
            world.at_terminal(columns, "", &["show", name]).ends(0);
        }
    }
}

#[test]
fn a_first_line_is_kept_as_far_as_a_wide_terminal_goes() {
    let world = World::new();
    for (note, kept) in [
        ("x".repeat(240), "x".repeat(240)),
        ("x".repeat(241), "x".repeat(240)),
        (format!("{}é", "x".repeat(239)), "x".repeat(239)),
        (format!("{} \nmore", "x".repeat(239)), "x".repeat(239)),
        (format!("{}\u{b}y", "x".repeat(3)), "xxx\u{b}y".to_owned()),
    ] {
        world.fed(&note, &["write", "s1"]).quietly();
        assert_eq!(world.run(&["list", "--json"]).quietly().json()["first_line"], kept);
    }
}

#[test]
fn a_person_is_told_why_a_list_is_empty() {
    let world = sessions(&["fix-a", "plan"]);
    let says = |args: &[&str]| {
        let ran = world.at_terminal(120, "", &[&["list"], args].concat()).ends(0);
        ran.stdout().to_owned()
    };
    for (args, flags, by) in [
        (&["--session-glob", "nobody"][..], "--session-glob", ""),
        (&["-n", "0"], "-n 0", ""),
        (
            &["--until", "yesterday"],
            "--until",
            "; --until goes by the newest note of each: of those that went on since, `log` and `export` show that time",
        ),
        (
            &["--since", "yesterday", "--until", "yesterday"],
            "--since with --until",
            "; --since and --until go by the newest note of each: of those that went on since, `log` and `export` show that time",
        ),
        (
            &["--since", "yesterday", "--session-glob", "nobody", "-n", "1"],
            "--session-glob with --since",
            "; --since goes by the newest note of each",
        ),
    ] {
        let why = format!("graff-notes: {flags} leaves none of 2 sessions{by}\r\n");
        assert_eq!(says(args), why, "{args:?}");
    }
    assert!(!says(&["--since", "yesterday", "--until", "today"]).contains("leaves none"));
    let day = ["list", "--since", "yesterday", "--until", "yesterday"];
    assert_eq!(world.run(&day).quietly().stdout(), "");
}

#[test]
fn sessions_come_in_the_order_that_is_asked_for_and_so_many_of_it() {
    let world = World::new();
    let note = |session: &str, at: u64, bytes: usize| {
        let text = "x".repeat(bytes);
        format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"{text}\",\"created_at\":{at}}}\n")
    };
    world.put("a", note("a", 2_000, 10) + &note("a", 3_000, 10));
    world.put("b", note("b", 4_000, 1_000));
    world.put("c", note("c", 1_000, 10).repeat(5));
    world.put("d", "");
    std::fs::create_dir(world.log("e")).expect("a folder in a log's place");
    for (args, names) in [
        (&[][..], "a b c d e"),
        (&["--sort", "name"], "a b c d e"),
        (&["--sort", "newest"], "b a c d e"),
        (&["--sort", "notes"], "c a b d e"),
        (&["-n", "2"], "a b"),
        (&["--sort", "name", "-n", "2"], "a b"),
        (&["--sort", "newest", "-n", "2"], "b a"),
        (&["--sort", "notes", "-n", "1"], "c"),
        (&["--sort", "notes", "-n", "1", "--session-glob", "[ab]"], "a"),
    ] {
        let ran = world.run(&[&["list"], args].concat());
        let rows = ran.stdout().lines().filter_map(|row| row.split('\t').next());
        assert_eq!(rows.collect::<Vec<_>>().join(" "), names, "{args:?}: {ran}");
    }
    let sizes = |args: &[&str]| -> Vec<u64> {
        let answers = world.run(&[&["list", "--json"], args].concat()).answers();
        answers.iter().filter_map(|answer| answer["size_bytes"].as_u64()).collect()
    };
    let sorted = sizes(&["--sort", "size"]);
    assert!(
        sorted.len() == 5 && sorted.is_sorted_by(|before, after| before >= after),
        "{sorted:?}"
    );
    world.run(&["list", "--sort", "age"]).ends(2);
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
