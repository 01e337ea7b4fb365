//! The doctor says of each thing that we rely on whether it holds, and what to do where it doesn't;
//! it leaves nothing behind.

mod agents;
mod commands;
#[cfg(target_os = "linux")]
mod file_systems;
mod hooks;
mod left_behind;
mod no_threads;
mod not_called;
mod told;
mod whose;

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use graff_notes::session::SessionName;
use serde_json::Value;

use crate::support::world::{Ran, World};

/// Where the system's own programs are.
const PATH: &str = "/usr/bin:/bin";

/// The program, whose user's home is the root, with the plainest shell, and without this machine's
/// own agents.
fn command(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(&[&["doctor"], args].concat());
    command.env("HOME", world.root()).env_remove("CODEX_HOME").env_remove("CLAUDE_CONFIG_DIR");
    command.env("SHELL", "/bin/sh").env("PATH", PATH);
    command
}

fn findings(world: &World, status: i32) -> Vec<Value> {
    Ran::of(&mut command(world, &["--json"])).ends(status).answers()
}

#[track_caller]
fn finding<'f>(findings: &'f [Value], check: &str) -> &'f Value {
    findings.iter().find(|finding| finding["check"] == check).unwrap_or_else(|| panic!("{check}"))
}

#[test]
fn all_is_well_in_a_new_folder_and_in_a_good_store_and_nothing_is_left_behind() {
    let world = World::new();
    let before = world.files();
    findings(&world, 0);
    assert_eq!(world.files(), before);
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    let before = world.files();
    let found = findings(&world, 0);
    for check in
        ["version", "root", "settings", "modes", ".gitignore", "sync", "lock", "sessions", "clock"]
    {
        assert_eq!(finding(&found, check)["status"], "ok", "{check}");
        assert_eq!(finding(&found, check)["advice"], Value::Null, "{check}");
    }
    let lock = "it keeps a second process out, and lets it in again";
    assert_eq!(finding(&found, "lock")["detail"], lock);
    assert_eq!(world.files(), before);
    let rows = Ran::of(&mut command(&world, &[])).ends(0);
    assert!(rows.stdout().contains(&format!("lock\tok\t{lock}\t-\n")), "{rows}");
}

#[test]
fn a_damaged_log_and_a_file_of_others_are_named_with_what_works() {
    let world = World::new();
    let note = "{\"v\":1,\"session\":\"raw name\",\"text\":\"a\"}\n";
    world.put("s1", "junk\n");
    world.put("s2", note);
    let odd = world.log("s1").with_file_name("raw name.notes.jsonl");
    fs::write(&odd, note).expect("a file of another program");
    let found = findings(&world, 0);
    let found: Vec<_> = found.iter().filter(|finding| finding["check"] == "sessions").collect();
    let [junk, foreign, odd_one] = found[..] else { panic!("{found:?}") };
    let says = |finding: &Value, words: &str| {
        assert!(finding["advice"].as_str().is_some_and(|it| it.contains(words)), "{finding}");
    };
    says(junk, "`graff-notes repair s1` what can be done");
    says(foreign, "`graff-notes repair --help` says what can be done");
    let named = "raw name.notes.jsonl is a file that another program named";
    assert_eq!(odd_one["detail"], named);
    says(odd_one, &format!("`graff-notes import '{odd}'` takes in its records"));
    world.run(&["import", odd.as_str()]).ends(0);
}

type Spoil = fn(&World);

/// What is wrong: which check finds it, how it comes to be, and under which status and word it is
/// told.
const WRONG: [(&str, Spoil, i32, &str); 7] = [
    (
        "modes",
        |world| {
            fs::set_permissions(world.log("s1"), fs::Permissions::from_mode(0o644))
                .expect("a mode");
        },
        0,
        "warning",
    ),
    (
        ".gitignore",
        |world| {
            fs::remove_file(world.log("s1").with_file_name(".gitignore")).expect("it is removed");
        },
        0,
        "warning",
    ),
    ("sessions", |world| world.put("s1", "junk\n"), 0, "warning"),
    ("sessions", |world| fs::create_dir(world.log("s2")).expect("a folder"), 1, "failure"),
    (
        "sessions",
        |world| {
            let odd = world.log("s1").with_file_name("raw name.notes.jsonl");
            fs::write(odd, "").expect("a file of another program");
        },
        0,
        "warning",
    ),
    (
        "settings",
        |world| {
            fs::write(world.root().join(".graff/config.toml"), "percent = 0").expect("a file");
        },
        1,
        "failure",
    ),
    (
        "hooks",
        |world| {
            let settings = world.root().join(".claude/settings.json");
            fs::create_dir(settings.parent().expect("a folder")).expect("the folder is made");
            fs::write(settings, "{\"hooks\":").expect("a file");
        },
        1,
        "failure",
    ),
];

#[test]
fn a_lock_that_cannot_be_opened_is_named() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    let lock = world.store().lock_path(&SessionName::parse("s1").expect("a good name"));
    fs::remove_file(&lock).expect("removed");
    fs::create_dir(&lock).expect("a folder");
    let found = findings(&world, 1);
    let found = finding(&found, "sessions");
    assert_eq!(found["status"], "failure", "{found}");
    assert!(found["detail"].as_str().expect("words").contains(lock.as_str()), "{found}");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    for (check, spoil, status, expected) in WRONG {
        let world = World::new();
        world.run(&["write", "s1", "--text", "a note"]).ends(0);
        spoil(&world);
        let found = findings(&world, status);
        let finding = finding(&found, check);
        assert_eq!(finding["status"], expected, "{found:?}");
        assert!(finding["advice"].is_string(), "{finding}");
    }
}

#[test]
fn what_is_wrong_in_the_settings_is_said_with_what_to_do_about_each() {
    let world = World::new();
    fs::create_dir(world.root().join(".graff")).expect("a folder");
    fs::write(world.root().join(".graff/config.toml"), "model = \"x\"\npercnt = 1\n").expect("it");
    let mut doctor = command(&world, &["--json"]);
    let found = Ran::of(doctor.env("GRAFF_CAP_BYTES", "1")).ends(1).answers();
    let told = found.iter().filter(|finding| finding["check"] == "settings");
    let advice: Vec<_> = told.map(|finding| finding["advice"].as_str().expect("words")).collect();
    assert_eq!(advice, ["mend GRAFF_CAP_BYTES, or unset it", "mend that line", "mend that line"]);
}

#[test]
fn of_what_others_may_get_at_the_first_by_name_is_named_and_how_many_more_there_are() {
    let world = World::new();
    for session in ["s2", "s1", "s3"] {
        world.run(&["write", session, "--text", "a note"]).ends(0);
    }
    let open = |session: &str| {
        fs::set_permissions(world.log(session), fs::Permissions::from_mode(0o644)).expect("a mode");
        let found = findings(&world, 0);
        finding(&found, "modes")["detail"].as_str().expect("words").to_owned()
    };
    let others = |which: String| format!("other users may get at {which}");
    assert_eq!(open("s3"), others(world.log("s3").to_string()));
    assert_eq!(open("s1"), others(format!("{} and 1 more", world.log("s1"))));
    assert_eq!(open("s2"), others(format!("{} and 2 more", world.log("s1"))));
}

#[test]
fn a_note_from_the_future_is_told() {
    let note =
        |at: u64| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"a\",\"created_at\":{at}}}\n");
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    world.put("s1", note(4_102_444_800_000));
    let found = findings(&world, 0);
    let clock = finding(&found, "clock");
    assert_eq!(clock["status"], "warning");
    assert!(
        clock["detail"].as_str().is_some_and(|detail| detail.contains("2100-01-01")),
        "{clock}"
    );
}

#[test]
fn a_clock_that_went_back_is_named_by_what_it_left_in_a_log() {
    let record = |seq: u64, at: u64, kind: &str| {
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"text\":\"a\",\"created_at\":{at},\"seq\":{seq}{kind}}}\n"
        )
    };
    let (minute, then) = (60_000, 1_785_542_400_000);
    for (log, status, words) in [
        (
            [record(1, then, ""), record(2, then - 4 * minute, "")].concat(),
            "ok",
            "no note is from the future",
        ),
        (
            [record(1, then, ""), record(2, then - 6 * minute, "")].concat(),
            "warning",
            "s1: record 2 is of 2026-07-31T23:54:00Z, and one before it of 2026-08-01T00:00:00Z",
        ),
        // One whose time is not on record says nothing of the clock.
        ([record(1, then, ""), record(2, 0, "")].concat(), "ok", "no note is from the future"),
    ] {
        let world = World::new();
        world.put("s1", &log);
        let found = findings(&world, 0);
        let clock = finding(&found, "clock");
        assert_eq!(clock["status"], status, "{log}");
        let detail = clock["detail"].as_str().expect("words");
        assert!(detail.contains(words), "{clock}");
    }
}

#[test]
fn advice_stands_whole_below_what_was_found_however_narrow_the_terminal_is() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    world.put("s1", "junk\n");
    for columns in [40, 80, 200] {
        let ran = World::typing(columns, "", command(&world, &["--color", "never"])).ends(0);
        let lines: Vec<_> = ran.stdout().lines().map(str::trim).collect();
        let found = lines.iter().position(|line| line.ends_with("s1 is damaged")).expect("a row");
        let advice =
            "`graff-notes verify s1` shows where, `graff-notes repair s1` what can be done";
        assert_eq!(lines[found + 1], advice, "{ran}");
        assert!(!lines.iter().any(|line| line.ends_with(" -") || *line == "-"), "{ran}");
        assert!(!ran.stdout().contains('…'), "{ran}");
    }
}
