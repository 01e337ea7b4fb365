//! A long answer for a person goes through a pager, and what is for a script does not.

mod interrupted;

use crate::support::world::{Ran, World};

const PAGED: [&[&str]; 5] =
    [&["show", "s1"], &["log", "s1"], &["diff", "s1"], &["search", "note"], &["verify"]];

fn world() -> World {
    let world = World::new();
    for note in ["an old note", "a new note"] {
        world.fed(note, &["write", "s1"]).quietly();
    }
    world
}

/// Runs it on a terminal, with a pager for each variable.
fn read_in(world: &World, pagers: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = world.command(args);
    command.env_remove("GRAFF_PAGER").envs(pagers.iter().copied());
    World::typing(80, "", command)
}

/// What the pager of these tests makes of a line.
fn is_paged(ran: &Ran) -> bool {
    !ran.stdout().is_empty() && ran.stdout().lines().all(|line| line.starts_with("paged: "))
}

#[test]
fn a_person_reads_long_answers_in_a_pager() {
    let world = world();
    for args in PAGED {
        let ran = read_in(&world, &[("GRAFF_PAGER", "sed 's/^/paged: /'")], args).ends(0);
        assert!(is_paged(&ran), "{args:?}: {ran}");
    }
}

#[test]
fn our_own_variable_counts_before_that_of_all_programs() {
    let world = world();
    let ours = ("GRAFF_PAGER", "sed 's/^/paged: /'");
    assert!(is_paged(&read_in(&world, &[ours, ("PAGER", "false")], &["show", "s1"]).ends(0)));
    let all = ("PAGER", "sed 's/^/paged: /'");
    assert!(is_paged(&read_in(&world, &[all], &["show", "s1"]).ends(0)));
}

#[test]
fn who_wants_no_pager_gets_none() {
    let world = world();
    let pager = "sed 's/^/paged: /'";
    for (pagers, args) in [
        (&[("GRAFF_PAGER", pager)][..], &["show", "s1", "--no-pager"][..]),
        (&[("GRAFF_PAGER", pager)], &["show", "s1", "--json"]),
        (&[("GRAFF_PAGER", pager)], &["list"]),
        (&[("GRAFF_PAGER", ""), ("PAGER", pager)], &["show", "s1"]),
        (&[("GRAFF_PAGER", "cat"), ("PAGER", pager)], &["show", "s1"]),
        (&[("GRAFF_PAGER", "/not/there -x")], &["show", "s1"]),
    ] {
        let ran = read_in(&world, pagers, args).ends(0);
        assert!(!ran.stdout().is_empty() && !ran.stdout().contains("paged: "), "{args:?}: {ran}");
    }
    let mut piped = world.command(&["show", "s1"]);
    assert_eq!(Ran::of(piped.env("GRAFF_PAGER", pager)).quietly().stdout(), "a new note");
}

#[test]
fn a_pager_that_is_left_early_ends_the_program_quietly() {
    let world = World::new();
    let line = |n| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"note {n}\"}}\n");
    world.put("s1", (0..5_000).map(line).collect::<String>());
    let ran = read_in(&world, &[("GRAFF_PAGER", "head -n 1")], &["log", "s1"]).ends(0);
    assert_eq!(ran.stdout().lines().count(), 1, "{ran}");
}

#[test]
fn what_is_said_behind_an_answer_comes_when_it_has_been_read() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", log + "junk\n");
    let ran = read_in(&world, &[("GRAFF_PAGER", "cat; echo read")], &["log", "s1"]).ends(0);
    let (read, behind) = ran.stdout().split_once("read\r\n").expect("a reader");
    assert!(read.contains("a new note") && behind.starts_with("graff-notes: left out"), "{ran}");
}

/// The log that cannot be read comes before the one that can.
#[test]
fn what_cannot_be_read_is_spoken_of_when_the_rest_has_been_read() {
    let world = world();
    std::fs::create_dir(world.log("a")).expect("a folder in place of a log");
    for args in [&["verify"][..], &["search", "note"]] {
        let ran = read_in(&world, &[("GRAFF_PAGER", "cat; echo read")], args);
        let (read, behind) = ran.stdout().split_once("read\r\n").expect("a reader");
        assert!(read.contains("s1") && !read.contains("could not"), "{args:?}: {ran}");
        assert!(behind.starts_with("graff-notes: could not"), "{args:?}: {ran}");
    }
}
