//! The promise: the store appends whole records and nothing else, finds the newest note from the
//! end, says what it cannot read, and rewrites a log only on demand, keeping every good line.

use std::fs;

use graff_notes::{
    ErrorKind,
    log::Draft,
    note::{Author, NoteCap, NoteText},
    store::{Appended, Latched, RepairMode, Salvaged, Store},
    units::{Generation, Seq},
};

use crate::support::{
    faulty::{Disk, FaultyMedium, Image, OpKind},
    notes::{Home, LOG, add, line, note, note_of, now, records, s1, session, store_on, stored},
};

mod folding;
mod importing;
mod kept;
mod model;
mod reading;
mod recent;
mod repairing;
mod replacing;
mod together;
mod waiting;

const TORN: &[u8] = br#"{"v":1,"session":"s1","gen":0,"text":"to"#;
const UNSEALED: &[u8] =
    b"{\"v\":1,\"session\":\"s1\",\"gen\":0,\"text\":\"codegraff's\",\"created_at\":5}\n";
const NEWER: &[u8] = b"{\"v\":2,\"session\":\"s1\",\"text\":\"from tomorrow\"}\n";
const FOREIGN: &[u8] = b"{\"v\":1,\"session\":\"s2\",\"text\":\"of another\"}\n";

fn two_notes() -> Vec<u8> {
    [line(1, "one"), line(2, "two")].concat()
}

/// A disk in memory on which the log of [`s1`] holds `log`.
fn holding(log: &[u8]) -> FaultyMedium {
    FaultyMedium::new(Disk::holding(&Image::from([(LOG.to_owned(), log.to_vec())])))
}

#[test]
fn what_is_appended_stands_under_the_path_as_the_format_says() {
    let home = Home::new();
    assert_eq!(add(&home.store, "one"), 1);
    assert_eq!(add(&home.store, "two"), 2);
    assert_eq!(home.bytes(), two_notes());
    assert_eq!(home.names(), [".gitignore", "s1.notes.jsonl", "s1.notes.lock"]);
    assert_eq!(fs::read(home.store.lock_path(&s1())).expect("a lock"), b"", "nothing is written");
}

#[test]
fn numbers_follow_the_last_good_record_that_has_one() {
    let rows: [(&[&[u8]], u64); 6] = [
        (&[], 1),
        (&[UNSEALED], 1),
        (&[&line(7, "seven"), UNSEALED, b"junk\n", FOREIGN], 8),
        (&[&line(9, "nine"), &line(3, "three")], 4),
        (&[&line(u64::MAX, "last")], u64::MAX),
        (&[&line(4, "four"), TORN], 5),
    ];
    for (log, expected) in rows {
        let home = Home::new();
        home.put(log.concat());
        assert_eq!(add(&home.store, "next"), expected, "{log:?}");
    }
}

#[test]
fn a_number_that_nothing_vouches_for_does_not_use_the_numbers_up() {
    let greatest = (1_u64 << 53) - 1;
    let rows = [(greatest, greatest + 1), (greatest + 1, 8), (u64::MAX - 1, 8), (u64::MAX, 8)];
    for (seq, next) in rows {
        let home = Home::new();
        let theirs = format!(r#"{{"v":1,"session":"s1","text":"theirs","seq":{seq}}}"#);
        home.put([&line(7, "seven")[..], theirs.as_bytes(), b"\n"].concat());
        assert_eq!(add(&home.store, "eight"), next, "behind {seq}");
        assert_eq!(add(&home.store, "nine"), next + 1, "behind {seq}");
        assert_eq!(records(&home.store), ["seven", "theirs", "eight", "nine"]);
        let health = home.store.verify(&s1()).expect("a log");
        assert!(health.is_ok() && health.unsealed == 1, "{health:?}");
    }
}

#[test]
fn a_writer_goes_back_over_what_it_cannot_read_once_and_no_further_than_it_must() {
    let reads = |log: &[u8], act: fn(&Store) -> bool| {
        let medium = holding(log);
        assert!(act(&store_on(medium.clone())));
        medium.trace().iter().filter(|op| op.kind == OpKind::Read).count()
    };
    let newest = |store: &Store| store.newest(&s1()).is_ok();
    let acts: [fn(&Store) -> bool; 4] = [
        |store| store.append(&s1(), &note("new")).is_ok(),
        |store| store.append(&s1(), &note("one")).is_ok(),
        |store| store.latch(&s1(), Generation::new(1), now()).is_ok(),
        |store| {
            let created_at = now();
            let draft = Draft::Rollover { generation: Generation::new(1), created_at };
            store.append(&s1(), &draft).is_ok()
        },
    ];
    for junk in [&b"x\n"[..], b"\n", b"{\n"] {
        let log = [line(1, "one"), junk.repeat(300_000 / junk.len())].concat();
        let once = reads(&log, newest);
        assert!(once > 4, "{once}: it takes more than one window");
        for (index, act) in acts.into_iter().enumerate() {
            // The same text again is read once more, to be written in its own place.
            let renewed = usize::from(index == 1 && junk == b"\n");
            assert_eq!(reads(&log, act), once + renewed);
        }
    }
    let behind = [b"x\n".repeat(150_000), line(1, "one")].concat();
    assert_eq!(acts.map(|act| reads(&behind, act))[..2], [1, 2]);
}

#[test]
fn the_same_text_for_the_same_generation_is_not_stored_twice() {
    let home = Home::new();
    let appended = |draft: Draft| home.store.append(&s1(), &draft).expect("it can be written");
    assert_eq!(appended(note_of(1, "one")), Appended::Stored(Seq::new(1)));
    assert_eq!(appended(note_of(1, "one")), Appended::Unchanged(Some(Seq::new(1))));
    assert_eq!(appended(note_of(2, "one")), Appended::Stored(Seq::new(2)));
    assert_eq!(
        appended(note_of(1, "one")),
        Appended::Stored(Seq::new(3)),
        "only the newest counts"
    );
}

#[test]
fn what_is_there_already_is_made_durable_before_it_is_called_so() {
    let medium = holding(&two_notes());
    let whole = line(3, "three");
    medium.change(|disk| disk.append_undurably(LOG, &whole)); // its writer died before the sync
    let again = store_on(medium.clone()).append(&s1(), &note("three")).expect("unchanged");
    assert_eq!(again, Appended::Unchanged(Some(Seq::new(3))));
    let after_a_crash = FaultyMedium::holding(&medium.least());
    assert_eq!(records(&store_on(after_a_crash)), ["one", "two", "three"]);
}

#[test]
fn an_append_puts_an_lf_behind_whatever_stands_open_and_changes_nothing_before_it() {
    let utf16: Vec<u8> = "one\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut no_lf = two_notes();
    no_lf.pop();
    let logs: [(&[u8], &[&str]); 8] = [
        (&[&two_notes(), TORN].concat(), &["one", "two"]),
        (&no_lf, &["one", "two"]),
        (b"x", &[]),
        (&[&two_notes()[..], &[0; 512]].concat(), &["one", "two"]),
        (&utf16, &[]),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", &[]),
        (b"\n\n\r\n", &[]),
        (&[UNSEALED, TORN].concat(), &["codegraff's"]),
    ];
    for (log, before) in logs {
        let home = Home::new();
        home.put(log);
        let seq = add(&home.store, "next");
        let lf: &[u8] = if log.ends_with(b"\n") { b"" } else { b"\n" };
        assert_eq!(home.bytes(), [log, lf, &line(seq, "next")].concat());
        assert_eq!(records(&home.store), [before, &["next"]].concat());
    }
}

#[test]
fn a_new_store_keeps_itself_out_of_version_control_and_an_old_one_is_left_as_it_is() {
    let home = Home::new();
    add(&home.store, "one");
    let ignore = home.root.join(".graff/notes/.gitignore");
    assert_eq!(fs::read_to_string(&ignore).expect("it is there"), "*\n");
    fs::remove_file(&ignore).expect("its owner wants the notes committed");
    home.store.append(&session("s2"), &note("one")).map(drop).expect("stored");
    assert!(!ignore.exists());
    for name in ["s1", "s2"] {
        home.store.forget(&session(name)).expect("it is there");
    }
    for name in ["s1", "s3"] {
        home.store.append(&session(name), &note("anew")).map(drop).expect("stored");
        assert!(!ignore.exists(), "{name}: it is wanted no more than before");
    }
}

#[test]
fn a_generation_is_latched_once_and_not_at_all_where_the_agent_has_written() {
    let home = Home::new();
    let latch = |generation| {
        home.store.latch(&s1(), Generation::new(generation), now()).expect("it can be written")
    };
    assert_eq!(latch(1), Latched::Latched(Seq::new(1)));
    assert_eq!(latch(1), Latched::Taken);
    stored(home.store.append(&s1(), &note_of(2, "the agent's")));
    assert_eq!(latch(2), Latched::Taken);
    let fitted = NoteText::fit("the program's", NoteCap::default()).expect("a text");
    let salvaged = home.store.salvage(&s1(), fitted, Generation::new(3), now());
    assert_eq!(salvaged.expect("stored"), Salvaged::Stored(Seq::new(3)));
    assert_eq!(latch(3), Latched::Latched(Seq::new(4)), "a mechanical note latches nothing");
    let newest = home.store.newest(&s1()).expect("a log").note.expect("a note");
    assert_eq!(newest.author, Author::Mechanical);
    assert_eq!(records(&home.store).last().map(String::as_str), Some("attempt 3"));
}

#[test]
fn a_forgotten_session_leaves_its_lock_and_nothing_that_was_said_in_it() {
    let home = Home::new();
    home.put([&two_notes()[..], b"junk\n"].concat());
    home.store.append(&session("s2"), &note("another's")).map(drop).expect("stored");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    fs::write(home.root.join(".graff/notes/s1.notes.repaired"), two_notes()).expect("a leftover");
    home.store.forget(&s1()).expect("it is there");
    assert_eq!(home.names(), ["s1.notes.lock", "s2.notes.jsonl", "s2.notes.lock"]);
    let e = home.store.forget(&s1()).expect_err("it is gone");
    assert_eq!(e.kind(), ErrorKind::NotFound);
    let path = home.store.log_path(&s1());
    assert_eq!(e.with_causes(), format!("forget {path}: nothing is stored for this session"));
    assert_eq!(add(&home.store, "anew"), 1, "nothing comes back");
    assert_eq!(records(&home.store), ["anew"]);
}

#[test]
fn what_stands_beside_a_log_that_is_gone_brings_no_note_back() {
    let home = Home::new();
    home.put([&two_notes()[..], b"junk\n"].concat());
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    let beside = |name: &str| home.root.join(".graff/notes").join(name);
    for (name, bytes) in [
        ("s1.notes.repaired", &two_notes()[..]),
        ("s1.notes.repairing", b"0\n"),
        ("s1.notes.jsonl.tmp", &two_notes()),
        (".s1.notes.jsonl.swp", &two_notes()),
    ] {
        fs::write(beside(name), bytes).expect("a leftover");
    }
    fs::remove_file(home.store.log_path(&s1())).expect("a log");
    assert_eq!(home.store.newest(&s1()).expect_err("it is gone").kind(), ErrorKind::NotFound);
    assert_eq!((add(&home.store, "anew"), records(&home.store)), (1, vec!["anew".to_owned()]));
    assert!(!beside("s1.notes.repairing").exists(), "it was concluded");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!(home.bytes(), line(1, "anew"));
}

#[test]
fn a_kept_handle_writes_to_what_the_path_names_at_that_moment() {
    let home = Home::new();
    let log = home.store.log(&s1());
    let keep = |text: &str| stored(log.append(&note(text)));
    assert_eq!(keep("one"), 1);
    assert_eq!(add(&home.store, "two"), 2);
    assert_eq!(keep("three"), 3, "it sees what others wrote");

    fs::remove_dir_all(home.root.join(".graff")).expect("it can be removed");
    assert_eq!(keep("anew"), 1);
    assert_eq!(home.bytes(), line(1, "anew"), "it is under the path");

    home.put([&line(1, "anew")[..], b"junk\n"].concat());
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!(keep("behind the repair"), 2);
    home.store.forget(&s1()).expect("it is there");
    assert_eq!(keep("behind the forgetting"), 1);
    assert_eq!(home.bytes(), line(1, "behind the forgetting"));

    fs::remove_file(home.store.lock_path(&s1())).expect("a lock");
    fs::write(home.store.lock_path(&s1()), "").expect("another lock");
    assert_eq!(keep("under another lock"), 2);
    let old = home.root.join("old");
    fs::rename(home.root.join(".graff/notes"), &old).expect("it can be moved");
    assert_eq!(keep("in a new folder"), 1);
    assert_eq!(fs::read(old.join(LOG)).expect("the old log").split(|b| *b == b'\n').count(), 3);
}
