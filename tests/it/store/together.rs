//! The promise: of two that are at work on one session, each is done as if it were alone, or told
//! that it is kept out. Shown on a disk in memory, on which the one acts before any operation of
//! the other.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use graff_notes::{
    ErrorKind,
    store::{Import, Latched, RepairMode, Store},
    units::Generation,
};
use rustix::io::Errno;

use super::{TORN, holding, two_notes};
use crate::support::{
    faulty::{Disk, Fault as DiskFault, FaultyMedium, IGNORE, Op, OpKind, When},
    notes::{LOG, add, import, line, note, now, records, s1, session, store_on, stored},
};

mod pairs;

/// Lets `second` act before each operation of `first` in turn, and hands the outcomes of both to
/// `check`, together with the disk; returns how many operations that are.
fn interleaved<A: 'static, B: Send + 'static>(
    log: &[u8],
    first: impl Fn(&Store) -> A,
    second: impl Fn(&Store) -> B + Clone + Send + 'static,
    check: impl Fn(A, B, FaultyMedium),
) -> usize {
    let alone = holding(log);
    first(&store_on(alone.clone()));
    let operations = alone.trace().len();
    assert!(operations >= 5, "{operations}: whatever it does takes more than that");
    for index in 0..operations {
        let medium = holding(log);
        let outcome = Arc::new(Mutex::new(None));
        let act = {
            let (store, outcome) = (store_on(medium.clone()), outcome.clone());
            let second = second.clone();
            move || {
                let result = second(&store.with_patience(Duration::ZERO));
                *outcome.lock().expect("it is free") = Some(result);
            }
        };
        medium.plan(When::At(index), DiskFault::After(Box::new(act)));
        let of_first = first(&store_on(medium.clone()).with_patience(Duration::ZERO));
        let of_second = outcome.lock().expect("it is free").take().expect("it acted");
        check(of_first, of_second, medium);
    }
    operations
}

#[test]
fn between_any_two_operations_of_an_append_another_one_is_done_or_kept_out() {
    let append = |text: &'static str| {
        move |store: &Store| store.append(&s1(), &note(text)).map(drop).map_err(|e| e.kind())
    };
    for log in [vec![], two_notes(), [&two_notes()[..], TORN].concat()] {
        let before = records(&store_on(holding(&log)));
        interleaved(&log, append("first"), append("second"), |first, second, medium| {
            let is_told = |outcome| matches!(outcome, Ok(()) | Err(ErrorKind::Busy));
            assert!(is_told(first) && is_told(second), "{first:?}, {second:?}");
            let found = records(&store_on(FaultyMedium::holding(&medium.least())));
            assert_eq!(
                found.len(),
                before.len() + usize::from(first.is_ok()) + usize::from(second.is_ok())
            );
            assert_eq!(found.contains(&"first".to_owned()), first.is_ok());
            assert_eq!(found.contains(&"second".to_owned()), second.is_ok());
            let health = store_on(medium).verify(&s1()).expect("a log");
            let faults: Vec<_> = health.faults.iter().map(|fault| fault.concern.reason()).collect();
            assert!(faults.iter().all(|reason| *reason == "unfinished"), "{faults:?}");
        });
    }
}

#[test]
fn of_two_that_latch_at_once_one_gets_it() {
    let latch = |store: &Store| {
        let latched = store.latch(&s1(), Generation::new(1), now());
        latched.map(|latched| matches!(latched, Latched::Latched(_))).map_err(|e| e.kind())
    };
    interleaved(&two_notes(), latch, latch, |first, second, medium| {
        let winners = usize::from(first == Ok(true)) + usize::from(second == Ok(true));
        assert!(winners <= 1, "{first:?}, {second:?}");
        assert!(winners == 1 || first == Err(ErrorKind::Busy), "{first:?}, {second:?}");
        let attempts = records(&store_on(medium)).iter().filter(|r| *r == "attempt 1").count();
        assert_eq!(attempts, winners);
    });
}

#[test]
fn a_repair_or_forget_and_an_append_never_cost_each_other_anything() {
    let log = [&two_notes()[..], b"junk\n", TORN].concat();
    let append = |store: &Store| store.append(&s1(), &note("new")).map(drop).map_err(|e| e.kind());
    let repair =
        |store: &Store| store.repair(&s1(), RepairMode::Write).map(drop).map_err(|e| e.kind());
    let forget = |store: &Store| store.forget(&s1()).map_err(|e| e.kind());
    let has_new = |medium: &FaultyMedium| {
        let found = records(&store_on(FaultyMedium::holding(&medium.least())));
        found.contains(&"new".to_owned())
    };
    let is_told = |outcome| matches!(outcome, Ok(()) | Err(ErrorKind::Busy));
    interleaved(&log, repair, append, |repaired, appended, medium| {
        assert!(is_told(repaired) && is_told(appended), "{repaired:?}, {appended:?}");
        assert_eq!(has_new(&medium), appended.is_ok(), "{repaired:?}");
    });
    interleaved(&log, append, repair, |appended, repaired, medium| {
        assert!(is_told(repaired) && is_told(appended), "{repaired:?}, {appended:?}");
        assert_eq!(has_new(&medium), appended.is_ok(), "{repaired:?}");
    });
    interleaved(&log, append, forget, |appended, forgotten, medium| {
        assert!(is_told(forgotten) && is_told(appended), "{forgotten:?}, {appended:?}");
        let found = records(&store_on(FaultyMedium::holding(&medium.least())));
        let allowed: &[&[&str]] = match (appended, forgotten) {
            (Ok(()), Ok(())) => &[&["new"], &[]],
            (Ok(()), Err(_)) => &[&["one", "two", "new"]],
            (Err(_), Ok(())) => &[&[]],
            (Err(_), Err(_)) => &[&["one", "two"]],
        };
        assert!(allowed.iter().any(|allowed| found == *allowed), "{found:?}, {forgotten:?}");
    });
}

#[test]
fn an_import_and_an_append_never_cost_each_other_anything() {
    let all = [two_notes(), line(3, "three")].concat();
    let import = move |store: &Store| {
        let imported = import(store, &all).map_err(|e| e.kind());
        imported.map(|imported| matches!(imported, Import::Added { .. }))
    };
    let append = |store: &Store| store.append(&s1(), &note("new")).map(drop).map_err(|e| e.kind());
    let check = |imported: Result<bool, ErrorKind>, appended: Result<(), ErrorKind>, medium| {
        let said = format!("{imported:?}, {appended:?}");
        assert!(matches!(imported, Ok(_) | Err(ErrorKind::Busy)), "{said}");
        assert!(matches!(appended, Ok(()) | Err(ErrorKind::Busy)), "{said}");
        let found = records(&store_on(FaultyMedium::holding(&FaultyMedium::least(&medium))));
        let mut expected = vec!["one", "two"];
        expected.extend((imported == Ok(true)).then_some("three"));
        expected.extend(appended.is_ok().then_some("new"));
        assert_eq!(found, expected, "{said}");
    };
    interleaved(&two_notes(), import.clone(), append, check);
    interleaved(&two_notes(), append, import, |appended, imported, medium| {
        check(imported, appended, medium);
    });
}

#[test]
fn of_two_that_leave_word_at_once_the_second_knows_of_the_first_and_no_note_is_touched() {
    let leave = |store: &Store| {
        let more = |word: Option<Vec<u8>>| Some([&word.unwrap_or_default()[..], b"+"].concat());
        store.leave_word(&s1(), more).map_err(|e| e.kind())
    };
    let append = |store: &Store| store.append(&s1(), &note("new")).map(drop).map_err(|e| e.kind());
    let left_by = |outcomes: &[Result<(), ErrorKind>], medium: &FaultyMedium| {
        let is_told = |outcome: &Result<_, _>| matches!(outcome, Ok(()) | Err(ErrorKind::Busy));
        assert!(outcomes.iter().all(is_told), "{outcomes:?}");
        let left = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let word = store_on(medium.clone()).word(&s1()).expect("it can be read");
        assert_eq!(word.unwrap_or_default(), b"+".repeat(left), "{outcomes:?}");
    };
    interleaved(&two_notes(), leave, leave, |first, second, medium| {
        left_by(&[first, second], &medium);
        assert_eq!(records(&store_on(medium)), ["one", "two"]);
    });
    interleaved(&two_notes(), leave, append, |left, appended, medium| {
        left_by(&[left], &medium);
        let has_new = records(&store_on(medium)).contains(&"new".to_owned());
        assert_eq!(has_new, appended.is_ok());
    });
}

#[test]
fn a_store_that_is_removed_and_made_anew_under_an_append_has_one_lock_all_the_same() {
    let medium = holding(&two_notes());
    let (planned, another) = (medium.clone(), store_on(medium.clone()));
    let third = another.clone().with_patience(Duration::ZERO);
    let make_anew = move || {
        planned.change(Disk::remove_folders);
        add(&another, "of another");
        let meanwhile = move || {
            let e = third.append(&s1(), &note("of a third")).expect_err("the lock is held");
            assert_eq!(e.kind(), ErrorKind::Busy);
        };
        planned.plan(When::Next(OpKind::Append, LOG), DiskFault::After(Box::new(meanwhile)));
    };
    medium.plan(When::Next(OpKind::Open, LOG), DiskFault::After(Box::new(make_anew)));
    assert_eq!(add(&store_on(medium.clone()), "of the first"), 2, "it is in the new store");
    assert_eq!(medium.outstanding(), 0);
    assert_eq!(records(&store_on(medium.clone())), ["of another", "of the first"]);
    assert!(store_on(medium).verify(&s1()).expect("a log").is_ok());
}

#[test]
fn a_first_append_that_fails_takes_away_nothing_of_a_store_that_was_made_anew_under_it() {
    let append = |medium: &FaultyMedium| store_on(medium.clone()).append(&s1(), &note("first"));
    let alone = FaultyMedium::new(Disk::default());
    assert!(append(&alone).is_ok());
    for index in 0..alone.trace().len() {
        let medium = FaultyMedium::new(Disk::default());
        let (planned, another) = (medium.clone(), store_on(medium.clone()));
        let make_anew = move || {
            planned.change(Disk::remove_folders);
            add(&another, "of another");
            planned.plan(When::Next(OpKind::Sync, LOG), DiskFault::Fail(Errno::IO));
        };
        medium.plan(When::At(index), DiskFault::After(Box::new(make_anew)));
        let _ = append(&medium);
        assert_eq!(records(&store_on(medium.after_kill())), ["of another"], "before {index}");
    }
}

#[test]
fn of_two_that_make_a_store_at_once_neither_leaves_it_half_out_of_version_control() {
    let append = |medium: &FaultyMedium, name| {
        store_on(medium.clone()).append(&session(name), &note("one")).is_ok()
    };
    let alone = FaultyMedium::new(Disk::default());
    assert!(append(&alone, "s1"));
    let operations = alone.trace().len();
    for index in 0..operations {
        for fails in 0..operations {
            let medium = FaultyMedium::new(Disk::default());
            let other = medium.clone();
            // The other one gets so far, and can't even clean up behind itself.
            let act = move || {
                let begun = other.trace().len();
                for at in begun + fails..begun + operations {
                    other.plan(When::At(at), DiskFault::Fail(Errno::IO));
                }
                append(&other, "s2");
            };
            medium.plan(When::At(index), DiskFault::After(Box::new(act)));
            append(&medium, "s1");
            let live = medium.live();
            let ignore = live.get(IGNORE).map(Vec::as_slice);
            assert!(ignore.is_none_or(|text| text == b"*\n"), "{index}, {fails}: {ignore:?}");
        }
    }
}

#[test]
fn of_two_with_one_process_number_each_writes_a_gitignore_of_its_own() {
    let is_aside = |op: &Op| op.on.starts_with(".gitignore.new.");
    let alone = FaultyMedium::new(Disk::default());
    add(&store_on(alone.clone()), "one");
    let first = alone.trace().iter().position(is_aside).expect("it is written aside");

    let medium = FaultyMedium::new(Disk::default());
    let other = medium.clone();
    let begin = move || {
        let name = other.trace().pop().expect("this operation").on;
        other.change(|disk| disk.make_undurably(&name, b""));
    };
    medium.plan(When::At(first), DiskFault::After(Box::new(begin)));
    add(&store_on(medium.clone()), "one");
    let trace = medium.trace();
    let done = trace.iter().position(|op| op.kind == OpKind::Rename).expect("it is renamed");
    let on_theirs: Vec<_> = trace[..done].iter().filter(|op| op.on == trace[first].on).collect();
    assert_eq!(on_theirs, [&trace[first]], "it is left alone");
    assert_eq!(medium.live()[IGNORE], b"*\n");
}

#[test]
fn a_lock_that_cannot_be_given_back_is_let_go_of_by_closing_it() {
    let medium = holding(&two_notes());
    let unlock = When::Next(OpKind::Unlock, "s1.notes.lock");
    medium.plan(unlock, DiskFault::Fail(Errno::IO));
    let kept = store_on(medium.clone()).log(&s1());
    stored(kept.append(&note("three")));
    assert_eq!(medium.outstanding(), 0);
    let impatient = store_on(medium).with_patience(Duration::ZERO);
    stored(impatient.append(&s1(), &note("four")));
    stored(kept.append(&note("five")));
}
