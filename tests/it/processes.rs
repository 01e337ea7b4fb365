//! The promise: any number of processes and threads write to one session; each note that was
//! acknowledged is there, whole and once, whoever is killed when; and whoever must wait for the
//! lock waits for a bounded time and is told for whom.
//!
//! Shown with real processes: this test binary, run again in a role.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use graff_notes::{ErrorKind, log::Line, store::Store};

use crate::support::{
    child::{self, Actor, Role, command},
    notes::{Home, add, note, s1, stored},
    report,
};

mod asked;
mod locking;
mod soak;
#[cfg(feature = "cli")]
mod writes;

#[test]
fn a_child_of_other_tests_plays_its_role() {
    child::play();
}

/// The numbers and texts of all notes, in the order of the log.
fn numbered(store: &Store) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let replayed = store.replay(&s1(), &mut |entry| {
        if let Line::Record(record) = entry.line
            && let graff_notes::log::Body::Note { text, .. } = &record.body
        {
            found.push((record.seq.expect("a number").get(), text.clone().into_owned()));
        }
    });
    replayed.expect("a readable log");
    found
}

/// Checks that each list stands in `found` in its order, and every text once.
#[track_caller]
fn assert_each_once_and_in_order(found: &[(u64, String)], lists: &[Vec<String>]) {
    let distinct: BTreeSet<_> = found.iter().map(|(_, text)| text).collect();
    assert_eq!(distinct.len(), found.len(), "a note stands there twice");
    for list in lists {
        let mut texts = found.iter().map(|(_, text)| text);
        for text in list {
            assert!(texts.any(|found| found == text), "{text} was acknowledged and is not there");
        }
    }
}

#[test]
fn eight_processes_write_two_hundred_notes_each_and_a_reader_never_sees_half_a_record() {
    let home = Home::new();
    let writers: Vec<_> = (0..8)
        .map(|i| Actor::start(command(Role::Append, &home.root, &format!("w{i} 200"))))
        .collect();
    let have_ended = AtomicBool::new(false);
    let (said, looks) = thread::scope(|scope| {
        let reader = scope.spawn(|| read_until(&have_ended, &home.store));
        let said: Vec<_> = writers.into_iter().map(Actor::rest).collect();
        have_ended.store(true, Ordering::Release);
        (said, reader.join().expect("no half record"))
    });

    let expected: Vec<Vec<_>> =
        (0..8).map(|w| (1..=200).map(|i| format!("w{w}-{i}")).collect()).collect();
    assert_eq!(said, expected, "every append was acknowledged");
    let found = numbered(&home.store);
    assert_eq!(
        found.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(),
        (1..=1_600).collect::<Vec<_>>()
    );
    assert_each_once_and_in_order(&found, &said);
    let health = home.store.verify(&s1()).expect("a readable log");
    assert!(health.is_ok() && health.unsealed == 0, "{health:?}");
    assert!(looks > 20, "{looks} looks are no reader");
}

/// Reads beside the writers, and checks that what it reads as notes only ever grows, whole.
fn read_until(writers_have_ended: &AtomicBool, store: &Store) -> u32 {
    let (mut newest, mut looks) = (0, 0);
    while !writers_have_ended.load(Ordering::Acquire) {
        looks += 1;
        let note = match store.newest(&s1()) {
            Ok(found) => found.note,
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(e) => panic!("an unreadable log: {}", e.with_causes()),
        };
        let Some(note) = note else {
            assert_eq!(newest, 0, "a note was there");
            continue;
        };
        let seq = note.seq.expect("a number").get();
        assert!(seq >= newest, "{seq} after {newest}");
        assert!(note.sealed && note.text.starts_with('w'), "{note:?}");
        newest = seq;
        if looks % 16 == 0 {
            let health = store.verify(&s1()).expect("a readable log");
            assert_eq!(health.bad_lines, 0, "{health:?}");
        }
    }
    looks
}

#[test]
fn every_acknowledged_note_is_there_after_five_hundred_kills_at_random_moments() {
    let home = Home::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut acknowledged: Vec<Vec<String>> = Vec::new();
    // It finds to the time in which some are stored here, however slow the disk is.
    let mut longest = 6_000;
    for round in 0..125 {
        let victims: Vec<_> = (0..4)
            .map(|i| Actor::start(command(Role::Append, &home.root, &format!("k{round}.{i} 999"))))
            .collect();
        for mut victim in victims {
            thread::sleep(Duration::from_micros(random.below(longest)));
            victim.kill();
            acknowledged.push(victim.rest());
        }
        let stored: usize = acknowledged.iter().rev().take(4).map(Vec::len).sum();
        longest =
            if stored < 4 { LONGEST.min(longest / 3 * 4) } else { longest.max(8_000) / 4 * 3 };
    }
    let found = numbered(&home.store);
    assert_each_once_and_in_order(&found, &acknowledged);
    let notes: usize = acknowledged.iter().map(Vec::len).sum();
    assert!(notes > 100, "{notes}: the kills came too soon to show anything");
    assert_eq!(add(&home.store, "after all"), found.last().expect("a note").0 + 1);
    report(format_args!("kills: 500, {notes} acknowledged, {} found", found.len()));
}

/// No writer lives longer before it is killed, in microseconds.
const LONGEST: u64 = 200_000;

/// Xorshift; the seed is in the test.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn sixty_four_threads_share_a_handle_and_one_has_its_own() {
    let home = Home::new();
    let patient = home.store.clone().with_patience(Duration::from_secs(600)); // a disk may be slow
    let (log, own) = (patient.log(&s1()), patient.log(&s1()));
    thread::scope(|scope| {
        for t in 0..64 {
            let log = if t == 0 { &own } else { &log };
            scope.spawn(move || {
                for i in 0..5 {
                    stored(log.append(&note(&format!("t{t}-{i}"))));
                }
            });
        }
    });
    let found = numbered(&home.store);
    assert_eq!(
        found.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(),
        (1..=320).collect::<Vec<_>>()
    );
    assert_each_once_and_in_order(&found, &[]);
}
