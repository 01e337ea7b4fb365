//! The whole message of each error that the store makes itself: what was attempted, on what, why,
//! and what a person can do now.

use std::time::Duration;

use graff_notes::{
    Error, ErrorKind,
    log::{Body, LINE_BYTES_MAX, Record},
    note::Author,
    store::{
        ImportMode, Store,
        medium::{Access, Medium as _},
    },
    units::{Bytes, Generation, Timestamp},
};
use rustix::io::Errno;

use super::case::{append, append_two_again, import_three, leave_word, repair};
use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, Image, Op, OpKind, When},
    notes::{LOG, import, line, s1, store_on},
};

const LOCK: &str = "s1.notes.lock";
const NEW: &str = "s1.notes.repaired";
const RENAMED: &str = "sync the folder /r/.graff/notes: ";
const EIO: &str = "Input/output error (os error 5)";

type Act = fn(&Store) -> Result<(), Error>;
type Touch = (&'static str, fn(&FaultyMedium));
type Made = fn() -> FaultyMedium;

/// A disk with two notes on it, and junk between them.
fn medium() -> FaultyMedium {
    let log = [&line(1, "one")[..], b"junk\n", &line(2, "two")].concat();
    FaultyMedium::new(Disk::holding(&Image::from([(LOG.to_owned(), log)])))
}

/// A disk with two notes on it.
fn whole() -> FaultyMedium {
    let log = [line(1, "one"), line(2, "two")].concat();
    FaultyMedium::new(Disk::holding(&Image::from([(LOG.to_owned(), log)])))
}

/// The index of the last operation of this kind when `act` goes well on such a disk.
#[track_caller]
fn last(medium: Made, act: Act, kind: OpKind, on: &str) -> When {
    let medium = medium();
    act(&store_on(medium.clone())).expect("it goes well on a good disk");
    let is_meant = |op: &Op| op.kind == kind && op.on == on;
    When::At(medium.trace().iter().rposition(is_meant).expect("it does that"))
}

/// Checks what is said where `act` comes upon a disk with these faults.
#[track_caller]
fn assert_said(
    medium: &FaultyMedium,
    faults: impl IntoIterator<Item = (When, Fault)>,
    act: Act,
    expected: (ErrorKind, &str, &str),
) {
    for (when, fault) in faults {
        medium.plan(when, fault);
    }
    let store = store_on(medium.clone()).with_patience(Duration::ZERO);
    let e = act(&store).expect_err("it cannot be done");
    assert_eq!((e.kind(), e.with_causes().as_str(), e.advice()), expected);
}

/// Something that another program does to the disk, before the operation that it is planned for.
fn meanwhile(medium: &FaultyMedium, act: impl FnOnce(&mut Disk) + Send + 'static) -> Fault {
    let medium = medium.clone();
    Fault::After(Box::new(move || medium.change(act)))
}

fn no_fault() -> [(When, Fault); 0] {
    []
}

#[test]
fn a_file_system_that_is_read_only_has_to_be_mounted_writable() {
    let fault = (When::Next(OpKind::Append, LOG), Fault::Fail(Errno::ROFS));
    let said = "append to /r/.graff/notes/s1.notes.jsonl: Read-only file system (os error 30)";
    let advice = "mount it writable, or choose another root";
    assert_said(&whole(), [fault], append, (ErrorKind::ReadOnly, said, advice));
}

#[test]
fn a_store_on_a_file_system_without_locks_has_to_be_put_elsewhere() {
    for (errno, cause) in [
        (Errno::NOSYS, "Function not implemented (os error 38)"),
        (Errno::OPNOTSUPP, "Operation not supported (os error 95)"),
    ] {
        let said = format!(
            "lock /r/.graff/notes/s1.notes.lock: the file system gives no locks here, and nothing \
             is written without one: {cause}"
        );
        let advice = "put the store on a local file system, with --root";
        for act in [append as Act, repair, import_three, leave_word, |s| s.forget(&s1())] {
            let fault = (When::Next(OpKind::TryLock, LOCK), Fault::Fail(errno));
            assert_said(&whole(), [fault], act, (ErrorKind::LockUnsupported, &said, advice));
        }
    }
}

#[test]
fn what_the_system_names_has_to_be_mended() {
    let fault = (When::Next(OpKind::Sync, LOG), Fault::Fail(Errno::IO));
    let said = format!("sync /r/.graff/notes/s1.notes.jsonl: {EIO}");
    let advice = "mend what the system names; nothing that was stored before has changed";
    assert_said(&whole(), [fault], append, (ErrorKind::Io, &said, advice));
}

#[test]
fn a_text_from_elsewhere_that_is_too_long_is_a_value_to_be_changed() {
    let long = |store: &Store| {
        let frame = br#"{"v":1,"session":"s1","text":""}"#.len();
        let text = "x".repeat(LINE_BYTES_MAX - frame);
        let longest = format!(r#"{{"v":1,"session":"s1","text":"{text}"}}"#);
        import(store, longest.as_bytes()).map(|_| ())
    };
    let said = "import into /r/.graff/notes/s1.notes.jsonl: record 1: its text has 1048544 bytes, and 65536 is the most";
    let advice = "change the value as the message says";
    let nothing = FaultyMedium::new(Disk::default());
    assert_said(&nothing, no_fault(), long, (ErrorKind::InvalidInput, said, advice));
}

#[test]
fn a_record_that_no_reader_would_take_for_the_same_is_a_value_to_be_changed() {
    let blank = |store: &Store| {
        let text = Body::Note { text: " ".into(), author: Author::Agent, cut: Bytes::new(0) };
        let record = Record {
            generation: Generation::ZERO,
            created_at: Timestamp::new(0),
            seq: None,
            body: text,
            sealed: false,
        };
        store.import(&s1(), &[record], ImportMode::Write).map(|_| ())
    };
    let said = "import into /r/.graff/notes/s1.notes.jsonl: record 1: it would be read as another, or as none";
    let advice = "change the value as the message says";
    let nothing = FaultyMedium::new(Disk::default());
    assert_said(&nothing, no_fault(), blank, (ErrorKind::InvalidInput, said, advice));
}

const BUSY: &str = "try again once the other process is done; reading needs no lock";

#[test]
fn a_lock_whose_holder_cannot_be_told_is_said_to_be_another_processs() {
    let held = whole();
    let other = store_on(held.clone());
    let refused = std::sync::Arc::new(std::sync::Mutex::new(None));
    let keep = refused.clone();
    let during = Fault::After(Box::new(move || {
        let e = append(&other.with_patience(Duration::ZERO)).expect_err("the lock is held");
        *keep.lock().expect("no panic") = Some(e);
    }));
    held.plan(When::Next(OpKind::Append, LOG), during);
    append(&store_on(held)).expect("it has the lock");
    let e = refused.lock().expect("no panic").take().expect("the other came");
    let said = "lock /r/.graff/notes/s1.notes.lock: another process has it";
    assert_eq!((e.kind(), e.with_causes().as_str(), e.advice()), (ErrorKind::Busy, said, BUSY));
}

#[test]
fn a_lock_file_that_is_replaced_whenever_it_is_locked_is_said_to_be() {
    for act in [append as Act, repair, import_three, |s| s.forget(&s1())] {
        let medium = whole();
        let replace = meanwhile(&medium, |disk| disk.replace(LOCK, b""));
        let said = "lock /r/.graff/notes/s1.notes.lock: the lock file is replaced again and again";
        let fault = (When::Next(OpKind::TryLock, LOCK), replace);
        let advice = "end what replaces it; reading needs no lock";
        assert_said(&medium, [fault], act, (ErrorKind::Busy, said, advice));
    }
}

#[test]
fn a_log_that_another_program_cuts_short_is_said_to_be() {
    let advice = "try again; what is there now is whole, or `verify` says what is not";
    let said = "read /r/.graff/notes/s1.notes.jsonl: another program has cut it short meanwhile: \
                unexpected end of file";
    let reads: [(Made, Act); 3] =
        [(medium, repair), (whole, import_three), (whole, append_two_again)];
    for (disk, act) in reads {
        let when = last(disk, act, OpKind::Read, LOG);
        let medium = disk();
        let cut = meanwhile(&medium, |disk| disk.cut_durably(LOG, 7));
        assert_said(&medium, [(when, cut)], act, (ErrorKind::Io, said, advice));
    }
}

#[test]
fn a_log_that_is_replaced_while_it_is_made_durable_is_said_to_be() {
    let when = last(whole, append_two_again, OpKind::Open, LOG);
    let medium = whole();
    let replace = meanwhile(&medium, |disk| disk.replace(LOG, &line(1, "another log")));
    let said = "write to /r/.graff/notes/s1.notes.jsonl: another program has replaced it meanwhile";
    let advice = "try again; what was replaced is looked at anew";
    assert_said(&medium, [(when, replace)], append_two_again, (ErrorKind::Busy, said, advice));
}

/// What a program does that knows no lock, and what is said of it.
const TOUCHES: [Touch; 4] = [
    ("written to it meanwhile, without the lock", |medium| {
        medium.change(|disk| disk.append_durably(LOG, b"by nobody we know\n"));
    }),
    ("replaced it meanwhile, without the lock", |medium| {
        medium.change(|disk| disk.replace(LOG, &line(1, "another log")));
    }),
    ("removed it meanwhile, without the lock", |medium| medium.remove(LOG).expect("it is there")),
    ("removed or replaced its lock file meanwhile, so that others may write to it", |medium| {
        medium.remove(LOCK).expect("it is there");
    }),
];

#[test]
fn what_is_done_to_a_log_or_its_lock_while_the_log_is_replaced_is_said_and_stands() {
    let touched = |attempted: &str, medium: FaultyMedium, act: Act, (what, touch): Touch| {
        let said =
            format!("{attempted} /r/.graff/notes/s1.notes.jsonl: another program has {what}");
        let (other, expected) = (medium.clone(), medium.after_kill());
        let fault = Fault::After(Box::new(move || touch(&other)));
        let advice = "try again; this program has changed nothing";
        let when = When::Next(OpKind::Sync, NEW);
        assert_said(&medium, [(when, fault)], act, (ErrorKind::Busy, &said, advice));
        if !what.contains("lock file") {
            touch(&expected);
        }
        assert_eq!(medium.live().get(LOG), expected.live().get(LOG), "{what}");
    };
    for touch in TOUCHES {
        touched("repair", medium(), repair, touch);
        touched("import into", whole(), import_three, touch);
    }
    let make: Touch = ("made it meanwhile, without the lock", |medium| {
        medium.open(LOG, Access::Create).map(drop).expect("it is not there yet");
    });
    let nothing = FaultyMedium::new(Disk::default());
    let e = {
        let other = nothing.clone();
        let fault = Fault::After(Box::new(move || make.1(&other)));
        nothing.plan(When::Next(OpKind::Sync, NEW), fault);
        import_three(&store_on(nothing)).expect_err("it is there")
    };
    assert!(e.to_string().ends_with(&format!("another program has {}", make.0)), "{e}");
}

#[test]
fn a_write_that_lacks_its_last_byte_and_cannot_be_taken_back_for_certain_is_said_to_be_so() {
    let faults = [
        (When::Next(OpKind::Append, LOG), Fault::Short(usize::MAX)),
        (When::Next(OpKind::Sync, LOG), Fault::Fail(Errno::IO)),
    ];
    let bytes = line(3, "new").len();
    let said = format!(
        "append to /r/.graff/notes/s1.notes.jsonl: only {} of {bytes} bytes could be written; the \
         note may or may not be on disk: it could be neither made durable nor taken back",
        bytes - 1
    );
    assert_said(&whole(), faults, append, (ErrorKind::Uncertain, &said, VERIFY));
}

const VERIFY: &str = "`graff-notes verify` shows what is there now";

#[test]
fn what_was_done_and_may_be_undone_by_a_loss_of_power_is_said_with_what_to_do() {
    let old = "but a loss of power may bring the old one back";
    let cases: [(Made, Act, String); 3] = [
        (medium, repair, format!("the log is repaired, {old}; repair again")),
        (whole, import_three, format!("the records are there, {old}; import them again")),
        (
            whole,
            |store| store.forget(&s1()),
            "the session is forgotten, but a loss of power may bring it back".to_owned(),
        ),
    ];
    for (disk, act, why) in cases {
        let when = last(disk, act, OpKind::SyncFolder, "Notes");
        let said = format!("{RENAMED}{why}: {EIO}");
        let fault = (when, Fault::Fail(Errno::IO));
        assert_said(&disk(), [fault], act, (ErrorKind::Uncertain, &said, VERIFY));
    }
}
