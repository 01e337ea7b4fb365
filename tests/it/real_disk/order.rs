//! In which order the calls of an append and a repair reach the kernel.

use std::{
    fs,
    os::unix::fs::{chown, symlink},
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{said, two_notes};
use crate::support::{
    child::Role,
    notes::{Home, s1},
    skipped,
};

/// The calls on files of the store, as `name file`, in their order.
fn traced(home: &Home, role: Role) -> Option<Vec<String>> {
    let out: Utf8PathBuf = home.root.join("trace");
    let calls = "trace=openat,?openat2,flock,write,fsync,fdatasync,ftruncate,renameat,renameat2,\
                 unlinkat,linkat";
    let strace = ["strace", "-f", "-qq", "-y", "-o", out.as_str(), "-e", calls];
    said(&strace, role, home, "new")?;
    let trace = fs::read_to_string(&out).expect("a trace");
    Some(trace.lines().filter_map(|line| call(line, &home.root)).collect())
}

/// Reads a line like `4711 fdatasync(5</tmp/x/.graff/notes/s1.notes.jsonl>) = 0`.
fn call(line: &str, root: &Utf8Path) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let (name, arguments) = rest.trim_start().split_once('(')?;
    if arguments.contains("= -1 ENOENT") || arguments.contains("= -1 EAGAIN") {
        return None;
    }
    let (_, path) = arguments.rsplit_once(&format!("{root}"))?;
    let path: String = path.chars().take_while(|c| !matches!(c, '"' | '>')).collect();
    let name = if name.starts_with("openat") { "open" } else { name };
    let unlocks = if arguments.contains("LOCK_UN") { "un" } else { "" };
    Some(format!("{unlocks}{name} {}", path.trim_start_matches('/')))
}

#[test]
fn an_append_locks_opens_writes_once_syncs_once_and_unlocks() {
    let home = Home::new();
    home.put(two_notes());
    fs::write(home.store.lock_path(&s1()), "").expect("a lock");
    let Some(mut calls) = traced(&home, Role::AppendOnce) else { return };
    calls.retain(|call| call != "open .graff/notes"); // to see which file a name in it stands for
    let expected = [
        "open .graff/notes/s1.notes.lock",
        "flock .graff/notes/s1.notes.lock",
        "open .graff/notes/s1.notes.jsonl",
        "write .graff/notes/s1.notes.jsonl",
        "fdatasync .graff/notes/s1.notes.jsonl",
        "unflock .graff/notes/s1.notes.lock",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn the_folders_of_a_new_store_are_durable_before_the_first_byte_and_the_first_byte_after() {
    let home = Home::new();
    let Some(calls) = traced(&home, Role::AppendOnce) else { return };
    let at = |call: &str| {
        calls.iter().position(|found| found == call).unwrap_or_else(|| panic!("{call}: {calls:?}"))
    };
    let written = at("write .graff/notes/s1.notes.jsonl");
    for folder in ["fsync ", "fsync .graff", "fsync .graff/notes"] {
        assert!(at(folder) < written, "{folder}: {calls:?}");
    }
    let entries = "fsync .graff/notes";
    assert!(at(entries) < at("open .graff/notes/s1.notes.lock"), "the .gitignore: {calls:?}");
    let log = at("open .graff/notes/s1.notes.jsonl");
    assert!(calls[log..written].iter().any(|call| call == entries), "the log: {calls:?}");
    assert!(written < at("fdatasync .graff/notes/s1.notes.jsonl"), "{calls:?}");
}

#[test]
fn what_its_owner_has_put_for_the_gitignore_says_nothing_of_the_folders_around_it() {
    let home = Home::new();
    let notes = home.root.join(".graff/notes");
    fs::create_dir_all(&notes).expect("a store");
    symlink(home.root.join("theirs"), notes.join(".gitignore")).expect("a link");
    let Some(calls) = traced(&home, Role::AppendOnce) else { return };
    let written = calls.iter().position(|call| call == "write .graff/notes/s1.notes.jsonl");
    let before = &calls[..written.expect("a write")];
    for folder in ["fsync ", "fsync .graff", "fsync .graff/notes"] {
        assert!(before.iter().any(|call| call == folder), "{folder}: {calls:?}");
    }
}

#[test]
fn the_name_of_a_log_that_root_makes_for_another_is_durable_before_its_first_byte() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    let home = Home::new();
    chown(&home.root, Some(65534), Some(65534)).expect("root may");
    let Some(calls) = traced(&home, Role::AppendOnce) else { return };
    let last = |begin: &str| {
        let found = calls.iter().rposition(|call| call.starts_with(begin));
        found.unwrap_or_else(|| panic!("{begin}: {calls:?}"))
    };
    // The kernel tells the name under which it was opened, which was none.
    let (named, written) = (last("linkat .graff/notes"), last("write .graff/notes/#"));
    assert!(named < written && written < last("fdatasync .graff/notes/#"), "{calls:?}");
    let between = &calls[named..written];
    assert!(between.iter().any(|call| call == "fsync .graff/notes"), "{calls:?}");
}

#[test]
fn a_repair_syncs_both_files_before_the_rename_and_the_folder_after_it() {
    let home = Home::new();
    home.put([&two_notes()[..], b"junk\n"].concat());
    let Some(calls) = traced(&home, Role::Repair) else { return };
    let renamed = calls.iter().position(|call| call.starts_with("renameat")).expect("a rename");
    let before = |call: &str| calls[..renamed].iter().any(|found| found == call);
    assert!(before("fdatasync .graff/notes/s1.notes.repaired"), "{calls:?}");
    assert!(before("fdatasync .graff/notes/s1.notes.rejected"), "{calls:?}");
    assert!(before("fsync .graff/notes"), "{calls:?}");
    assert!(calls[renamed..].iter().any(|call| call == "fsync .graff/notes"), "{calls:?}");
}
