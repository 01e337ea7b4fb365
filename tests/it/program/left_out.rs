//! A log can have more faults than are named one by one: how many more is said in every form.

use serde_json::json;

use crate::support::world::World;

/// A log of 1,005 bad lines, of which the first 1,000 are named.
fn world() -> World {
    let world = World::new();
    world.put("s1", "junk\n".repeat(1_005));
    world
}

#[test]
fn verify_says_how_many_faults_it_does_not_name() {
    let world = world();
    let answer = world.run(&["verify", "s1", "--json"]).ends(5).json();
    assert_eq!(answer["faults"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(answer["faults_left_out"], json!(5));
    let rows = world.run(&["verify", "s1"]).ends(5);
    assert_eq!(rows.stdout().lines().last(), Some("s1\tfault\t-\t-\tleft_out\tand 5 more"));
    let words = world.at_terminal(80, "", &["verify", "s1", "--color", "never"]).ends(5);
    assert!(words.stdout().contains("  fault   and 5 more\r\n"), "{words}");
}

#[test]
fn verify_says_how_many_remarks_it_does_not_name() {
    let world = World::new();
    let line = |seq| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"a\",\"seq\":{seq}}}\n");
    world.put("s1", (1..=1_006).map(line).collect::<String>());
    let rows = world.run(&["verify", "s1"]).ends(0);
    assert_eq!(rows.stdout().lines().last(), Some("s1\tremark\t-\t-\tleft_out\tand 5 more"));
}

#[test]
fn repair_says_how_many_lines_it_does_not_name() {
    let world = world();
    let answer = world.run(&["repair", "s1", "--json"]).ends(5).json();
    assert_eq!(answer["lines"].as_array().map(Vec::len), Some(1_000));
    assert_eq!((&answer["dropped"], &answer["lines_left_out"]), (&json!(1_005), &json!(5)));
    let rows = world.run(&["repair", "s1"]).ends(5);
    assert_eq!(rows.stdout().lines().last(), Some("s1\t-\t-\t-\tleft_out\t-\tand 5 more"));
    let words = world.at_terminal(80, "", &["repair", "s1"]).ends(5);
    assert!(words.stdout().contains("and 5 more\r\n"), "{words}");
}

#[test]
fn repair_counts_every_fault_that_stays() {
    let world = World::new();
    let foreign = "{\"v\":1,\"session\":\"other\",\"text\":\"a\"}\n";
    world.put("s1", foreign.repeat(1_005));
    let answer = world.run(&["repair", "s1", "--json"]).ends(0).json();
    assert_eq!(answer["faults_left"], json!(1_005));
}
