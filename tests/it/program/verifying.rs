//! The promise: what `verify` says of a damaged log is what `repair` does to it, and both say it in
//! the same words, to a program, a script and a person.

use std::fs;

use super::damaged::{append, verified};
use crate::support::world::World;

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
