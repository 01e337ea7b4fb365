//! Whatever becomes of the store meanwhile, what is followed goes on.

use std::fs;

use super::{ALL, Following, write};
use crate::support::world::World;

#[test]
fn a_store_that_is_not_there_yet_is_waited_for() {
    for there in [&[][..], &[".graff"], &[".graff", ".graff/notes"]] {
        let world = World::new();
        for folder in there {
            fs::create_dir(world.root().join(folder)).expect("a folder");
        }
        let following = Following::start(&world, ALL).watches();
        write(&world, "s1", "the first");
        write(&world, "s1", "the second");
        let come = [following.next(), following.next()];
        assert_eq!(come, ["s1 the first", "s1 the second"], "{there:?}");
        following.ends();
    }
}

#[test]
fn repair_and_forget_are_survived() {
    let world = World::new();
    write(&world, "s1", "one");
    let following = Following::start(&world, ALL);
    assert_eq!(following.next(), "s1 one");
    let log = fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", format!("{log}{{\"v\":1,\"torn"));
    world.run(&["repair", "s1", "--write"]).quietly();
    write(&world, "s1", "behind the repair");
    assert_eq!(following.next(), "s1 behind the repair");
    world.run(&["forget", "s1", "--yes"]).quietly();
    write(&world, "s1", "after all was forgotten");
    assert_eq!(following.next(), "s1 after all was forgotten");
    following.ends();
}

#[test]
fn what_is_moved_away_and_back_is_gone_on_with() {
    let world = World::new();
    write(&world, "s1", "one");
    let following = Following::start(&world, ALL);
    assert_eq!(following.next(), "s1 one");
    let log = world.log("s1");
    let notes = log.parent().expect("a folder").to_owned();
    for (place, other) in [(&log, "s2"), (&notes, "s3")] {
        let aside = world.root().join("aside");
        fs::rename(place, &aside).expect("it is moved away");
        write(&world, other, "meanwhile");
        assert_eq!(following.next(), format!("{other} meanwhile"), "it has noticed");
        if place.is_dir() {
            fs::remove_dir_all(place).expect("the store beside is removed");
        }
        fs::rename(&aside, place).expect("it is moved back");
        write(&world, "s1", &format!("behind {other}"));
        assert_eq!(following.next(), format!("s1 behind {other}"));
    }
    following.ends();
}

/// Each removal comes to the watcher as several events, which overlap with the new folders' own:
/// now and then a late one speaks of a folder by the name that the new one has. So it is done
/// often, at every depth.
#[test]
fn the_end_of_the_store_and_a_new_one_in_its_place_are_survived() {
    let world = World::new();
    write(&world, "s1", "the first");
    let following = Following::start(&world, ALL);
    assert_eq!(following.next(), "s1 the first");
    let [graff, notes] = [".graff", ".graff/notes"].map(|folder| world.root().join(folder));
    let aside = world.root().join("aside");
    for at in 0..100 {
        match at % 3 {
            0 => fs::remove_dir_all(&graff).expect("the store is removed"),
            1 => fs::remove_dir_all(&notes).expect("its folder is removed"),
            _ => {
                fs::rename(&graff, &aside).expect("the store is moved away");
                fs::remove_dir_all(&aside).expect("and removed there");
            }
        }
        write(&world, "s1", &format!("note {at}"));
        assert_eq!(following.next(), format!("s1 note {at}"));
    }
    following.ends();
}

#[test]
fn a_root_that_goes_ends_it_with_words() {
    let world = World::new();
    let root = world.root().join("root");
    fs::create_dir_all(root.join(".graff/notes")).expect("folders");
    let note = "{\"v\":1,\"session\":\"s1\",\"text\":\"here\"}\n";
    fs::write(root.join(".graff/notes/s1.notes.jsonl"), note).expect("a log");
    let mut following = Following::start(&world, &["-n", "1", "--root", root.as_str()]);
    assert_eq!(following.next(), "s1 here");
    fs::remove_dir_all(&root).expect("the root is removed");
    let (status, _, said) = following.end();
    assert_eq!(status.code(), Some(1));
    assert!(said.starts_with(&format!("graff-notes: could not watch {root}: ")), "{said}");
}
