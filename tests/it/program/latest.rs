//! `--latest` is the session that a person worked on last: the one whose newest note is the newest,
//! by the time that stands in it.

use std::fs;

use crate::support::world::World;

/// A log with a note at each of the times.
fn put(world: &World, session: &str, times: &[u64]) {
    let line = |(at, time): (usize, &u64)| {
        let seq = at + 1;
        format!(
            "{{\"v\":1,\"session\":\"{session}\",\"gen\":0,\"text\":\"note {seq} of {session}\",\
             \"created_at\":{time},\"seq\":{seq}}}\n"
        )
    };
    world.put(session, times.iter().enumerate().map(line).collect::<String>());
}

/// Logs whose order by name, by when they were written to, and by number of notes is another.
fn world() -> World {
    let world = World::new();
    put(&world, "b", &[100, 400]);
    put(&world, "c", &[200, 300, 350]);
    put(&world, "a", &[250, 300]);
    world
}

#[test]
fn it_is_the_session_with_the_newest_note_for_each_command_that_reads_one() {
    let world = world();
    assert_eq!(world.run(&["show", "--latest"]).quietly().stdout(), "note 2 of b");
    assert_eq!(world.run(&["show", "--latest", "--previous"]).quietly().stdout(), "note 1 of b");
    let log = world.run(&["log", "--latest"]).quietly();
    assert_eq!(log.stdout().lines().count(), 2, "{log}");
    assert!(log.stdout().contains("note 2 of b"), "{log}");
    let diff = world.run(&["diff", "--latest"]).quietly();
    assert!(diff.stdout().contains("+note 2 of b"), "{diff}");
    let shown = world.run(&["show", "--latest", "--json"]).quietly();
    assert!(shown.stdout().contains("\"session\":\"b\""), "{shown}");
}

#[test]
fn of_sessions_that_are_alike_in_time_it_is_the_first_by_name() {
    let world = world();
    put(&world, "d", &[400]);
    put(&world, "aa", &[400]);
    assert_eq!(world.run(&["show", "--latest"]).quietly().stdout(), "note 1 of aa");
}

#[test]
fn an_attempt_that_left_no_note_makes_no_session_the_latest() {
    let world = world();
    world.put(
        "tried",
        "{\"v\":1,\"session\":\"tried\",\"gen\":1,\"created_at\":900,\"seq\":1,\"kind\":\"attempt\"}\n",
    );
    assert_eq!(world.run(&["show", "--latest"]).quietly().stdout(), "note 2 of b");
}

#[test]
fn what_cannot_be_looked_at_is_named() {
    let world = world();
    fs::create_dir(world.log("shut")).expect("a folder in a log's place");
    let ran = world.run(&["show", "--latest"]).ends(0);
    assert_eq!(ran.stdout(), "note 2 of b");
    assert!(ran.stderr().contains("shut.notes.jsonl"), "{ran}");
}

#[test]
fn where_another_session_may_have_a_newer_note_that_is_said() {
    let world = world();
    let log = fs::read_to_string(world.log("a")).expect("a log");
    world.put("a", log + "junk\n");
    world.put("junk", "junk\n");
    let ran = world.run(&["show", "--latest"]).ends(0);
    assert_eq!(ran.stdout(), "note 2 of b");
    for said in ["a newer note of session a may be damaged", "the newest note of session junk"] {
        assert!(ran.stderr().contains(said), "{said}: {ran}");
    }
}

#[test]
fn where_only_damage_or_nothing_that_can_be_read_is_there_it_ends_as_that() {
    let world = World::new();
    fs::create_dir_all(world.log("shut")).expect("a folder in a log's place");
    world.run(&["show", "--latest"]).ends(1);
    world.put("junk", "junk\n");
    let ran = world.run(&["show", "--latest"]).ends(5);
    assert!(ran.stderr().contains("shut.notes.jsonl") && ran.stderr().contains("junk"), "{ran}");
}

#[test]
fn a_name_beside_it_is_refused_and_so_is_neither() {
    let world = world();
    for command in ["show", "log", "diff"] {
        let both = world.run(&[command, "a", "--latest"]).ends(2);
        assert!(both.stderr().contains("cannot be used with"), "{both}");
        let neither = world.run(&[command]).ends(2);
        assert!(neither.stderr().contains("<SESSION|--latest>"), "{neither}");
    }
}

#[test]
fn without_a_note_there_is_none() {
    let world = World::new();
    for command in ["show", "log", "diff"] {
        let ran = world.run(&[command, "--latest"]).ends(3);
        assert_eq!(ran.stdout(), "", "{ran}");
        assert!(ran.stderr().contains("could not find the latest session"), "{ran}");
    }
    assert!(world.files().is_empty(), "reading makes nothing");
}
