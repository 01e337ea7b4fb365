//! What an operation asks of the machine, counted, so that it does not grow unseen.
//!
//! Allocations are counted by the allocator of this binary, on the test's own thread; system calls
//! by strace, in a process of its own that does nothing else. `docs/design.md` has the reason of
//! each call. Times are for the benchmarks.

use std::fs;

use allocation_counter::measure;
use graff_notes::{
    note::NoteCap,
    prompt::{self, Block, Place},
    store::Newest,
};

use crate::support::{
    child::{Actor, Role, under},
    notes::{Home, line, note, s1, stored},
    skipped,
};

/// A note of 2 KiB; no two are the same.
fn long_note(number: usize) -> graff_notes::log::Draft {
    note(&format!("{number:04} {}", "src/parse.rs:88 drops the CR; ".repeat(68)))
}

/// Runs `call` and returns what came of it, and how many allocations it made.
fn allocations<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let mut answer = None;
    let counted = measure(|| answer = Some(call()));
    (answer.expect("it ran"), counted.count_total)
}

#[test]
fn an_append_through_a_kept_log_makes_two_allocations() {
    let home = Home::new();
    let log = home.store.log(&s1());
    let drafts: Vec<_> = (0..8).map(long_note).collect();
    stored(log.append(&drafts[0]));
    for draft in &drafts[1..] {
        let (appended, count) = allocations(|| log.append(draft));
        stored(appended);
        assert_eq!(count, 2, "the end of the log, and the line");
    }
}

#[test]
fn a_cold_append_makes_twelve_allocations() {
    let home = Home::new();
    let drafts: Vec<_> = (0..8).map(long_note).collect();
    stored(home.store.append(&s1(), &drafts[0]));
    for draft in &drafts[1..] {
        let (appended, count) = allocations(|| home.store.append(&s1(), draft));
        stored(appended);
        assert_eq!(count, 12, "most of them names and handles of the files that it opens");
    }
}

#[test]
fn the_newest_note_takes_four_allocations_cold_and_no_more_through_a_kept_log() {
    let home = Home::new();
    let (session, log) = (s1(), home.store.log(&s1()));
    let count = |number: usize, newest: &dyn Fn() -> Result<Newest, graff_notes::Error>| {
        let (newest, count) = allocations(newest);
        let note = newest.expect("a log").note.expect("a note");
        assert!(note.text.starts_with(&format!("{number:04}")));
        count
    };
    let (cold, kept) = (|| home.store.newest(&session), || log.newest());
    for number in 0..4 {
        stored(log.append(&long_note(number)));
        assert_eq!(count(number, &cold), 4, "the name, the handle, the end of the log, the text");
        assert_eq!(count(number, &kept), 3, "the handle, the end of the log, the text");
    }
    home.rest();
    if !home.is_truthful() {
        return skipped("the file system is not one whose word is believed");
    }
    assert_eq!(count(3, &kept), 4, "as before, and the text once more to be kept");
    assert_eq!(count(3, &kept), 1, "the text");
}

#[test]
fn a_splice_into_a_buffer_that_is_large_enough_allocates_nothing() {
    let home = Home::new();
    stored(home.store.append(&s1(), &long_note(1)));
    let newest = home.store.newest(&s1()).expect("a log").note.expect("a note");
    let session = s1();
    let block = Block::of(&session, &newest, NoteCap::default());
    let base = "You are careful.\n## HARD CONSTRAINTS\nNever push.\n".repeat(700);
    let (place, mut buffer) = (Place::of(&base), String::new());
    prompt::splice_into(&base, &block, &mut buffer);

    let spliced = buffer.clone();
    let ((), count) = allocations(|| prompt::splice_into(&base, &block, &mut buffer));
    assert_eq!(count, 0);
    assert_eq!(buffer, spliced);
    let ((), count) = allocations(|| place.splice_into(&block, &mut buffer));
    assert_eq!(count, 0);
    assert_eq!(buffer, spliced);
}

/// A system call: its name and its arguments.
type Call = (String, String);

/// The system calls of the thread that plays a role, the test's frame around it included.
///
/// Another one waits for it, and what it calls comes in between. A debug build of std looks at a
/// descriptor before it closes it; that look is no part of this.
#[track_caller]
fn traced(home: &Home, role: Role) -> Option<Vec<Call>> {
    let out = home.root.join("trace");
    let strace = ["strace", "-f", "-qq", "-o", out.as_str()];
    let Some(actor) = Actor::start_if_possible(under(&strace, role, &home.root, "new")) else {
        skipped("strace is not to be had");
        return None;
    };
    if actor.rest().is_empty() {
        skipped("strace may not trace here");
        return None;
    }
    let trace = fs::read_to_string(&out).expect("a trace");
    let lines = || trace.lines().filter_map(|line| line.split_once(' '));
    let at_the_store =
        |call: &str| call.trim_start().starts_with("openat2") && call.contains(home.root.as_str());
    let (player, _) = lines().find(|(_, call)| at_the_store(call)).expect("a call at the store");
    let calls = lines().filter(|(thread, _)| *thread == player).filter_map(|(_, call)| {
        let (name, arguments) = call.trim_start().split_once('(')?;
        Some((name.to_owned(), arguments.to_owned()))
    });
    let is_own = |(name, arguments): &Call| name != "fcntl" || !arguments.contains("F_GETFD");
    Some(calls.filter(is_own).collect())
}

fn says_something((name, arguments): &Call) -> bool {
    name == "write" && arguments.starts_with("1,")
}

/// The names of the calls until the role says something.
fn until_it_says(calls: &[Call]) -> Vec<&str> {
    let own = calls.iter().take_while(|call| !says_something(call));
    own.map(|(name, _)| name.as_str()).collect()
}

/// Those of the calls that come once the role has come to its store.
#[track_caller]
fn from_the_root<'c>(home: &Home, calls: &'c [Call]) -> &'c [Call] {
    let names_it = |(_, arguments): &Call| arguments.contains(home.root.as_str());
    &calls[calls.iter().position(names_it).expect("the first call")..]
}

#[test]
fn a_cold_newest_read_makes_no_call_without_a_reason() {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    let Some(calls) = traced(&home, Role::Newest) else { return };
    let expected = [
        "openat2", // no link on the way
        "fstat",   // a plain file, and its length
        "pread64", // its last 8 KiB
        "close",
    ];
    assert_eq!(until_it_says(from_the_root(&home, &calls)), expected);
}

#[test]
fn the_first_look_for_a_log_that_is_not_there_finds_the_root_too() {
    let home = Home::new();
    let Some(calls) = traced(&home, Role::NewestTwice) else { return };
    let calls = from_the_root(&home, &calls);
    let expected = [
        "openat2", // there is no log
        "openat2", // no link leads to the root, and none may from here on
        "close",
    ];
    assert_eq!(until_it_says(calls), expected);
    assert_eq!(second_of(calls), ["openat2"]);
}

/// The calls between the first word of a role and its second.
#[track_caller]
fn second_of(calls: &[Call]) -> Vec<&str> {
    let first = calls.iter().position(says_something).expect("it says what it found");
    until_it_says(&calls[first + 1..])
}

/// The calls of a second reading through a kept log.
#[track_caller]
fn second_reading(home: &Home) -> Option<Vec<String>> {
    let calls = traced(home, Role::NewestTwice)?;
    let second = second_of(from_the_root(home, &calls));
    Some(second.into_iter().map(str::to_owned).collect())
}

#[test]
fn the_newest_note_of_a_kept_log_that_has_not_changed_takes_one_look() {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    home.rest();
    if !home.is_truthful() {
        return skipped("the file system is not one whose word is believed");
    }
    let Some(calls) = second_reading(&home) else { return };
    assert_eq!(calls, ["newfstatat"]);
}

#[test]
fn a_kept_log_that_was_written_to_a_moment_ago_is_read_anew() {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    let Some(calls) = second_reading(&home) else { return };
    let expected = [
        "openat2", // no link on the way
        "fstat",   // a plain file, its length, and by what it is known again
        "pread64", // its last 8 KiB
        "close",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn a_cold_append_makes_no_call_without_a_reason() {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    fs::write(home.store.lock_path(&s1()), "").expect("a lock");
    let Some(calls) = traced(&home, Role::AppendOnce) else { return };
    let expected = [
        "openat2",    // the lock, no link on the way
        "fstat",      // a plain file, and which one
        "flock",      // ours
        "getpid",     // a forked child must not give it back
        "newfstatat", // the lock's name still names it
        "openat2",    // no replacement was cut short
        "openat2",    // the log, no link on the way
        "fstat",      // a plain file with one name, and its length, now that nobody else appends
        "newfstatat", // the lock's name still names it, and with it this log
        "pread64",    // its last 8 KiB: the number, the newest note, the tail
        "write",      // the record
        "fdatasync",  // durable
        "getpid",     // it is we who took the lock
        "flock",      // given back
        "close",      // the lock
        "close",      // the log
    ];
    assert_eq!(until_it_says(from_the_root(&home, &calls)), expected);
}

#[test]
fn an_append_through_a_kept_log_makes_no_call_without_a_reason() {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    let Some(calls) = traced(&home, Role::AppendTwice) else { return };
    let calls = from_the_root(&home, &calls);
    let expected = [
        "getpid",     // the files are ours, and not those of who forked us
        "flock",      // ours
        "getpid",     // a forked child must not give it back
        "newfstatat", // the lock's name still names it
        "fstat",      // which log is open, that it has one name, and its length
        "openat2",    // no link on the way to
        "newfstatat", // the log's name still names it
        "close",
        "pread64",   // its last 8 KiB: the number, the newest note, the tail
        "write",     // the record
        "fdatasync", // durable
        "getpid",    // it is we who took the lock
        "flock",     // given back
    ];
    assert_eq!(second_of(calls), expected);
}
