//! What stands beside a log is no way out of the store either: whatever is put in the place of a
//! file that only some calls want, those refuse it or take it away, and no other call minds.

use std::{
    fs::{self, FileType},
    os::unix::fs::symlink,
    path::Path,
};

use camino::Utf8Path;

use super::{ACTS, MAKE_A_STORE, Place, THINGS, assert_refused, tree, without_hanging};
use crate::support::{
    notes::{Home, line, s1},
    skipped,
};

/// A file beside the log that is there at times, and what the calls do about something else in its
/// place; those that are not named don't look there.
struct Sibling {
    path: &'static str,
    /// They refuse it.
    refuse: &'static [&'static str],
    /// They remove it unread, since what stands there is left by a process that died; a folder they
    /// refuse.
    remove: &'static [&'static str],
}

const SIBLINGS: [Sibling; 6] = [
    Sibling {
        path: ".graff/notes/s1.notes.rejected",
        refuse: &["import", "repair", "forget"],
        remove: &[],
    },
    Sibling {
        path: ".graff/notes/s1.notes.repaired",
        refuse: &["forget"],
        remove: &["import", "repair"],
    },
    Sibling {
        path: ".graff/notes/s1.notes.repairing",
        refuse: &["append", "import", "repair", "forget"],
        remove: &[],
    },
    Sibling {
        path: ".graff/notes/s1.hooks.json",
        refuse: &["leave_word", "word", "forget"],
        remove: &[],
    },
    Sibling { path: ".graff/notes/s1.hooks.new", refuse: &["forget"], remove: &["leave_word"] },
    Sibling { path: ".graff/notes/.gitignore", refuse: &[], remove: &[] },
];

/// A store in which every call has something to do.
fn home() -> Home {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two"), b"junk\n".to_vec()].concat());
    fs::write(home.store.lock_path(&s1()), "").expect("a lock");
    home
}

/// Puts a thing, or a link to the target, at a path; returns whether it can be made here.
fn is_put(is: &str, path: &Utf8Path, target: &Path) -> bool {
    let is_put = match THINGS.iter().find(|thing| thing.is == is) {
        Some(thing) => (thing.put)(path),
        None => symlink(target, path).is_ok(),
    };
    if !is_put {
        skipped(&format!("{is} cannot be made here"));
    }
    is_put
}

/// What stands at a path.
fn kind(path: &Utf8Path) -> Option<FileType> {
    fs::symlink_metadata(path).map(|found| found.file_type()).ok()
}

#[test]
fn what_stands_in_the_place_of_a_file_beside_the_log_is_refused_or_taken_away_by_those_who_want_it()
{
    let things = THINGS.iter().filter(|thing| thing.is != "a file").map(|thing| thing.is);
    for is in things.chain(["a symbolic link"]) {
        for sibling in &SIBLINGS {
            for (name, act) in ACTS {
                let (home, outside) = (home(), tempfile::tempdir().expect("a folder"));
                let path = home.root.join(sibling.path);
                let target = outside.path().join("target");
                fs::write(&target, "not ours\n").expect("a target");
                if !is_put(is, &path, &target) {
                    break;
                }
                let kind = || kind(&path);
                let (before, log, outer) = (kind(), home.bytes(), tree(outside.path()));

                let said = format!("{name} where {} is {is}", sibling.path);
                let removes = sibling.remove.contains(&name) && is != "a folder";
                let refuses = sibling.refuse.contains(&name) || sibling.remove.contains(&name);
                match without_hanging(name, &home.store, act) {
                    Err(e) => {
                        assert!(refuses && !removes, "{said}: {}", e.with_causes());
                        assert_refused(
                            name,
                            &Place { path: sibling.path, is_folder: false },
                            is,
                            &e,
                        );
                        assert_eq!(home.bytes(), log, "{said}");
                    }
                    Ok(()) => assert!(removes || !refuses, "{said}: it went well"),
                }
                if !removes {
                    assert_eq!(kind(), before, "{said}");
                }
                assert_eq!(tree(outside.path()), outer, "{said}");
            }
        }
    }
}

#[test]
fn whatever_its_owner_has_put_for_the_gitignore_a_session_begins_and_it_is_left() {
    let things = THINGS.iter().filter(|thing| thing.is != "a file").map(|thing| thing.is);
    for is in things.chain(["a symbolic link", "a dangling link"]) {
        for (name, act) in ACTS.iter().filter(|(name, _)| MAKE_A_STORE.contains(name)) {
            let (home, outside) = (Home::new(), tempfile::tempdir().expect("a folder"));
            let path = home.root.join(".graff/notes/.gitignore");
            fs::create_dir_all(path.parent().expect("a folder")).expect("a store");
            let target = outside.path().join("target");
            if is == "a symbolic link" {
                fs::write(&target, "not ours\n").expect("a target");
            }
            if !is_put(is, &path, &target) {
                break;
            }
            let kind = || kind(&path);
            let (before, outer) = (kind(), tree(outside.path()));
            let done = without_hanging(name, &home.store, *act);
            assert!(done.is_ok(), "{name} beside {is}: {}", done.unwrap_err().with_causes());
            assert_eq!(kind(), before, "{name} beside {is}");
            assert_eq!(tree(outside.path()), outer, "{name} beside {is}");
        }
    }
}
