//! Whatever becomes of the store meanwhile, what is followed goes on.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    sync::mpsc,
    thread,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;

use super::{ALL, Following, PATIENCE, append, write};
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

/// A root below the world's, so that the folder around it can go as well.
fn below(world: &World) -> Utf8PathBuf {
    world.root().join("outer/root")
}

/// A root beside it, to be moved into its place, with a store that has this note.
fn prepared(world: &World, text: &str) -> Utf8PathBuf {
    let aside = world.root().join("prepared");
    fs::create_dir(&aside).expect("a folder");
    append(&Store::at(&aside), "s1", text);
    aside
}

/// `git clean`, a checkout, a project that is made anew: nothing tells the program but the system.
#[test]
fn the_end_of_the_root_and_a_new_one_in_its_place_are_survived() {
    let world = World::new();
    let (root, outer) = (below(&world), world.root().join("outer"));
    fs::create_dir_all(&root).expect("folders");
    append(&Store::at(&root), "s1", "the first");
    for args in [&["--root", "outer/root"][..], &["--root", "."]] {
        let mut command = world.command(&[&["follow", "-n", "1"], args].concat());
        if args[1] == "." {
            command.current_dir(&root);
        }
        let following = Following::of(command);
        following.next();
        for at in 0..60 {
            let text = format!("note {at} of {args:?}").replace('"', "");
            match at % 4 {
                0 => fs::remove_dir_all(&root).expect("the root is removed"),
                1 => fs::remove_dir_all(&outer).expect("the folder around it is removed"),
                2 => {
                    fs::rename(&root, world.root().join("gone")).expect("the root is moved away");
                    fs::remove_dir_all(world.root().join("gone")).expect("and removed there");
                }
                _ => {
                    let other = prepared(&world, &text);
                    fs::remove_dir_all(&root).expect("the root is removed");
                    fs::rename(other, &root).expect("another takes its place");
                }
            }
            if at % 4 != 3 {
                fs::create_dir_all(&root).expect("it is made anew");
                append(&Store::at(&root), "s1", &text);
            }
            assert_eq!(following.next(), format!("s1 {text}"));
        }
        following.ends();
    }
}

/// What takes the place of a folder of the store may be no folder.
#[test]
fn a_file_in_the_place_of_a_folder_is_survived() {
    let world = World::new();
    let root = below(&world);
    fs::create_dir_all(&root).expect("folders");
    append(&Store::at(&root), "s1", "the first");
    let following = Following::start(&world, &["-n", "1", "--root", root.as_str()]);
    following.next();
    let graff = root.join(".graff");
    for (at, place) in [&root, &graff, &graff.join("notes")].into_iter().enumerate() {
        fs::remove_dir_all(place).expect("it is removed");
        fs::write(place, "").expect("a file");
        fs::remove_file(place).expect("the file is removed");
        fs::create_dir_all(&root).expect("a folder again");
        append(&Store::at(&root), "s1", &format!("note {at}"));
        assert_eq!(following.next(), format!("s1 note {at}"));
    }
}

/// Puts a link that leads nowhere but to itself in the place of what `path` names, in one step if
/// that is a link.
fn loop_at(path: &Utf8Path) {
    let aside = path.with_extension("aside");
    symlink(path, &aside).expect("a link");
    fs::rename(aside, path).expect("it is moved");
}

#[test]
fn a_folder_that_cannot_be_watched_for_a_while_is_said_so_once_and_ends_nothing() {
    for below_root in ["", ".graff", ".graff/notes"] {
        let world = World::new();
        let root = below(&world);
        fs::create_dir_all(&root).expect("folders");
        append(&Store::at(&root), "s1", "the first");
        let mut following = Following::start(&world, &["-n", "1", "--root", root.as_str()]);
        following.next();
        let (place, aside) = (root.join(below_root), world.root().join("aside"));
        let place = Utf8Path::new(place.as_str().trim_end_matches('/')); // a link has no slash
        let stderr = BufReader::new(following.stderr.take().expect("it is read once"));
        let (send, said) = mpsc::channel();
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        fs::rename(place, &aside).expect("it is moved away");
        loop_at(place);
        let failure = format!("graff-notes: could not watch {place}: ");
        let is_said = |line: &String| line.starts_with(&failure);
        while !is_said(&said.recv_timeout(PATIENCE).expect("it says so in time")) {}
        (0..3).for_each(|_| loop_at(place));
        fs::remove_file(place).expect("the link is removed");
        fs::rename(&aside, place).expect("it is moved back");
        append(&Store::at(&root), "s1", "the second");
        assert_eq!(following.next(), "s1 the second");
        following.interrupt();
        assert_eq!(said.iter().find(is_said), None, "it was said already");
    }
}

#[test]
fn a_log_that_cannot_be_read_is_said_so_once_until_it_is_over() {
    let world = World::new();
    write(&world, "s1", "the first");
    let mut following = Following::start(&world, ALL);
    assert_eq!(following.next(), "s1 the first");
    let (log, aside) = (world.log("s1"), world.root().join("aside"));
    for at in 0..2 {
        fs::rename(&log, &aside).expect("it is moved away");
        for again in 0..3 {
            loop_at(&log);
            write(&world, "s2", &format!("{at} {again}"));
            assert_eq!(following.next(), format!("s2 {at} {again}"), "it has noticed");
        }
        fs::remove_file(&log).expect("the link is removed");
        fs::rename(&aside, &log).expect("it is moved back");
        write(&world, "s1", &format!("note {at}"));
        assert_eq!(following.next(), format!("s1 note {at}"));
    }
    following.interrupt();
    let (_, _, said) = following.end();
    assert_eq!(said.matches("could not open").count(), 2, "once each time: {said}");
}

#[test]
fn what_a_root_that_is_a_link_leads_to_can_come_and_go() {
    let world = World::new();
    let (root, target) = (world.root().join("root"), world.root().join("far/target"));
    symlink("far/target", &root).expect("a link");
    fs::create_dir_all(&target).expect("it is made");
    append(&Store::at(&root), "s1", "the first");
    let following = Following::start(&world, &["-n", "9", "--root", root.as_str()]);
    assert_eq!(following.next(), "s1 the first");
    for at in 0..4 {
        let gone = if at % 2 == 0 { &target } else { &world.root().join("far") };
        fs::remove_dir_all(gone).expect("it is removed");
        fs::create_dir_all(&target).expect("it is made");
        append(&Store::at(&root), "s1", &format!("note {at}"));
        assert_eq!(following.next(), format!("s1 note {at}"));
    }
    let other = prepared(&world, "of another folder");
    fs::remove_file(&root).expect("the link is removed");
    symlink(other, &root).expect("it leads elsewhere");
    append(&Store::at(&target), "s1", "where it began");
    assert_eq!(following.next(), "s1 where it began");
    following.ends();
}
