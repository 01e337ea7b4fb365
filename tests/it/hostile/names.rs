//! A session of any name is refused, or has two files in the notes folder and none elsewhere.

use std::fs;

use graff_notes::{ErrorKind, session::SessionName};

use crate::support::notes::{Home, note};

/// Names that are refused.
const REFUSED: &[&str] = &[
    "../../etc/passwd",
    "..",
    ".",
    "",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "nul\0",
    "line\nbreak",
    "\u{1b}[2J",
];

/// Names that are odd and taken.
const ACCEPTED: &[&str] = &[
    "~",
    "~root",
    "$HOME",
    "`id`",
    "; rm -rf .",
    "-rf",
    "--help",
    "*",
    "?",
    "a:b",
    "con",
    "COM1.txt",
    "name.",
    " ",
    "trail ",
    ".env",
    ".git",
    ".gitignore",
    "50%",
    "%2e%2e%2f",
    "A",
    "a",
    "é",
    "e\u{301}",
    "漢字",
    "\u{202e}gpj",
    "s1.notes.jsonl",
    "s1.notes",
];

#[test]
fn a_hostile_name_is_refused_or_makes_two_files_in_the_notes_folder_and_none_elsewhere() {
    let long = "a".repeat(300);
    for name in REFUSED.iter().chain([&long.as_str()]) {
        let answer = SessionName::parse(name);
        assert!(answer.is_err(), "{name:?}: {answer:?}");
    }
    for name in ACCEPTED {
        let home = Home::new();
        let session = parse(name);
        let appended = home.store.append(&session, &note("mine"));
        assert!(appended.is_ok(), "{name:?}: {appended:?}");
        let stem = session.stem();
        let file = |suffix| format!("{stem}.notes.{suffix}");
        let mut expected = [".gitignore".to_owned(), file("jsonl"), file("lock")];
        expected.sort_unstable();
        assert_eq!(home.names(), expected, "{name:?}");
        let top: Vec<_> = fs::read_dir(&home.root).expect("it").flatten().collect();
        assert_eq!(top.len(), 1, "{name:?}: {top:?}");
        let newest = home.store.newest(&session).expect("it is there").note;
        assert_eq!(newest.expect("a note").text, "mine", "{name:?}");
        assert_eq!(home.store.sessions().expect("a list").names, [session]);
    }
}

#[test]
fn names_that_a_file_system_could_fold_share_no_record() {
    let home = Home::new();
    let folds = [("a", "A"), ("é", "e\u{301}"), ("straße", "STRASSE")];
    for (one, other) in folds.map(|(a, b)| (parse(a), parse(b))) {
        home.store.append(&one, &note("mine")).map(drop).expect("stored");
        let e = home.store.newest(&other).expect_err("another session");
        assert_eq!(e.kind(), ErrorKind::NotFound);
        // As where the file system takes the two names for one.
        fs::copy(home.store.log_path(&one), home.store.log_path(&other)).expect("a copy");
        assert_eq!(home.store.newest(&other).expect("a log").note, None);
        assert_eq!(home.store.verify(&other).expect("a log").foreign, 1);
    }
}

fn parse(name: &str) -> SessionName {
    SessionName::parse(name).expect("a good name")
}
