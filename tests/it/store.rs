//! The promise: the store appends whole records and nothing else, finds the newest note from the
//! end, says what it cannot read, and rewrites a log only on demand, keeping every good line.
//!
//! Shown on a real folder, and, where two are at work at once, on a disk in memory on which the one
//! acts between any two operations of the other.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use graff_notes::{
    ErrorKind,
    log::{Draft, Fault, Tail},
    note::{Author, NoteCap, NoteText},
    store::{Appended, DoubtCause, Dropped, FinalNewline, Latched, Repair, RepairMode, Store},
    units::{Bytes, Generation, Seq},
};

use crate::support::{
    faulty::{Disk, Fault as DiskFault, FaultyMedium, Image, OpKind, When},
    notes::{Home, LOG, add, line, note, note_of, now, records, s1, session, store_on, stored},
};

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

// Appending.

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
}

// Reading.

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
        let _ = home.store.repair(&s1(), RepairMode::DryRun).expect("a plan");
        assert_eq!(home.store.greatest_generation(&s1()).expect("a log"), Generation::ZERO);
        assert_eq!(records(&home.store), ["one", "two"]);
    }
    assert_eq!(home.names(), [LOG]);
    assert_eq!(home.bytes(), log);
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

// Latching.

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
    assert_eq!(salvaged.expect("stored"), Latched::Latched(Seq::new(3)));
    assert_eq!(latch(3), Latched::Latched(Seq::new(4)), "a mechanical note latches nothing");
    let newest = home.store.newest(&s1()).expect("a log").note.expect("a note");
    assert_eq!(newest.author, Author::Mechanical);
    assert_eq!(records(&home.store).last().map(String::as_str), Some("attempt 3"));
}

// Two at once.

/// Lets `second` act before each operation of `first` in turn, and hands the outcomes of both to
/// `check`, together with the disk.
fn interleaved<A: 'static, B: Send + 'static>(
    log: &[u8],
    first: impl Fn(&Store) -> A,
    second: impl Fn(&Store) -> B + Clone + Send + 'static,
    check: impl Fn(A, B, FaultyMedium),
) {
    let alone = holding(log);
    first(&store_on(alone.clone()));
    let operations = alone.trace().len();
    for index in 0..operations {
        let medium = holding(log);
        let outcome = Arc::new(Mutex::new(None));
        let act = {
            let (store, outcome) = (store_on(medium.clone()), outcome.clone());
            let second = second.clone();
            move || {
                let result = second(&store.with_patience(Duration::ZERO));
                *outcome.lock().expect("it is free") = Some(result);
            }
        };
        medium.plan(When::At(index), DiskFault::After(Box::new(act)));
        let of_first = first(&store_on(medium.clone()).with_patience(Duration::ZERO));
        let of_second = outcome.lock().expect("it is free").take().expect("it acted");
        check(of_first, of_second, medium);
    }
}

#[test]
fn between_any_two_operations_of_an_append_another_one_is_done_or_kept_out() {
    let append = |text: &'static str| {
        move |store: &Store| store.append(&s1(), &note(text)).map(drop).map_err(|e| e.kind())
    };
    for log in [vec![], two_notes(), [&two_notes()[..], TORN].concat()] {
        let before = records(&store_on(holding(&log)));
        interleaved(&log, append("first"), append("second"), |first, second, medium| {
            let is_told = |outcome| matches!(outcome, Ok(()) | Err(ErrorKind::Busy));
            assert!(is_told(first) && is_told(second), "{first:?}, {second:?}");
            let found = records(&store_on(FaultyMedium::holding(&medium.least())));
            assert_eq!(
                found.len(),
                before.len() + usize::from(first.is_ok()) + usize::from(second.is_ok())
            );
            assert_eq!(found.contains(&"first".to_owned()), first.is_ok());
            assert_eq!(found.contains(&"second".to_owned()), second.is_ok());
            let health = store_on(medium).verify(&s1()).expect("a log");
            let faults: Vec<_> = health.faults.iter().map(|fault| fault.concern.reason()).collect();
            assert!(faults.iter().all(|reason| *reason == "unfinished"), "{faults:?}");
        });
    }
}

#[test]
fn of_two_that_latch_at_once_one_gets_it() {
    let latch = |store: &Store| {
        let latched = store.latch(&s1(), Generation::new(1), now());
        latched.map(|latched| matches!(latched, Latched::Latched(_))).map_err(|e| e.kind())
    };
    interleaved(&two_notes(), latch, latch, |first, second, medium| {
        let winners = usize::from(first == Ok(true)) + usize::from(second == Ok(true));
        assert!(winners <= 1, "{first:?}, {second:?}");
        assert!(winners == 1 || first == Err(ErrorKind::Busy), "{first:?}, {second:?}");
        let attempts = records(&store_on(medium)).iter().filter(|r| *r == "attempt 1").count();
        assert_eq!(attempts, winners);
    });
}

#[test]
fn a_repair_or_forget_and_an_append_never_cost_each_other_anything() {
    let log = [&two_notes()[..], b"junk\n", TORN].concat();
    let append = |store: &Store| store.append(&s1(), &note("new")).map(drop).map_err(|e| e.kind());
    let repair =
        |store: &Store| store.repair(&s1(), RepairMode::Write).map(drop).map_err(|e| e.kind());
    let forget = |store: &Store| store.forget(&s1()).map_err(|e| e.kind());
    let has_new = |medium: &FaultyMedium| {
        let found = records(&store_on(FaultyMedium::holding(&medium.least())));
        found.contains(&"new".to_owned())
    };
    let is_told = |outcome| matches!(outcome, Ok(()) | Err(ErrorKind::Busy));
    interleaved(&log, repair, append, |repaired, appended, medium| {
        assert!(is_told(repaired) && is_told(appended), "{repaired:?}, {appended:?}");
        assert_eq!(has_new(&medium), appended.is_ok(), "{repaired:?}");
    });
    interleaved(&log, append, repair, |appended, repaired, medium| {
        assert!(is_told(repaired) && is_told(appended), "{repaired:?}, {appended:?}");
        assert_eq!(has_new(&medium), appended.is_ok(), "{repaired:?}");
    });
    interleaved(&log, append, forget, |appended, forgotten, medium| {
        assert!(is_told(forgotten) && is_told(appended), "{forgotten:?}, {appended:?}");
        let found = records(&store_on(FaultyMedium::holding(&medium.least())));
        let allowed: &[&[&str]] = match (appended, forgotten) {
            (Ok(()), Ok(())) => &[&["new"], &[]],
            (Ok(()), Err(_)) => &[&["one", "two", "new"]],
            (Err(_), Ok(())) => &[&[]],
            (Err(_), Err(_)) => &[&["one", "two"]],
        };
        assert!(allowed.iter().any(|allowed| found == *allowed), "{found:?}, {forgotten:?}");
    });
}

// Repairing.

#[test]
fn a_repair_keeps_every_good_line_byte_for_byte_and_puts_the_rest_beside_the_log() {
    let home = Home::new();
    let odd = b"\0\0{\"v\":1, \"session\":\"s1\", \"text\":\"odd\", \"more\":[1]}\r\n";
    let fused = [TORN, &line(3, "three")].concat();
    let parts: [&[u8]; 9] =
        [b"\n", UNSEALED, b"junk\n", odd, FOREIGN, NEWER, &fused, &line(4, "four"), TORN];
    let log = parts.concat();
    home.put(&log);

    let plan = home.store.repair(&s1(), RepairMode::DryRun).expect("a plan");
    assert_eq!(home.bytes(), log);
    assert_eq!(home.names(), [LOG], "a dry run writes nothing");
    let at = |part: usize| Bytes::new(parts[..part].iter().map(|p| p.len() as u64).sum());
    let dropped = |line, part: usize, fault, won_back| Dropped {
        line,
        offset: at(part),
        length: Bytes::new(parts[part].len() as u64),
        fault,
        won_back,
    };
    let named = vec![
        dropped(3, 2, Fault::Malformed { at: 1 }, 0),
        dropped(7, 6, Fault::RunTogether, 1),
        dropped(9, 8, Fault::Unfinished, 0),
    ];
    let final_newline = FinalNewline::There;
    assert_eq!(plan, Repair { kept: 6, won_back: 1, dropped: 3, named, final_newline });

    assert_eq!(home.store.repair(&s1(), RepairMode::Write).expect("a repair"), plan);
    let kept = [b"\n", UNSEALED, odd, FOREIGN, NEWER, &line(3, "three"), &line(4, "four")].concat();
    assert_eq!(home.bytes(), kept);
    let rejected = fs::read(home.store.rejected_path(&s1())).expect("it is kept");
    assert_eq!(rejected, [b"junk\n", &fused[..], TORN, b"\n"].concat());
    assert_eq!(home.names(), [LOG, "s1.notes.lock", "s1.notes.rejected"]);

    assert!(home.store.repair(&s1(), RepairMode::Write).expect("nothing to do").is_clean());
    assert_eq!(home.bytes(), kept, "a second repair changes nothing");
    assert_eq!(fs::read(home.store.rejected_path(&s1())).expect("it"), rejected);
}

#[test]
fn a_repair_supplies_a_missing_lf() {
    let home = Home::new();
    let mut log = two_notes();
    log.pop();
    home.put(&log);
    let plan = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!((plan.kept, plan.dropped, plan.final_newline), (2, 0, FinalNewline::Supplied));
    assert_eq!(home.bytes(), two_notes());
}

#[test]
fn what_a_repair_left_that_did_not_come_to_its_end_blocks_nothing() {
    let home = Home::new();
    home.put([&two_notes()[..], b"junk\n"].concat());
    for leftover in ["s1.notes.repaired", "s1.notes.repairing"] {
        fs::write(home.root.join(".graff/notes").join(leftover), "half").expect("a leftover");
    }
    add(&home.store, "three");
    assert_eq!(home.names(), [LOG, "s1.notes.lock"], "an append takes them away");
    fs::write(home.root.join(".graff/notes/s1.notes.repaired"), "half").expect("a leftover");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!(records(&home.store), ["one", "two", "three"]);
    assert_eq!(home.names(), [LOG, "s1.notes.lock", "s1.notes.rejected"]);
}

#[test]
fn a_repair_that_fails_changes_neither_the_log_nor_what_earlier_ones_took_out() {
    let log = [&two_notes()[..], b"junk\n", TORN].concat();
    let files = [(LOG, log.clone()), ("s1.notes.rejected", b"older\n".to_vec())];
    let files = Image::from(files.map(|(name, bytes)| (name.to_owned(), bytes)));
    let repair = |medium: &FaultyMedium| store_on(medium.clone()).repair(&s1(), RepairMode::Write);
    let alone = FaultyMedium::holding(&files);
    let _ = repair(&alone).expect("it goes well");
    let mut failures = 0;
    for index in 0..alone.trace().len() {
        let medium = FaultyMedium::holding(&files);
        medium.plan(When::At(index), DiskFault::Fail(rustix::io::Errno::NOSPC));
        let Err(e) = repair(&medium) else { continue };
        failures += 1;
        let live = medium.live();
        if e.kind() != ErrorKind::Uncertain {
            assert_eq!(live[LOG], log, "{e}");
            assert_eq!(live["s1.notes.rejected"], b"older\n", "{e}");
            assert!(!live.contains_key("s1.notes.repaired"), "{e}");
        }
        let _ = repair(&medium).expect("the next one goes well");
        let live = medium.live();
        assert_eq!(live[LOG], two_notes(), "{e}");
        assert_eq!(live["s1.notes.rejected"], [b"older\njunk\n", TORN, b"\n"].concat(), "{e}");
        assert!(!live.contains_key("s1.notes.repairing"), "{e}");
    }
    assert!(failures > 20, "{failures}");
}

// Forgetting.

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

// A handle that is kept.

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
