//! A repair of many logs is one of each: it mends what can be mended, and says what is not.

use std::fs;

use crate::support::world::World;

const GOOD: &str = "{\"v\":1,\"session\":\"NAME\",\"text\":\"a note\"}\n";

/// A log of `session` with these lines behind its one note.
fn log(session: &str, damage: &str) -> String {
    GOOD.replace("NAME", session) + damage
}

/// Two damaged logs, one with a record of another session, and a whole one.
fn world() -> World {
    let world = World::new();
    world.put("fix-a", log("fix-a", "junk\n"));
    world.put("fix-b", log("fix-b", "{\"v\":1,"));
    world.put("mixed", log("mixed", &log("other", "")));
    world.put("whole", log("whole", ""));
    world
}

fn logs(world: &World) -> Vec<Vec<u8>> {
    let logs = ["fix-a", "fix-b", "mixed", "whole"].map(|session| world.log(session));
    logs.iter().map(|path| fs::read(path).expect("a log")).collect()
}

#[test]
fn without_a_name_all_logs_are_looked_at_and_none_is_changed() {
    let world = world();
    let (before, files) = (logs(&world), world.files());
    let ran = world.run(&["repair"]).ends(5);
    let rows: Vec<Vec<_>> = ran.stdout().lines().map(|row| row.split('\t').collect()).collect();
    let at = log("fix-a", "").len().to_string();
    assert_eq!(rows.len(), 2, "{ran}");
    assert_eq!(rows[0][..6], ["fix-a", "2", &at, "5", "malformed", "0"]);
    assert_eq!(rows[1][..6], ["fix-b", "2", &at, "7", "torn_tail", "0"]);
    assert_eq!(ran.stderr(), "");
    let answers = world.run(&["repair", "--json"]).ends(5).answers();
    let seen: Vec<_> =
        answers.iter().map(|answer| (&answer["session"], &answer["clean"])).collect();
    let expected = [("fix-a", false), ("fix-b", false), ("mixed", true), ("whole", true)];
    assert!(
        seen.iter()
            .zip(expected)
            .all(|(seen, expected)| *seen.0 == *expected.0 && *seen.1 == expected.1),
        "{answers:?}"
    );
    assert_eq!((logs(&world), world.files()), (before, files));
}

#[test]
fn a_script_is_given_the_same_columns_whatever_it_names() {
    let world = world();
    let rows = |args: &[&str]| {
        let ran = world.run(&[&["repair"], args].concat()).ends(5);
        ran.stdout().lines().filter(|row| row.contains("fix-a")).collect::<String>()
    };
    let of_all = rows(&[]);
    assert!(of_all.starts_with("fix-a\t2\t"), "{of_all}");
    assert_eq!(rows(&["fix-a"]), of_all);
    assert_eq!(rows(&["fix-a", "whole"]), of_all);
    let shown = world.at_terminal(120, "", &["repair", "fix-a", "--color", "never"]).ends(5);
    assert!(shown.stdout().starts_with("line  offset  "), "a person has named it: {shown}");
}

#[test]
fn with_write_all_logs_are_mended_and_a_second_time_nothing_is_done() {
    let world = world();
    world.run(&["repair", "--write"]).ends(0);
    let whole: Vec<_> = ["fix-a", "fix-b", "whole"].map(|name| log(name, "").into_bytes()).into();
    let now = logs(&world);
    assert_eq!([&now[0], &now[1], &now[3]], [&whole[0], &whole[1], &whole[2]]);
    world.run(&["verify", "--session-glob", "fix-*"]).ends(0);
    let files = world.files();
    assert_eq!(world.run(&["repair", "--write"]).quietly().stdout(), "");
    assert_eq!((logs(&world), world.files()), (now, files));
}

#[test]
fn only_what_is_meant_is_mended() {
    for (args, left) in [
        (&["fix-b"][..], ["fix-a"]),
        (&["fix-b", "whole"], ["fix-a"]),
        (&["--session-glob", "*-b"], ["fix-a"]),
        (&["fix-a", "fix-b", "--session-glob", "*-b"], ["fix-a"]),
    ] {
        let world = world();
        world.run(&[&["repair", "--write"], args].concat()).ends(0);
        let answers = world.run(&["repair", "--json"]).ends(5).answers();
        let damaged = answers.iter().filter(|answer| answer["clean"] == false);
        let damaged: Vec<_> = damaged.map(|answer| answer["session"].clone()).collect();
        assert_eq!(damaged, left, "{args:?}");
    }
}

#[test]
fn one_that_cannot_be_read_or_is_not_there_keeps_no_other_from_being_mended() {
    let world = world();
    fs::create_dir(world.log("aaa")).expect("a folder in a log's place");
    let dry = world.run(&["repair"]).ends(5);
    assert!(dry.stderr().contains("it is a folder, not a plain file"), "{dry}");
    assert_eq!(dry.stdout().lines().count(), 2, "{dry}");
    let done = world.run(&["repair", "--write"]).ends(1);
    assert_eq!(done.stdout().lines().count(), 2, "{done}");
    fs::remove_dir(world.log("aaa")).expect("it goes");
    assert_eq!(world.run(&["repair"]).quietly().stdout(), "");
    world.put("fix-a", log("fix-a", "junk\n"));
    let done = world.run(&["repair", "nobody", "fix-a", "--write"]).ends(3);
    assert_eq!(done.stdout().lines().count(), 1, "{done}");
    World::new().run(&["repair"]).ends(3);
    world.run(&["repair", "--session-glob", "nobody"]).ends(3);
}

#[test]
fn a_person_is_told_of_each_log_and_of_the_command_that_mends_them() {
    let world = world();
    let says = |args: &[&str], status: i32, words: &[&str]| {
        let ran = world.at_terminal(400, "", args).ends(status);
        for words in words {
            assert!(ran.stdout().contains(words), "{args:?}, {words}: {ran}");
        }
        ran.stdout().to_owned()
    };
    let first = "session fix-a: would take out 1 line and keep 1 line\r\n";
    let mixed = "nothing in session mixed is for a repair to mend; 1 fault stays";
    let clean = "1 session needs no repair\r\n";
    says(&["repair"], 5, &[first, mixed, clean, "`graff-notes repair --write` does it"]);
    let glob = "`graff-notes repair --write --session-glob 'f*'` does it";
    says(&["repair", "--session-glob", "f*"], 5, &[first, glob]);
    let named = "`graff-notes repair --write fix-a whole` does it";
    says(&["repair", "fix-a", "whole"], 5, &[first, clean, named]);
    let nothing = says(&["repair", "mixed", "whole"], 0, &[mixed, clean]);
    assert!(!nothing.contains("does it"), "{nothing}");
    let did = "session fix-a: took out 1 line and kept 1 line; what was taken out is in";
    says(&["repair", "--write"], 0, &[did, mixed, clean]);
    says(&["repair"], 0, &["3 sessions need no repair"]);
}

#[test]
fn verify_names_the_repair_that_is_about_what_it_looked_at() {
    let world = world();
    for (args, command) in [
        (&["verify"][..], Some("repair")),
        (&["verify", "--session-glob", "f*"], Some("repair --session-glob 'f*'")),
        (&["verify", "--session-glob", "*a"], Some("repair fix-a")),
        (&["verify", "fix-a", "fix-b"], Some("repair fix-a fix-b")),
        (&["verify", "fix-a", "whole"], Some("repair fix-a")),
        (&["verify", "mixed", "whole"], None),
        (&["verify", "whole"], None),
    ] {
        let ran = world.at_terminal(200, "", args);
        let hint = command.map(|command| format!("`graff-notes {command}` says what can be done"));
        match hint {
            Some(hint) => {
                assert!(ran.stdout().ends_with(&format!("{hint}\r\n")), "{args:?}: {ran}");
            }
            None => assert!(!ran.stdout().contains("can be done"), "{args:?}: {ran}"),
        }
    }
    assert_eq!(world.run(&["verify", "fix-a"]).ends(5).stderr(), "");
}
