//! Damage ends with 5 wherever it may have cost what was asked for, and with its own words.

use crate::support::world::World;

#[test]
fn damage_is_5_and_stays_readable() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    let log = std::fs::read(world.log("s1")).expect("a log");
    world.put("s1", [&log[..], b"junk\n"].concat());
    world.run(&["verify", "s1"]).ends(5);
    world.run(&["verify"]).ends(5);
    world.run(&["repair", "s1"]).ends(5);
    let shown = world.run(&["show", "s1"]).ends(0);
    assert_eq!(shown.stdout(), "a note");
    assert_eq!(
        shown.stderr(),
        format!(
            "graff-notes: a newer note of session s1 may be damaged: a damaged line stands behind \
             this one, at byte {}; `graff-notes verify s1` shows more\n",
            log.len()
        )
    );
    world.run(&["repair", "s1", "--write"]).quietly();
    world.run(&["verify", "s1"]).quietly();
    world.run(&["repair", "s1"]).quietly();
    assert_eq!(std::fs::read(world.log("s1")).expect("a log"), log);
}

#[test]
fn a_log_without_a_readable_note_is_damage_where_one_may_have_been_there() {
    let world = World::new();
    world.put("s1", "{\"v\":1,\"session\":\"s1\",\"text\":\"cut o");
    let ran = world.run(&["show", "s1"]).ends(5);
    assert!(
        ran.stderr().starts_with("graff-notes: could not show a note of session s1: its log has")
    );
    let torn = world.fed("base", &["splice", "s1"]).ends(0);
    assert_eq!(torn.stdout(), "base");
    let said = "graff-notes: session s1 has no note: its log has a record that was never finished \
                at byte 0; `graff-notes verify s1` shows more\n";
    assert_eq!(torn.stderr(), said);
    let checked = world.fed("base", &["splice", "s1", "--check"]).ends(0);
    assert_eq!((checked.stdout(), checked.stderr()), ("current\n", said));
    world.put("s1", "junk\n");
    let damaged = world.fed("base", &["splice", "s1"]).ends(5);
    assert_eq!(damaged.stdout(), "base");
    let checked = world.fed("base", &["splice", "s1", "--check"]).ends(5);
    let said = "graff-notes: could not check for a note of session s1: its log has a damaged line \
                at byte 0, and no such note that can be read\n  `graff-notes verify s1` shows what \
                is wrong\n";
    assert_eq!((checked.stdout(), checked.stderr()), ("", said));
}

#[test]
fn a_log_without_a_readable_record_is_no_empty_one() {
    let world = World::new();
    let newer = "{\"v\":2,\"session\":\"s1\"}\n";
    let foreign = "{\"v\":1,\"session\":\"s2\",\"text\":\"a\"}\n";
    let record = foreign.replace("s2", "s1");
    for (log, status) in [
        ("", 0),
        ("\n\n", 0),
        ("junk\n", 5),
        (foreign, 5),
        ("{\"v\":1,\"session", 5),
        (newer, 1),
        (&[newer, "junk\n"].concat(), 5),
        (&[&record, "junk\n"].concat(), 0),
    ] {
        world.put("s1", log);
        let ran = world.run(&["log", "s1"]).ends(status);
        let said = "graff-notes: could not list a record of session s1: ";
        assert_eq!(ran.stderr().starts_with(said), status != 0, "{log}: {ran}");
        world.run(&["log", "s1", "--json", "-n", "1", "--since", "1h"]).ends(status);
    }
}

#[test]
fn of_several_sessions_damage_outweighs_what_cannot_be_read_and_that_what_is_not_there() {
    let world = World::new();
    world.fed("a note", &["write", "good"]).quietly();
    world.put("bad", "junk\n");
    std::fs::create_dir(world.log("unreadable")).expect("a folder in its place");
    for (sessions, status) in [
        (&["good"][..], 0),
        (&["good", "gone"], 3),
        (&["good", "gone", "unreadable"], 1),
        (&["unreadable", "gone"], 1),
        (&["gone", "bad", "unreadable"], 5),
        (&[], 5),
    ] {
        world.run(&[&["verify"], sessions].concat()).ends(status);
    }
}

#[test]
fn a_note_that_is_asked_for_by_name_is_in_doubt_where_a_newer_one_may_have_been() {
    let world = World::new();
    let note = |seq: u64| {
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"gen\":{seq},\"text\":\"note {seq}\",\"seq\":{seq}}}\n"
        )
    };
    world.put("s1", [&note(1), "junk\n", &note(2)].concat());
    let damaged = serde_json::json!({"cause": "damaged", "offset": note(1).len()});
    for (which, text, doubt) in [
        (&["--gen", "1"][..], "note 1", &damaged),
        (&["--previous"], "note 1", &damaged),
        (&["--gen", "2"], "note 2", &serde_json::Value::Null),
        (&["--seq", "1"], "note 1", &serde_json::Value::Null),
    ] {
        let ran = world.run(&[&["show", "s1", "--json"], which].concat()).ends(0);
        assert_eq!(ran.json()["text"], text, "{which:?}");
        assert_eq!(ran.json()["doubt"], *doubt, "{which:?}");
        assert_eq!(ran.stderr().is_empty(), doubt.is_null(), "{which:?}: {ran}");
    }
    for (which, said) in [
        (&["--gen", "3"][..], "could not show a note of generation 3 of session s1: "),
        (&["--seq", "3"], "could not show note 3 of session s1: "),
    ] {
        let ran = world.run(&[&["show", "s1"], which].concat()).ends(5);
        assert!(ran.stderr().contains(said), "{ran}");
    }
    world.put("s1", note(1) + "{\"v\":1,");
    let ran = world.run(&["show", "s1", "--previous"]).ends(5);
    assert!(ran.stderr().contains("a record that was never finished"), "{ran}");
}
