//! The promise: who replaces another user's log, or makes files beside it, leaves them whose they
//! were, with group, mode and access list; where that cannot be, nobody is let in who was not.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, chown},
};

use camino::Utf8Path;
use graff_notes::store::{
    Disk, RepairMode,
    medium::{Access, Medium as _},
};
use rustix::fs::XattrFlags;

use super::{
    Act,
    permission::{NOBODY, as_nobody, give_to_nobody, mode, set_mode},
};
use crate::support::{
    child::{self, Actor, Role},
    notes::{Home, LOG, import, line, note, s1},
    skipped,
};

/// What replaces a log, or makes files beside it.
const WRITES: [(&str, Act); 3] = [
    ("repair", |store| store.repair(&s1(), RepairMode::Write).map(drop)),
    ("import", |store| import(store, &[line(1, "one"), line(2, "two")].concat()).map(drop)),
    ("append", |store| store.append(&s1(), &note("two")).map(drop)),
];

#[test]
fn what_root_replaces_or_makes_in_the_store_of_another_user_stays_theirs() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    for (name, act) in WRITES {
        let home = Home::new();
        home.put(damaged());
        give_to_nobody(&home);
        set_mode(home.store.log_path(&s1()).as_str(), 0o640);
        act(&home.store).unwrap_or_else(|e| panic!("{name}: {}", e.with_causes()));
        for file in home.names() {
            let path = home.root.join(".graff/notes").join(&file);
            let made = fs::metadata(&path).expect("it is there");
            assert_eq!((made.uid(), made.gid()), (65534, 65534), "{name}: {file}");
            let expected = if file == LOG { 0o640 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{name}: {file}");
        }
        let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
        assert_eq!(said, ["stored"], "{name}: its owner goes on");
    }
}

#[test]
fn what_root_takes_out_of_a_log_is_the_owners_of_the_log_and_not_of_the_folder() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    let home = Home::new();
    home.put(damaged());
    give_to_nobody(&home);
    let log = home.store.log_path(&s1());
    chown(&log, Some(65533), Some(65532)).expect("root may");
    set_mode(log.as_str(), 0o640);
    home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    let whose = |name: &str| {
        let path = home.root.join(".graff/notes").join(name);
        let made = fs::metadata(&path).expect("it is there");
        (made.uid(), made.gid(), mode(&path))
    };
    assert_eq!(whose(LOG), (65533, 65532, 0o640));
    assert_eq!(whose("s1.notes.rejected"), (65533, 65532, 0o600));
    assert_eq!(whose("s1.notes.lock"), (65534, 65534, 0o600));
    Disk::at(&home.root).open("s2.notes.repaired", Access::CreateOwn).expect("it is made");
    assert_eq!(whose("s2.notes.repaired"), (0, 0, 0o600), "nobody's until it is given");
}

#[test]
fn where_root_may_not_give_a_file_away_none_is_left_that_keeps_its_owner_out() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    let home = Home::new();
    home.put(line(1, "one"));
    give_to_nobody(&home);
    let append = |errno: &str| {
        let inject = format!("inject=fchown:error={errno}");
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
        let command = child::under(&strace, Role::AppendOnce, &home.root, "new");
        Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default()
    };
    let said = append("EPERM");
    if said.is_empty() {
        return skipped("strace is not to be had, or may not trace here");
    }
    let lock = home.store.lock_path(&s1());
    let why = "it may not be given to user 65534, whose folder it is in";
    assert_eq!(said, [format!("PermissionDenied: create {lock}: {why}")]);
    assert_eq!((home.names(), home.bytes()), (vec![LOG.to_owned()], line(1, "one")));
    assert_eq!(append("EINVAL"), ["stored"], "there are no owners here");
}

#[test]
fn who_is_not_root_keeps_mode_and_group_of_a_log_and_lets_no_other_group_in() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act for another user");
    }
    for (group, before, after) in [(65534, 0o660, 0o660), (0, 0o664, 0o604)] {
        let home = Home::new();
        home.put(damaged());
        let log = home.store.log_path(&s1());
        chown(&log, None, Some(group)).expect("root may");
        set_mode(log.as_str(), before);
        for folder in ["", ".graff", ".graff/notes"] {
            set_mode(home.root.join(folder).as_str(), 0o777);
        }
        let Some(said) = as_nobody(Role::Repair, &home) else { return };
        assert_eq!(said, ["dropped 1"]);
        let made = fs::metadata(&log).expect("it is there");
        assert_eq!((made.uid(), made.gid(), mode(&log)), (65534, 65534, after));
    }
}

#[test]
fn who_is_in_a_name_space_that_does_not_know_the_group_keeps_the_log_and_lets_no_group_in() {
    let home = Home::new();
    home.put(damaged());
    give_to_nobody(&home);
    let log = home.store.log_path(&s1());
    set_mode(log.as_str(), 0o664);
    let inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fchown:error=EINVAL"];
    let user = if rustix::process::geteuid().is_root() { NOBODY } else { &[] };
    let command = child::under(&[user, &inject].concat(), Role::Repair, &home.root, "");
    let said = Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default();
    if said.is_empty() {
        return skipped("no setpriv or strace, or it may not trace here");
    }
    assert_eq!((said, mode(&log)), (vec!["dropped 1".to_owned()], 0o604));
}

/// The attributes of a file and of a folder that hold access lists.
const LIST: &str = "system.posix_acl_access";
const LIST_FOR_NEW_FILES: &str = "system.posix_acl_default";

/// An access list that lets user 65533 in as `user` says and the group as `group` does; `mask` is
/// the most that either gets. Source: `linux/posix_acl_xattr.h`.
fn access_list(user: u16, group: u16, mask: u16) -> Vec<u8> {
    let entries = [(1, 7, !0), (2, user, 65533), (4, group, !0), (16, mask, !0), (32, 0, !0)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, whose) in entries {
        let entry: (u16, u16, u32) = (tag, rights, whose);
        list.extend([entry.0.to_le_bytes(), entry.1.to_le_bytes()].concat());
        list.extend(entry.2.to_le_bytes());
    }
    list
}

/// Puts an access list on a file, or says that there are none here.
fn put_list(path: &Utf8Path, name: &str, list: &[u8]) -> Option<()> {
    let put = rustix::fs::setxattr(path.as_std_path(), name, list, XattrFlags::empty());
    if put.is_err() {
        skipped("the file system has no access lists");
    }
    put.ok()
}

/// A log with a record, and a line that a repair takes out.
fn damaged() -> Vec<u8> {
    [line(1, "one"), b"junk\n".to_vec()].concat()
}

fn list_of(path: &Utf8Path) -> Option<Vec<u8>> {
    let mut list = vec![0; 1024];
    let bytes = rustix::fs::getxattr(path.as_std_path(), LIST, list.as_mut_slice()).ok()?;
    list.truncate(bytes);
    Some(list)
}

#[test]
fn a_log_that_is_replaced_keeps_its_access_list_and_gets_none_from_its_folder() {
    let for_new_files = access_list(7, 5, 7);
    for (name, act) in &WRITES[..2] {
        let home = Home::new();
        home.put(damaged());
        let log = home.store.log_path(&s1());
        let folder = home.root.join(".graff/notes");
        let Some(()) = put_list(&folder, LIST_FOR_NEW_FILES, &for_new_files) else { return };
        set_mode(log.as_str(), 0o640);
        act(&home.store).unwrap_or_else(|e| panic!("{name}: {}", e.with_causes()));
        assert_eq!((mode(&log), list_of(&log)), (0o640, None), "{name}");

        let list = access_list(4, 0, 4);
        home.put(damaged());
        let Some(()) = put_list(&log, LIST, &list) else { return };
        assert_eq!(mode(&log), 0o740, "the group's bits are the mask");
        act(&home.store).unwrap_or_else(|e| panic!("{name}: {}", e.with_causes()));
        assert_eq!((mode(&log), list_of(&log)), (0o740, Some(list)), "{name}");
    }
}

#[test]
fn where_the_access_list_of_a_log_cannot_be_kept_nobody_but_its_owner_is_let_in() {
    let home = Home::new();
    home.put(damaged());
    let log = home.store.log_path(&s1());
    let Some(()) = put_list(&log, LIST, &access_list(4, 0, 4)) else { return };
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsetxattr:error=EPERM"];
    let command = child::under(&strace, Role::Repair, &home.root, "");
    let said = Actor::start_if_possible(command).map(Actor::rest).unwrap_or_default();
    if said.is_empty() {
        return skipped("strace is not to be had, or may not trace here");
    }
    assert_eq!((said, mode(&log), list_of(&log)), (vec!["dropped 1".to_owned()], 0o700, None));
}
