//! The promise: the store that root makes in another user's project is that user's, folders
//! included, at every moment: also where root was killed in the middle of making something, where
//! its owner comes just then, and where many of root make it at once.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{MetadataExt as _, chown},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use graff_notes::store::{
    Disk, Level,
    medium::{Access, Medium as _},
};

use super::permission::{as_nobody, give_to_nobody, mode, set_mode};
use crate::support::{
    child::{self, Actor, Role},
    notes::{Home, LOG, add, line, records},
    skipped,
};

/// The user whose project it is.
const THEIRS: u32 = 65534;

/// How many make a store at once, and how often.
const MAKERS: usize = 8;
const ROUNDS: usize = 40;

/// For how long root is held in the middle of making a file: longer than the owner takes to come.
const HELD_MICROS: u64 = 100_000_000;

/// How long is waited for root to begin, at the most.
const PATIENCE: Duration = Duration::from_secs(20);

/// Another user's project, without a store.
fn project() -> Option<Home> {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can act for another user");
        return None;
    }
    let home = Home::new();
    chown(&home.root, Some(THEIRS), Some(THEIRS)).expect("root may");
    Some(home)
}

/// The files of a store with one session.
const FILES: [&str; 3] = [".gitignore", LOG, LOCK];
const LOCK: &str = "s1.notes.lock";

/// The names in the project.
fn names(home: &Home) -> Vec<String> {
    names_in(&home.root)
}

fn names_in(folder: &Utf8Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |e: fs::DirEntry| e.file_name().into_string().expect("UTF-8");
    entries.map(|entry| name(entry.expect("an entry"))).collect()
}

#[track_caller]
fn assert_theirs(home: &Home, said: &str) {
    let files = home.names().into_iter().map(|name| format!(".graff/notes/{name}"));
    for path in [".graff", ".graff/notes"].map(str::to_owned).into_iter().chain(files) {
        let made = fs::metadata(home.root.join(&path)).expect("it is there");
        assert_eq!((made.uid(), made.gid()), (THEIRS, THEIRS), "{said}: {path}");
    }
}

#[test]
fn what_root_makes_in_a_project_without_a_store_is_the_projects_owners_folders_too() {
    let Some(home) = project() else { return };
    set_mode(home.root.as_str(), 0o755);
    add(&home.store, "one");
    assert_theirs(&home, "nobody is killed");
    let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
    assert_eq!(said, ["stored"], "the owner goes on");
}

/// Root that appends to a store which is not there yet, with this done to its calls.
fn root_under(home: &Home, injects: &[&str]) -> Option<Actor> {
    let strace = [&["strace", "-f", "-qq", "-o", "/dev/null"], injects].concat();
    let actor =
        Actor::start_if_possible(child::under(&strace, Role::AppendOnce, &home.root, "one"));
    if actor.is_none() {
        skipped("strace is not to be had");
    }
    actor
}

/// Has root killed at a call, and then its owner come, or root and then its owner.
fn kill_root_at(call: &str, nth: u32) -> Option<()> {
    for next in ["its owner", "root"] {
        let home = project()?;
        let said = format!("killed at {call} {nth}, and next comes {next}");
        let kill = format!("inject={call}:signal=KILL:when={nth}");
        let told = root_under(&home, &["-e", &kill])?.rest();
        assert_eq!(told, [""; 0], "{said}");
        if names(&home).is_empty() {
            skipped("strace may not trace here");
            return None;
        }
        if next == "root" {
            add(&home.store, "one");
        }
        assert_eq!(as_nobody(Role::AppendOnce, &home)?, ["stored"], "{said}");
        assert_theirs(&home, &said);
        assert_eq!(home.names(), FILES, "{said}: nothing is left of a file");
    }
    Some(())
}

#[test]
fn a_folder_over_whose_making_root_was_killed_keeps_nobody_out() {
    for (call, nth) in [("fchown", 1), ("renameat2", 1), ("fchown", 2), ("renameat2", 2)] {
        let Some(()) = kill_root_at(call, nth) else { return };
    }
}

#[test]
fn a_file_over_whose_making_root_was_killed_keeps_nobody_out_and_nothing_is_left_of_it() {
    // After the two folders: the one that keeps them out of version control, the lock, the log.
    for file in 1..=3 {
        let Some(()) = kill_root_at("fchown", 2 + file) else { return };
        let Some(()) = kill_root_at("linkat", file) else { return };
    }
}

/// What root does to the owner's log that makes other files beside it.
const REPLACES: [(Role, &str); 2] = [(Role::Repair, "dropped 1"), (Role::Import, "Added")];

/// Has root killed at a call of what it does to its owner's log, and then its owner come, who
/// reads, appends and repairs; returns whether root came so far.
fn kill_root_over_the_log_at(role: Role, done: &str, call: &str, nth: u32) -> Option<bool> {
    let home = project()?;
    home.put([line(1, "one"), b"junk\n".to_vec()].concat());
    give_to_nobody(&home);
    let said = format!("{role:?} killed at {call} {nth}");
    let kill = format!("inject={call}:signal=KILL:when={nth}");
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &kill];
    let root = Actor::start_if_possible(child::under(&strace, role, &home.root, ""));
    let told = root.map(Actor::rest).unwrap_or_default().concat();
    if !told.is_empty() {
        assert!(told.contains(done), "{said}: {told}");
        return Some(false);
    }
    assert_eq!(as_nobody(Role::Newest, &home)?, ["Some(\"one\")"], "{said}");
    assert_eq!(as_nobody(Role::AppendOnce, &home)?, ["stored"], "{said}");
    assert_eq!(as_nobody(Role::Repair, &home)?, ["dropped 1"], "{said}");
    assert_theirs(&home, &said);
    assert_eq!(home.names(), [LOG, LOCK, "s1.notes.rejected"], "{said}");
    let rejected = fs::read(home.root.join(".graff/notes/s1.notes.rejected"));
    assert_eq!(rejected.expect("it is there"), b"junk\n", "{said}");
    assert_eq!(records(&home.store), ["one", "mine"], "{said}");
    Some(true)
}

#[test]
fn a_log_over_whose_replacement_root_was_killed_is_read_appended_to_and_repaired_by_its_owner() {
    for (role, done) in REPLACES {
        // Lock, mark and successor are given away, and what a repair takes out.
        for (call, least) in [("fchown", 3), ("linkat", 2)] {
            let mut kills = 0;
            loop {
                match kill_root_over_the_log_at(role, done, call, kills + 1) {
                    None => return,
                    Some(true) => kills += 1,
                    Some(false) => break,
                }
            }
            assert!(kills >= least, "{role:?} was killed at {kills} of {call}");
        }
    }
}

/// Waits until `is_so`, or for as long as is waited for root at the most.
fn wait_until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() && begin.elapsed() < PATIENCE {
        thread::yield_now();
    }
}

#[test]
fn whoever_comes_while_root_makes_a_file_finds_none_that_is_roots() {
    // What is there once root is about to give the next file away, and who comes then: behind the
    // lock not to append, since that waits for root.
    let cases = [
        (4, ".gitignore", Role::AppendOnce),
        (4, ".gitignore", Role::Newest),
        (5, LOCK, Role::Newest),
    ];
    for (nth, before, role) in cases {
        let Some(home) = project() else { return };
        let said = format!("{role:?} behind {before}");
        let inject = format!("inject=fchown:delay_enter={HELD_MICROS}:when={nth}");
        let Some(mut root) = root_under(&home, &["-e", &inject]) else { return };
        let notes = home.root.join(".graff/notes");
        wait_until(|| notes.join(before).exists());
        let Some(told) = as_nobody(role, &home) else { return };
        let was_held = !root.has_ended();
        if was_held {
            root.kill(); // that is strace, which has held root, and lets it go on by that
        }
        let told_root = root.rest();
        if told_root.is_empty() && !was_held {
            return skipped("strace may not trace here");
        }
        assert!(was_held, "{said}: root had ended when its owner was answered");
        let told = told.concat();
        assert!(told == "stored" || told.starts_with("NotFound: "), "{said}: {told}");
        assert_eq!(told_root, ["stored"], "{said}: root uses what is there by now");
        assert_theirs(&home, &said);
        assert_eq!(home.names(), FILES, "{said}");
    }
}

#[test]
fn of_many_of_root_that_make_a_store_at_once_none_keeps_its_owner_out() {
    for round in 0..ROUNDS {
        let Some(home) = project() else { return };
        let start = Barrier::new(MAKERS);
        let make = || {
            let disk = Disk::at(&home.root);
            start.wait();
            for level in [Level::Graff, Level::Notes] {
                match disk.make_folder(level) {
                    Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                    made => made.unwrap_or_else(|e| panic!("round {round}, {level:?}: {e}")),
                }
            }
            match disk.open(LOCK, Access::Create) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => 0,
                lock => lock.map_or_else(|e| panic!("round {round}: {e}"), |_| 1),
            }
        };
        let locks: u32 = thread::scope(|scope| {
            let makers: Vec<_> = (0..MAKERS).map(|_| scope.spawn(make)).collect();
            makers.into_iter().map(|maker| maker.join().expect("it says")).sum()
        });
        assert_eq!(locks, 1, "round {round}: one made the lock, and the others found it");
        assert_theirs(&home, &format!("round {round}"));
        assert_eq!(home.names(), [LOCK], "round {round}");
        assert_eq!(names(&home), [".graff"], "round {round}: nothing is left beside it");
    }
}

/// Has root make a store with this done to its calls, and looks at what it made.
#[track_caller]
fn assert_theirs_all_the_same(home: &Home, injects: &[&str]) -> Option<()> {
    let said = root_under(home, injects)?.rest();
    if said.is_empty() {
        skipped("strace may not trace here");
        return None;
    }
    assert_eq!(said, ["stored"], "{injects:?}");
    assert_theirs(home, &injects.concat());
    assert_eq!(names(home), [".graff"], "{injects:?}: nothing is left beside it");
    assert_eq!(names_in(&home.root.join(".graff")), ["notes"], "{injects:?}: nor there");
    assert_eq!(home.names(), FILES, "{injects:?}: nor there");
    Some(())
}

#[test]
fn where_no_rename_leaves_alone_what_has_the_name_the_store_is_theirs_all_the_same() {
    for errno in ["EINVAL", "ENOSYS", "EPERM"] {
        let inject = format!("inject=renameat2:error={errno}");
        let Some(home) = project() else { return };
        let Some(()) = assert_theirs_all_the_same(&home, &["-e", &inject]) else { return };
    }
}

#[test]
fn where_no_file_can_be_without_a_name_the_store_is_theirs_all_the_same() {
    for errno in ["EOPNOTSUPP", "EISDIR", "ENOSYS"] {
        let Some(home) = project() else { return };
        // Every other call by which a file is opened in the folder: the first of two tries.
        let inject = format!("inject=openat:error={errno}:when=1+2");
        let notes = home.root.join(".graff/notes");
        let injects = ["-P", notes.as_str(), "-e", &inject];
        let Some(()) = assert_theirs_all_the_same(&home, &injects) else { return };
    }
    for errno in ["EPERM", "ENOENT"] {
        let inject = format!("inject=linkat:error={errno}");
        let Some(home) = project() else { return };
        let Some(()) = assert_theirs_all_the_same(&home, &["-e", &inject]) else { return };
    }
}

#[test]
fn a_folder_that_was_put_in_the_place_of_roots_is_neither_changed_nor_given_away() {
    for owner in [THEIRS - 1, 0] {
        let Some(home) = project() else { return };
        let victim = home.root.join("victim");
        fs::create_dir(&victim).expect("a folder");
        fs::write(victim.join("file"), "").expect("a file");
        set_mode(victim.as_str(), 0o755);
        chown(&victim, Some(owner), Some(owner)).expect("root may");
        // Long enough to put another in its place.
        let inject = "inject=mkdirat:delay_exit=300000:when=1";
        let Some(actor) = root_under(&home, &["-e", inject]) else { return };
        let made = || names(&home).into_iter().find(|name| name.starts_with(".graff"));
        wait_until(|| made().is_some());
        let Some(made) = made() else { return skipped("strace may not trace here") };
        assert!(made.starts_with(".graff.new."), "{made}");
        fs::rename(&victim, home.root.join(&made)).expect("an empty folder gives way");
        let said = actor.rest();
        let now = [".graff", &made].map(|name| home.root.join(name));
        let now = now.iter().find(|path| path.join("file").exists()).expect("it is left");
        let found = fs::metadata(now).expect("it is there");
        assert_eq!((found.uid(), mode(now)), (owner, 0o755), "{said:?}");
    }
}

#[test]
fn where_every_name_that_a_folder_is_made_under_is_taken_it_is_said_so() {
    let Some(home) = project() else { return };
    // The shell has the number that the program will have.
    let script = format!(
        "for i in $(seq 0 99); do mkdir {}/.graff.new.$$.$i; done; exec \"$0\" \"$@\"",
        home.root
    );
    let command = child::under(&["sh", "-c", &script], Role::AppendOnce, &home.root, "one");
    let said = Actor::start(command).rest().concat();
    let begin = format!("create the folder {}/.graff: 16 names were tried", home.root);
    assert!(said.contains(&begin), "{said}");
    assert!(said.ends_with("was left by a process that was killed, and can be removed"), "{said}");
}
