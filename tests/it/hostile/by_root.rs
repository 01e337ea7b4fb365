//! The promise: the store that root makes in another user's project is that user's, folders included,
//! also where root was killed in the middle of making a folder, and where many of it make one at once.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{MetadataExt as _, chown},
    sync::Barrier,
    thread,
};

use graff_notes::store::{Disk, Level, medium::Medium as _};

use super::permission::as_nobody;
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
