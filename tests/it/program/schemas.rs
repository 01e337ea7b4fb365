//! Each answer in JSON is as its schema says; every run of the program in this suite is held to it.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};

use crate::support::{schema::Schema, world::World};

/// Commands whose answers are another program's to define.
const OF_OTHERS: [&str; 2] = ["hook", "mcp"];

/// A session with a record of every kind, and damage.
fn world() -> World {
    let world = World::with_every_kind();
    let log = fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", log + "junk\n{\"v\":1,\"torn");
    world
}

#[test]
fn every_command_has_a_schema_and_every_schema_a_command() {
    let help = world().run(&["--help"]).ends(0);
    let (_, commands) = help.stdout().split_once("Commands:\n").expect("the commands");
    let (commands, _) = commands.split_once("\n\n").expect("their end");
    let names = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let names =
        names.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    let commands: BTreeSet<_> = names
        .filter(|name| !OF_OTHERS.contains(name))
        .chain(["notices"])
        .map(str::to_owned)
        .collect();
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema"));
    let files = files.expect("a folder").map(|file| file.expect("a file").path());
    let files: BTreeSet<_> = files
        .map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, commands);
    let listed = world().run(&["schema"]).quietly();
    let listed: BTreeSet<_> = listed
        .stdout()
        .lines()
        .filter_map(|row| row.split('\t').next().map(str::to_owned))
        .collect();
    assert_eq!(listed, commands);
}

#[test]
fn a_schema_is_printed_as_it_is_kept_and_in_json_on_a_line() {
    let world = World::new();
    for answer in world.run(&["schema", "--json"]).quietly().answers() {
        let title = answer["title"].as_str().expect("a title");
        let name =
            title.strip_prefix("What `").map_or("notices", |rest| rest.split(' ').next().unwrap());
        let printed = world.run(&["schema", name]).quietly();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(name);
        let kept = fs::read_to_string(kept.with_extension("json")).expect("a schema");
        assert_eq!(printed.stdout(), kept);
        assert_eq!(serde_json::from_str::<Value>(&kept).expect("JSON"), answer, "{name}");
    }
    world.run(&["schema", "nothing"]).ends(2);
}

#[test]
fn the_answers_of_every_command_are_as_their_schemas_say() {
    let prompt = "You are an agent.";
    for (stdin, args) in [
        ("", &["decide", "--window-tokens", "1000", "--used-tokens", "950"][..]),
        ("", &["decide", "--depth", "1"]),
        ("", &["decide", "--calls-cap", "6"]),
        ("", &["decide", "--overflowed"]),
        ("", &["decide", "--window-tokens", "1000", "--used-tokens", "950", "--mid-turn"]),
        ("", &["decide", "--attempted-generation", "0"]),
        ("a new note", &["write", "s1"]),
        ("", &["show", "s1"]),
        ("", &["list"]),
        ("", &["log", "s1"]),
        ("", &["diff", "s1"]),
        ("", &["search", "first", "-C", "1"]),
        ("", &["stats"]),
        ("", &["export"]),
        ("", &["export", "--format", "json"]),
        ("", &["export", "--output", "out"]),
        ("{\"v\":1,\"session\":\"s2\",\"text\":\"a\"}\n", &["import", "-"]),
        ("", &["verify"]),
        ("", &["repair", "s1"]),
        ("", &["repair", "s1", "--write"]),
        ("", &["forget", "s1", "--yes"]),
        (prompt, &["splice", "s1"]),
        (prompt, &["splice", "--strip"]),
        ("", &["where"]),
        ("", &["schema"]),
        ("", &["hooks", "status"]),
        ("", &["completions", "fish"]),
        ("", &["man"]),
    ] {
        let ran = world().fed(stdin, &[args, &["--json"]].concat());
        assert!(!ran.answers().is_empty(), "{args:?}: {ran}");
        assert!(!ran.has_status(2), "{args:?}: {ran}");
    }
}

#[test]
fn what_is_not_as_the_schema_says_is_noticed() {
    let schema = Schema::of("write").expect("a schema");
    let good = json!({"session": "s1", "seq": 5, "gen": 4, "outcome": "stored", "cut": 0});
    assert_eq!(schema.faults(&good), [""; 0]);
    for (member, value) in [
        ("seq", json!("5")),
        ("seq", json!(-1)),
        ("seq", json!(1.5)),
        ("gen", Value::Null),
        ("outcome", json!("lost")),
        ("session", json!(["s1"])),
        ("more", json!(0)),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        assert_eq!(schema.faults(&bad).len(), 1, "{bad}");
    }
    for member in ["session", "seq", "gen", "outcome", "cut"] {
        let mut bad = good.clone();
        bad.as_object_mut().expect("an object").remove(member);
        assert_eq!(schema.faults(&bad).len(), 1, "{bad}");
    }
    let schema = Schema::of("decide").expect("a schema");
    assert!(!schema.faults(&json!({"reading": {"source": "measured", "bytes": 1}})).is_empty());
}
