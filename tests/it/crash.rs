//! The promise: what was acknowledged is there, whole and in order, after a crash at any moment;
//! what was reported as failed never appears; and nothing torn is read as a note.
//!
//! Shown by enumeration: each story is played once for each operation that changes the disk, and
//! the power goes right after that operation. Every image that the disk may hold then is read,
//! appended to, and read again. In a second round the process is killed at that operation instead,
//! another one goes on with what the system still has in memory, and then the power goes.
//!
//! In two cases what was good before shares its line, after the crash, with the remains of another
//! append, and only a repair makes it readable again; the tests say which: a record of others that
//! never had its LF, and a failed sync whose process was killed before it could take the bytes back.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use graff_notes::{
    ErrorKind,
    store::{Import, Latched, Log, RepairMode, Store},
    units::Generation,
};
use rustix::io::Errno;

mod begun_again;
mod same_again;

use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, IGNORE, Image, OpKind, When},
    ledger::{Ledger, Presence, Remains},
    notes::{LOG, add, import, line, note, now, records, s1, store_on},
    report,
};

/// What happens on a disk, step by step.
struct Story {
    name: &'static str,
    /// The log that is there at the beginning, durable.
    start: Option<Vec<u8>>,
    /// What that log reads as.
    reads_as: Vec<&'static str>,
    steps: Vec<Step>,
    remains: Remains,
}

#[derive(Clone)]
enum Step {
    /// A process opens everything, appends and ends.
    Append(&'static str),
    /// A process that keeps its files open appends.
    AppendKept(&'static str),
    Latch(u64),
    /// A program that knows no lock appends this, durable.
    Foreign(Vec<u8>),
    /// A program that syncs nothing makes the log, with this record in it.
    Made(&'static str, Vec<u8>),
    /// From then on the log reads as this.
    Repair(Vec<&'static str>),
    Forget,
    /// From elsewhere come the records of a log; from then on the log reads as this.
    Import(Vec<u8>, Vec<&'static str>),
    /// Somebody removes the folders, durably.
    RemoveFolders,
    /// The next operation of this kind on the log goes wrong.
    Plan(OpKind, fn() -> Fault),
}

/// A story as far as it came.
struct Play {
    medium: FaultyMedium,
    /// Opens everything for each call.
    cold: Store,
    kept: Log,
    ledger: Ledger,
}

impl Play {
    fn of(story: &Story, freeze_at: Option<usize>) -> Self {
        let disk = match &story.start {
            Some(log) => Disk::holding(&Image::from([(LOG.to_owned(), log.clone())])),
            None => Disk::default(),
        };
        let medium = FaultyMedium::new(disk);
        if let Some(index) = freeze_at {
            medium.freeze_at(index);
        }
        let cold = store_on(medium.clone()).with_patience(Duration::ZERO);
        let kept = cold.log(&s1());
        let mut play = Self { medium, cold, kept, ledger: Ledger::of(&story.reads_as) };
        for step in &story.steps {
            play.step(step);
            if play.medium.is_frozen() {
                break;
            }
        }
        play
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Append(text) => self.append(text, |play| {
                play.cold.append(&s1(), &note(text)).map(|_| ()).map_err(|e| e.kind())
            }),
            Step::AppendKept(text) => self.append(text, |play| {
                play.kept.append(&note(text)).map(|_| ()).map_err(|e| e.kind())
            }),
            Step::Latch(generation) => self.append(&format!("attempt {generation}"), |play| {
                match play.cold.latch(&s1(), Generation::new(*generation), now()) {
                    Ok(Latched::Latched(_)) => Ok(()),
                    Ok(Latched::Taken) => panic!("taken"),
                    Err(e) => Err(e.kind()),
                }
            }),
            Step::Foreign(bytes) => self.medium.change(|disk| disk.append_durably(LOG, bytes)),
            Step::Made(record, bytes) => {
                self.medium.change(|disk| disk.make_undurably(LOG, bytes));
                self.ledger.push(record, Presence::May);
            }
            Step::Repair(then) => {
                self.replace(Ledger::of(then), |store| {
                    store.repair(&s1(), RepairMode::Write).is_ok()
                });
            }
            Step::Forget => self.replace(Ledger::of(&[]), |store| store.forget(&s1()).is_ok()),
            Step::Import(bytes, then) => self.replace(Ledger::of(then), |store| {
                let imported = import(store, bytes);
                matches!(imported, Ok(Import::Added { .. }))
            }),
            Step::RemoveFolders => {
                self.medium.change(Disk::remove_folders);
                self.ledger = Ledger::of(&[]);
            }
            Step::Plan(kind, fault) => self.medium.plan(When::Next(*kind, LOG), fault()),
        }
    }

    fn append(&mut self, record: &str, act: impl FnOnce(&Self) -> Result<(), ErrorKind>) {
        self.ledger.push(record, Presence::May);
        match act(self) {
            Ok(()) => self.ledger.settle_last(Some(Presence::Must)),
            Err(_) if self.medium.is_frozen() => {}
            Err(ErrorKind::Uncertain) => {}
            Err(_) => self.ledger.settle_last(None),
        }
    }

    /// Does what leaves the log either as it was or as `then`.
    fn replace(&mut self, then: Ledger, act: impl FnOnce(&Store) -> bool) {
        let is_done = act(&self.cold);
        assert!(is_done || self.medium.is_frozen(), "it goes well unless the power goes");
        self.ledger = if is_done { then } else { self.ledger.clone().or(then) };
    }
}

static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// Plays a story with a crash at each of its operations, and checks every image.
fn survives_a_crash_at_any_moment(story: &Story) {
    let whole = Play::of(story, None);
    let found = records(&whole.cold);
    assert!(whole.ledger.allows(&found), "without a crash: {found:?}");
    let trace = whole.medium.trace();
    let changing = |k: &usize| trace[k - 1].kind.changes_the_disk();
    let (mut crashes, mut seen) = (0, HashSet::new());
    for k in (1..=trace.len()).filter(changing) {
        crashes += 1;
        let play = Play::of(story, Some(k));
        let at = format!("{}: power gone after operation {k}, {:?}", story.name, trace[k - 1]);
        check_images(story, (&play.medium.disk(), &play.ledger), story.remains, &at, &mut seen);

        let at = format!("{}: killed after operation {k}, {:?}", story.name, trace[k - 1]);
        let (disk, ledger) = go_on_after_a_kill(&play, &at);
        let remains =
            if play.medium.disk().has_lost(LOG) { Remains::Repairable } else { story.remains };
        check_images(story, (&disk, &ledger), remains, &at, &mut seen);
    }
    let total = TOTAL.fetch_add(seen.len(), Ordering::Relaxed) + seen.len();
    report(format_args!(
        "crash: {:>6} images, {crashes:>3} crashes: {} (so far {total})",
        seen.len(),
        story.name
    ));
}

/// Another process finds what the system still holds in memory, and appends.
fn go_on_after_a_kill(play: &Play, at: &str) -> (Disk, Ledger) {
    let medium = play.medium.after_kill();
    let store = store_on(medium.clone());
    let found = records(&store);
    assert!(play.ledger.allows(&found), "{at}: {found:?} against {:?}", play.ledger);
    add(&store, "after the kill");
    let mut ledger = play.ledger.clone();
    ledger.push("after the kill", Presence::Must);
    (medium.disk(), ledger)
}

fn check_images(
    story: &Story,
    (disk, ledger): (&Disk, &Ledger),
    remains: Remains,
    said: &str,
    seen: &mut HashSet<(Image, Ledger)>,
) {
    ledger.check_images(disk, remains, said, &mut |image| {
        assert!(no_line_is_lost(story, image), "{said}: a line is nowhere in {image:?}");
        let ignore = image.get(IGNORE).map_or(&b"*\n"[..], Vec::as_slice);
        assert_eq!(ignore.escape_ascii().to_string(), "*\\n", "{said}");
        seen.insert((image.clone(), ledger.clone()))
    });
}

/// A repair moves lines, and never loses one: each is in the log or beside it.
fn no_line_is_lost(story: &Story, image: &Image) -> bool {
    let start = story.start.as_deref().unwrap_or_default();
    let files = || [LOG, "s1.notes.rejected"].iter().filter_map(|name| image.get(*name));
    story.steps.iter().any(|step| matches!(step, Step::Forget))
        || start.split(|byte| *byte == b'\n').all(|line| {
            line.is_empty() || files().any(|file| memchr::memmem::find(file, line).is_some())
        })
}

fn story(name: &'static str, start: Option<Vec<u8>>, reads_as: &[&'static str]) -> Story {
    Story { name, start, reads_as: reads_as.to_vec(), steps: Vec::new(), remains: Remains::Nothing }
}

impl Story {
    fn then(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }
}

fn two_notes() -> Vec<u8> {
    [line(1, "one"), line(2, "two")].concat()
}

const TORN: &[u8] = br#"{"v":1,"session":"s1","gen":0,"text":"to"#;

#[test]
fn while_a_store_is_made() {
    survives_a_crash_at_any_moment(&story("a new store", None, &[]).then([
        Step::Append("one"),
        Step::Append("two"),
        Step::Append("three"),
    ]));
}

#[test]
fn while_notes_are_appended_by_one_that_keeps_its_files_open() {
    survives_a_crash_at_any_moment(&story("files kept open", None, &[]).then([
        Step::AppendKept("one"),
        Step::AppendKept("two"),
        Step::Latch(1),
        Step::AppendKept("three"),
    ]));
}

#[test]
fn while_two_writers_take_turns() {
    survives_a_crash_at_any_moment(
        &story("two writers in turn", Some(two_notes()), &["one", "two"]).then([
            Step::AppendKept("three"),
            Step::Append("four"),
            Step::AppendKept("five"),
            Step::Append("six"),
        ]),
    );
}

#[test]
fn while_a_note_follows_a_torn_tail() {
    survives_a_crash_at_any_moment(
        &story("behind a torn tail", Some([&two_notes(), TORN].concat()), &["one", "two"]).then([
            Step::Append("three: ☃\n\t\"3\""),
            Step::Foreign(TORN.to_vec()),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_a_note_follows_a_whole_record_without_its_lf() {
    let mut log = two_notes();
    log.pop();
    let mut story = story("behind a record without its LF", Some(log), &["one", "two"])
        .then([Step::Append("three"), Step::AppendKept("four")]);
    story.remains = Remains::Repairable;
    survives_a_crash_at_any_moment(&story);
}

#[test]
fn while_a_note_follows_what_another_program_made_and_did_not_sync() {
    const THEIRS: &[u8] = b"{\"v\":1,\"session\":\"s1\",\"text\":\"theirs\",\"created_at\":5}\n";
    survives_a_crash_at_any_moment(&story("behind another program's record", None, &[]).then([
        Step::Made("theirs", THEIRS.to_vec()),
        Step::Append("one"),
        Step::AppendKept("two"),
    ]));
}

#[test]
fn while_a_log_is_repaired() {
    let stub_then_whole = [TORN, &line(3, "three")].concat();
    let log = [&two_notes()[..], b"junk\n", &stub_then_whole, b"\n", TORN].concat();
    survives_a_crash_at_any_moment(&story("a repair", Some(log), &["one", "two"]).then([
        Step::Repair(vec!["one", "two", "three"]),
        Step::Append("four"),
        Step::Foreign(b"more junk\n".to_vec()),
        Step::Repair(vec!["one", "two", "three", "four"]),
        Step::AppendKept("five"),
    ]));
}

#[test]
fn while_the_records_of_another_log_come() {
    let theirs = || [line(1, "one"), line(2, "two"), line(3, "three"), line(4, "four")].concat();
    let all = vec!["one", "two", "three", "four"];
    for (name, start, reads_as) in [
        ("import: a new log", None, &[][..]),
        ("import: a longer log", Some(two_notes()), &["one", "two"]),
        (
            "import: behind a torn tail",
            Some([two_notes(), b"{\"v\":1,\"torn".to_vec()].concat()),
            &["one", "two"],
        ),
    ] {
        survives_a_crash_at_any_moment(
            &story(name, start, reads_as)
                .then([Step::Import(theirs(), all.clone()), Step::Append("five")]),
        );
    }
}

#[test]
fn while_a_session_is_forgotten() {
    survives_a_crash_at_any_moment(
        &story("a session forgotten", Some([&two_notes(), TORN].concat()), &["one", "two"]).then([
            Step::Repair(vec!["one", "two"]),
            Step::Forget,
            Step::Append("three"),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_an_append_follows_a_failed_sync() {
    survives_a_crash_at_any_moment(
        &story("behind a failed sync", Some(two_notes()), &["one", "two"]).then([
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::Append("never stored"),
            Step::AppendKept("three"),
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::AppendKept("never stored either"),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_an_append_follows_a_short_write() {
    let shorts: [fn() -> Fault; 3] =
        [|| Fault::Short(1), || Fault::Short(40), || Fault::Short(usize::MAX)];
    let steps = shorts
        .into_iter()
        .flat_map(|short| [Step::Plan(OpKind::Append, short), Step::Append("never stored")]);
    survives_a_crash_at_any_moment(
        &story("behind short writes", Some(two_notes()), &["one", "two"])
            .then(steps)
            .then([Step::Append("three")]),
    );
}

#[test]
fn while_an_append_follows_one_whose_fate_is_uncertain() {
    survives_a_crash_at_any_moment(
        &story("behind an uncertain append", Some(two_notes()), &["one", "two"]).then([
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::Plan(OpKind::Cut, || Fault::Fail(Errno::IO)),
            Step::Append("perhaps"),
            Step::AppendKept("three"),
            Step::Append("four"),
        ]),
    );
}

#[test]
fn while_a_removed_store_is_made_anew() {
    survives_a_crash_at_any_moment(&story("a store made anew", None, &[]).then([
        Step::AppendKept("one"),
        Step::RemoveFolders,
        Step::AppendKept("two"),
        Step::Append("three"),
    ]));
}

#[test]
fn a_disk_that_says_it_synced_and_did_not_is_noticed_here_and_not_survived() {
    let syncs = [
        (OpKind::Sync, LOG),
        (OpKind::SyncFolder, "Root"),
        (OpKind::SyncFolder, "Graff"),
        (OpKind::SyncFolder, "Notes"),
    ];
    for (kind, on) in syncs {
        let medium = FaultyMedium::new(Disk::default());
        medium.plan(When::Next(kind, on), Fault::Drop);
        add(&store_on(medium.clone()), "one");
        let after_a_crash = FaultyMedium::holding(&medium.least());
        assert_eq!(records(&store_on(after_a_crash)), Vec::<String>::new(), "{kind:?} {on}");
    }
}
