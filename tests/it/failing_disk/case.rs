//! What is done to a store on a disk that fails, and what may come of it.

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
    notes::{LOG, add, fitted, import, line, note, now, records, s1, store_on},
};

const TORN: &[u8] = br#"{"v":1,"session":"s1","gen":0,"text":"to"#;

/// What tells that a log was to be replaced.
pub(super) const MARK: &str = "s1.notes.repairing";

/// What stands there without a log where an import of its first one was killed.
const BEGUN: &[(&str, &[u8])] =
    &[(IGNORE, b"*\n"), ("s1.notes.lock", b""), (MARK, b"0\n"), ("s1.notes.repaired", b"begun\n")];

/// Something that is done to a store, and what the log reads as before and after.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) log: Option<Vec<u8>>,
    /// Other files of the store, by name.
    beside: &'static [(&'static str, &'static [u8])],
    pub(super) act: fn(&Store) -> Result<(), Error>,
    before: &'static [&'static str],
    after: &'static [&'static str],
    /// Whether it comes down to one step that a disk can do although it says that it failed.
    pub(super) is_one_step: bool,
}

pub(super) fn append(store: &Store) -> Result<(), Error> {
    store.append(&s1(), &note("new")).map(|_| ())
}

pub(super) fn cases() -> Vec<Case> {
    let two = [line(1, "one"), line(2, "two")].concat();
    let torn = [&two[..], TORN].concat();
    let damaged = [&two[..], b"junk\n", TORN, &line(3, "three")].concat();
    let case = |name: &'static str, log, act, before, after| {
        let one_step = ["repair", "forgotten", "import"];
        let is_one_step = one_step.iter().any(|word| name.contains(word));
        Case { name, log, beside: &[], act, before, after, is_one_step }
    };
    let (none, both): (&[&str], &[&str]) = (&[], &["one", "two"]);
    let with_new: &[&str] = &["one", "two", "new"];
    vec![
        case("the first append", None, append, none, &["new"]),
        case("an append", Some(two.clone()), append, both, with_new),
        case("an append behind a torn tail", Some(torn.clone()), append, both, with_new),
        case("an append of what is there", Some(two.clone()), append_two_again, both, both),
        case("a latch", Some(two.clone()), latch, both, &["one", "two", "attempt 1"]),
        case(
            "a salvage",
            Some(two.clone()),
            salvage,
            both,
            &["one", "two", "made without a model"],
        ),
        case("a repair", Some(damaged), repair, both, &["one", "two", "three"]),
        case("an import", Some(two.clone()), import_three, both, &["one", "two", "three"]),
        case("an import of all", None, import_three, none, &["one", "two", "three"]),
        case("a word left", Some(two.clone()), leave_word, both, both),
        case("a session forgotten", Some(two.clone()), forget, both, none),
        Case { beside: BEGUN, ..case("what was begun forgotten", None, forget, none, none) },
        case("the newest", Some(torn.clone()), |s| s.newest(&s1()).map(|_| ()), both, both),
        case("the newest again", Some(two.clone()), newest_twice, both, both),
        case("a verify", Some(torn), |s| s.verify(&s1()).map(|_| ()), both, both),
        case("the sessions", Some(two), |s| s.sessions().map(|_| ()), both, both),
    ]
}

fn forget(store: &Store) -> Result<(), Error> {
    store.forget(&s1())
}

pub(super) fn append_two_again(store: &Store) -> Result<(), Error> {
    store.append(&s1(), &note("two")).map(|_| ())
}

pub(super) fn import_three(store: &Store) -> Result<(), Error> {
    let all = [line(1, "one"), line(2, "two"), line(3, "three")].concat();
    import(store, &all).map(|import| assert!(matches!(import, Import::Added { .. }), "{import:?}"))
}

pub(super) fn leave_word(store: &Store) -> Result<(), Error> {
    store.leave_word(&s1(), |_| Some(b"word".to_vec()))
}

/// The second time, a look at the log is enough.
fn newest_twice(store: &Store) -> Result<(), Error> {
    let log = store.log(&s1());
    for _ in 0..2 {
        assert_eq!(log.newest()?.note.map(|note| note.text).as_deref(), Some("two"));
    }
    Ok(())
}

fn latch(store: &Store) -> Result<(), Error> {
    store.latch(&s1(), Generation::new(1), now()).map(|_| ())
}

fn salvage(store: &Store) -> Result<(), Error> {
    let fitted = fitted("made without a model");
    store.salvage(&s1(), fitted, Generation::new(1), now()).map(|_| ())
}

pub(super) fn repair(store: &Store) -> Result<(), Error> {
    store.repair(&s1(), RepairMode::Write).map(|_| ())
}

impl Case {
    pub(super) fn medium(&self) -> FaultyMedium {
        let beside = self.beside.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
        let log = self.log.iter().map(|log| (LOG.to_owned(), log.clone()));
        let image: Image = beside.chain(log).collect();
        let disk = if image.is_empty() { Disk::default() } else { Disk::holding(&image) };
        FaultyMedium::new(disk)
    }

    pub(super) fn trace(&self) -> Vec<Op> {
        let medium = self.medium();
        (self.act)(&store_on(medium.clone())).expect("it goes well on a good disk");
        medium.trace()
    }

    /// Does it on a disk with these faults and checks what comes of it, whatever that is.
    pub(super) fn with(&self, faults: Vec<(When, Fault)>) -> Result<(), Error> {
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
pub(super) fn words(op: &Op) -> String {
    let attempted = match op.kind {
        OpKind::Open => "open",
        OpKind::Create => "create",
        OpKind::Identity | OpKind::Status | OpKind::Stamp => "look at",
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
        draft if op.kind == OpKind::Give => {
            let session = draft.rsplit_once('.').expect("what kind of file it is").0;
            format!("/r/.graff/notes/{session}.jsonl") // whose owner it is
        }
        "Root" => "/r".to_owned(),
        "Graff" => "/r/.graff".to_owned(),
        "Notes" => "/r/.graff/notes".to_owned(),
        name => format!("/r/.graff/notes/{name}"),
    };
    format!("{attempted} {path}")
}

/// The words without what tells one draft from another.
pub(super) fn without_numbers(said: &str) -> String {
    match said.split_once(".gitignore.new.") {
        Some((before, behind)) => {
            let behind = behind.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
            format!("{before}.gitignore.new{behind}")
        }
        None => said.to_owned(),
    }
}

pub(super) fn kind_of(errno: Errno) -> ErrorKind {
    match errno {
        Errno::NOSPC | Errno::DQUOT => ErrorKind::NoSpace,
        Errno::ROFS => ErrorKind::ReadOnly,
        Errno::ACCESS => ErrorKind::PermissionDenied,
        _ => ErrorKind::Io,
    }
}
