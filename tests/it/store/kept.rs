//! The promise: a log that is kept open gives the newest note of the file that its path names at
//! this moment, also where it can tell without reading it that nothing has changed.
//!
//! Each log here has been left alone for so long that a look at its path may be enough; then
//! something happens to it that such a look could miss. All of them wait at the same time.

use std::{
    fs,
    os::unix::fs::{FileExt as _, MetadataExt as _, symlink},
    time::{Duration, SystemTime},
};

use camino::Utf8Path;
use graff_notes::{
    ErrorKind,
    store::{
        Disk, Log,
        medium::{Access, Handle, Medium as _, Stamp},
    },
};

use crate::support::{
    child::{Actor, Role, command},
    notes::{Home, LOG, add, line, s1},
    skipped,
};

/// What happens to a log of two notes, of which the newest was read, and what is read then.
type Happening = fn(&Home, &Log);

const HAPPENINGS: [Happening; 8] = [
    another_process_appends,
    it_is_overwritten,
    it_is_overwritten_and_the_time_set_back,
    another_log_takes_its_place,
    a_twin_takes_its_place,
    its_folder_is_moved_away,
    a_link_takes_its_place,
    a_link_leads_to_another_log,
];

#[test]
fn whatever_happens_to_a_kept_log_is_seen_by_the_next_reading() {
    let homes: Vec<_> = HAPPENINGS.iter().map(|_| with_a_twin()).collect();
    for (happens, home) in HAPPENINGS.iter().zip(&homes) {
        home.rest();
        let log = home.store.log(&s1());
        assert_newest(&log, "two");
        happens(home, &log);
    }
    if !homes[0].is_truthful() {
        skipped("the file system is not one whose word is believed: nothing was kept");
    }
}

/// A log with two notes, and one beside the store that differs from it in its second text and its
/// number alone, if the clock of the file system lets it.
fn with_a_twin() -> Home {
    let home = Home::new();
    let twin = home.root.join("twin/notes").join(LOG);
    fs::create_dir_all(twin.parent().expect("a folder")).expect("a folder");
    let path = home.store.log_path(&s1());
    let changed = |path: &Utf8Path| {
        let file = fs::metadata(path).expect("it is there");
        (file.ctime(), file.ctime_nsec())
    };
    for _ in 0..200 {
        home.put([line(1, "one"), line(2, "two")].concat());
        fs::write(&twin, [line(1, "one"), line(2, "owt")].concat()).expect("another log");
        set_modified(&path, an_hour_ago(&home));
        set_modified(&twin, an_hour_ago(&home));
        if changed(&path) == changed(&twin) {
            break;
        }
        fs::remove_file(&path).and_then(|()| fs::remove_file(&twin)).expect("they are ours");
    }
    home.put_if_missing(&[line(1, "one"), line(2, "two")].concat());
    home
}

/// The same moment, whenever it is asked for.
fn an_hour_ago(home: &Home) -> SystemTime {
    let made = fs::metadata(&home.root).and_then(|root| root.created());
    made.unwrap_or(SystemTime::UNIX_EPOCH + Duration::from_secs(7_200)) - Duration::from_secs(3_600)
}

#[track_caller]
fn set_modified(path: &Utf8Path, time: SystemTime) {
    let file = fs::File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(time)).expect("another time");
}

#[track_caller]
fn assert_newest(log: &Log, text: &str) {
    let found = log.newest().expect("a log").note.expect("a note");
    assert_eq!(found.text, text);
    let again = log.newest().expect("a log").note.expect("a note");
    assert_eq!(again.text, text, "the second time");
}

fn another_process_appends(home: &Home, log: &Log) {
    let mut other = Actor::start(command(Role::AppendOnce, &home.root, "three"));
    other.expect("stored");
    assert_newest(log, "three");
    add(&home.store, "four");
    assert_newest(log, "four");
}

fn it_is_overwritten(home: &Home, log: &Log) {
    let file = fs::File::options().write(true).open(home.store.log_path(&s1())).expect("a log");
    file.write_all_at(&line(2, "owt"), line(1, "one").len() as u64).expect("another note");
    assert_newest(log, "owt");
}

fn it_is_overwritten_and_the_time_set_back(home: &Home, log: &Log) {
    let path = home.store.log_path(&s1());
    let modified = fs::metadata(&path).and_then(|log| log.modified()).expect("a time");
    let file = fs::File::options().write(true).open(&path).expect("a log");
    file.write_all_at(&line(2, "owt"), line(1, "one").len() as u64).expect("another note");
    file.set_modified(modified).expect("the same time");
    assert_newest(log, "owt");
}

fn another_log_takes_its_place(home: &Home, log: &Log) {
    let (path, new) = (home.store.log_path(&s1()), home.root.join("new"));
    fs::write(&new, [line(1, "one"), line(2, "owt")].concat()).expect("another log");
    let modified = fs::metadata(&path).and_then(|log| log.modified()).expect("a time");
    set_modified(&new, modified);
    fs::rename(&new, &path).expect("in its place");
    assert_newest(log, "owt");
}

fn a_twin_takes_its_place(home: &Home, log: &Log) {
    let graff = home.root.join(".graff");
    fs::rename(&graff, home.root.join("aside")).expect("moved");
    fs::rename(home.root.join("twin"), &graff).expect("in its place");
    assert_newest(log, "owt");
}

fn its_folder_is_moved_away(home: &Home, log: &Log) {
    fs::rename(home.root.join(".graff"), home.root.join("aside")).expect("moved");
    assert_eq!(log.newest().expect_err("no log").kind(), ErrorKind::NotFound);
    add(&home.store, "in a new folder");
    assert_newest(log, "in a new folder");
}

fn a_link_takes_its_place(home: &Home, log: &Log) {
    let (path, aside) = (home.store.log_path(&s1()), home.root.join("aside"));
    fs::rename(&path, &aside).expect("moved");
    symlink(&aside, &path).expect("a link");
    assert_eq!(log.newest().expect_err("a link").kind(), ErrorKind::NotRegularFile);
}

fn a_link_leads_to_another_log(home: &Home, log: &Log) {
    let (graff, aside) = (home.root.join(".graff"), home.root.join("aside"));
    fs::rename(&graff, &aside).expect("moved");
    symlink(home.root.join("twin"), &graff).expect("a link");
    assert_eq!(log.newest().expect_err("a link").kind(), ErrorKind::NotRegularFile);
}

fn open(home: &Home) -> Box<dyn Handle> {
    Disk::at(&home.root).open(LOG, Access::Read).expect("a log")
}

fn stamp_of(file: &dyn Handle) -> Option<Stamp> {
    file.stamp().expect("it can be looked at")
}

#[test]
fn a_log_that_was_changed_a_moment_ago_is_not_kept_whatever_time_it_bears() {
    let home = Home::new();
    home.put(line(1, "one"));
    assert_eq!(stamp_of(open(&home).as_ref()), None);
    set_modified(&home.store.log_path(&s1()), an_hour_ago(&home));
    assert_eq!(stamp_of(open(&home).as_ref()), None, "anybody can set that time");
}

#[test]
fn what_is_kept_is_known_by_what_the_log_was_when_it_was_opened() {
    let home = Home::new();
    home.put(line(1, "one"));
    let soon = open(&home);
    home.rest();
    let late = open(&home);
    if !home.is_truthful() {
        return skipped("the file system is not one whose word is believed");
    }
    assert_eq!(stamp_of(soon.as_ref()), None, "it had not rested then");
    let one = line(1, "one").len() as u64;
    assert_eq!(stamp_of(late.as_ref()).expect("it had rested").len, one);
    add(&home.store, "two");
    assert_eq!(stamp_of(late.as_ref()).expect("it had rested").len, one, "what was read");
}
