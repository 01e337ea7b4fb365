//! The promise: what a hook and a write ask of a log of this program's costs no more because the
//! log has become long, and no answer is wrong for it: a session goes on from the greatest
//! generation on record, whatever order they come in, and a generation has one attempt, however far
//! back it was and whatever other programs have written since.
//!
//! Shown by the bytes that are read of a log of 300,000 notes in memory, and by what stands before
//! more than the recent part of records of every kind that names a lesser generation, or none.

use graff_notes::{
    budget::RunPool,
    log::{Draft, Line},
    notebook::{Notebook, Settings},
    store::{Latched, Salvaged, Store},
    units::{Generation, Seq},
};

use super::{FOREIGN, UNSEALED, holding};
use crate::support::notes::{line, note, note_of, now, s1, store_on, stored};

/// The bytes that are recent.
const RECENT: usize = 4 * 1024 * 1024;

/// More than the recent part and the greatest window in which its beginning is read.
const READ_MAX: usize = 7 * 1024 * 1024;

type Asked = fn(&Store);

/// A note of a generation as another program writes it, without number and checksum.
fn theirs(generation: u64) -> Vec<u8> {
    format!("{{\"v\":1,\"session\":\"s1\",\"gen\":{generation},\"text\":\"theirs\"}}\n")
        .into_bytes()
}

fn sealed(generation: u64, seq: u64, draft: impl Fn(u64) -> Draft) -> Vec<u8> {
    let mut line = Vec::new();
    draft(generation).write(&s1(), Seq::new(seq), &mut line);
    line
}

fn generation(n: u64) -> Generation {
    Generation::new(n)
}

fn greatest(log: &[u8]) -> Generation {
    greatest_on(&store_on(holding(log)))
}

fn greatest_on(store: &Store) -> Generation {
    store.greatest_generation(&s1()).expect("a log")
}

/// So many lines that those before them are not recent.
fn behind(line: &[u8]) -> Vec<u8> {
    line.repeat(RECENT / line.len() + 1)
}

/// A record that another program wrote without a number, and that an import has sealed.
fn imported(theirs: &[u8]) -> Vec<u8> {
    let mut line = Vec::new();
    match Line::read(&theirs[..theirs.len() - 1], &s1()) {
        Line::Record(record) => record.write(&s1(), &mut line),
        other => panic!("{other:?}"),
    }
    line
}

/// More than is recent of lines that tell nothing of the generations before them.
fn telling_nothing() -> [Vec<u8>; 5] {
    let text = "theirs; ".repeat(1_000);
    let of = |session: &str, fields: &str| {
        format!("{{\"v\":1,\"session\":\"{session}\",{fields}\"text\":\"{text}\"}}\n").into_bytes()
    };
    let earlier = of("s1", "\"gen\":2,");
    let sealed_by_an_import = imported(&earlier);
    let numbered = of("s1", "\"gen\":1,\"seq\":9,");
    [of("s1", ""), earlier, sealed_by_an_import, numbered, of("s2", "")].map(|line| behind(&line))
}

#[test]
fn a_hook_and_a_write_read_little_of_a_log_of_300_000_notes() {
    let asked: [(&str, Asked); 8] = [
        ("the newest note", |store| drop(store.newest(&s1()).expect("a log"))),
        ("the generation", |store| {
            let _ = store.greatest_generation(&s1()).expect("a log");
        }),
        ("a notebook", |store| {
            drop(Notebook::open(store, "s1", RunPool::default(), Settings::default()).expect("it"));
        }),
        ("a note", |store| {
            let _ = stored(store.append(&s1(), &note("new")));
        }),
        ("a rollover", |store| {
            let rollover = Draft::Rollover { generation: generation(1), created_at: now() };
            let _ = stored(store.append(&s1(), &rollover));
        }),
        ("whether a generation had its attempt", |store| {
            let log = store.log(&s1());
            assert!(log.is_attempted(generation(0)).expect("a log"));
            assert!(!log.is_attempted(generation(1)).expect("a log"));
        }),
        ("an attempt", |store| {
            let latched = store.latch(&s1(), generation(1), now()).expect("a log");
            assert!(matches!(latched, Latched::Latched(_)));
        }),
        ("the word that hooks leave", |store| {
            store.leave_word(&s1(), |_| Some(b"{}".to_vec())).expect("it is left");
        }),
    ];
    let log = [line(1, "src/parse.rs:88 drops the CR").repeat(300_000), line(2, "the newest")];
    let medium = holding(&log.concat());
    let store = store_on(medium.clone());
    for (what, ask) in asked {
        let before = medium.bytes_read();
        ask(&store);
        let read = medium.bytes_read() - before;
        assert!(read < READ_MAX, "{what}: {read} bytes");
    }
}

#[test]
fn the_generation_is_the_greatest_in_whatever_order_they_come() {
    let rows: [(&[&[u8]], u64); 8] = [
        (&[], 0),
        (&[UNSEALED], 0),
        (&[&theirs(3), &theirs(0), &theirs(1)], 3),
        (&[&sealed(7, 1, |g| note_of(g, "seven")), &theirs(2), FOREIGN, b"junk\n"], 7),
        (&[&theirs(4), &sealed(2, 1, |g| note_of(g, "of an earlier one"))], 4),
        (&[&sealed(7, 1, |g| note_of(g, "seven")), &sealed(2, 2, |g| note_of(g, "told"))], 7),
        (&[&theirs(3), b"{\"v\":1,\"session\":\"s1\",\"text\":\"without\"}\n"], 3),
        (&[&theirs(u64::from(u32::MAX) + 1), &theirs(1)], 1),
    ];
    for (log, expected) in rows {
        assert_eq!(greatest(&log.concat()), generation(expected), "{log:?}");
    }
}

#[test]
fn the_greatest_generation_counts_whatever_came_since_that_this_program_did_not_append() {
    for since in telling_nothing() {
        let first = since[..since.len().min(90)].escape_ascii().to_string();
        let ours = [sealed(7, 1, |g| note_of(g, "seven")), since.clone()].concat();
        assert_eq!(greatest(&ours), generation(7), "{first}");
        let others = [theirs(9), theirs(5), since].concat();
        assert_eq!(greatest(&others), generation(9), "all of it another program's: {first}");
    }
}

#[test]
fn a_generation_has_one_attempt_whatever_came_since_that_this_program_did_not_append() {
    let attempt = |g| Draft::Attempt { generation: generation(g), created_at: now() };
    for latch in [sealed(3, 1, attempt), theirs(3)] {
        for since in telling_nothing() {
            let first = since[..since.len().min(90)].escape_ascii().to_string();
            let store = store_on(holding(&[&latch[..], &since].concat()));
            assert!(store.log(&s1()).is_attempted(generation(3)).expect("a log"), "{first}");
            let latched = store.latch(&s1(), generation(3), now()).expect("a log");
            assert_eq!(latched, Latched::Taken, "{first}");
        }
    }
}

#[test]
fn a_note_that_is_written_behind_many_that_name_no_generation_goes_on_from_the_greatest() {
    for since in telling_nothing() {
        let log = [sealed(7, 1, |g| note_of(g, "seven")), since].concat();
        let store = store_on(holding(&log));
        let opened = Notebook::open(&store, "s1", RunPool::default(), Settings::default());
        assert_eq!(opened.expect("it opens").generation(), generation(7));
        let stored = stored(store.append(&s1(), &note_of(7, "eight")));
        assert_eq!(greatest_on(&store), generation(7), "{stored:?}");
    }
}

#[test]
fn what_this_program_was_told_to_append_with_a_lesser_generation_counts_once_all_else_is_old() {
    let told = behind(&sealed(2, 2, |g| note_of(g, "two")));
    let log = [sealed(7, 1, |g| note_of(g, "seven")), told].concat();
    assert_eq!(greatest(&log), generation(2));
    let lately = [&theirs(5)[..], &log[log.len() - RECENT / 2..]].concat();
    assert_eq!(greatest(&lately), generation(5), "the first of what is recent");
}

#[test]
fn an_attempt_is_found_however_many_records_of_its_generation_and_later_ones_came_since() {
    let attempt = |g| Draft::Attempt { generation: generation(g), created_at: now() };
    let rollover = |g| Draft::Rollover { generation: generation(g), created_at: now() };
    let attempted = sealed(3, 1, attempt);
    for since in [3, 4] {
        let log = [&theirs(2)[..], &attempted, &behind(&sealed(since, 2, rollover))].concat();
        let store = store_on(holding(&log));
        assert!(store.log(&s1()).is_attempted(generation(3)).expect("a log"), "{since}");
        let latched = store.latch(&s1(), generation(3), now()).expect("a log");
        assert_eq!(latched, Latched::Taken, "{since}");
    }
}

#[test]
fn a_note_of_the_generation_keeps_a_mechanical_one_out_however_far_back() {
    let rollover = |g| Draft::Rollover { generation: generation(g), created_at: now() };
    let log = [sealed(3, 1, |g| note_of(g, "three")), behind(&sealed(3, 2, rollover))].concat();
    let Draft::Note { text, cut, .. } = note("made of facts") else { unreachable!("a note") };
    let fitted = graff_notes::note::Fitted { text, cut };
    let salvaged = store_on(holding(&log)).salvage(&s1(), fitted, generation(3), now());
    assert_eq!(salvaged.expect("a log"), Salvaged::AlreadyNoted);
}
