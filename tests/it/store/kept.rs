//! The promise: a log that is kept open gives the newest note of the file that its path names at this
//! moment, also where it can tell without reading it that nothing has changed.
//!
//! Each log here says that it was last changed long ago, so that a look at its path may be enough;
//! then something happens to it that such a look could miss.

use std::{
    fs,
    os::unix::fs::{FileExt as _, symlink},
};

use graff_notes::{ErrorKind, store::Log};

use crate::support::{
    child::{Actor, Role, command},
    notes::{Home, add, line, s1},
};

/// A log with two notes of which the newest was read, and its text.
fn read_once(home: &Home) -> Log {
    home.put([line(1, "one"), line(2, "two")].concat());
    home.settle();
    let log = home.store.log(&s1());
    assert_newest(&log, "two");
    log
}

#[track_caller]
fn assert_newest(log: &Log, text: &str) {
    let found = log.newest().expect("a log").note.expect("a note");
    assert_eq!(found.text, text);
    let again = log.newest().expect("a log").note.expect("a note");
    assert_eq!(again.text, text, "the second time");
}

#[test]
fn what_another_process_appends_is_seen_at_once() {
    let home = Home::new();
    let log = read_once(&home);
    let mut other = Actor::start(command(Role::AppendOnce, &home.root, "three"));
    other.expect("stored");
    assert_newest(&log, "three");
    home.settle();
    assert_newest(&log, "three");
    add(&home.store, "four");
    assert_newest(&log, "four");
}

#[test]
fn a_note_of_the_same_length_in_the_same_place_is_seen() {
    let home = Home::new();
    let log = read_once(&home);
    let file = fs::File::options().write(true).open(home.store.log_path(&s1())).expect("a log");
    file.write_all_at(&line(2, "owt"), line(1, "one").len() as u64).expect("another note");
    assert_newest(&log, "owt");
}

#[test]
fn a_log_that_takes_its_place_is_seen_though_it_looks_alike() {
    let home = Home::new();
    let log = read_once(&home);
    let (path, new) = (home.store.log_path(&s1()), home.root.join("new"));
    fs::write(&new, [line(1, "one"), line(2, "owt")].concat()).expect("another log");
    let modified = fs::metadata(&path).and_then(|log| log.modified()).expect("a time");
    let other = fs::File::options().write(true).open(&new).expect("it is there");
    other.set_modified(modified).expect("the same time");
    fs::rename(&new, &path).expect("in its place");
    assert_newest(&log, "owt");
}

#[test]
fn a_log_whose_folder_is_moved_away_is_not_there() {
    let home = Home::new();
    let log = read_once(&home);
    fs::rename(home.root.join(".graff"), home.root.join("aside")).expect("moved");
    assert_eq!(log.newest().expect_err("no log").kind(), ErrorKind::NotFound);
    add(&home.store, "in a new folder");
    assert_newest(&log, "in a new folder");
}

#[test]
fn a_link_in_its_place_is_refused_though_it_leads_to_the_same_file() {
    let home = Home::new();
    let log = read_once(&home);
    let (path, aside) = (home.store.log_path(&s1()), home.root.join("aside"));
    fs::rename(&path, &aside).expect("moved");
    symlink(&aside, &path).expect("a link");
    assert_eq!(log.newest().expect_err("a link").kind(), ErrorKind::NotRegularFile);
}

#[test]
fn a_link_on_the_way_to_another_log_is_refused() {
    let home = Home::new();
    let log = read_once(&home);
    let (graff, aside) = (home.root.join(".graff"), home.root.join("aside"));
    fs::rename(&graff, &aside).expect("moved");
    let other = Home::new();
    other.put([line(1, "one"), line(2, "owt")].concat());
    other.settle();
    symlink(other.root.join(".graff"), &graff).expect("a link");
    assert_eq!(log.newest().expect_err("a link").kind(), ErrorKind::NotRegularFile);
}
