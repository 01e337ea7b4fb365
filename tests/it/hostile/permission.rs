//! The promise: what the store makes is its owner's alone, and where rights are missing the error
//! says which and on what, and reading goes on as far as it can.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, chown},
};
#[cfg(feature = "cli")]
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use camino::Utf8Path;

#[cfg(feature = "cli")]
use crate::support::world::{Ran, World};
use crate::support::{
    child::{self, Actor, Role},
    notes::{Home, add, line, records, s1},
    skipped,
};

/// A user that nothing belongs to.
pub(super) const NOBODY: &[&str] =
    &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

#[test]
fn folders_are_0700_and_files_0600_under_any_umask() {
    for umask in ["000", "022", "077", "0777"] {
        let home = Home::new();
        let mut child = Actor::start(child::command(Role::Umask, &home.root, umask));
        child.expect("Ok(()) true Ok(1)");
        let graff = home.root.join(".graff");
        assert_eq!(mode(&graff), 0o700, "umask {umask}");
        assert_eq!(mode(&graff.join("notes")), 0o700, "umask {umask}");
        let names = home.names();
        assert_eq!(names, [".gitignore", "s1.notes.jsonl", "s1.notes.lock", "s1.notes.rejected"]);
        for name in names {
            assert_eq!(mode(&graff.join("notes").join(&name)), 0o600, "umask {umask}, {name}");
        }
    }
}

pub(super) fn mode(path: &Utf8Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

/// Plays a role as a user without rights, or says why that can't be done here.
pub(super) fn as_nobody(role: Role, home: &Home) -> Option<Vec<String>> {
    let wrapper = if rustix::process::geteuid().is_root() { NOBODY } else { &[] };
    let said = Actor::start_if_possible(child::under(wrapper, role, &home.root, "mine"))?.rest();
    if said.is_empty() {
        skipped("this binary can't be run as another user (setpriv, or the modes on its path)");
        return None;
    }
    Some(said)
}

/// What is made unreachable, what is attempted, and what is said; `R` stands for the root.
const FORBIDDEN: [(&str, u32, Role, &str); 7] = [
    ("R/.graff/notes", 0o000, Role::AppendOnce, "open R/.graff/notes/s1.notes.lock"),
    ("R/.graff/notes", 0o000, Role::Newest, "open R/.graff/notes/s1.notes.jsonl"),
    ("R/.graff", 0o000, Role::Newest, "open R/.graff/notes/s1.notes.jsonl"),
    ("R/.graff/notes/s1.notes.lock", 0o400, Role::AppendOnce, "open R/.graff/notes/s1.notes.lock"),
    ("R/.graff/notes/s1.notes.lock", 0o000, Role::AppendOnce, "open R/.graff/notes/s1.notes.lock"),
    (
        "R/.graff/notes/s1.notes.jsonl",
        0o400,
        Role::AppendOnce,
        "open R/.graff/notes/s1.notes.jsonl",
    ),
    ("R/.graff/notes/s1.notes.jsonl", 0o000, Role::Newest, "open R/.graff/notes/s1.notes.jsonl"),
];

#[cfg(feature = "cli")]
#[test]
fn what_hooks_leave_in_the_users_home_is_0700_and_0600_under_any_umask() {
    for umask in ["000", "022", "077", "0777"] {
        let world = World::new();
        world.fed("a note", &["write", "s1"]).quietly();
        let state = world.root().join("home/.local/state/graff-notes");
        let hook = format!("umask {umask}; exec \"$0\" hook goose");
        let mut shell = Command::new("sh");
        shell.args(["-c", &hook, env!("CARGO_BIN_EXE_graff-notes")]).current_dir(world.root());
        shell.env("HOME", world.root().join("home")).env_remove("XDG_STATE_HOME");
        shell.env("GRAFF_ROOT", world.root());
        shell.env("GOOSE_MOIM_MESSAGE_FILE", state.join("goose-note.md"));
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        let mut pipe = child.stdin.take().expect("a pipe");
        let payload = b"{\"event\":\"UserPromptSubmit\",\"session_id\":\"s1\"}";
        pipe.write_all(payload).expect("it reads");
        drop(pipe);
        Ran::of_child(child).quietly();
        for folder in [state.parent().expect("a folder"), &state, &state.join("active")] {
            assert_eq!(mode(folder), 0o700, "umask {umask}: {folder}");
        }
        for name in ["goose", "goose-note.md", "active/s1"] {
            assert_eq!(mode(&state.join(name)), 0o600, "umask {umask}: {name}");
        }
    }
}

#[test]
fn without_permission_the_error_says_so_and_on_what() {
    for (path, mode, role, attempted) in FORBIDDEN {
        let home = Home::new();
        add(&home.store, "one");
        let in_root = |text: &str| text.replace("R/", &format!("{}/", home.root));
        give_to_nobody(&home);
        set_mode(&in_root(path), mode);
        let Some(said) = as_nobody(role, &home) else { return };
        set_mode(&in_root(path), 0o700);
        let words = in_root(attempted);
        let expected = format!("PermissionDenied: {words}: Permission denied (os error 13)");
        assert_eq!(said, [expected], "{path} {mode:o}");
        assert_eq!(records(&home.store), ["one"]);
    }
}

#[test]
fn below_a_folder_that_anybody_may_write_to_the_store_is_its_owners_alone() {
    let home = Home::new();
    set_mode(home.root.as_str(), 0o777);
    add(&home.store, "one");
    let before = home.bytes();
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
    let whose = "`.graff` belongs to another user, 0: Permission denied (os error 13)";
    let denied = |path: &str| format!("PermissionDenied: open {path}: {whose}");
    assert_eq!(said, [denied(home.store.lock_path(&s1()).as_str())]);
    let said = as_nobody(Role::Newest, &home).expect("it ran before");
    assert_eq!(said, [denied(home.store.log_path(&s1()).as_str())]);
    assert_eq!(home.bytes(), before);
    assert_eq!(mode(&home.root), 0o777, "what is not ours stays as it is");
    assert_eq!(mode(&home.root.join(".graff")), 0o700);
}

#[test]
fn where_a_folder_forbids_a_change_the_owner_of_a_file_in_it_is_not_blamed() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    let home = Home::new();
    add(&home.store, "one");
    give_to_nobody(&home);
    let mark = home.store.log_path(&s1()).with_extension("repairing");
    fs::write(&mark, "0\n").expect("a mark of root's, which the next append removes");
    set_mode(mark.as_str(), 0o644);
    let notes = home.root.join(".graff/notes");
    for (owner, mode, whose) in
        [(65534, 0o500, ""), (65533, 0o755, "`notes` belongs to another user, 65533: ")]
    {
        chown(&notes, Some(owner), None).expect("root may");
        set_mode(notes.as_str(), mode);
        let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
        let denied = format!("{whose}Permission denied (os error 13)");
        assert_eq!(said, [format!("PermissionDenied: remove {mark}: {denied}")]);
    }
}

#[test]
fn below_the_root_of_all_it_is_that_which_forbids_a_store() {
    if !rustix::process::geteuid().is_root() || Utf8Path::new("/.graff").exists() {
        return skipped("only root can act for another user, and only where `/` has no store");
    }
    let command = child::under(NOBODY, Role::AppendOnce, Utf8Path::new("/"), "mine");
    let said = Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default();
    if said.is_empty() {
        return skipped(
            "this binary can't be run as another user (setpriv, or the modes on its path)",
        );
    }
    let whose = "`/` belongs to another user, 0: Permission denied (os error 13)";
    assert_eq!(said, [format!("PermissionDenied: create the folder /.graff: {whose}")]);
}

#[test]
fn in_a_folder_that_cannot_be_written_to_nothing_is_made_and_reading_goes_on() {
    let home = Home::new();
    add(&home.store, "one");
    fs::remove_file(home.store.lock_path(&s1())).expect("no lock");
    give_to_nobody(&home);
    set_mode(home.root.join(".graff/notes").as_str(), 0o500);
    let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
    let lock = home.store.lock_path(&s1());
    let expected = format!("PermissionDenied: create {lock}: Permission denied (os error 13)");
    assert_eq!(said, [expected]);
    assert_eq!(as_nobody(Role::Newest, &home), Some(vec!["Some(\"one\")".to_owned()]));
    set_mode(home.root.join(".graff/notes").as_str(), 0o700);
}

#[test]
fn a_reader_without_the_right_to_lock_reads_a_torn_log_all_the_same() {
    let home = Home::new();
    home.put([line(1, "one"), b"{\"v\":1,\"sess".to_vec()].concat());
    fs::write(home.store.lock_path(&s1()), "").expect("a lock");
    give_to_nobody(&home);
    set_mode(home.store.lock_path(&s1()).as_str(), 0o000);
    let Some(said) = as_nobody(Role::Newest, &home) else { return };
    assert_eq!(said, ["Some(\"one\")"]);
}

/// Makes everything in a store belong to [`NOBODY`], so that modes alone decide.
pub(super) fn give_to_nobody(home: &Home) {
    let owner = if rustix::process::geteuid().is_root() { Some(65534) } else { None };
    set_mode(home.root.as_str(), 0o755);
    let mut paths = vec![home.root.join(".graff"), home.root.join(".graff/notes")];
    paths.extend(home.names().iter().map(|name| home.root.join(".graff/notes").join(name)));
    for path in paths {
        chown(&path, owner, owner).expect("it can be given away");
    }
}

pub(super) fn set_mode(path: &str, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
}
