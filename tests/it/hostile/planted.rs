//! The promise: where another user has put a `.graff` or a `notes` of his own before us, the error
//! says that it is his, or what it is; and what is written into a folder that he has opened to
//! anybody is its writer's alone.
//!
//! Shown as one user without rights, in a project that anybody may write to, where another has
//! been.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, chown, symlink},
};

use camino::Utf8Path;

use super::{
    make,
    permission::{as_nobody, mode, set_mode},
    tree,
};
use crate::support::{
    child::Role,
    notes::{Home, s1},
    skipped,
};

/// The user who was there before, and the one who acts.
const PLANTER: u32 = 65533;
const ACTOR: u32 = 65534;

const DENIED: &str = "Permission denied (os error 13)";

/// A project that anybody may write to, with a folder of the actor's as far as the planter lets
/// him.
fn project(place: &str) -> Option<Home> {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can act for two other users");
        return None;
    }
    let home = Home::new();
    set_mode(home.root.as_str(), 0o777);
    if place == ".graff/notes" {
        let graff = home.root.join(".graff");
        fs::create_dir(&graff).expect("a folder");
        chown(&graff, Some(ACTOR), Some(ACTOR)).expect("root may");
        set_mode(graff.as_str(), 0o777);
    }
    Some(home)
}

/// Gives what stands at a path, and is no link, to the planter.
fn give_to_planter(path: &Utf8Path) {
    chown(path, Some(PLANTER), Some(PLANTER)).expect("root may");
}

/// What was said, without what tells the first file of a store from that of another process.
fn without_numbers(said: &str) -> String {
    let Some((before, behind)) = said.split_once(".gitignore.new.") else { return said.to_owned() };
    let is_of_a_number = |c: char| c == '.' || c.is_ascii_digit();
    format!("{before}.gitignore.new{}", behind.trim_start_matches(is_of_a_number))
}

#[test]
fn a_folder_of_another_user_that_lets_nobody_in_is_said_to_be_his() {
    for (place, name, made_in_it) in [
        (".graff", "`.graff`", "create the folder R/.graff/notes"),
        (".graff/notes", "`notes`", "create R/.graff/notes/.gitignore.new"),
    ] {
        for (bits, append, newest) in [
            (0o755, made_in_it, None),
            (
                0o700,
                "open R/.graff/notes/s1.notes.lock",
                Some("open R/.graff/notes/s1.notes.jsonl"),
            ),
        ] {
            let Some(home) = project(place) else { return };
            let path = home.root.join(place);
            fs::create_dir(&path).expect("a folder");
            give_to_planter(&path);
            set_mode(path.as_str(), bits);
            let his = |attempted: &str| {
                let attempted = attempted.replace("R/", &format!("{}/", home.root));
                let why = format!("{name} belongs to another user, {PLANTER}: {DENIED}");
                format!("PermissionDenied: {attempted}: {why}")
            };
            let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
            let said: Vec<_> = said.iter().map(|said| without_numbers(said)).collect();
            assert_eq!(said, [his(append)], "{place} {bits:o}");
            let said = as_nobody(Role::Newest, &home).expect("it ran before");
            let log = home.store.log_path(&s1());
            let not_there = format!("NotFound: open {log}: No such file or directory (os error 2)");
            assert_eq!(said, [newest.map_or(not_there, his)], "{place} {bits:o}");
            assert_eq!(tree(path.as_std_path()), [], "{place} {bits:o}");
        }
    }
}

#[test]
fn what_stands_there_and_is_no_folder_is_named_whoevers_it_is() {
    type Put = fn(&Utf8Path, &Utf8Path);
    let things: [(&str, Put); 3] = [
        ("a symbolic link", |path, elsewhere| symlink(elsewhere, path).expect("a link")),
        ("a file", |path, _| fs::write(path, "").expect("a file")),
        ("a named pipe", |path, _| assert!(make(path, rustix::fs::FileType::Fifo))),
    ];
    for (place, name) in [(".graff", "`.graff`"), (".graff/notes", "`notes`")] {
        for (is, put) in things {
            let (Some(home), elsewhere) = (project(place), Home::new()) else { return };
            give_to_planter(&elsewhere.root);
            set_mode(elsewhere.root.as_str(), 0o777);
            let path = home.root.join(place);
            put(&path, &elsewhere.root);
            std::os::unix::fs::lchown(&path, Some(PLANTER), Some(PLANTER)).expect("root may");
            for role in [Role::AppendOnce, Role::Newest] {
                let Some(said) = as_nobody(role, &home) else { return };
                let why = format!(": {name} is {is}, not a folder");
                let is_said = said[0].starts_with("NotRegularFile: ") && said[0].ends_with(&why);
                assert!(is_said && said.len() == 1, "{role:?}, {place}: {said:?}");
            }
            assert_eq!(tree(elsewhere.root.as_std_path()), [], "{place}: it was followed");
        }
    }
}

#[test]
fn what_is_written_into_a_folder_that_another_user_opened_to_anybody_is_its_writers_alone() {
    for place in [".graff", ".graff/notes"] {
        let Some(home) = project(place) else { return };
        let path = home.root.join(place);
        fs::create_dir(&path).expect("a folder");
        give_to_planter(&path);
        set_mode(path.as_str(), 0o777);
        let Some(said) = as_nobody(Role::AppendOnce, &home) else { return };
        assert_eq!(said, ["stored"], "{place}");
        let notes = home.root.join(".graff/notes");
        for name in home.names() {
            let file = notes.join(&name);
            let owner = fs::metadata(&file).expect("it is there").uid();
            assert_eq!((owner, mode(&file)), (ACTOR, 0o600), "{place}: {name}");
        }
        let expected = if place == ".graff" { 0o700 } else { 0o777 };
        assert_eq!(mode(&notes), expected, "{place}: what is not ours stays as it is");
    }
}
