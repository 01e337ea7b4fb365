//! The promise: whatever a disk refuses, an append is whole or not at all. `Ok` means on disk; an
//! error means that the log reads as before and the note never appears, or says that its fate is
//! uncertain; and the words say what was attempted, on what, and why it failed.
//!
//! Shown by failing every operation once with each errno, every two of an append together, and
//! writes short by every length. After each, every image that the disk may hold is read.

mod words;

use std::collections::HashSet;

use graff_notes::{
    Error, ErrorKind,
    store::{Import, RepairMode, Store},
    units::Generation,
};
use rustix::io::Errno;

use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, IGNORE, Image, Op, OpKind, When},
    ledger::{Ledger, Presence, Remains},
    notes::{LOG, add, import, line, note, now, records, s1, store_on},
    report,
};

const ERRNOS: [Errno; 7] =
    [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::INTR, Errno::ROFS, Errno::ACCESS, Errno::MFILE];

const TORN: &[u8] = br#"{"v":1,"session":"s1","gen":0,"text":"to"#;

/// Something that is done to a store, and what the log reads as before and after.
struct Case {
    name: &'static str,
    log: Option<Vec<u8>>,
    act: fn(&Store) -> Result<(), Error>,
    before: &'static [&'static str],
    after: &'static [&'static str],
    /// Whether it comes down to one step that a disk can do although it says that it failed.
    is_one_step: bool,
}

fn append(store: &Store) -> Result<(), Error> {
    store.append(&s1(), &note("new")).map(|_| ())
}

fn cases() -> Vec<Case> {
    let two = [line(1, "one"), line(2, "two")].concat();
    let torn = [&two[..], TORN].concat();
    let damaged = [&two[..], b"junk\n", TORN, &line(3, "three")].concat();
    let case = |name: &'static str, log, act, before, after| {
        let one_step = ["repair", "forgotten", "import"];
        let is_one_step = one_step.iter().any(|word| name.contains(word));
        Case { name, log, act, before, after, is_one_step }
    };
    let (none, both): (&[&str], &[&str]) = (&[], &["one", "two"]);
    let with_new: &[&str] = &["one", "two", "new"];
    vec![
        case("the first append", None, append, none, &["new"]),
        case("an append", Some(two.clone()), append, both, with_new),
        case("an append behind a torn tail", Some(torn.clone()), append, both, with_new),
        case("an append of what is there", Some(two.clone()), append_two_again, both, both),
        case("a latch", Some(two.clone()), latch, both, &["one", "two", "attempt 1"]),
        case("a repair", Some(damaged), repair, both, &["one", "two", "three"]),
        case("an import", Some(two.clone()), import_three, both, &["one", "two", "three"]),
        case("an import of all", None, import_three, none, &["one", "two", "three"]),
        case("a word left", Some(two.clone()), leave_word, both, both),
        case("a session forgotten", Some(two.clone()), |s| s.forget(&s1()), both, none),
        case("the newest", Some(torn.clone()), |s| s.newest(&s1()).map(|_| ()), both, both),
        case("a verify", Some(torn), |s| s.verify(&s1()).map(|_| ()), both, both),
        case("the sessions", Some(two), |s| s.sessions().map(|_| ()), both, both),
    ]
}

fn append_two_again(store: &Store) -> Result<(), Error> {
    store.append(&s1(), &note("two")).map(|_| ())
}

fn import_three(store: &Store) -> Result<(), Error> {
    let all = [line(1, "one"), line(2, "two"), line(3, "three")].concat();
    import(store, &all).map(|import| assert!(matches!(import, Import::Added { .. }), "{import:?}"))
}

fn leave_word(store: &Store) -> Result<(), Error> {
    store.leave_word(&s1(), |_| Some(b"word".to_vec()))
}

fn latch(store: &Store) -> Result<(), Error> {
    store.latch(&s1(), Generation::new(1), now()).map(|_| ())
}

fn repair(store: &Store) -> Result<(), Error> {
    store.repair(&s1(), RepairMode::Write).map(|_| ())
}

impl Case {
    fn medium(&self) -> FaultyMedium {
        FaultyMedium::new(match &self.log {
            Some(log) => Disk::holding(&Image::from([(LOG.to_owned(), log.clone())])),
            None => Disk::default(),
        })
    }

    fn trace(&self) -> Vec<Op> {
        let medium = self.medium();
        (self.act)(&store_on(medium.clone())).expect("it goes well on a good disk");
        medium.trace()
    }

    /// Does it on a disk with these faults and checks what comes of it, whatever that is.
    fn with(&self, faults: Vec<(When, Fault)>) -> Result<(), Error> {
        let said = format!("{}, {faults:?}", self.name);
        let may_lie = faults.iter().any(|(_, fault)| matches!(fault, Fault::FailThoughDone(_)));
        let medium = self.medium();
        for (when, fault) in faults {
            medium.plan(when, fault);
        }
        let result = (self.act)(&store_on(medium.clone()));
        let said = format!("{said}: {result:?}");
        let mut ledger = match &result {
            Ok(()) => Ledger::of(self.after),
            Err(e) if e.kind() == ErrorKind::Uncertain || may_lie && self.is_one_step => {
                Ledger::of(self.before).or(Ledger::of(self.after))
            }
            Err(_) => Ledger::of(self.before),
        };
        let medium = medium.after_kill();
        let found = records(&store_on(medium.clone()));
        assert!(ledger.allows(&found), "{said} and it reads {found:?}");
        check(&ledger, &medium.disk(), &format!("{said}, then a crash"));

        add(&store_on(medium.clone()), "the next");
        let keeps_itself_out = self.log.is_some() || medium.live()[IGNORE] == b"*\n";
        assert!(keeps_itself_out, "{said} and it is under version control");
        ledger.push("the next", Presence::Must);
        check(&ledger, &medium.disk(), &format!("{said}, then an append, then a crash"));
        result
    }
}

#[track_caller]
fn check(ledger: &Ledger, disk: &Disk, said: &str) {
    let remains = if disk.has_lost(LOG) { Remains::Repairable } else { Remains::Nothing };
    let mut seen = HashSet::new();
    ledger.check_images(disk, remains, said, &mut |image| seen.insert(image.clone()));
}

/// What an operation is called in messages, and what it was done to.
fn words(op: &Op) -> String {
    let attempted = match op.kind {
        OpKind::Open => "open",
        OpKind::Create => "create",
        OpKind::Identity | OpKind::Status => "look at",
        OpKind::MakeFolder => "create the folder",
        OpKind::SyncFolder => "sync the folder",
        OpKind::Names => "list",
        OpKind::Rename => "replace",
        OpKind::Remove => "remove",
        OpKind::Read => "read",
        OpKind::Append => "append to",
        OpKind::Rewrite => "write to",
        OpKind::Cut => "cut",
        OpKind::Give => "keep the owner of",
        OpKind::Sync => "sync",
        OpKind::TryLock | OpKind::Unlock => "lock",
    };
    let path = match op.on.as_str() {
        "Root" => "/r".to_owned(),
        "Graff" => "/r/.graff".to_owned(),
        "Notes" => "/r/.graff/notes".to_owned(),
        name => format!("/r/.graff/notes/{name}"),
    };
    format!("{attempted} {path}")
}

/// The words without what tells one draft from another.
fn without_numbers(said: &str) -> String {
    match said.split_once(".gitignore.draft.") {
        Some((before, behind)) => {
            let behind = behind.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
            format!("{before}.gitignore.draft{behind}")
        }
        None => said.to_owned(),
    }
}

fn kind_of(errno: Errno) -> ErrorKind {
    match errno {
        Errno::NOSPC | Errno::DQUOT => ErrorKind::NoSpace,
        Errno::ROFS => ErrorKind::ReadOnly,
        Errno::ACCESS => ErrorKind::PermissionDenied,
        _ => ErrorKind::Io,
    }
}

#[test]
fn every_operation_can_fail_once_and_the_error_says_which_and_why() {
    let mut failures = 0;
    for case in cases() {
        for (index, op) in case.trace().iter().enumerate() {
            for errno in ERRNOS {
                let Err(e) = case.with(vec![(When::At(index), Fault::Fail(errno))]) else {
                    continue;
                };
                failures += 1;
                let said = format!("{}, {op:?}", case.name);
                let cause = std::io::Error::from(errno);
                if e.kind() == ErrorKind::Uncertain {
                    assert!(case.is_one_step, "{said}");
                    assert_eq!((op.kind, op.on.as_str()), (OpKind::SyncFolder, "Notes"), "{said}");
                } else {
                    assert_eq!(e.kind(), kind_of(errno), "{said}");
                    let expected = without_numbers(&format!("{}: {cause}", words(op)));
                    assert_eq!(without_numbers(&e.with_causes()), expected, "{said}");
                }
            }
        }
    }
    report(format_args!("failing disk: {failures} failures, each said in its words"));
    assert!(failures > 400, "{failures}");
}

#[test]
fn a_first_append_that_fails_leaves_no_session_behind() {
    let case = &cases()[0];
    let faults: [fn() -> Fault; 2] = [|| Fault::Fail(Errno::NOSPC), || Fault::Short(7)];
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
