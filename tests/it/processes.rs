//! The promise: any number of processes and threads write to one session; each note that was
//! acknowledged is there, whole and once, whoever is killed when; and whoever must wait for the lock
//! waits for a bounded time and is told for whom.
//!
//! Shown with real processes: this test binary, run again in a role.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    os::unix::fs::MetadataExt as _,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use graff_notes::{
    Error, ErrorKind,
    log::Line,
    store::{Disk, Store},
};
use rustix::{
    fs::FlockOperation,
    process::{Pid, Signal, kill_process},
};

use crate::support::{
    child::{self, Actor, Role, command},
    notes::{Home, add, note, records, s1, stored},
    report, skipped, wait_until,
    watched::Watched,
};

mod asked;
mod soak;
#[cfg(feature = "cli")]
mod writes;

/// A bound that only a hanging wait exceeds.
const SOON: Duration = Duration::from_secs(60);

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
    let mut acknowledged = Vec::new();
    for round in 0..125 {
        let victims: Vec<_> = (0..4)
            .map(|i| Actor::start(command(Role::Append, &home.root, &format!("k{round}.{i} 999"))))
            .collect();
        for mut victim in victims {
            thread::sleep(Duration::from_micros(random.below(6_000)));
            victim.kill();
            acknowledged.push(victim.rest());
        }
    }
    let found = numbered(&home.store);
    assert_each_once_and_in_order(&found, &acknowledged);
    let notes: usize = acknowledged.iter().map(Vec::len).sum();
    assert!(notes > 100, "{notes}: the kills came too soon to show anything");
    assert_eq!(add(&home.store, "after all"), found.last().expect("a note").0 + 1);
    report(format_args!("kills: 500, {notes} acknowledged, {} found", found.len()));
}

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
    let log = home.store.log(&s1());
    let own = home.store.log(&s1());
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

/// Appends where the lock is held, and returns the error and how long it took.
#[track_caller]
fn refused(store: &Store) -> (Error, Duration) {
    let store = store.clone().with_patience(Duration::from_millis(100));
    let begin = Instant::now();
    let e = store.append(&s1(), &note("one too many")).expect_err("the lock is held");
    (e, begin.elapsed())
}

#[track_caller]
fn assert_busy(store: &Store, why: &str) {
    let (e, waited) = refused(store);
    let path = store.lock_path(&s1());
    assert_eq!(e.kind(), ErrorKind::Busy);
    let said = e.with_causes();
    let rest = said.strip_prefix(&format!("lock {path}: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(matches(rest, why), "{rest:?} is not {why:?}");
    assert!(waited < SOON, "{waited:?}");
    assert_eq!(e.advice(), "try again once the other process is done; reading needs no lock");
}

/// Whether `said` is `pattern`, in which `*` stands for anything.
fn matches(said: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => said == pattern,
        Some((start, end)) => said.starts_with(start) && said.ends_with(end),
    }
}

#[test]
fn a_holder_is_named_and_when_it_is_killed_its_lock_is_free() {
    let home = Home::new();
    add(&home.store, "one");
    let mut holder = Actor::start(command(Role::Hold, &home.root, ""));
    holder.expect("holding");
    assert_busy(&home.store, &format!("process {} (*) has it", holder.pid()));
    let begin = Instant::now();
    assert_eq!(records(&home.store), ["one"], "reading needs no lock");
    assert!(begin.elapsed() < SOON);
    holder.kill();
    add(&home.store, "two");
    assert_eq!(records(&home.store), ["one", "two"]);
}

#[test]
fn a_holder_that_is_stopped_is_said_to_be() {
    let home = Home::new();
    let mut holder = Actor::start(command(Role::Hold, &home.root, ""));
    holder.expect("holding");
    let pid = Pid::from_raw(holder.pid().cast_signed()).expect("a process");
    kill_process(pid, Signal::STOP).expect("it can be stopped");
    wait_until_stopped(holder.pid());
    assert_busy(&home.store, &format!("process {} (*) has it, and is stopped", holder.pid()));
    kill_process(pid, Signal::CONT).expect("it goes on");
    assert_eq!(holder.rest(), ["stored"]);
    add(&home.store, "two");
    assert_eq!(records(&home.store), ["held back", "two"]);
}

fn wait_until_stopped(pid: u32) {
    let stat = format!("/proc/{pid}/stat");
    wait_until("the holder is stopped", || {
        fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "))
    });
}

#[test]
fn the_lock_of_stds_file_lock_is_the_same_lock() {
    let home = Home::new();
    add(&home.store, "one");
    let mut holder = Actor::start(command(Role::Flock, &home.root, ""));
    holder.expect("holding");
    assert_busy(&home.store, &format!("process {} (*) has it", holder.pid()));
    assert_eq!(holder.rest(), Vec::<String>::new());
    add(&home.store, "two");
}

#[test]
fn a_child_that_outlives_who_took_the_lock_keeps_it_and_that_is_said() {
    let home = Home::new();
    add(&home.store, "one");
    let lock = File::options().write(true).open(home.store.lock_path(&s1())).expect("a lock");
    let script = "exec sleep 60 <&9 >/dev/null 2>&1 & echo $!";
    let script = format!("exec 9>>\"$0\"; flock 9 || exit 1; {script}");
    let path = home.store.lock_path(&s1());
    let shell =
        Command::new("bash").args(["-c", &script, path.as_str()]).stderr(Stdio::null()).output();
    let Some(orphan) = shell.ok().and_then(|said| String::from_utf8(said.stdout).ok()) else {
        return skipped("no bash or no flock(1) to take the lock with");
    };
    let Some(orphan) = orphan.trim().parse().ok().and_then(Pid::from_raw) else {
        return skipped("no bash or no flock(1) to take the lock with");
    };
    assert_busy(
        &home.store,
        "process * took it and has ended; a child of it still has the file open",
    );
    kill_process(orphan, Signal::KILL).expect("the orphan ends");
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).expect("the lock is free soon");
    rustix::fs::flock(&lock, FlockOperation::Unlock).expect("and given back");
    add(&home.store, "two");
}

#[test]
fn a_program_started_in_the_middle_of_an_append_inherits_no_file_of_the_store() {
    let home = Home::new();
    let start = || {
        let sleeper = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn();
        let mut sleeper = sleeper.expect("sleep is there");
        let open = fs::read_dir(format!("/proc/{}/fd", sleeper.id())).map(|open| {
            open.flatten().filter_map(|fd| fs::read_link(fd.path()).ok()).collect::<Vec<_>>()
        });
        sleeper.kill().expect("it can be killed");
        sleeper.wait().expect("it ends");
        for path in open.unwrap_or_default() {
            assert!(!path.to_string_lossy().contains(".graff"), "{path:?} was inherited");
        }
    };
    let store = Store::on(&home.root, Arc::new(Watched::new(Disk::at(&home.root), start)));
    add(&store, "one");
}

#[test]
fn of_two_lock_files_only_the_one_that_the_path_names_counts() {
    let home = Home::new();
    let patient = home.store.clone().with_patience(Duration::from_millis(100));
    let kept = patient.log(&s1());
    stored(kept.append(&note("one")));
    let path = home.store.lock_path(&s1());
    let old = File::open(&path).expect("the lock");
    fs::remove_file(&path).expect("somebody removes it");
    let new = File::create(&path).expect("and makes another");

    rustix::fs::flock(&old, FlockOperation::LockExclusive).expect("it is free");
    add(&home.store, "the old one keeps nobody out");
    rustix::fs::flock(&old, FlockOperation::Unlock).expect("it is given back");
    rustix::fs::flock(&new, FlockOperation::LockExclusive).expect("it is free");
    let e = kept.append(&note("under the old one")).expect_err("the new one is held");
    assert_eq!(e.kind(), ErrorKind::Busy);
    rustix::fs::flock(&new, FlockOperation::Unlock).expect("it is given back");
    stored(kept.append(&note("under the new one")));
}

#[test]
fn who_waits_for_a_lock_file_that_is_replaced_goes_on_with_the_new_one() {
    let home = Home::new();
    add(&home.store, "one");
    let path = home.store.lock_path(&s1());
    let old = File::open(&path).expect("the lock");
    rustix::fs::flock(&old, FlockOperation::LockExclusive).expect("it is free");
    thread::scope(|scope| {
        let waiter = scope.spawn(|| add(&home.store, "two"));
        wait_until("the second has the lock file open", || is_waited_for(&old));
        fs::remove_file(&path).expect("somebody removes it");
        File::create(&path).expect("and makes another");
        rustix::fs::flock(&old, FlockOperation::Unlock).expect("it is given back");
        assert_eq!(waiter.join().expect("it comes through"), 2);
    });
}

/// Whether another handle of this process has a file open, too.
fn is_waited_for(file: &File) -> bool {
    let inode = |path: &std::path::Path| fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
    let wanted = file.metadata().map(|m| (m.dev(), m.ino())).ok();
    let open = fs::read_dir("/proc/self/fd").expect("a list of open files");
    open.flatten().filter(|fd| inode(&fd.path()) == wanted).count() > 1
}

#[test]
fn threads_that_share_a_handle_wait_for_a_held_lock_at_the_same_time() {
    let home = Home::new();
    let mut holder = Actor::start(command(Role::Hold, &home.root, ""));
    holder.expect("holding");
    let log = home.store.clone().with_patience(Duration::from_secs(1)).log(&s1());
    let begin = Instant::now();
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                let e = log.append(&note("one too many")).expect_err("the lock is held");
                assert_eq!(e.kind(), ErrorKind::Busy);
            });
        }
    });
    assert!(begin.elapsed() < SOON, "{:?}: one after the other", begin.elapsed());
}

#[test]
fn endless_patience_is_no_overflow() {
    let home = Home::new();
    add(&home.store.clone().with_patience(Duration::MAX), "one");
}
