//! A story as it is played on a disk in memory, up to the operation at which the power goes or the
//! process is killed, and what may be read then.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use graff_notes::{
    ErrorKind,
    store::{Import, Latched, Log, RepairMode, Salvaged, Store},
    units::Generation,
};

use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, IGNORE, Image, OpKind, When},
    ledger::{Ledger, Presence, Remains},
    notes::{LOG, add, fitted, import, note, now, records, s1, store_on},
    report,
};

/// What happens on a disk, step by step.
pub(super) struct Story {
    pub(super) name: &'static str,
    /// The log that is there at the beginning, durable.
    pub(super) start: Option<Vec<u8>>,
    /// What that log reads as.
    pub(super) reads_as: Vec<&'static str>,
    pub(super) steps: Vec<Step>,
    pub(super) remains: Remains,
}

#[derive(Clone)]
pub(super) enum Step {
    /// A process opens everything, appends and ends.
    Append(&'static str),
    /// A process that keeps its files open appends.
    AppendKept(&'static str),
    Latch(u64),
    /// A process that keeps its files open appends a mechanical note of a generation that has none.
    Salvage(u64, &'static str),
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
pub(super) struct Play {
    pub(super) medium: FaultyMedium,
    /// Opens everything for each call.
    cold: Store,
    kept: Log,
    ledger: Ledger,
}

impl Play {
    pub(super) fn of(story: &Story, freeze_at: Option<usize>) -> Self {
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
            Step::Salvage(generation, text) => self.append(text, |play| {
                match play.kept.salvage(fitted(text), Generation::new(*generation), now()) {
                    Ok(Salvaged::Stored(_)) => Ok(()),
                    Ok(Salvaged::AlreadyNoted) => panic!("noted"),
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

/// The images of all stories so far, the crashes after which they were found, and the milliseconds
/// that it took.
static IMAGES: AtomicUsize = AtomicUsize::new(0);
static CRASHES: AtomicUsize = AtomicUsize::new(0);
static MILLIS: AtomicU64 = AtomicU64::new(0);

/// How many images of each story are checked, at least: a few less than there are, since a change
/// of the store changes them. Together they are the twenty thousand that are promised.
const IMAGES_MIN: [(&str, usize); 16] = [
    ("a new store", 800),
    ("files kept open", 1_100),
    ("two writers in turn", 2_200),
    ("notes without a model", 1_600),
    ("behind a torn tail", 1_200),
    ("behind a record without its LF", 1_100),
    ("behind another program's record", 1_600),
    ("a repair", 1_200),
    ("import: a new log", 550),
    ("import: a longer log", 550),
    ("import: behind a torn tail", 550),
    ("a session forgotten", 600),
    ("behind a failed sync", 2_300),
    ("behind short writes", 1_300),
    ("behind an uncertain append", 5_000),
    ("a store made anew", 550),
];

const _: () = {
    let (mut images, mut story) = (0, 0);
    while story < IMAGES_MIN.len() {
        images += IMAGES_MIN[story].1;
        story += 1;
    }
    assert!(images >= 20_000);
};

/// Plays a story with a crash at each of its operations, and checks every image.
pub(super) fn survives_a_crash_at_any_moment(story: &Story) {
    let whole = Play::of(story, None);
    let found = records(&whole.cold);
    assert!(whole.ledger.allows(&found), "without a crash: {found:?}");
    let trace = whole.medium.trace();
    let changing = |k: &usize| trace[k - 1].kind.changes_the_disk();
    let (mut crashes, mut seen, begin) = (0, HashSet::new(), Instant::now());
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
    let images = IMAGES.fetch_add(seen.len(), Ordering::Relaxed) + seen.len();
    let all_crashes = CRASHES.fetch_add(crashes, Ordering::Relaxed) + crashes;
    let took = u64::try_from(begin.elapsed().as_millis()).expect("no test takes so long");
    let seconds = (MILLIS.fetch_add(took, Ordering::Relaxed) + took) / 1_000;
    report(format_args!(
        "crash: {images} images after {all_crashes} crashes so far, in {seconds} s of the threads \
         together, {} of them: {}",
        seen.len(),
        story.name
    ));
    let least = IMAGES_MIN.iter().find(|(name, _)| *name == story.name).expect("a known story").1;
    assert!(seen.len() >= least, "{}: {} images are fewer than {least}", story.name, seen.len());
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

pub(super) fn story(
    name: &'static str,
    start: Option<Vec<u8>>,
    reads_as: &[&'static str],
) -> Story {
    Story { name, start, reads_as: reads_as.to_vec(), steps: Vec::new(), remains: Remains::Nothing }
}

impl Story {
    pub(super) fn then(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }
}
