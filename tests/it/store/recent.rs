//! The promise: what a hook and a write ask of a log costs no more because the log has become long,
//! and no answer is wrong for it: a session goes on from the greatest generation of its recent
//! records, whatever order they come in, and a generation has one attempt however far back it was.
//!
//! Shown by the bytes that are read of a log of 300,000 notes in memory.

use graff_notes::{
    budget::RunPool,
    log::Draft,
    notebook::{Notebook, Settings},
    store::{Latched, RECENT, Salvaged, Store},
    units::{Generation, Seq},
};

use super::{FOREIGN, UNSEALED, holding};
use crate::support::notes::{line, note, note_of, now, s1, store_on, stored};

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
    store_on(holding(log)).greatest_generation(&s1()).expect("a log")
}

/// So many records of an earlier generation that those before them are not recent.
fn behind(line: &[u8]) -> Vec<u8> {
    let recent = usize::try_from(RECENT.get()).expect("it fits");
    line.repeat(recent / line.len() + 1)
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
    let rows: [(&[&[u8]], u64); 6] = [
        (&[], 0),
        (&[UNSEALED], 0),
        (&[&theirs(3), &theirs(0), &theirs(1)], 3),
        (&[&sealed(7, 1, |g| note_of(g, "seven")), &theirs(2), FOREIGN, b"junk\n"], 7),
        (&[&theirs(4), &sealed(2, 1, |g| note_of(g, "of an earlier one"))], 4),
        (&[&theirs(u64::from(u32::MAX) + 1), &theirs(1)], 1),
    ];
    for (log, expected) in rows {
        assert_eq!(greatest(&log.concat()), generation(expected), "{log:?}");
    }
}

#[test]
fn the_recent_records_count_and_where_there_are_none_the_last_one() {
    let (earlier, behind) = (theirs(5), behind(&theirs(2)));
    assert_eq!(greatest(&[&earlier[..], &behind].concat()), generation(2));
    let within = [&earlier[..], &behind[..behind.len() - 2 * earlier.len()]].concat();
    assert_eq!(greatest(&within), generation(5), "the first of what is recent");
    let far = [&theirs(9), &earlier[..], &b"\n".repeat(behind.len())].concat();
    assert_eq!(greatest(&far), generation(5), "blank lines tell no generation");
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
