//! The promise: what root puts into another user's home or project is that user's, folders
//! included: the hooks keep nobody out of their own settings.
//!
//! Shown by the built program, run by root in a home and a project of another's.

use std::{
    fs,
    io::Write,
    os::unix::fs::{MetadataExt, chown},
};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

use super::{
    desk::Desk,
    installs::{FILES, desk, hooks, put, text},
};
use crate::support::{skipped, world::Ran};

/// The user whose home and project it is.
const THEIRS: u32 = 65534;

/// What is in a folder, and in those in it.
fn beneath(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().expect("a folder");
    let within = |path: Utf8PathBuf| {
        let inner = if path.is_dir() { beneath(&path) } else { Vec::new() };
        inner.into_iter().chain([path])
    };
    entries.flat_map(|entry| within(entry.expect("an entry").into_path())).collect()
}

/// A home and a project that are another user's.
fn another_users() -> Option<Desk> {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can act for another user");
        return None;
    }
    let desk = desk();
    for place in [desk.home(), desk.project()] {
        for path in beneath(&place).into_iter().chain([place]) {
            chown(path, Some(THEIRS), Some(THEIRS)).expect("root may");
        }
    }
    Some(desk)
}

#[track_caller]
fn assert_theirs(desk: &Desk) {
    for path in [desk.home(), desk.project()].iter().flat_map(|place| beneath(place)) {
        let made = fs::symlink_metadata(&path).expect("it is there");
        assert_eq!((made.uid(), made.gid()), (THEIRS, THEIRS), "{path}");
    }
}

#[test]
fn hooks_that_root_installs_are_the_users_also_in_a_project() {
    for (host, name) in FILES {
        for flags in [&[][..], &["--project"]] {
            let Some(desk) = another_users() else { return };
            hooks(&desk, &[&["install", host.as_str()], flags].concat()).quietly();
            assert_eq!(desk.home().join(name).exists(), flags.is_empty());
            assert_theirs(&desk);
            hooks(&desk, &[&["remove", host.as_str()], flags].concat()).quietly();
            assert_theirs(&desk);
        }
    }
}

#[test]
fn a_copy_that_root_keeps_is_the_users_whose_settings_it_is_of() {
    let Some(desk) = another_users() else { return };
    let path = put(&desk, ".claude/settings.json", "{\"model\": \"opus\"}\n");
    for path in beneath(&desk.home()) {
        chown(path, Some(THEIRS), Some(THEIRS)).expect("root may");
    }
    hooks(&desk, &["install", "claude-code"]).quietly();
    assert!(text(&path).contains("graff-notes hook"));
    assert_theirs(&desk);
}

#[test]
fn what_a_hook_tells_of_itself_is_the_users_whom_root_calls_it_for() {
    for (host, _) in FILES {
        let Some(desk) = another_users() else { return };
        let called = json!({
            "hook_event_name": "SessionStart",
            "event": "SessionStart",
            "session_id": "s1",
            "cwd": desk.project(),
        });
        let mut hook = desk.command(&["hook", host.as_str()]).spawn().expect("it starts");
        let pipe = hook.stdin.as_mut().expect("a pipe");
        pipe.write_all(called.to_string().as_bytes()).expect("written");
        Ran::of_child(hook).ends(0);
        let state = desk.home().join(".local/state/graff-notes");
        assert!(state.is_dir(), "{host}");
        assert_theirs(&desk);
    }
}
