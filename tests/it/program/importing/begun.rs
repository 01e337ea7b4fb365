//! What a killed first import leaves: no log, and word of it that every command reads alike.

use std::fs;

use camino::Utf8PathBuf;

use crate::support::world::World;

const RECORD: &str = "{\"v\":1,\"session\":\"s1\",\"text\":\"a note\"}\n";

/// What stands there when an import is killed, as far as it came: the mark, and what was to become
/// the log.
const LEFT: [&[(&str, &str)]; 3] =
    [&[("repairing", "")], &[("repairing", "0\n")], &[("repairing", "0\n"), ("repaired", RECORD)]];

fn worlds() -> impl Iterator<Item = World> {
    LEFT.iter().map(|left| {
        let world = World::new();
        let notes = world.log("s1").parent().expect("a folder").to_owned();
        fs::create_dir_all(&notes).expect("a folder");
        for (suffix, text) in *left {
            fs::write(notes.join(format!("s1.notes.{suffix}")), text).expect("a file");
        }
        world
    })
}

/// What was to become the log, where it is there.
fn drawn_up(world: &World) -> Option<Utf8PathBuf> {
    Some(world.log("s1").with_extension("repaired")).filter(|path| path.exists())
}

const UNFINISHED: &str = "session s1 has no log: a replacement of it was begun and not finished";

#[test]
fn it_is_told_with_what_to_do_and_nothing_is_touched() {
    for world in worlds() {
        let before = world.files();
        for (args, status) in
            [(&["list"][..], 0), (&["verify"], 3), (&["repair"], 3), (&["search", "a"], 3)]
        {
            let ran = world.run(args);
            assert!(ran.stderr().contains(UNFINISHED), "{args:?}: {ran}");
            assert!(
                ran.stderr().contains("`graff-notes forget s1` clears away"),
                "{args:?}: {ran}"
            );
            assert!(ran.has_status(status), "{args:?}: {ran}");
        }
        for command in ["show", "log", "verify", "repair", "export"] {
            let ran = world.run(&[command, "s1"]).ends(3);
            let advice = match drawn_up(&world) {
                None => "import it again, which is safe".to_owned(),
                Some(copy) => format!("keep a copy of {copy}, which the next write removes"),
            };
            assert!(ran.stderr().contains(&advice), "{command}: {ran}");
        }
        let doctor = world.run(&["doctor", "--json"]).answers();
        let told = doctor.iter().find(|finding| finding["detail"] == UNFINISHED);
        assert_eq!(told.expect("a finding")["status"], "warning");
        assert_eq!(world.files(), before);
    }
}

#[test]
fn an_import_that_is_begun_again_brings_all_of_it() {
    for world in worlds() {
        let file = world.root().join("s1.notes.jsonl");
        fs::write(&file, RECORD).expect("a file");
        world.run(&["import", file.as_str()]).ends(0);
        assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note");
        world.run(&["list"]).quietly();
        let left = world.files().into_iter().filter(|name| name.contains(".notes.repair"));
        assert_eq!(left.count(), 0);
    }
}

/// A repair that was cut short leaves it too, and where somebody then removed the log it is all
/// that is left: what is advised must not cost it.
#[test]
fn what_was_to_become_the_log_is_imported_from_a_copy_as_the_advice_has_it() {
    let world = worlds().last().expect("the one with a copy");
    let copy = world.root().join("COPY");
    fs::copy(drawn_up(&world).expect("it is there"), &copy).expect("a copy");
    let told = world.run(&["show", "s1"]).ends(3);
    assert!(told.stderr().contains("or `graff-notes import COPY --as s1`;"), "{told}");
    world.run(&["import", "COPY", "--as", "s1"]).ends(0);
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note");
}

#[test]
fn what_was_begun_is_forgotten_as_any_session_is() {
    for world in worlds() {
        let has_copy = world.files().iter().any(|name| name.ends_with(".notes.repaired"));
        let asked = world.run(&["forget", "s1"]).ends(2);
        assert_eq!(asked.stderr().contains("may be the only copy"), has_copy, "{asked}");
        world.run(&["forget", "s1", "--yes"]).quietly();
        let left = world.files().into_iter().filter(|name| name.contains(".notes.repair"));
        assert_eq!(left.count(), 0);
        world.run(&["list"]).quietly();
        world.run(&["forget", "s1", "--yes"]).ends(3);
    }
}

#[test]
fn beside_a_log_it_is_no_session_of_its_own() {
    let world = World::new();
    world.put("s1", RECORD);
    fs::write(world.log("s1").with_extension("repairing"), "0\n").expect("a mark");
    world.run(&["list"]).quietly();
    world.run(&["verify"]).quietly();
}
