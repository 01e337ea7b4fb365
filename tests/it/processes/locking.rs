//! Whoever must wait for the lock waits for a bounded time and is told for whom; and only the lock
//! file that the path names counts.

use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt as _,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use graff_notes::{
    Error, ErrorKind,
    store::{Disk, Store},
};
use rustix::{
    fs::FlockOperation,
    process::{Pid, Signal, kill_process},
};

use crate::support::{
    child::{Actor, Role, command},
    notes::{Home, add, note, records, s1, stored},
    skipped, wait_until,
    watched::Watched,
};

/// A bound that only a hanging wait exceeds.
const SOON: Duration = Duration::from_secs(60);

/// Appends where the lock is held, and returns the error and how long it took.
#[track_caller]
fn refused(store: &Store) -> (Error, Duration) {
    let store = store.clone().with_patience(Duration::from_millis(100));
    let begin = Instant::now();
    let e = store.append(&s1(), &note("one too many")).expect_err("the lock is held");
    (e, begin.elapsed())
}

#[track_caller]
fn assert_busy(store: &Store, why: &str, advice: &str) {
    let (e, waited) = refused(store);
    let path = store.lock_path(&s1());
    assert_eq!(e.kind(), ErrorKind::Busy);
    let said = e.with_causes();
    let rest = said.strip_prefix(&format!("lock {path}: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(matches(rest, why), "{rest:?} is not {why:?}");
    assert!(waited < SOON, "{waited:?}");
    assert_eq!(e.advice(), advice);
}

const WAIT: &str = "try again once the other process is done; reading needs no lock";
const END_IT: &str = "end what has the lock file open; `fuser` and `lsof` name it";

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
    assert_busy(&home.store, &format!("process {} (*) has it", holder.pid()), WAIT);
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
    let why = format!("process {} (*) has it, and is stopped", holder.pid());
    assert_busy(&home.store, &why, "let it go on (`kill -CONT`) or end it");
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
    assert_busy(&home.store, &format!("process {} (*) has it", holder.pid()), WAIT);
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
    let why = "process * took it and has closed it or ended; another still has the file open";
    assert_busy(&home.store, why, END_IT);
    kill_process(orphan, Signal::KILL).expect("the orphan ends");
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).expect("the lock is free soon");
    rustix::fs::flock(&lock, FlockOperation::Unlock).expect("and given back");
    add(&home.store, "two");
}

/// Whether the system lists a lock here under another device than its file's, as it does on Btrfs:
/// of a process that has not got the file open any more, nobody can say then that it took this
/// lock.
fn lists_locks_under_another_device(home: &Home) -> bool {
    let kind = rustix::fs::statfs(home.root.as_std_path()).expect("a file system").f_type;
    kind == 0x9123_683E
}

#[test]
fn a_process_that_took_the_lock_and_closed_the_file_is_not_said_to_have_it() {
    let home = Home::new();
    add(&home.store, "one");
    let mut taker = Actor::start(command(Role::Bequeath, &home.root, ""));
    let child = taker.next().and_then(|said| said.parse().ok()).and_then(Pid::from_raw);
    let child = child.expect("it says whom it began");
    let why = format!(
        "process {} took it and has closed it or ended; another still has the file open",
        taker.pid()
    );
    if lists_locks_under_another_device(&home) {
        assert_busy(&home.store, "another process has it", WAIT);
    } else {
        assert_busy(&home.store, &why, END_IT);
    }
    kill_process(child, Signal::KILL).expect("the child ends");
    taker.kill();
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
        let open = open.expect("its open files are listed");
        assert!(open.iter().any(|path| path == Path::new("/dev/null")), "its input: {open:?}");
        for path in open {
            assert!(!path.to_string_lossy().contains(".graff"), "{path:?} was inherited");
        }
    };
    let store = Store::on(&home.root, Arc::new(Watched::new(Disk::at(&home.root), start)));
    add(&store, "one");
}

#[test]
fn what_stands_in_a_lock_file_holds_nothing_and_stays_there() {
    let home = Home::new();
    add(&home.store, "one");
    for holder in [1, std::process::id(), u32::MAX] {
        let lock = format!("{holder}\n");
        fs::write(home.store.lock_path(&s1()), &lock).expect("a lock");
        let store = home.store.clone().with_patience(Duration::ZERO);
        add(&store, &lock);
        let found = fs::read(home.store.lock_path(&s1())).expect("a lock");
        assert_eq!(found, lock.as_bytes());
    }
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
    let inode = |path: &Path| fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
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
