//! The promise: nobody waits for a lock longer than they said, and a reader only a moment: a writer
//! tries again at pauses that grow up to a millisecond, until its patience is at an end.
//!
//! Shown by how often they try, which does not hang on how busy a machine is: pauses only become
//! longer by that.

use std::{cell::Cell, time::Duration};

use graff_notes::{
    ErrorKind,
    store::{
        DoubtCause, HOOK_PATIENCE, PATIENCE, Store,
        medium::{Access, Handle, Medium, TryLock},
    },
    units::Generation,
};

use super::{TORN, two_notes};
use crate::support::{
    faulty::{Fault, FaultyMedium, Image, OpKind, When},
    notes::{LOG, note, records, s1, store_on},
};

const LOCK: &str = "s1.notes.lock";

/// The tries before the pauses have grown to a millisecond, and one at the end.
const FIRST_TRIES: u128 = 8;

/// A disk with a log on it, and the lock of another.
fn locked(log: &[u8]) -> (FaultyMedium, Box<dyn Handle>) {
    let files = [(LOG, log.to_vec()), (LOCK, Vec::new())];
    let files = Image::from(files.map(|(name, bytes)| (name.to_owned(), bytes)));
    let medium = FaultyMedium::holding(&files);
    let lock = medium.open(LOCK, Access::Lock).expect("it is there");
    assert!(matches!(lock.try_lock(), Ok(TryLock::Locked)));
    (medium, lock)
}

/// How often the lock was tried for while `act` ran.
fn tries(medium: &FaultyMedium, act: impl FnOnce(&Store)) -> u128 {
    let before = medium.trace().len();
    act(&store_on(medium.clone()));
    let tried = |kind: OpKind| u128::from(kind == OpKind::TryLock);
    medium.trace()[before..].iter().map(|op| tried(op.kind)).sum()
}

#[test]
fn a_writer_tries_no_longer_than_its_patience_lasts_and_a_hook_half_a_second() {
    assert_eq!((PATIENCE, HOOK_PATIENCE), (Duration::from_secs(5), Duration::from_millis(500)));
    for patience in [Duration::ZERO, Duration::from_millis(20), HOOK_PATIENCE] {
        let (medium, _lock) = locked(&two_notes());
        let tries = tries(&medium, |store| {
            let refused = store.clone().with_patience(patience).append(&s1(), &note("new"));
            assert_eq!(refused.map_err(|e| e.kind()), Err(ErrorKind::Busy));
        });
        assert!(tries <= patience.as_millis() + FIRST_TRIES, "{tries} tries in {patience:?}");
        assert!(tries > u128::from(!patience.is_zero()), "{tries} tries in {patience:?}");
        assert_eq!(medium.live()[LOG], two_notes());
    }
}

#[test]
fn a_reader_of_a_log_that_ends_in_the_middle_of_a_line_waits_20_ms_once_and_says_that_it_does() {
    let (medium, _lock) = locked(&[&two_notes()[..], TORN].concat());
    let reads: [fn(&Store); 4] = [
        |store| {
            let doubt = store.newest(&s1()).expect("a log").doubt.expect("a doubt");
            assert_eq!(doubt.cause, DoubtCause::Torn);
        },
        |store| assert!(store.verify(&s1()).expect("a log").torn_tail),
        |store| assert_eq!(records(store), ["one", "two"]),
        |store| assert_eq!(store.greatest_generation(&s1()).expect("a log"), Generation::ZERO),
    ];
    for read in reads {
        let tries = tries(&medium, read);
        assert!((2..=20 + FIRST_TRIES).contains(&tries), "{tries} tries");
    }
}

#[test]
fn a_reader_under_whom_a_torn_log_is_cut_again_and_again_waits_20_ms_in_all() {
    let log = [&two_notes()[..], TORN].concat();
    let (medium, _lock) = locked(&log);
    for cut in 1..=3 {
        let (other, len) = (medium.clone(), log.len() - cut);
        let cut_short = move || other.change(|disk| disk.cut_durably(LOG, len));
        // The look at the last byte, the reading that is cut short, and how that notices.
        let then: [Box<dyn FnOnce() + Send>; 4] =
            [Box::new(|| ()), Box::new(cut_short), Box::new(|| ()), Box::new(|| ())];
        for then in then {
            medium.plan(When::Next(OpKind::Read, LOG), Fault::After(then));
        }
    }
    let tries = tries(&medium, |store| {
        assert!(store.verify(&s1()).expect("a log").torn_tail);
    });
    assert_eq!(medium.outstanding(), 0, "it was begun again each time");
    assert!((4..=20 + FIRST_TRIES + 3).contains(&tries), "{tries} tries");
}

#[test]
fn a_reader_of_whole_lines_and_one_of_the_list_try_for_no_lock() {
    let (medium, _lock) = locked(&two_notes());
    let notes = Cell::new(0);
    let tries = tries(&medium, |store| {
        let newest = store.newest(&s1()).expect("a log");
        notes.set(usize::from(newest.note.is_some()) + records(store).len());
        assert!(store.verify(&s1()).expect("a log").is_ok());
        assert_eq!(store.sessions().expect("a folder").names, [s1()]);
        let mut follower = store.follow(&s1());
        follower.catch_up(&mut |_| notes.set(notes.get() + 1)).expect("a log");
    });
    assert_eq!((tries, notes.get()), (0, 5));
}
