//! The promise: the store that root makes in another user's project is that user's, folders
//! included, also where root was killed in the middle of making a folder, and where many of it make
//! one at once.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{MetadataExt as _, chown},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use graff_notes::store::{Disk, Level, medium::Medium as _};

use super::permission::{as_nobody, mode, set_mode};
use crate::support::{
    child::{self, Actor, Role},
    notes::{Home, add},
    skipped,
};

/// The user whose project it is.
const THEIRS: u32 = 65534;

/// How many make a store at once, and how often.
const MAKERS: usize = 8;
const ROUNDS: usize = 40;

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

/// The names in the project.
fn names(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(&home.root).expect("a folder");
    let name = |e: fs::DirEntry| e.file_name().into_string().expect("UTF-8");
    entries.map(|entry| name(entry.expect("an entry"))).collect()
}

#[track_caller]
fn assert_theirs(home: &Home, said: &str) {
    for folder in [".graff", ".graff/notes"] {
        let made = fs::metadata(home.root.join(folder)).expect("it is there");
        assert_eq!((made.uid(), made.gid()), (THEIRS, THEIRS), "{said}: {folder}");
    }
}

#[test]
fn a_folder_over_whose_making_root_was_killed_keeps_nobody_out() {
    for (call, nth) in [("fchown", 1), ("renameat2", 1), ("fchown", 2), ("renameat2", 2)] {
        for next in ["its owner", "root"] {
            let Some(home) = project() else { return };
            let said = format!("killed at {call} {nth}, and next comes {next}");
            let kill = format!("inject={call}:signal=KILL:when={nth}");
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &kill];
            let command = child::under(&strace, Role::AppendOnce, &home.root, "cut short");
            let told = Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default();
            assert_eq!(told, [""; 0], "{said}");
            if names(&home).is_empty() {
                return skipped("strace is not to be had, or may not trace here");
            }
            if next == "root" {
                add(&home.store, "one");
            }
            let Some(told) = as_nobody(Role::AppendOnce, &home) else { return };
            assert_eq!(told, ["stored"], "{said}");
            assert_theirs(&home, &said);
        }
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
        };
        thread::scope(|scope| {
            for _ in 0..MAKERS {
                scope.spawn(make);
            }
        });
        assert_theirs(&home, &format!("round {round}"));
        assert_eq!(names(&home), [".graff"], "round {round}: nothing is left beside it");
    }
}

/// What root says that appends to a store which is not there yet, with this done to its calls.
fn said_under(home: &Home, inject: &str) -> Option<Vec<String>> {
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", inject];
    let command = child::under(&strace, Role::AppendOnce, &home.root, "one");
    let said = Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default();
    if said.is_empty() {
        skipped("strace is not to be had, or may not trace here");
        return None;
    }
    Some(said)
}

#[test]
fn where_no_rename_leaves_alone_what_has_the_name_the_store_is_theirs_all_the_same() {
    for errno in ["EINVAL", "ENOSYS", "EPERM"] {
        let Some(home) = project() else { return };
        let inject = format!("inject=renameat2:error={errno}");
        let Some(said) = said_under(&home, &inject) else { return };
        assert_eq!(said, ["stored"], "{errno}");
        assert_theirs(&home, errno);
        assert_eq!(names(&home), [".graff"], "{errno}: nothing is left beside it");
        let notes = fs::read_dir(home.root.join(".graff")).expect("a folder");
        assert_eq!(notes.count(), 1, "{errno}: nothing is left beside it");
    }
}

/// How long is waited for root to begin, at the most.
const PATIENCE: Duration = Duration::from_secs(20);

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
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", inject];
        let command = child::under(&strace, Role::AppendOnce, &home.root, "one");
        let Some(actor) = Actor::start_if_possible(command) else {
            return skipped("strace is not to be had");
        };
        let begin = Instant::now();
        let made = loop {
            let made = names(&home).into_iter().find(|name| name.starts_with(".graff"));
            if made.is_some() || begin.elapsed() > PATIENCE {
                break made;
            }
            thread::yield_now();
        };
        let Some(made) = made else { return skipped("strace may not trace here") };
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
