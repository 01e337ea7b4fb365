//! The promise: a reader finds the newest note from the end, says what it cannot read, and leaves
//! no trace; it is not misled by a writer at work.

use std::fs;

use graff_notes::{
    ErrorKind,
    budget::RunPool,
    log::{Fault, Tail},
    notebook::{Notebook, Settings},
    store::{DoubtCause, RepairMode, Store},
    units::{Bytes, Generation, Seq},
};

use super::{FOREIGN, NEWER, TORN, holding, two_notes};
use crate::support::{
    faulty::{Disk, Fault as DiskFault, FaultyMedium, Image, Op, OpKind, When},
    notes::{Home, LOG, line, note, note_of, records, s1, session, store_on},
};

#[test]
fn the_newest_is_the_last_good_note_whatever_its_number_and_date() {
    let home = Home::new();
    home.put([line(9, "nine"), line(3, "three"), FOREIGN.to_vec()].concat());
    let newest = home.store.newest(&s1()).expect("a log");
    assert_eq!(newest.note.expect("a note").text, "three");
    assert_eq!(newest.doubt, None);
}

#[test]
fn what_cannot_be_read_behind_the_newest_note_is_said() {
    let offset = |log: &[&[u8]]| Bytes::new(log.iter().map(|part| part.len() as u64).sum());
    let two = two_notes();
    let rows: [(&[&[u8]], DoubtCause); 5] = [
        (&[b"junk\n"], DoubtCause::Damaged),
        (&[TORN], DoubtCause::Torn),
        (&[NEWER], DoubtCause::NewerVersion),
        (&[b"junk\n", TORN], DoubtCause::Damaged),
        (&[NEWER, b"junk\n"], DoubtCause::NewerVersion),
    ];
    for (behind, cause) in rows {
        let home = Home::new();
        home.put([&two[..], &behind.concat()].concat());
        let newest = home.store.newest(&s1()).expect("a log");
        assert_eq!(newest.note.expect("a note").text, "two");
        let doubt = newest.doubt.expect("a doubt");
        assert_eq!((doubt.cause, doubt.offset), (cause, offset(&[&two])));
    }
}

#[test]
fn a_session_without_a_log_is_not_found_and_one_with_an_empty_log_has_no_note() {
    let home = Home::new();
    let path = home.store.log_path(&s1());
    for e in [
        home.store.newest(&s1()).map(drop).expect_err("nothing"),
        home.store.verify(&s1()).map(drop).expect_err("nothing"),
        home.store.replay(&s1(), &mut |_| ()).map(drop).expect_err("nothing"),
        home.store.repair(&s1(), RepairMode::Write).map(drop).expect_err("nothing"),
    ] {
        assert_eq!(e.kind(), ErrorKind::NotFound);
        assert_eq!(e.with_causes(), format!("open {path}: No such file or directory (os error 2)"));
        assert_eq!(e.advice(), "`graff-notes list` shows the sessions that are here");
    }
    assert!(!home.root.join(".graff").exists(), "looking makes nothing");
    home.put("");
    assert_eq!(home.store.newest(&s1()).expect("a log").note, None);
    assert!(home.store.verify(&s1()).expect("a log").is_ok());
}

#[test]
fn reading_leaves_no_trace() {
    let home = Home::new();
    let log = [&two_notes()[..], b"junk\n", TORN].concat();
    home.put(&log);
    for _ in 0..2 {
        let _ = home.store.newest(&s1()).expect("a log");
        let _ = home.store.verify(&s1()).expect("a log");
        let _ = home.store.sessions().expect("a folder");
        home.store.follow(&s1()).catch_up(&mut |_| ()).expect("a log");
        let _ = home.store.repair(&s1(), RepairMode::DryRun).expect("a plan");
        assert_eq!(home.store.greatest_generation(&s1()).expect("a log"), Generation::ZERO);
        assert_eq!(records(&home.store), ["one", "two"]);
    }
    assert_eq!(home.names(), [LOG]);
    assert_eq!(home.bytes(), log);
}

#[test]
fn a_root_may_have_a_path_of_any_length() {
    let home = Home::new();
    let least = home.root.as_str().len() + "/d".len();
    for len in least..(least + 1).max(200) {
        let root = home.root.join("d".repeat(len - least + 1));
        let store = Store::at(&root);
        fs::create_dir_all(store.notes_path()).expect("a folder");
        fs::write(store.log_path(&s1()), line(1, "one")).expect("a log");
        let newest = store.newest(&s1()).expect("a log");
        assert_eq!(newest.note.expect("a note").text, "one", "{root}");
        assert_eq!(store.log_path(&s1()), root.join(".graff/notes").join(LOG));
    }
}

#[test]
fn finding_the_newest_note_costs_the_same_in_a_short_log_and_in_a_long_one() {
    let reads = |notes: u64| {
        let log: Vec<u8> = (1..=notes).flat_map(|i| line(i, &format!("note {i}"))).collect();
        let medium = holding(&log);
        let newest = store_on(medium.clone()).newest(&s1()).expect("a log").note;
        assert_eq!(newest.expect("a note").seq, Some(Seq::new(notes)));
        medium.trace()
    };
    assert_eq!(reads(5_000), reads(1));
    assert_eq!(reads(1).iter().filter(|op| op.kind == OpKind::Read).count(), 1);
}

#[test]
fn a_reader_that_sees_half_a_record_looks_again_when_its_writer_is_done() {
    let third = line(3, "three");
    let (half, rest) = third.split_at(30);
    let reads: [fn(&Store) -> Vec<String>; 3] = [
        |store| vec![store.newest(&s1()).expect("a log").note.expect("a note").text],
        |store| vec![format!("{}", store.verify(&s1()).expect("a log").torn_tail)],
        records,
    ];
    let afterwards: [&[&str]; 3] = [&["three"], &["false"], &["one", "two", "three"]];
    for (read, expected) in reads.iter().zip(afterwards) {
        let files = [(LOG, [&two_notes()[..], half].concat()), ("s1.notes.lock", Vec::new())];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes));
        let medium = FaultyMedium::new(Disk::holding(&Image::from(files)));
        let (writer, rest) = (medium.clone(), rest.to_vec());
        let finish = move || writer.change(|disk| disk.append_durably(LOG, &rest));
        let lock = When::Next(OpKind::TryLock, "s1.notes.lock");
        medium.plan(lock, DiskFault::After(Box::new(finish)));
        assert_eq!(read(&store_on(medium.clone())), expected);
        assert_eq!(medium.outstanding(), 0, "it tried for the lock");
    }
}

#[test]
fn a_reader_under_whom_the_log_is_cut_begins_again() {
    let medium = holding(&[&two_notes()[..], &line(3, "taken back")].concat());
    let writer = medium.clone();
    let len = two_notes().len();
    let take_back = move || writer.change(|disk| disk.cut_durably(LOG, len));
    medium.plan(When::Next(OpKind::Read, LOG), DiskFault::After(Box::new(take_back)));
    let newest = store_on(medium).newest(&s1()).expect("a log").note;
    assert_eq!(newest.expect("a note").text, "two");
}

type Figure = fn(&Store) -> Result<u64, ErrorKind>;

#[test]
fn a_log_that_is_cut_short_under_a_replay_is_not_called_whole() {
    let reads: [Figure; 2] = [
        |store| store.replay(&s1(), &mut |_| ()).map(|_| 0).map_err(|e| e.kind()),
        |store| store.greatest_generation(&s1()).map(Generation::get).map_err(|e| e.kind()),
    ];
    // What was handed out can't be taken back; a figure can be found anew.
    for (read, expected) in reads.iter().zip([Err(ErrorKind::Io), Ok(7)]) {
        let mut log = Vec::new();
        note_of(7, "stays").write(&s1(), Seq::new(1), &mut log);
        let len = log.len();
        note_of(9, "taken back").write(&s1(), Seq::new(2), &mut log);
        let medium = holding(&log);
        cut_after(&medium, reads_of(&log, *read)[0] - 1, len);
        assert_eq!(read(&store_on(medium.clone())), expected);
        assert_eq!(medium.outstanding(), 0);
    }
}

#[test]
fn a_log_of_several_pieces_that_is_cut_short_between_them_is_not_called_whole() {
    let len = 128 * 1024 + 1;
    let log = [b"\n".repeat(len), line(1, "taken back")].concat();
    let replay: Figure = |store| store.replay(&s1(), &mut |_| ()).map(|_| 0).map_err(|e| e.kind());
    let [_, first, last] =
        reads_of(&log, replay).try_into().expect("its last byte, and two pieces");
    for at in [first, last] {
        let medium = holding(&log);
        cut_after(&medium, at, len);
        assert_eq!(replay(&store_on(medium.clone())), Err(ErrorKind::Io));
        assert_eq!(medium.outstanding(), 0);
    }
}

/// Which operations read a log that nobody disturbs.
fn reads_of(log: &[u8], read: Figure) -> Vec<usize> {
    let medium = holding(log);
    let _ = read(&store_on(medium.clone()));
    let is_read = |op: &Op| op.kind == OpKind::Read && op.on == LOG;
    let trace = medium.trace();
    trace.iter().enumerate().filter(|(_, op)| is_read(op)).map(|(at, _)| at).collect()
}

/// Cuts the log to `len` right after an operation.
fn cut_after(medium: &FaultyMedium, operation: usize, len: usize) {
    let writer = medium.clone();
    let take_back = move || writer.change(|disk| disk.cut_durably(LOG, len));
    medium.plan(When::At(operation), DiskFault::After(Box::new(take_back)));
}

#[test]
fn a_generation_that_nothing_vouches_for_does_not_use_the_generations_up() {
    let greatest = u64::from(u32::MAX);
    for (generation, counted) in [(greatest, greatest), (greatest + 1, 7), (u64::MAX, 7)] {
        let mut log = Vec::new();
        note_of(7, "ours").write(&s1(), Seq::new(1), &mut log);
        let theirs = format!(r#"{{"v":1,"session":"s1","gen":{generation},"text":"theirs"}}"#);
        log.extend([theirs.as_bytes(), b"\n"].concat());
        let store = store_on(holding(&log));
        let found = store.greatest_generation(&s1()).expect("a log");
        assert_eq!(found.get(), counted, "{generation}");
        let pool = RunPool::builder().build();
        let notebook = Notebook::open(&store, "s1", pool, Settings::default()).expect("a log");
        assert_eq!(notebook.generation().get(), counted, "{generation}");
        let health = store.verify(&s1()).expect("a log");
        let remarks: Vec<_> = health.remarks.iter().map(ToString::to_string).collect();
        let expected = if counted == generation {
            vec![]
        } else {
            vec![format!(
                "line 2, byte {}: generation {generation} has no checksum to vouch for it: it \
                 doesn't count",
                log.len() - theirs.len() - 1
            )]
        };
        assert_eq!(remarks, expected);
        assert!(health.is_ok());
        let newest = store.newest(&s1()).expect("a log").note.expect("a note");
        assert_eq!((newest.generation.get(), newest.text.as_str()), (generation, "theirs"));
    }
}

#[test]
fn a_replay_and_its_tail_are_those_of_the_bytes() {
    let rows: [(&[u8], Option<Tail>); 3] = [
        (b"", Some(Tail::Clean)),
        (&line(3, "three")[..line(3, "three").len() - 1], Some(Tail::Unterminated)),
        (TORN, None),
    ];
    for (behind, tail) in rows {
        let home = Home::new();
        home.put([&two_notes()[..], behind].concat());
        let replayed = home.store.replay(&s1(), &mut |_| ()).expect("a log");
        match tail {
            Some(tail) => assert_eq!(replayed, tail),
            None => assert!(matches!(replayed, Tail::Torn { fault: Fault::Unfinished, .. })),
        }
    }
}

#[test]
fn the_sessions_are_those_with_a_log_and_no_leftover_counts() {
    let home = Home::new();
    for name in ["s1", "another one", ".hidden"] {
        home.store.append(&session(name), &note("one")).map(drop).expect("stored");
    }
    let leftovers = [
        "s1.notes.jsonl.tmp",
        "s1.notes.jsonl.tmp.123",
        ".s1.notes.jsonl.swp",
        "s9.notes.lock",
        "s9.notes.rejected",
        "s9.notes.repaired",
        "s9.notes.repairing",
        "README",
    ];
    for name in leftovers.iter().chain(&["b c.notes.jsonl"]) {
        fs::write(home.root.join(".graff/notes").join(name), "").expect("a leftover");
    }
    let found = home.store.sessions().expect("a folder");
    assert_eq!(found.names, ["another one", ".hidden", "s1"].map(session).to_vec().sorted());
    assert_eq!(found.unrecognised, ["b c.notes.jsonl"]);
    assert_eq!(found.begun, [session("s9")]);
}

trait Sorted {
    fn sorted(self) -> Self;
}

impl<T: Ord> Sorted for Vec<T> {
    fn sorted(mut self) -> Self {
        self.sort();
        self
    }
}
