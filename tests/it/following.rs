//! The promise: who follows a log is handed each record once, in order, whatever becomes of the log
//! meanwhile.
//!
//! Shown by changing a log in every way that it can be changed in, and looking after each.

use std::{cell::Cell, fs};

use camino::Utf8Path;
use graff_notes::{
    log::{Draft, Line},
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    store::{Follower, RepairMode, Store},
    units::{Bytes, Generation, Timestamp},
};

/// A session in a folder of its own, and somebody who follows it.
struct Followed {
    store: Store,
    session: SessionName,
    follower: Follower,
    /// The time, which goes on with each note.
    now: Cell<u64>,
    _folder: tempfile::TempDir,
}

impl Followed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(Utf8Path::from_path(folder.path()).unwrap());
        let session = SessionName::parse("s1").unwrap();
        let follower = store.follow(&session);
        Self { store, session, follower, now: Cell::new(0), _folder: folder }
    }

    fn write(&self, text: &str) {
        self.now.set(self.now.get() + 1);
        let text = NoteText::fit(text, NoteCap::DEFAULT).unwrap().text;
        let draft = Draft::Note {
            text,
            author: Author::Agent,
            cut: Bytes::ZERO,
            generation: Generation::ZERO,
            created_at: Timestamp::new(self.now.get()),
        };
        let _ = self.store.append(&self.session, &draft).unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.store.log_path(&self.session)).unwrap()
    }

    /// Changes the bytes in place: the file stays the same one.
    fn put(&self, bytes: &[u8]) {
        fs::write(self.store.log_path(&self.session), bytes).unwrap();
    }

    fn append(&self, bytes: &[u8]) {
        self.put(&[&self.bytes()[..], bytes].concat());
    }

    /// What has come: the text of a note, `bad` for a bad line, with the number of the line.
    fn come(&mut self) -> Vec<String> {
        let mut come = Vec::new();
        let read = self.follower.catch_up(&mut |entry| {
            let what = match entry.line {
                Line::Record(record) => record.into_note().unwrap().text,
                Line::Bad(_) => "bad".to_owned(),
                Line::Blank => "blank".to_owned(),
                Line::Foreign { .. } | Line::Newer => "other".to_owned(),
            };
            come.push(format!("{}:{what}", entry.number));
        });
        read.unwrap();
        come
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn what_was_appended_comes_once() {
    let mut followed = Followed::new();
    assert_eq!(followed.come(), NOTHING);
    followed.write("one");
    followed.write("two");
    assert_eq!(followed.come(), ["1:one", "2:two"]);
    assert_eq!(followed.come(), NOTHING);
    followed.write("three");
    assert_eq!(followed.come(), ["3:three"]);
    assert_eq!(followed.come(), NOTHING);
}

#[test]
fn a_record_comes_when_it_is_whole_however_it_is_written() {
    let whole = b"{\"v\":1,\"session\":\"s1\",\"text\":\"bit by bit\"}\n{\"v\":1,\"session\":\"s1\",\"text\":\"next\"}\n";
    let end = whole.iter().position(|byte| *byte == b'}').unwrap();
    let mut followed = Followed::new();
    followed.write("one");
    assert_eq!(followed.come(), ["1:one"]);
    let before = followed.bytes();
    for to in 1..=whole.len() {
        followed.put(&[&before[..], &whole[..to]].concat());
        let expected = match to {
            to if to == end + 1 => vec!["2:bit by bit"],
            // Only its LF is missing.
            to if to + 1 == whole.len() => vec!["3:next"],
            _ => Vec::new(),
        };
        assert_eq!(followed.come(), expected, "{to} bytes");
    }
}

#[test]
fn a_torn_record_that_is_given_up_comes_as_a_bad_line_once() {
    let mut followed = Followed::new();
    followed.write("one");
    followed.append(b"{\"v\":1,\"sess");
    assert_eq!(followed.come(), ["1:one"]);
    followed.write("two");
    assert_eq!(followed.come(), ["2:bad", "3:two"]);
    followed.append(b"\n");
    assert_eq!(followed.come(), ["4:blank"]);
    assert_eq!(followed.come(), NOTHING);
}

#[test]
fn nothing_comes_again_after_a_repair_but_what_it_has_won_back() {
    let mut followed = Followed::new();
    followed.write("one");
    followed.append(b"junk\n{\"v\":1,\"ses{\"v\":1,\"session\":\"s1\",\"text\":\"won back\"}\n");
    followed.write("two");
    assert_eq!(followed.come(), ["1:one", "2:bad", "3:bad", "4:two"]);
    followed.store.repair(&followed.session, RepairMode::Write).unwrap();
    assert_eq!(followed.come(), ["2:won back"]);
    followed.write("three");
    assert_eq!(followed.come(), ["4:three"]);
    assert_eq!(followed.come(), NOTHING);
}

#[test]
fn what_is_written_before_a_repair_is_noticed_comes_too() {
    let mut followed = Followed::new();
    followed.write("one");
    followed.append(b"junk\n");
    assert_eq!(followed.come(), ["1:one", "2:bad"]);
    followed.write("two");
    followed.store.repair(&followed.session, RepairMode::Write).unwrap();
    followed.write("three");
    assert_eq!(followed.come(), ["2:two", "3:three"]);
}

#[test]
fn after_a_session_was_forgotten_all_is_new() {
    let mut followed = Followed::new();
    followed.write("one");
    assert_eq!(followed.come(), ["1:one"]);
    followed.store.forget(&followed.session).unwrap();
    assert_eq!(followed.come(), NOTHING);
    followed.write("one");
    assert_eq!(followed.come(), ["1:one"]);
    // Forgotten and written anew between two looks: what is told apart is told apart.
    followed.store.forget(&followed.session).unwrap();
    followed.write("another");
    assert_eq!(followed.come(), ["1:another"]);
}

#[test]
fn a_log_that_was_away_is_gone_on_with_where_it_is_the_same_file() {
    let mut followed = Followed::new();
    followed.write("one");
    followed.write("two");
    assert_eq!(followed.come(), ["1:one", "2:two"]);
    let log = followed.store.log_path(&followed.session);
    let aside = log.with_file_name("aside");
    fs::rename(&log, &aside).unwrap();
    assert_eq!(followed.come(), NOTHING);
    fs::rename(&aside, &log).unwrap();
    assert_eq!(followed.come(), NOTHING);
    followed.write("three");
    assert_eq!(followed.come(), ["3:three"]);
    // Another file comes back in its place: all of it is new.
    fs::copy(&log, &aside).unwrap();
    fs::rename(&log, log.with_file_name("kept")).unwrap();
    assert_eq!(followed.come(), NOTHING);
    fs::rename(&aside, &log).unwrap();
    assert_eq!(followed.come(), ["1:one", "2:two", "3:three"]);
}

#[test]
fn a_log_that_was_rewritten_in_place_is_read_anew_and_the_seen_is_passed_over() {
    let mut followed = Followed::new();
    followed.write("one");
    let one = followed.bytes();
    followed.write("two");
    let two = followed.bytes()[one.len()..].to_vec();
    assert_eq!(followed.come(), ["1:one", "2:two"]);
    let new = b"{\"v\":1,\"session\":\"s1\",\"text\":\"new\"}\n";
    for (bytes, come) in [
        // Shorter, as long, and longer than it was; half done, and done.
        (one.clone(), vec![]),
        ([&two[..], &one].concat(), vec![]),
        ([&two[..], new, &one].concat(), vec!["2:new"]),
        (Vec::new(), vec![]),
        ([&two[..], new, &one].concat(), vec![]),
        (b"junk\n".to_vec(), vec![]),
        ([&one[..], &one].concat(), vec!["2:one"]),
    ] {
        followed.put(&bytes);
        assert_eq!(followed.come(), come, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(followed.come(), NOTHING);
    }
}

#[test]
fn what_cannot_be_read_is_an_error_and_goes_on_when_it_can() {
    let mut followed = Followed::new();
    followed.write("one");
    assert_eq!(followed.come(), ["1:one"]);
    let (log, aside) = (followed.store.log_path(&followed.session), "aside");
    let aside = log.with_file_name(aside);
    fs::rename(&log, &aside).unwrap();
    fs::create_dir(&log).unwrap();
    assert!(followed.follower.catch_up(&mut |_| panic!("nothing to hand out")).is_err());
    fs::remove_dir(&log).unwrap();
    fs::rename(&aside, &log).unwrap();
    followed.write("two");
    assert_eq!(followed.come(), ["2:two"]);
}
