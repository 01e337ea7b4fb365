//! The promise: whatever stands where a file or folder of the store should be, nothing outside is
//! touched, nothing waits for ever, and the words say what stands there and what to do.
//!
//! Shown by putting links, pipes, folders, sockets and devices at every place, and by running as a
//! user without rights.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    Error, ErrorKind,
    store::{RepairMode, Store},
};
use rustix::{
    fs::{CWD, FileType, Mode, makedev, mknodat},
    io::Errno,
};

use crate::support::{
    notes::{Home, LOG, add, import, line, note, records, s1, stored},
    skipped,
};

mod by_root;
mod names;
mod permission;
mod planted;
mod rights;
mod siblings;

/// A place in the store that something can stand at, and what it is to the store.
struct Place {
    path: &'static str,
    is_folder: bool,
}

const PLACES: [Place; 4] = [
    Place { path: ".graff", is_folder: true },
    Place { path: ".graff/notes", is_folder: true },
    Place { path: ".graff/notes/s1.notes.jsonl", is_folder: false },
    Place { path: ".graff/notes/s1.notes.lock", is_folder: false },
];

/// Everything that reads or writes, each with its name.
type Act = fn(&Store) -> Result<(), Error>;
const ACTS: [(&str, Act); 10] = [
    ("append", |s| s.append(&s1(), &note("new")).map(|_| ())),
    ("import", |s| {
        import(s, &[line(1, "one"), line(2, "two"), line(3, "new")].concat()).map(|_| ())
    }),
    ("leave_word", |s| s.leave_word(&s1(), |_| Some(b"word".to_vec()))),
    ("word", |s| s.word(&s1()).map(|_| ())),
    ("newest", |s| s.newest(&s1()).map(|_| ())),
    ("verify", |s| s.verify(&s1()).map(|_| ())),
    ("replay", |s| s.replay(&s1(), &mut |_| ()).map(|_| ())),
    ("repair", |s| s.repair(&s1(), RepairMode::Write).map(|_| ())),
    ("sessions", |s| s.sessions().map(|_| ())),
    ("forget", |s| s.forget(&s1())),
];

/// Those of them that need no session, and make one's files.
const MAKE_A_STORE: [&str; 3] = ["append", "import", "leave_word"];

/// Runs `act` on a thread of its own, so that one that hangs fails the test: it takes milliseconds,
/// and the rest is for a busy machine.
#[track_caller]
fn without_hanging(name: &str, store: &Store, act: Act) -> Result<(), Error> {
    let store = store.clone().with_patience(Duration::from_millis(50));
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(act(&store)));
    result.recv_timeout(Duration::from_secs(120)).unwrap_or_else(|_| panic!("{name} hangs"))
}

/// Puts something at a place of a store with two notes in it; what it is, in the store's words.
struct Thing {
    is: &'static str,
    put: fn(&Utf8Path) -> bool,
}

const THINGS: [Thing; 5] = [
    Thing { is: "a named pipe", put: |path| make(path, FileType::Fifo) },
    Thing { is: "a device", put: |path| make(path, FileType::CharacterDevice) },
    Thing { is: "a socket", put: |path| UnixListener::bind(path).is_ok() },
    Thing { is: "a folder", put: |path| fs::create_dir(path).is_ok() },
    Thing { is: "a file", put: |path| fs::write(path, "").is_ok() },
];

fn make(path: &Utf8Path, kind: FileType) -> bool {
    let null = makedev(1, 3);
    mknodat(CWD, path.as_std_path(), kind, Mode::RUSR | Mode::WUSR, null).is_ok()
}

/// Makes room at a place of a store that holds two notes.
fn home_without(place: &Place) -> (Home, Utf8PathBuf) {
    let home = Home::new();
    home.put([line(1, "one"), line(2, "two")].concat());
    fs::write(home.store.lock_path(&s1()), "").expect("a lock");
    let path = home.root.join(place.path);
    if place.is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
        .expect("room is made");
    (home, path)
}

/// Checks the refusal of `act`: the kind, the path, and what stands there.
#[track_caller]
fn assert_refused(name: &str, place: &Place, found: &str, e: &Error) {
    let wanted = if place.is_folder { "a folder" } else { "a plain file" };
    let said = e.with_causes();
    let last = place.path.rsplit('/').next().unwrap_or_default();
    let words =
        [format!(": it is {found}, not {wanted}"), format!(": `{last}` is {found}, not {wanted}")];
    assert!(words.iter().any(|words| said.ends_with(words)), "{name} at {}: {said}", place.path);
    assert_eq!(e.kind(), ErrorKind::NotRegularFile, "{name}: {said}");
    assert_eq!(e.advice(), "move it away; a session's files are plain files");
}

#[test]
fn whatever_stands_at_a_place_of_the_store_is_named_and_left_alone() {
    for thing in &THINGS {
        for place in &PLACES {
            let is_as_it_must_be = thing.is == if place.is_folder { "a folder" } else { "a file" };
            if is_as_it_must_be {
                continue;
            }
            for (name, act) in ACTS {
                let (home, path) = home_without(place);
                if !(thing.put)(&path) {
                    skipped(&format!("{} cannot be made here", thing.is));
                    break;
                }
                match without_hanging(name, &home.store, act) {
                    Err(e) => assert_refused(name, place, thing.is, &e),
                    Ok(()) => assert_is_unaffected(name, place),
                }
            }
        }
    }
}

/// Checks that `name` may well succeed although something odd stands at `place`.
#[track_caller]
fn assert_is_unaffected(name: &str, place: &Place) {
    let is_lock = place.path.ends_with("notes.lock");
    let only_reads = matches!(name, "newest" | "verify" | "replay" | "sessions" | "word");
    let opens_no_log = matches!(name, "sessions" | "word" | "leave_word") && !place.is_folder;
    assert!(is_lock && only_reads || !is_lock && opens_no_log, "{name} at {}", place.path);
}

#[test]
fn a_link_is_never_followed_below_the_root() {
    for place in &PLACES {
        for (name, act) in ACTS {
            let (home, path) = home_without(place);
            let outside = tempfile::tempdir().expect("a folder");
            let target = outside.path().join("target");
            if place.is_folder {
                fs::create_dir_all(target.join("notes")).expect("a target");
                fs::write(target.join("s1.notes.jsonl"), line(1, "not ours")).expect("a target");
                fs::write(target.join("notes/s1.notes.jsonl"), "not ours").expect("a target");
            } else {
                fs::write(&target, "not ours\n").expect("a target");
            }
            symlink(&target, &path).expect("a link");
            let before = tree(outside.path());
            match without_hanging(name, &home.store, act) {
                Err(e) => assert_refused(name, place, "a symbolic link", &e),
                Ok(()) => assert_is_unaffected(name, place),
            }
            assert_eq!(tree(outside.path()), before, "{name} went through {}", place.path);
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_makes_nothing() {
    for place in &PLACES {
        let (home, path) = home_without(place);
        let outside = tempfile::tempdir().expect("a folder");
        symlink(outside.path().join("nowhere"), &path).expect("a link");
        let e = without_hanging("append", &home.store, ACTS[0].1).expect_err("it is a link");
        assert_refused("append", place, "a symbolic link", &e);
        assert_eq!(tree(outside.path()), Vec::<(String, Vec<u8>)>::new());
    }
}

#[test]
fn what_is_refused_for_what_stands_at_the_logs_place_leaves_nothing_behind() {
    for thing in &THINGS[..4] {
        for (name, act) in ACTS.into_iter().filter(|(name, _)| !MAKE_A_STORE.contains(name)) {
            let home = Home::new();
            home.put("");
            fs::remove_file(home.store.log_path(&s1())).expect("room is made");
            if (thing.put)(&home.store.log_path(&s1())) {
                let refused = without_hanging(name, &home.store, act).is_err();
                let opens_no_log = matches!(name, "sessions" | "word");
                assert_eq!(refused, !opens_no_log, "{name}, {}", thing.is);
                assert_eq!(home.names(), [LOG], "{name}, {}", thing.is);
            }
        }
    }
}

#[test]
fn what_is_refused_for_want_of_a_session_leaves_nothing_behind() {
    for (name, act) in ACTS.into_iter().filter(|(name, _)| !MAKE_A_STORE.contains(name)) {
        let home = Home::new();
        let not_there = without_hanging(name, &home.store, act).map_err(|e| e.kind());
        let needs_none = matches!(name, "sessions" | "word");
        assert_eq!(not_there, if needs_none { Ok(()) } else { Err(ErrorKind::NotFound) }, "{name}");
        assert!(!home.root.join(".graff").exists(), "{name}");
    }
}

#[test]
fn the_root_itself_may_be_reached_through_links() {
    let home = Home::new();
    let outside = tempfile::tempdir().expect("a folder");
    let outside = Utf8Path::from_path(outside.path()).expect("UTF-8");
    let (parent, folder) = (home.root.parent(), home.root.file_name().expect("a name"));
    symlink(&home.root, outside.join("link")).expect("a link");
    symlink(parent.expect("a parent"), outside.join("above")).expect("a link");

    let ways = [
        home.root.clone(),
        outside.join("link"),
        outside.join("above").join(folder),
        outside.join("link/."),
        home.root.join("..").join(folder),
        Utf8PathBuf::from(format!("{}//", home.root)),
    ];
    for (number, way) in ways.iter().enumerate() {
        let store = Store::at(way);
        add(&store, &format!("note {number}"));
        let spelt = store.newest(&s1()).expect("a log").note.expect("a note").text;
        assert_eq!(spelt, format!("note {number}"), "{way}");
        assert_eq!(records(&home.store).len(), number + 1, "{way}");
    }
}

#[test]
fn a_root_that_was_behind_a_link_stays_where_it_was_found() {
    let (home, other) = (Home::new(), Home::new());
    let outside = tempfile::tempdir().expect("a folder");
    let link = outside.path().join("link");
    symlink(&home.root, &link).expect("a link");
    let store = Store::at(Utf8PathBuf::from_path_buf(link.clone()).expect("UTF-8"));
    add(&store, "one");

    fs::remove_file(&link).expect("the link");
    symlink(&other.root, &link).expect("another link");
    add(&store, "two");
    assert_eq!(records(&home.store), ["one", "two"]);
}

/// Puts a link to another root in the place of a root; returns where that one is now.
fn put_a_link_in_the_place_of(root: &Utf8Path, other: &Utf8Path) -> Utf8PathBuf {
    let moved = other.join("moved");
    fs::rename(root, &moved).expect("the root is moved");
    symlink(other, root).expect("a link in its place");
    moved
}

/// Checks that nothing is appended behind a link in the root's place, and that it is named.
#[track_caller]
fn assert_link_is_refused(home: &Home, other: &Home, said: &str) {
    let e = home.store.append(&s1(), &note("two")).expect_err("a link leads elsewhere");
    let (lock, name) = (home.store.lock_path(&s1()), home.root.file_name().expect("a name"));
    let why = format!("open {lock}: `{name}` is a symbolic link, not a folder");
    assert_eq!(e.with_causes(), why, "{said}");
    assert_eq!(e.kind(), ErrorKind::NotRegularFile, "{said}");
    assert!(!other.root.join(".graff").exists(), "{said}");
}

#[test]
fn a_root_that_no_link_led_to_is_not_left_for_one_that_comes_in_its_place() {
    let (home, other) = (Home::new(), Home::new());
    add(&home.store, "one");
    let moved = put_a_link_in_the_place_of(&home.root, &other.root);
    assert_link_is_refused(&home, &other, "behind a note");
    fs::remove_file(&home.root).expect("the link");
    fs::rename(&moved, &home.root).expect("the root is back");
    add(&home.store, "two");
    assert_eq!(records(&home.store), ["one", "two"]);
}

#[test]
fn a_root_in_which_nothing_was_found_is_not_left_for_a_link_that_comes_in_its_place() {
    for (name, act) in ACTS.into_iter().filter(|(name, _)| !MAKE_A_STORE.contains(name)) {
        let (home, other) = (Home::new(), Home::new());
        let _ = without_hanging(name, &home.store, act);
        put_a_link_in_the_place_of(&home.root, &other.root);
        assert_link_is_refused(&home, &other, name);
    }
}

#[test]
fn a_root_that_is_not_there_yet_may_come_as_a_link() {
    let (home, other) = (Home::new(), Home::new());
    let root = home.root.join("later");
    let store = Store::at(&root);
    assert_eq!(store.newest(&s1()).expect_err("no root").kind(), ErrorKind::NotFound);
    symlink(&other.root, &root).expect("a link");
    add(&store, "one");
    assert_eq!(records(&other.store), ["one"]);
}

/// Every file below a folder, with what it holds.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(tree(&path));
        }
        found.push((path.to_string_lossy().into_owned(), fs::read(&path).unwrap_or_default()));
    }
    found.sort();
    found
}

#[test]
fn a_log_of_two_names_is_read_and_repaired_but_not_appended_to() {
    let home = Home::new();
    add(&home.store, "one");
    let other = home.root.join("other");
    fs::hard_link(home.store.log_path(&s1()), &other).expect("a second name");
    let before = fs::read(&other).expect("the second name");

    let e = home.store.append(&s1(), &note("two")).expect_err("it has two names");
    assert_eq!(e.kind(), ErrorKind::NotRegularFile);
    let why = "it has 2 names (hard links), and the lock guards one";
    let path = home.store.log_path(&s1());
    assert_eq!(e.with_causes(), format!("append to {path}: {why}"));
    assert_eq!(e.advice(), "put a copy in its place, and run `sync`");
    assert_eq!(records(&home.store), ["one"]);

    fs::write(&path, [&before[..], b"junk\n"].concat()).expect("damage");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair makes a copy");
    add(&home.store, "two");
    assert_eq!(records(&home.store), ["one", "two"]);
    assert_eq!(fs::read(&other).expect("it"), [&before[..], b"junk\n"].concat(), "untouched");
}

#[test]
fn a_root_that_is_not_there_is_said_to_be_missing() {
    let home = Home::new();
    let store = Store::at(home.root.join("missing"));
    let e = store.append(&s1(), &note("one")).expect_err("no root");
    assert_eq!(e.kind(), ErrorKind::InvalidInput);
    let cause = std::io::Error::from(Errno::NOENT);
    let why = "the root is not there; make that folder first, or choose another root";
    assert_eq!(
        e.with_causes(),
        format!("create the folder {}/missing/.graff: {why}: {cause}", home.root)
    );
    assert_eq!(store.newest(&s1()).expect_err("no log").kind(), ErrorKind::NotFound);
    assert_eq!(store.sessions().expect("none").names, []);
    assert!(fs::read_dir(&home.root).expect("it").next().is_none(), "nothing was made");
}

#[test]
fn a_log_that_is_kept_open_is_not_written_to_through_a_link_that_came_on_its_way() {
    for folder in [".graff", ".graff/notes"] {
        let home = Home::new();
        add(&home.store, "one");
        let log = home.store.log(&s1());
        stored(log.append(&note("two")));
        fs::rename(home.root.join(folder), home.root.join("moved")).expect("it can be moved");
        symlink(home.root.join("moved"), home.root.join(folder)).expect("a link");

        let refused = log.append(&note("three")).expect_err("there is a link");
        assert_eq!(refused.kind(), ErrorKind::NotRegularFile, "{folder}: {refused:?}");
        fs::remove_file(home.root.join(folder)).expect("the link can be removed");
        fs::rename(home.root.join("moved"), home.root.join(folder)).expect("it can be moved");
        assert_eq!(records(&home.store), ["one", "two"], "{folder}");
    }
}
