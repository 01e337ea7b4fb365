//! The promise: what the tests in memory show holds on a real kernel, which has limits, full disks,
//! failing calls and an order of its own.
//!
//! Shown where the machine allows it: under a file size limit, on a full tmpfs, and with system
//! calls that strace makes fail. What cannot be had here is skipped, and that is said.

use std::{
    fs,
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use camino::Utf8Path;
use graff_notes::{
    ErrorKind,
    store::{RepairMode, Store},
};
use rustix::process::Signal;

mod forked;
mod order;

use crate::support::{
    child::{self, Actor, Role},
    notes::{Home, add, line, note, records, s1},
    report, skipped,
};

fn two_notes() -> Vec<u8> {
    [line(1, "one"), line(2, "two")].concat()
}

fn two_notes_and_blank_lines_up_to(len: usize) -> Vec<u8> {
    let mut log = two_notes();
    log.resize(len, b'\n');
    log
}

/// What a child says under `wrapper`; `None` where that can't be had.
fn said(wrapper: &[&str], role: Role, home: &Home, argument: &str) -> Option<Vec<String>> {
    let child = Actor::start_if_possible(child::under(wrapper, role, &home.root, argument));
    let said = child.map(Actor::rest).unwrap_or_default();
    if said.is_empty() {
        skipped(&format!("`{}` doesn't run here", wrapper.first().unwrap_or(&"the child")));
        return None;
    }
    Some(said)
}

// Limits.

/// Ignores the signal, as a host does that wants the error, and allows files of 8 KiB.
const LIMITED: [&str; 3] = ["bash", "-c", "trap '' XFSZ; ulimit -f 8 && exec \"$0\" \"$@\""];

#[test]
fn a_note_that_does_not_fit_under_the_file_size_limit_leaves_nothing() {
    let home = Home::new();
    let room = 50;
    let log = two_notes_and_blank_lines_up_to(8192 - room);
    home.put(&log);
    let wanted = line(3, "too long for what is left").len();
    let Some(said) = said(&LIMITED, Role::AppendOnce, &home, "too long for what is left") else {
        return;
    };
    let path = home.store.log_path(&s1());
    let taken_back = "they were taken back, and the log reads as before";
    let short = format!("only {room} of {wanted} bytes could be written; {taken_back}");
    assert_eq!(said, [format!("NoSpace: append to {path}: {short}")]);
    assert_eq!(home.bytes(), log);
    add(&home.store, "there is room again");
    assert_eq!(home.store.verify(&s1()).expect("a log").bad_lines, 0);
}

#[test]
fn a_log_that_is_over_the_file_size_limit_already_is_left_as_it_is() {
    let home = Home::new();
    let log = two_notes_and_blank_lines_up_to(9000);
    home.put(&log);
    let Some(said) = said(&LIMITED, Role::AppendOnce, &home, "too late") else { return };
    let path = home.store.log_path(&s1());
    assert_eq!(said, [format!("NoSpace: append to {path}: File too large (os error 27)")]);
    assert_eq!(home.bytes(), log);
}

#[test]
fn a_process_that_dies_of_the_limits_signal_leaves_the_log_as_it_was() {
    let home = Home::new();
    let log = two_notes_and_blank_lines_up_to(9000);
    home.put(&log);
    let dies = ["bash", "-c", "ulimit -f 8; \"$0\" \"$@\" >/dev/null; echo \"child: $?\""];
    let Some(said) = said(&dies, Role::AppendOnce, &home, "too late") else { return };
    assert_eq!(said, [format!("{}", 128 + Signal::XFSZ.as_raw())]);
    assert_eq!(home.bytes(), log);
    add(&home.store, "another one goes on");
    assert_eq!(records(&home.store), ["one", "two", "another one goes on"]);
}

#[test]
fn what_is_shown_of_a_real_disk_is_shown_on_this_file_system() {
    let home = Home::new();
    let mounts = fs::read_to_string("/proc/self/mounts").expect("a list");
    let mounts = mounts.lines().filter_map(|line| {
        let [_, place, kind] = line.splitn(4, ' ').collect::<Vec<_>>()[..3] else { return None };
        home.root.starts_with(place).then_some((place.len(), kind))
    });
    let (_, kind) = mounts.max().expect("it is on one");
    report(format_args!("real disk: the folders of these tests are on {kind}"));
    let is_believed = ["ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs"].contains(&kind);
    assert_eq!(home.is_truthful(), is_believed, "what the tests of a kept log take {kind} for");
}

/// A file system of 64 KiB.
struct Tmpfs {
    folder: tempfile::TempDir,
}

impl Tmpfs {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "none"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self { folder });
        }
        skipped("no file system can be mounted here");
        None
    }

    /// Mounts it again, to be written to (`rw`) or not (`ro`).
    #[track_caller]
    fn remount(&self, access: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,size=64k,{access}")]).arg(self.folder.path());
        assert!(mount.status().is_ok_and(|status| status.success()), "as it was mounted");
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).expect("UTF-8")
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path()).status();
    }
}

#[test]
fn a_full_disk_costs_only_the_notes_that_it_refused() {
    let Some(disk) = Tmpfs::mount() else { return };
    let store = Store::at(disk.root());
    let text = |i: usize| format!("{i} {}", "x".repeat(3900));
    let mut acknowledged = Vec::new();
    let refused = loop {
        let text = text(acknowledged.len());
        match store.append(&s1(), &note(&text)) {
            Ok(_) => acknowledged.push(text),
            Err(e) => break e,
        }
        assert!(acknowledged.len() < 32, "the disk is never full");
    };
    assert_eq!(refused.kind(), ErrorKind::NoSpace);
    assert_eq!(refused.advice(), "free space or raise the limit, then do it again");
    assert!(refused.with_causes().starts_with(&format!("append to {}", store.log_path(&s1()))));
    assert_eq!(records(&store), acknowledged);
    let health = store.verify(&s1()).expect("a log");
    assert!(health.is_ok(), "{health:?}");
    add(&store, "short enough");
    acknowledged.push("short enough".to_owned());
    assert_eq!(records(&store), acknowledged);
}

#[test]
fn a_disk_that_has_become_read_only_is_read_and_refuses_the_rest_in_words() {
    let Some(disk) = Tmpfs::mount() else { return };
    let store = Store::at(disk.root());
    add(&store, "one");
    let path = store.log_path(&s1());
    let damaged = [fs::read(&path).expect("a log"), b"junk\n".to_vec()].concat();
    fs::write(&path, &damaged).expect("damage");
    disk.remount("ro");
    let append = store.append(&s1(), &note("two")).map(drop);
    let repair = store.repair(&s1(), RepairMode::Write).map(drop);
    for refused in [append, repair, store.forget(&s1())] {
        let e = refused.expect_err("nothing can be written");
        assert_eq!(e.kind(), ErrorKind::ReadOnly, "{}", e.with_causes());
        assert!(e.with_causes().ends_with("Read-only file system (os error 30)"));
    }
    assert_eq!(records(&store), ["one"]);
    assert_eq!(store.verify(&s1()).expect("a log").bad_lines, 1);
    assert_eq!(fs::read(&path).expect("a log"), damaged);
    disk.remount("rw");
    add(&store, "two");
    assert_eq!(records(&store), ["one", "two"]);
}

// Failing calls.

/// Runs a role with a system call failing: `call:error=…`, as strace takes it.
fn injected(home: &Home, role: Role, injections: &[&str]) -> Option<Vec<String>> {
    let mut strace = vec!["strace", "-f", "-qq", "-o", "/dev/null"];
    let injections: Vec<_> = injections.iter().map(|i| format!("inject={i}")).collect();
    strace.extend(injections.iter().flat_map(|injection| ["-e", injection]));
    said(&strace, role, home, "new")
}

#[test]
fn a_failed_sync_fails_the_append_and_takes_it_back() {
    let home = Home::new();
    home.put(two_notes());
    let path = home.store.log_path(&s1());
    let Some(said) = injected(&home, Role::AppendOnce, &["fdatasync:error=EIO:when=1"]) else {
        return;
    };
    assert_eq!(said, [format!("Io: sync {path}: Input/output error (os error 5)")]);
    assert_eq!(home.bytes(), two_notes());

    let both = ["fdatasync:error=EIO", "ftruncate:error=EIO"];
    let said = injected(&home, Role::AppendOnce, &both).expect("it ran before");
    assert!(said[0].starts_with(&format!("Uncertain: sync {path}: the note may or may not")));
    assert_eq!(home.bytes(), [two_notes(), line(3, "new"), b"#\n".to_vec()].concat());
}

#[test]
fn a_read_that_fails_is_not_taken_for_damage() {
    let home = Home::new();
    let log = [&two_notes()[..], b"junk\n"].concat();
    home.put(&log);
    let path = home.store.log_path(&s1());
    let injection = ["-P", path.as_str(), "-e", "inject=pread64:error=EIO"];
    let strace = [&["strace", "-f", "-qq", "-o", "/dev/null"], &injection[..]].concat();
    for role in [Role::Newest, Role::Repair, Role::AppendOnce] {
        let Some(said) = said(&strace, role, &home, "new") else { return };
        assert_eq!(said, [format!("Io: read {path}: Input/output error (os error 5)")], "{role:?}");
        assert_eq!(home.bytes(), log, "{role:?}");
        assert!(!home.names().contains(&"s1.notes.rejected".to_owned()), "{role:?}");
    }
    assert_eq!(records(&home.store), ["one", "two"]);
}

#[cfg(feature = "cli")]
#[test]
fn a_log_that_the_program_cannot_read_is_an_error_and_its_exit_status_not_that_of_damage() {
    let home = Home::new();
    home.put(two_notes());
    let path = home.store.log_path(&s1());
    for arguments in [&["verify", "s1"][..], &["show", "s1"], &["repair", "s1", "--write"]] {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-o", "/dev/null", "-P", path.as_str()]);
        strace.args(["-e", "inject=pread64:error=EIO", env!("CARGO_BIN_EXE_graff-notes")]);
        strace.args(["--root", home.root.as_str()]).args(arguments).stdin(Stdio::null());
        let Ok(ran) = strace.output() else { return skipped("no strace to make a call fail") };
        let said = String::from_utf8_lossy(&ran.stderr);
        if said.starts_with("strace: ") {
            return skipped("`strace` doesn't run here");
        }
        assert_eq!(ran.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("Input/output error (os error 5)"), "{arguments:?}: {said}");
        assert_eq!(home.bytes(), two_notes(), "{arguments:?}");
    }
}

#[test]
fn where_there_are_no_locks_nothing_is_written_and_that_is_said() {
    let why = "the file system gives no locks here, and nothing is written without one";
    for (errno, words) in [
        ("ENOLCK", "No locks available (os error 37)"),
        ("EOPNOTSUPP", "Operation not supported (os error 95)"),
        ("ENOSYS", "Function not implemented (os error 38)"),
        ("EBADF", "Bad file descriptor (os error 9)"),
    ] {
        let home = Home::new();
        home.put(two_notes());
        let injection = format!("flock:error={errno}");
        let Some(said) = injected(&home, Role::AppendOnce, &[&injection]) else { return };
        let lock = home.store.lock_path(&s1());
        assert_eq!(said, [format!("LockUnsupported: lock {lock}: {why}: {words}")]);
        assert_eq!(home.bytes(), two_notes());
    }
}

#[test]
fn a_lock_that_fails_for_another_reason_is_not_called_unsupported() {
    let home = Home::new();
    home.put(two_notes());
    let Some(said) = injected(&home, Role::AppendOnce, &["flock:error=EIO"]) else { return };
    let lock = home.store.lock_path(&s1());
    assert_eq!(said, [format!("Io: lock {lock}: Input/output error (os error 5)")]);
    assert_eq!(home.bytes(), two_notes());
}

#[test]
fn a_repair_whose_calls_fail_leaves_the_log_as_it_was() {
    let log = [&two_notes()[..], b"junk\n"].concat();
    for call in ["fsync", "fdatasync", "renameat,renameat2"] {
        let home = Home::new();
        home.put(&log);
        let injection = format!("{call}:error=EIO");
        let Some(said) = injected(&home, Role::Repair, &[&injection]) else { return };
        assert!(said[0].starts_with("Io: "), "{call}: {said:?}");
        assert_eq!(home.bytes(), log, "{call}");
        assert_eq!(records(&home.store), ["one", "two"]);
    }
}

#[test]
fn an_old_kernel_that_cannot_refuse_links_in_one_call_refuses_them_step_by_step() {
    for errno in ["ENOSYS", "EPERM"] {
        let home = Home::new();
        let injection = format!("openat2:error={errno}");
        let Some(said) = injected(&home, Role::AppendOnce, &[&injection]) else { return };
        assert_eq!(said, ["stored"]);
        assert_eq!(records(&home.store), ["new"]);

        let path = home.store.log_path(&s1());
        fs::rename(&path, home.root.join("elsewhere")).expect("it can be moved");
        symlink(home.root.join("elsewhere"), &path).expect("a link");
        for role in [Role::AppendOnce, Role::Newest] {
            let said = injected(&home, role, &[&injection]).expect("it ran before");
            let why = "it is a symbolic link, not a plain file";
            assert_eq!(said, [format!("NotRegularFile: open {path}: {why}")]);
        }

        let notes = home.root.join(".graff/notes");
        let moved = home.root.join("moved");
        fs::rename(&notes, &moved).expect("it can be moved");
        symlink(&moved, &notes).expect("a link");
        let said = injected(&home, Role::Newest, &[&injection]).expect("it ran before");
        let why = "`notes` is a symbolic link, not a folder";
        assert_eq!(said, [format!("NotRegularFile: open {path}: {why}")]);
    }
}

#[test]
fn a_link_is_known_by_either_word_that_a_system_has_for_it() {
    for errno in ["ELOOP", "EMLINK"] {
        let home = Home::new();
        home.put(two_notes());
        let path = home.store.log_path(&s1());
        fs::rename(&path, home.root.join("elsewhere")).expect("it can be moved");
        symlink(home.root.join("elsewhere"), &path).expect("a link");
        let injection = format!("openat2:error={errno}:when=1");
        let Some(said) = injected(&home, Role::Newest, &[&injection]) else { return };
        let why = "it is a symbolic link, not a plain file";
        assert_eq!(said, [format!("NotRegularFile: open {path}: {why}")], "{errno}");
    }
}

#[test]
fn a_link_that_comes_in_the_place_of_a_folder_above_the_root_is_not_passed() {
    for errno in [None, Some("ENOSYS")] {
        let home = Home::new();
        let [above, aside, other] = ["above", "aside", "other"].map(|name| home.root.join(name));
        for folder in [&above, &other] {
            fs::create_dir_all(folder.join("root")).expect("a root");
        }
        let injection = format!("inject=openat2:error={}", errno.unwrap_or_default());
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &injection];
        let wrapper = if errno.is_some() { &strace[..] } else { &[] };
        let root = above.join("root");
        let command = child::under(wrapper, Role::AppendWhenTold, &root, "one");
        let Some(mut actor) = Actor::start_if_possible(command) else {
            return skipped("strace is not to be had");
        };
        let Some(said) = actor.next() else { return skipped("strace may not trace here") };
        assert_eq!(said, "stored");
        fs::rename(&above, &aside).expect("it is moved");
        symlink(&other, &above).expect("a link in its place");
        let why = "`above` is a symbolic link, not a folder";
        let lock = Store::at(&root).lock_path(&s1());
        let refused = format!("NotRegularFile: open {lock}: {why}");
        assert_eq!(actor.rest(), [refused], "openat2 answers {errno:?}");
        assert!(!other.join("root/.graff").exists(), "openat2 answers {errno:?}");
    }
}

#[test]
fn why_a_root_takes_no_folder_is_only_said_where_it_is_known() {
    let it_is_there = "the root is there, but no folder can be made in it; choose another root";
    let not_found = "No such file or directory (os error 2)";
    let no_folder = format!("InvalidInput: create the folder R/.graff: {it_is_there}: {not_found}");
    let denied = "PermissionDenied: create the folder R/.graff: Permission denied (os error 13)";
    // Once when nothing is found in it, once to make a folder there, once when that fails.
    let third_look = "openat2:error=EACCES:when=3+";
    let cases = [
        (None, no_folder.as_str()),
        (Some("fsync:error=EIO"), &no_folder),
        (Some(third_look), denied),
    ];
    for (injection, expected) in cases {
        let home = Home::new();
        let mut strace = vec!["strace", "-f", "-qq", "-o", "/dev/null", "-P", home.root.as_str()];
        strace.extend(["-e", "inject=mkdirat:error=ENOENT"]);
        let injection = injection.map(|injection| format!("inject={injection}"));
        strace.extend(injection.iter().flat_map(|injection| ["-e", injection]));
        let Some(said) = said(&strace, Role::AppendOnce, &home, "new") else { return };
        let expected = expected.replace("R/", &format!("{}/", home.root));
        assert_eq!(said, [expected], "{injection:?}");
    }
}
