//! Every command reads a log alike, whatever is wrong with it, and leaves it as it was.
//!
//! Shown on each damaged log of the fixtures.

use std::fs;

use serde_json::{Value, json};

use crate::support::{logs::fixtures, world::World};

/// The session that the fixtures are logs of.
const KILN: &str = "kiln";

fn world(log: &[u8]) -> World {
    let world = World::new();
    world.put(KILN, log);
    world
}

/// The first answer of a command, whatever its status is.
#[track_caller]
fn answer(world: &World, args: &[&str]) -> Value {
    let answers = world.run(&[args, &["--json"]].concat()).answers();
    answers.into_iter().next().unwrap_or_default()
}

/// How many notes each command finds.
fn counts(world: &World) -> [Value; 4] {
    let log = world.run(&["log", KILN, "--json"]).answers();
    let is_note = |record: &&Value| record["kind"] == "note" || record["kind"] == "mechanical";
    [
        answer(world, &["verify", KILN])["notes"].clone(),
        answer(world, &["list"])["notes"].clone(),
        answer(world, &["stats"])["notes"].clone(),
        json!(log.iter().filter(is_note).count()),
    ]
}

#[test]
fn every_command_counts_the_same_notes_and_has_the_same_newest_one() {
    for (name, log) in fixtures() {
        let world = world(&log);
        let counts = counts(&world);
        assert!(counts.iter().all(|count| *count == counts[0]), "{name}: {counts:?}");
        let [verify, list] = [&["verify", KILN][..], &["list"]].map(|args| answer(&world, args));
        assert_eq!(verify["newest"], list["newest"], "{name}");
        assert_eq!(verify["ok"], list["health"] == "ok", "{name}");
        let shown = answer(&world, &["show", KILN]);
        for field in ["seq", "gen", "created_at", "kind"] {
            assert_eq!(shown[field], list["newest"][field], "{name}: {field}");
        }
        let first_line = shown["text"].as_str().and_then(|text| text.trim().lines().next());
        let first_line =
            first_line.map(|line| line.trim_end().chars().take(60).collect::<String>());
        let listed = list["first_line"].as_str();
        let listed = listed.map(|line| line.chars().take(60).collect::<String>());
        assert_eq!(listed, first_line, "{name}");
    }
}

#[test]
fn what_is_left_after_a_repair_is_what_was_said_to_be_and_what_was_won_back() {
    for (name, log) in fixtures() {
        let world = world(&log);
        let before = answer(&world, &["verify", KILN]);
        let planned = answer(&world, &["repair", KILN]);
        let mut did = answer(&world, &["repair", KILN, "--write"]);
        for field in ["mode", "rejected_path", "faults_left"] {
            did[field] = planned[field].clone();
        }
        assert_eq!(did, planned, "{name}");
        let after = answer(&world, &["verify", KILN]);
        let figures = [&after["bad_lines"], &after["torn_tail"], &after["final_newline_missing"]];
        assert_eq!(figures, [&json!(0), &json!(false), &json!(false)], "{name}: {after}");
        let [before, after, won_back] = [&before["notes"], &after["notes"], &planned["won_back"]]
            .map(|it| it.as_u64().expect("it"));
        assert!((before..=before + won_back).contains(&after), "{name}: {before}, {after}");
        let log = fs::read(world.log(KILN)).expect("a log");
        let lines = log.split_inclusive(|byte| *byte == b'\n').count() as u64;
        assert_eq!(lines, planned["kept"].as_u64().expect("it") + won_back, "{name}");
    }
}

#[test]
fn whatever_reads_a_log_leaves_it_and_its_folder_as_they_were() {
    for (name, log) in fixtures() {
        let world = world(&log);
        let state = || {
            let written = fs::metadata(world.log(KILN)).and_then(|log| log.modified());
            (fs::read(world.log(KILN)).expect("a log"), written.expect("a time"), world.files())
        };
        let before = state();
        for _ in 0..2 {
            for args in [
                &["show", KILN][..],
                &["splice", KILN],
                &["verify", KILN],
                &["repair", KILN],
                &["log", KILN],
                &["list"],
                &["export", KILN],
            ] {
                world.fed("base", args);
            }
        }
        assert!(state() == before, "{name}");
    }
}

#[test]
fn a_list_has_a_row_for_each_session_however_many_are_damaged() {
    let world = World::new();
    for (name, log) in fixtures() {
        world.put(&name, log);
    }
    for number in 0..100 {
        let name = format!("whole-{number}");
        world.put(&name, format!("{{\"v\":1,\"session\":\"{name}\",\"text\":\"a\"}}\n"));
    }
    let listed = world.run(&["list", "--json"]).ends(0).answers();
    let checked = world.run(&["verify", "--json"]).ends(5).answers();
    assert_eq!(listed.len(), fixtures().len() + 100);
    assert_eq!(listed.len(), checked.len());
    for (listed, checked) in listed.iter().zip(&checked) {
        assert_eq!(listed["session"], checked["session"]);
        assert_eq!(listed["health"] == "ok", checked["ok"] == true, "{listed}");
    }
}
