//! The promise: whatever a disk refuses, an append is whole or not at all. `Ok` means on disk; an
//! error means that the log reads as before and the note never appears, or says that its fate is
//! uncertain; and the words say what was attempted, on what, and why it failed.
//!
//! Shown by failing every operation once with each errno, every two of an append together, and
//! writes short by every length. After each, every image that the disk may hold is read.

use std::collections::BTreeMap;

mod case;
mod unheard;
mod words;

use graff_notes::ErrorKind;
use rustix::io::Errno;

use crate::support::{
    faulty::{Fault, Op, OpKind, When},
    notes::{LOG, line, records, s1, store_on},
    report,
};
use case::{MARK, cases, kind_of, leave_word, without_numbers, words};
use unheard::{Counted, may_be_unheard};

/// No fewer are shown; how many there are hangs on how many operations the store makes.
const FAILURES_MIN: usize = 1_200;

const ERRNOS: [Errno; 7] =
    [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR, Errno::ROFS, Errno::ACCESS, Errno::MFILE];

#[test]
fn every_operation_can_fail_once_and_the_error_says_which_and_why() {
    let (mut failures, mut unheard) = (0, BTreeMap::new());
    for case in cases() {
        for (index, op) in case.trace().iter().enumerate() {
            let mut is_heard = true;
            for errno in ERRNOS {
                let Err(e) = case.with(vec![(When::At(index), Fault::Fail(errno))]) else {
                    is_heard &= errno == Errno::INTR;
                    continue;
                };
                failures += 1;
                let said = format!("{}, {op:?}", case.name);
                let cause = std::io::Error::from(errno);
                if e.kind() == ErrorKind::Uncertain {
                    assert!(case.is_one_step, "{said}");
                    let on = (op.kind, op.on.as_str());
                    let is_last = on == (OpKind::Remove, MARK) && case.name.contains("forgotten");
                    assert!(on == (OpKind::SyncFolder, "Notes") || is_last, "{said}");
                } else {
                    assert_eq!(e.kind(), kind_of(errno), "{said}");
                    let expected = without_numbers(&format!("{}: {cause}", words(op)));
                    assert_eq!(without_numbers(&e.with_causes()), expected, "{said}");
                }
            }
            if !is_heard {
                *unheard.entry((op.kind, op.on.clone(), case.name)).or_insert(0) += 1;
            }
        }
    }
    report(format_args!("failing disk: {failures} failures, each said in its words"));
    assert!(failures >= FAILURES_MIN, "{failures}");
    let unheard = unheard.iter().map(|((kind, on, case), n)| ((*kind, on.as_str(), *case), *n));
    assert_eq!(unheard.collect::<Counted<'_>>(), may_be_unheard());
}

#[test]
fn a_read_that_brings_less_than_was_asked_for_is_gone_on_with() {
    let mut reads = 0;
    for case in cases() {
        for (index, _) in case.trace().iter().enumerate().filter(|(_, op)| op.kind == OpKind::Read)
        {
            for brought in [1, 2, 7, 100] {
                let short = vec![(When::At(index), Fault::Short(brought))];
                let result = case.with(short);
                assert!(result.is_ok(), "{}, {brought} bytes: {result:?}", case.name);
                reads += 1;
            }
        }
    }
    assert!(reads >= 60, "{reads}");
}

#[test]
fn a_first_append_that_fails_leaves_no_session_behind() {
    let case = &cases()[0];
    let faults: [fn() -> Fault; 3] =
        [|| Fault::Fail(Errno::NOSPC), || Fault::FailThoughDone(Errno::IO), || Fault::Short(7)];
    for index in 0..case.trace().len() {
        for fault in faults {
            let medium = case.medium();
            medium.plan(When::At(index), fault());
            let store = store_on(medium.clone());
            if let Err(e) = (case.act)(&store) {
                let found = store.sessions().expect("a folder");
                assert_eq!(found.names, [], "{e}");
                let live = medium.live();
                assert!(!live.keys().any(|name| name.starts_with(".gitignore.")), "{e}");
            }
        }
    }
}

#[test]
fn a_first_append_that_fails_leaves_the_empty_log_that_another_program_has_made_meanwhile() {
    let case = &cases()[0];
    let is_made = |op: &Op| (op.kind, op.on.as_str()) == (OpKind::Create, LOG);
    let at = case.trace().iter().position(is_made).expect("it makes a log");
    for (fails, errno) in [
        (When::At(at + 1), Errno::MFILE), // it opens the other's
        (When::At(at + 1), Errno::ACCESS),
        (When::Next(OpKind::Append, LOG), Errno::NOSPC),
    ] {
        let medium = case.medium();
        let other = medium.clone();
        let make = move || other.change(|disk| disk.make_undurably(LOG, b""));
        medium.plan(When::At(at), Fault::After(Box::new(make)));
        medium.plan(fails.clone(), Fault::Fail(errno));
        let e = (case.act)(&store_on(medium.clone())).expect_err("it fails");
        assert_eq!(e.kind(), kind_of(errno), "{fails:?}: {e:?}");
        assert_eq!(medium.live().get(LOG).map(Vec::as_slice), Some(&b""[..]), "{fails:?}");
    }
}

#[test]
fn an_interrupted_call_is_begun_again_unless_it_is_a_sync() {
    for case in cases() {
        for (index, op) in case.trace().iter().enumerate() {
            let result = case.with(vec![(When::At(index), Fault::Fail(Errno::INTR))]);
            let is_sync = matches!(op.kind, OpKind::Sync | OpKind::SyncFolder);
            assert_eq!(result.is_err(), is_sync, "{}, {op:?}: {result:?}", case.name);
        }
    }
}

#[test]
fn an_operation_that_fails_although_it_was_done_changes_no_promise() {
    for case in cases() {
        for index in 0..case.trace().len() {
            let _ = case.with(vec![(When::At(index), Fault::FailThoughDone(Errno::IO))]);
        }
    }
}

#[test]
fn any_two_operations_of_an_append_can_fail_together() {
    for case in &cases()[..3] {
        let longest = case.trace().len() + 8; // what an undo adds
        for first in 0..longest {
            for second in first + 1..longest {
                let faults = [first, second].map(|i| (When::At(i), Fault::Fail(Errno::IO)));
                let _ = case.with(faults.into());
            }
        }
    }
}

/// What goes wrong while a failed append is taken back.
fn undoings() -> Vec<Vec<(When, Fault)>> {
    let next = |kind, fault| (When::Next(kind, LOG), fault);
    let no_cut = || next(OpKind::Cut, Fault::Fail(Errno::IO));
    vec![
        vec![],
        vec![next(OpKind::Cut, Fault::FailThoughDone(Errno::IO))],
        vec![next(OpKind::Sync, Fault::Fail(Errno::IO))],
        vec![no_cut()],
        vec![no_cut(), next(OpKind::Append, Fault::Fail(Errno::NOSPC))],
        vec![no_cut(), next(OpKind::Append, Fault::Short(0))],
        vec![no_cut(), next(OpKind::Append, Fault::Short(1))],
        vec![no_cut(), next(OpKind::Sync, Fault::Fail(Errno::IO))],
    ]
}

#[test]
fn a_word_that_cannot_be_left_leaves_the_one_before() {
    let old = b"the one before".to_vec();
    let held = || {
        let medium = cases()[0].medium();
        let before = old.clone();
        store_on(medium.clone()).leave_word(&s1(), |_| Some(before)).expect("it is left");
        medium
    };
    let alone = held();
    let begun = alone.trace().len();
    leave_word(&store_on(alone.clone())).expect("it goes well");
    for index in begun..alone.trace().len() {
        for fault in [Fault::Fail(Errno::IO), Fault::Short(2)] {
            let medium = held();
            medium.plan(When::At(index), fault);
            let left = leave_word(&store_on(medium.clone()));
            let store = store_on(medium.after_kill());
            let found = store.word(&s1()).expect("it can be read").expect("there is one");
            let expected = if left.is_ok() { b"word" } else { &old[..] };
            assert_eq!(found, expected, "{index}: {left:?}");
            leave_word(&store).expect("nothing that was left is in the way");
        }
    }
}

#[test]
fn a_write_short_by_any_length_is_taken_back_or_sealed() {
    for case in &cases()[..3] {
        let written = match &case.log {
            None => line(1, "new").len(),
            Some(log) => line(3, "new").len() + usize::from(!log.ends_with(b"\n")),
        };
        let few = [0, 1, 2, written / 2, written - 2, written - 1];
        for taken in 0..written {
            let is_settled = |undoing: &Vec<(When, Fault)>| {
                undoing.iter().all(|(when, _)| *when == When::Next(OpKind::Cut, LOG))
            };
            for undoing in undoings() {
                if !is_settled(&undoing) && !few.contains(&taken) {
                    continue; // each of these leaves hundreds of images
                }
                let mut faults = vec![(When::Next(OpKind::Append, LOG), Fault::Short(taken))];
                let is_undone = undoing.is_empty();
                faults.extend(undoing);
                let e = case.with(faults).expect_err("it was not whole");
                if is_undone {
                    let path = format!("append to /r/.graff/notes/{LOG}");
                    let why = format!(
                        "only {taken} of {written} bytes could be written; they were taken back, \
                         and the log reads as before"
                    );
                    assert_eq!(e.with_causes(), format!("{path}: {why}"));
                    assert_eq!(e.kind(), ErrorKind::NoSpace);
                } else if taken + 1 < written {
                    assert_ne!(e.kind(), ErrorKind::Uncertain, "a fragment is no record");
                }
            }
        }
    }
}

#[test]
fn a_failed_sync_is_never_followed_by_a_success_on_the_same_bytes() {
    let hits_the_append = |(when, _): &(When, Fault)| *when == When::Next(OpKind::Append, LOG);
    for case in &cases()[..5] {
        for undoing in undoings().into_iter().filter(|undoing| !undoing.iter().any(hits_the_append))
        {
            let medium = case.medium();
            medium.plan(When::Next(OpKind::Sync, LOG), Fault::Fail(Errno::IO));
            for (when, fault) in undoing {
                medium.plan(when, fault);
            }
            let result = (case.act)(&store_on(medium.clone()));
            assert!(result.is_err(), "{}: {result:?}", case.name);
            let ops: Vec<_> =
                medium.trace().iter().filter(|op| op.on == LOG).map(|op| op.kind).collect();
            let mut after = ops.iter().skip_while(|op| **op != OpKind::Sync).skip(1);
            let changed =
                after.find(|op| matches!(op, OpKind::Cut | OpKind::Append | OpKind::Sync));
            assert_ne!(changed, Some(&OpKind::Sync), "{}: synced again: {ops:?}", case.name);
        }
    }
}

#[test]
fn an_append_of_which_nothing_can_be_found_out_is_called_uncertain() {
    let case = &cases()[1];
    let append = case.trace().iter().position(|op| op.kind == OpKind::Append).expect("it appends");
    let faults = vec![
        (When::At(append), Fault::FailThoughDone(Errno::IO)),
        (When::At(append + 1), Fault::Fail(Errno::IO)),
    ];
    let e = case.with(faults).expect_err("it failed");
    assert_eq!(e.kind(), ErrorKind::Uncertain, "{}", e.with_causes());
}

#[test]
fn a_part_that_could_not_be_taken_back_is_said_to_be_no_record() {
    let faults = [
        (When::Next(OpKind::Append, LOG), Fault::Short(7)),
        (When::Next(OpKind::Cut, LOG), Fault::Fail(Errno::IO)),
    ];
    let e = cases()[1].with(faults.into()).expect_err("it was not whole");
    assert_eq!(e.kind(), ErrorKind::NoSpace);
    let said = "bytes could be written; they could not be taken back, and stand there as no record";
    assert!(e.with_causes().ends_with(said), "{}", e.with_causes());
}

#[test]
fn an_undo_touches_no_byte_of_a_program_that_wrote_without_the_lock() {
    let foreign = line(9, "another program's");
    for half in [&foreign[..], &foreign[..40]] {
        for comes_first in [true, false] {
            for taken in [1, 40, usize::MAX] {
                let case = &cases()[1];
                let appended = OpKind::Append;
                let at =
                    case.trace().iter().position(|op| op.kind == appended).expect("it appends");
                let medium = case.medium();
                let (other, bytes) = (medium.clone(), half.to_vec());
                let write = move || other.change(|disk| disk.append_durably(LOG, &bytes));
                if comes_first {
                    medium.plan(When::At(at - 1), Fault::After(Box::new(write)));
                    medium.plan(When::Next(appended, LOG), Fault::Short(taken));
                } else {
                    medium.plan(When::At(at), Fault::Short(taken));
                    medium.plan(When::At(at + 1), Fault::After(Box::new(write)));
                }
                let e = (case.act)(&store_on(medium.clone())).expect_err("it was not whole");
                let log = medium.live().remove(LOG).expect("a log");
                let said = format!("{comes_first} {taken}: {e}: {}", log.escape_ascii());
                assert!(memchr::memmem::find(&log, half).is_some(), "{said}");
                let found = records(&store_on(medium));
                assert!(found.starts_with(&["one".to_owned(), "two".to_owned()]), "{said}");
                let is_there = found.contains(&"new".to_owned());
                assert!(!is_there || e.kind() == ErrorKind::Uncertain, "{said}");
            }
        }
    }
}

#[test]
fn the_fate_of_a_whole_line_that_can_be_neither_synced_nor_cut_is_called_uncertain() {
    let case = &cases()[1];
    let faults =
        [OpKind::Sync, OpKind::Cut].map(|kind| (When::Next(kind, LOG), Fault::Fail(Errno::IO)));
    let e = case.with(faults.into()).expect_err("it could not be synced");
    assert_eq!(e.kind(), ErrorKind::Uncertain);
    assert_eq!(
        e.with_causes(),
        "sync /r/.graff/notes/s1.notes.jsonl: the note may or may not be on disk: it could be \
         neither made durable nor taken back: Input/output error (os error 5)"
    );
    assert_eq!(e.advice(), "`graff-notes verify` shows what is there now");
}
