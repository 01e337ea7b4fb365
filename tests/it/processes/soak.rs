//! The promise, for half a minute: eight writers, readers and repairs at once, killed at random
//! moments, beside a program that litters the log; then an audit of every acknowledged note.
//!
//! `cargo test --test it soak -- --ignored --nocapture` runs it and prints its figures.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use graff_notes::store::{RepairMode, Store};
use rustix::fs::FlockOperation;

use super::{Random, assert_each_once_and_in_order, numbered};
use crate::support::{
    child::{Actor, Role, command},
    notes::{Home, add, s1},
    report,
};

const SOAK: Duration = Duration::from_secs(30);
const WRITERS: u64 = 8;
const READERS: u64 = 2;

/// What stands in the log after a crash, a merge, or a slip of somebody's editor.
const LITTER: [&[u8]; 4] =
    [b"junk\n", b"\n", b"{\"v\":1,\"session\":\"s1\",\"gen\":3,\"te", b"\0\0\0\0\0\0\0\0"];

/// A writer from its start to its kill: the notes that it said are on disk, and its name in them.
struct Run {
    name: String,
    said: Vec<String>,
}

#[derive(Default)]
struct Counts {
    kills: AtomicUsize,
    repairs: AtomicUsize,
    looks: AtomicUsize,
    litter: AtomicUsize,
}

impl Counts {
    fn add(count: &AtomicUsize) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "it takes half a minute"]
fn every_note_that_was_acknowledged_in_half_a_minute_of_kills_is_there_once_and_in_order() {
    let home = Home::new();
    add(&home.store, "first");
    let (end, counts) = (Instant::now() + SOAK, &Counts::default());
    let runs: Vec<Run> = thread::scope(|scope| {
        let store = &home.store;
        let writers: Vec<_> =
            (0..WRITERS).map(|i| scope.spawn(move || write(store, i, end, counts))).collect();
        for _ in 0..READERS {
            scope.spawn(move || read(store, end, counts));
        }
        scope.spawn(move || repair(store, end, counts));
        scope.spawn(move || litter(store, end, counts));
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });

    let found = numbered(&home.store);
    let acknowledged: Vec<_> = runs.iter().map(|run| run.said.clone()).collect();
    assert_each_once_and_in_order(&found, &acknowledged);
    assert_each_was_written(&found, &runs);
    assert!(found.is_sorted_by(|(a, _), (b, _)| a < b), "a number stands there twice");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a last repair");
    assert_eq!(numbered(&home.store), found, "it costs no note");
    assert!(home.store.verify(&s1()).expect("a log").is_ok());

    let notes: usize = acknowledged.iter().map(Vec::len).sum();
    let [kills, repairs, looks, litter] =
        [&counts.kills, &counts.repairs, &counts.looks, &counts.litter]
            .map(|count| count.load(Ordering::Relaxed));
    report(format_args!(
        "soak: {notes} notes acknowledged, {} found; {kills} kills, {repairs} repairs, {looks} \
         looks, {litter} pieces of litter",
        found.len()
    ));
    let enough = notes > 2_000 && kills > 100 && repairs > 10 && looks > 2_000 && litter > 100;
    assert!(enough, "too little was done to show anything");
}

/// Checks that each note is one that a writer wrote: acknowledged, or the one after those, which
/// may have been under way when it was killed.
#[track_caller]
fn assert_each_was_written(found: &[(u64, String)], runs: &[Run]) {
    let of_run = |run: &Run| {
        let name = run.name.clone();
        (1..=run.said.len() + 1).map(move |i| format!("{name}-{i}"))
    };
    let written: BTreeSet<_> = runs.iter().flat_map(of_run).collect();
    for (_, text) in found {
        assert!(text == "first" || written.contains(text), "nobody wrote {text:?}");
    }
}

/// Has one writer at work after the other, each killed at some moment.
fn write(store: &Store, writer: u64, end: Instant, counts: &Counts) -> Vec<Run> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (writer << 32));
    let mut runs = Vec::new();
    for round in 0.. {
        if Instant::now() > end {
            break;
        }
        let name = format!("w{writer}.{round}");
        let argument = format!("{name} 100000");
        let mut victim = Actor::start(command(Role::Append, store.root(), &argument));
        thread::sleep(Duration::from_millis(200 + random.below(1_500)));
        victim.kill();
        runs.push(Run { name, said: victim.rest() });
        Counts::add(&counts.kills);
    }
    runs
}

/// Reads, and checks that the newest note never becomes an older one.
fn read(store: &Store, end: Instant, counts: &Counts) {
    let mut newest = 0;
    while Instant::now() < end {
        let note = store.newest(&s1()).expect("a readable log").note.expect("a note");
        let seq = note.seq.expect("a number").get();
        assert!(seq >= newest && note.sealed, "{seq} after {newest}");
        newest = seq;
        Counts::add(&counts.looks);
        thread::sleep(Duration::from_millis(2));
    }
}

/// Repairs again and again; every other repair is killed at some moment.
fn repair(store: &Store, end: Instant, counts: &Counts) {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    while Instant::now() < end {
        thread::sleep(Duration::from_millis(random.below(400)));
        let mut repairer = Actor::start(command(Role::Repair, store.root(), ""));
        if random.below(2) == 0 {
            thread::sleep(Duration::from_millis(random.below(150)));
            repairer.kill();
            Counts::add(&counts.kills);
        } else {
            let said = repairer.rest();
            assert!(
                said.iter().all(|said| said.starts_with("dropped") || said.starts_with("Busy"))
            );
            Counts::add(&counts.repairs);
        }
    }
}

/// Puts litter into the log, under the lock: beside it, nothing would keep it out of a record.
fn litter(store: &Store, end: Instant, counts: &Counts) {
    let mut random = Random(0xA076_1D64_78BD_642F);
    while Instant::now() < end {
        thread::sleep(Duration::from_millis(random.below(60)));
        let lock = File::options().write(true).open(store.lock_path(&s1())).expect("a lock");
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).expect("the lock");
        let log = OpenOptions::new().append(true).open(store.log_path(&s1()));
        let which = LITTER[usize::try_from(random.below(4)).expect("few")];
        log.and_then(|mut log| log.write_all(which)).expect("litter");
        Counts::add(&counts.litter);
    }
}
