//! The promise: a log that another program has touched, which knows no lock, while its replacement
//! was drawn up is not replaced: what that program did stands, and the repair or the import says
//! that it is not done. Shown for each way of touching it, at each step up to the last look. And
//! where nobody knows whether the log was replaced, that is what is said.

use graff_notes::{
    ErrorKind,
    store::{
        RepairMode, Store,
        medium::{Access, Medium},
    },
};
use rustix::io::Errno;

use super::{UNSEALED, holding, two_notes};
use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, Op, OpKind, THEIRS, When},
    notes::{LOG, import, line, s1, store_on},
};

const DRAFT: &str = "s1.notes.repaired";

/// The steps of drawing up a draft, up to the look whether the log is as it was.
const STEPS: [(OpKind, &str); 4] = [
    (OpKind::Create, "s1.notes.repairing"),
    (OpKind::Create, DRAFT),
    (OpKind::Append, DRAFT),
    (OpKind::Sync, DRAFT),
];

/// What a program does that knows no lock.
type Touch = fn(&FaultyMedium);

/// Returns why it was not done.
type Act = fn(&Store) -> Option<ErrorKind>;

/// What replaces a log, each with a log that it has to replace.
fn replacements() -> [(Vec<u8>, Act); 2] {
    let damaged = [&two_notes()[..], b"junk\n"].concat();
    [(damaged, repair), (two_notes(), import_three)]
}

fn append(medium: &FaultyMedium) {
    let log = medium.open(LOG, Access::Append).or_else(|_| medium.open(LOG, Access::Create));
    log.and_then(|log| log.append(UNSEALED)).expect("nothing hinders it");
}

fn replace(medium: &FaultyMedium) {
    let other = medium.open("other", Access::Create);
    other.and_then(|other| other.append(&two_notes())).expect("nothing hinders it");
    medium.rename("other", LOG).expect("nothing hinders it");
}

fn take_the_lock_away(medium: &FaultyMedium) {
    medium.remove("s1.notes.lock").expect("it is there");
}

fn repair(store: &Store) -> Option<ErrorKind> {
    store.repair(&s1(), RepairMode::Write).err().map(|e| e.kind())
}

fn import_three(store: &Store) -> Option<ErrorKind> {
    import(store, &[two_notes(), line(3, "three")].concat()).err().map(|e| e.kind())
}

#[test]
fn what_another_program_does_meanwhile_stands_and_the_log_is_not_replaced() {
    let [(damaged, repair), (whole, import)] = replacements();
    let acts: [(&str, Option<Vec<u8>>, Act); 3] = [
        ("a repair", Some(damaged), repair),
        ("an import", Some(whole), import),
        ("an import of all", None, import),
    ];
    for (name, log, act) in acts {
        for step in STEPS {
            let appended = Some([log.as_deref().unwrap_or_default(), UNSEALED].concat());
            let touches: [(Touch, Option<Vec<u8>>); 3] = [
                (append, appended),
                (replace, Some(two_notes())),
                (take_the_lock_away, log.clone()),
            ];
            for (index, (touch, expected)) in touches.into_iter().enumerate() {
                let said = format!("{name}, touch {index} before {step:?}");
                let medium = with_log(log.as_deref());
                let other = medium.clone();
                let touch = Fault::After(Box::new(move || touch(&other)));
                medium.plan(When::Next(step.0, step.1), touch);
                assert_eq!(act(&store_on(medium.clone())), Some(ErrorKind::Busy), "{said}");
                assert_eq!(medium.outstanding(), 0, "{said}");
                let live = medium.live();
                assert_eq!(live.get(LOG), expected.as_ref(), "{said}");
                let left = |name: &&String| name.contains(".rep") || name.contains(".rejected");
                assert_eq!(live.keys().find(left), None, "{said}");
            }
        }
    }
}

#[test]
fn where_neither_the_rename_answers_nor_the_look_which_file_has_the_name_it_is_uncertain() {
    for (log, act) in replacements() {
        let alone = holding(&log);
        assert_eq!(act(&store_on(alone.clone())), None);
        let is_the_rename = |op: &Op| op.kind == OpKind::Rename && op.on == LOG;
        let renamed = alone.trace().iter().position(is_the_rename).expect("it is renamed");
        for fault in [Fault::Fail(Errno::IO), Fault::FailThoughDone(Errno::IO)] {
            let (said, medium) = (format!("{fault:?}"), holding(&log));
            medium.plan(When::At(renamed), fault);
            medium.plan(When::At(renamed + 1), Fault::Fail(Errno::IO));
            assert_eq!(act(&store_on(medium.clone())), Some(ErrorKind::Uncertain), "{said}");
            assert_eq!(medium.outstanding(), 0, "{said}");
            assert_eq!(act(&store_on(medium.clone())), None, "{said}");
            assert_eq!(medium.live(), alone.live(), "{said}");
        }
    }
}

#[test]
fn a_log_that_is_replaced_belongs_to_whom_it_did_at_every_step() {
    for (log, act) in replacements() {
        let alone = holding(&log);
        assert_eq!(act(&store_on(alone.clone())), None);
        assert!(alone.disk().rights("s1.notes.lock") != THEIRS, "whoever does it is another");
        for steps in 0..=alone.trace().len() {
            let medium = holding(&log);
            medium.freeze_at(steps);
            act(&store_on(medium.clone()));
            assert_eq!(medium.disk().rights(LOG), THEIRS, "after {steps} steps");
        }
    }
}

#[test]
fn a_log_that_cannot_be_left_to_its_owner_is_not_replaced() {
    for (log, act) in replacements() {
        let medium = holding(&log);
        medium.plan(When::Next(OpKind::Give, DRAFT), Fault::Fail(Errno::PERM));
        assert_eq!(act(&store_on(medium.clone())), Some(ErrorKind::PermissionDenied));
        assert_eq!((medium.outstanding(), &medium.live()[LOG]), (0, &log));
    }
}

fn with_log(log: Option<&[u8]>) -> FaultyMedium {
    log.map_or_else(|| FaultyMedium::new(Disk::default()), holding)
}
