//! Promise: damage costs the lines that it hit and nothing else, and is named for what it is.
//!
//! Shown on one damaged log for each kind of damage that other projects have reported, each named
//! for its defect: what is read, what is counted, what it is called, and what repair can win back.
//! `reported` leads from each report's number to its input and its tests, here and elsewhere.

mod reported;
mod win_back;

use std::{collections::BTreeSet, fmt::Write as _};

use graff_notes::{
    log::{Concern, Fault, Finding, Health, LINE_BYTES_MAX, Tail},
    store::Appended,
    units::Bytes,
};

use crate::support::{
    faulty::{FaultyMedium, Image},
    logs::{fixture, fixtures, health, records, replay_in_pieces, rewind, session},
    notes::{note_of, store_on},
};

/// A fixture; its figures, those that are zero left out; the line and reason of each finding.
type Case = (&'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    // Whole and clean.
    ("sealed", "3 notes to seq 7, 2 attempts, 2 rollovers", ""),
    ("codegraff", "3 notes, 3 unsealed", ""),
    ("crlf", "3 notes to seq 3, 1 unsealed", ""),
    ("bom", "3 notes to seq 3", ""),
    ("blank_lines", "3 notes to seq 3, 5 blank", ""),
    ("unicode_breaks", "3 notes to seq 3", ""),
    ("escaped_nul", "3 notes to seq 3", ""),
    ("deep_200", "3 notes to seq 3, 1 unsealed", ""),
    ("extra_fields", "3 notes to seq 3, 1 unsealed", ""),
    ("future_date", "2 notes to seq 2", ""),
    ("nul_then_record", "3 notes to seq 3", ""),
    ("no_final_newline", "3 notes to seq 3, no final newline", ""),
    // Odd, not wrong.
    ("newer_version", "2 notes to seq 2, 1 newer", "3 newer_version"),
    ("unknown_kind", "1 notes to seq 1, 1 newer", "2 newer_version"),
    ("same_generation", "2 notes to seq 2", "2 generation_repeated"),
    // Torn at the end.
    ("torn_tail", "2 notes to seq 2, torn", "3 torn_tail"),
    ("only_torn", "0 notes, torn", "1 torn_tail"),
    ("torn_in_char", "2 notes to seq 2, torn", "3 torn_tail"),
    ("nul_tail", "2 notes to seq 2, torn", "3 torn_tail"),
    ("cr_only", "0 notes, torn", "1 torn_tail"),
    ("utf16", "0 notes, 3 bad, torn", "1 utf16, 2 utf16, 3 utf16, 4 torn_tail"),
    ("gzip_cut", "0 notes, 1 bad, torn", "1 compressed, 2 torn_tail"),
    // Torn before the end.
    ("fused", "2 notes to seq 4, 1 bad, 2 unsealed", "2 run_together"),
    ("fused_sealed", "2 notes to seq 4, 1 bad", "2 run_together"),
    ("two_on_a_line", "2 notes to seq 4, 1 bad, 2 unsealed", "2 run_together"),
    ("interleaved", "2 notes to seq 4, 2 bad, 2 unsealed", "2 run_together, 3 malformed"),
    ("partial_then_full", "3 notes to seq 3, 1 bad", "2 unfinished"),
    ("bad_middle", "3 notes to seq 3, 1 bad", "2 unfinished"),
    ("first_bad", "2 notes to seq 3, 1 bad", "1 unfinished"),
    ("front_missing", "2 notes to seq 3, 1 bad", "1 malformed"),
    ("abandoned", "2 notes to seq 3, 2 bad", "2 abandoned, 3 abandoned"),
    // Bytes that are no record.
    (
        "non_objects",
        "2 notes to seq 2, 6 bad",
        "2 not_an_object, 3 not_an_object, 4 not_an_object, 5 not_an_object, 6 not_an_object, \
         7 missing_field",
    ),
    ("lone_surrogate", "2 notes to seq 3, 1 bad", "2 lone_surrogate"),
    ("invalid_utf8", "2 notes to seq 3, 1 bad", "2 invalid_utf8"),
    ("raw_nul", "2 notes to seq 3, 1 bad", "2 nul_bytes"),
    (
        "conflict",
        "4 notes to seq 3, 3 bad",
        "2 conflict_marker, 4 conflict_marker, 5 seq_repeated, 5 generation_repeated, \
         7 conflict_marker",
    ),
    (
        "array_wrapped",
        "1 notes to seq 2, 3 bad, 1 unsealed",
        "1 array_wrapped, 2 array_wrapped, 4 array_wrapped",
    ),
    // Records that break a rule.
    ("dup_key", "2 notes to seq 3, 1 bad", "2 duplicate_field"),
    (
        "odd_numbers",
        "2 notes to seq 3, 6 bad",
        "2 out_of_range, 3 out_of_range, 4 out_of_range, 5 wrong_type, 6 out_of_range, \
         7 wrong_type",
    ),
    (
        "bad_text",
        "2 notes to seq 3, 6 bad",
        "2 wrong_type, 3 wrong_type, 4 wrong_type, 5 blank_text, 6 blank_text, 7 missing_field",
    ),
    (
        "no_version",
        "1 notes to seq 1, 4 bad",
        "2 missing_field, 3 out_of_range, 4 wrong_type, 5 missing_field",
    ),
    ("text_on_attempt", "1 notes to seq 1, 2 bad", "2 unexpected_text, 3 unexpected_text"),
    ("checksum_mismatch", "2 notes to seq 3, 1 bad", "2 checksum_mismatch"),
    (
        "checksum_misplaced",
        "2 notes to seq 3, 5 bad",
        "2 checksum_misplaced, 3 checksum_misplaced, 4 checksum_misplaced, 5 checksum_misplaced, \
         6 checksum_misplaced",
    ),
    // Good records that don't belong where they stand.
    ("foreign_session", "2 notes to seq 2, 1 foreign", "3 foreign"),
    ("dup_seq", "3 notes to seq 2", "3 seq_repeated"),
    ("seq_back", "3 notes to seq 3", "3 seq_backward"),
];

#[test]
fn each_damaged_log_is_read_as_far_as_it_is_whole_and_its_damage_is_named() {
    for (name, figures, findings) in CASES {
        let health = health(&fixture(name));
        assert_eq!(figures_of(&health), *figures, "{name}");
        assert_eq!(findings_of(&health), *findings, "{name}");
    }
}

#[test]
fn the_length_of_every_cut_of_every_fixture_is_told() {
    for (name, bytes) in fixtures() {
        for length in 0..=bytes.len() {
            let told = health(&bytes[..length]).length;
            assert_eq!(told, Bytes::new(length as u64), "{name}");
        }
    }
}

#[test]
fn every_fixture_has_its_row() {
    let rows: BTreeSet<_> = CASES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let files: BTreeSet<_> = fixtures().into_iter().map(|(name, _)| name).collect();
    let elsewhere = BTreeSet::from(["foreign_text".to_owned()]);
    assert_eq!(rows.union(&elsewhere).cloned().collect::<BTreeSet<_>>(), files);
}

#[test]
fn an_append_behind_every_cut_of_every_fixture_costs_nothing_and_is_read() {
    let session = session();
    for (name, bytes) in fixtures() {
        for cut in 0..=bytes.len() {
            let said = format!("{name} cut at {cut}");
            let log = &bytes[..cut];
            let file = format!("{}.notes.jsonl", session.as_str());
            let medium = FaultyMedium::holding(&Image::from([(file.clone(), log.to_vec())]));
            let store = store_on(medium.clone());
            let appended = store.append(&session, &note_of(9, "behind the cut"));
            assert!(matches!(appended, Ok(Appended::Stored(_))), "{said}: {appended:?}");
            let now = medium.live().remove(&file).expect("a log");
            assert!(now.starts_with(log), "{said}: what was there is not touched");
            let (before, found) = (records(log), records(&now));
            let (last, kept) = found.split_last().expect("a record");
            assert_eq!(kept, before, "{said}");
            assert!(last.sealed && last.is_note(), "{said}: {last:?}");
            let newest = store.newest(&session).expect("a log");
            assert_eq!(newest.note.expect("a note").text, "behind the cut", "{said}");
            assert_eq!(newest.doubt, None, "{said}");
        }
    }
}

#[test]
fn foreign_text_costs_its_own_lines() {
    let health = health(&fixture("foreign_text"));
    assert_eq!(figures_of(&health), "2 notes to seq 2, 41 bad");
    assert!(health.faults.iter().all(|fault| fault.concern.reason() == "malformed"));
}

#[test]
fn a_log_is_in_order_unless_a_line_is_bad_foreign_or_torn_or_a_seq_comes_twice_or_goes_back() {
    let in_order = [
        "sealed",
        "codegraff",
        "crlf",
        "bom",
        "blank_lines",
        "unicode_breaks",
        "escaped_nul",
        "deep_200",
        "extra_fields",
        "future_date",
        "nul_then_record",
        "no_final_newline",
        "newer_version",
        "unknown_kind",
        "same_generation",
    ];
    for (name, bytes) in fixtures() {
        assert_eq!(health(&bytes).is_ok(), in_order.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_words_for_a_person_say_where_and_what() {
    let said = |name| health(&fixture(name)).faults.iter().map(Finding::to_string).collect();
    let expected: [(&str, Vec<&str>); 6] = [
        (
            "torn_tail",
            vec!["line 3, byte 331: the file ends in a torn record: cut off before its end"],
        ),
        ("foreign_session", vec!["line 3, byte 331: a record of session \"wheel\""]),
        ("seq_back", vec!["line 3, byte 198: seq 3 stands behind seq 7"]),
        ("dup_seq", vec!["line 3, byte 196: seq 2 was given before"]),
        ("dup_key", vec!["line 2, byte 168: field `text` stands there twice"]),
        (
            "text_on_attempt",
            vec![
                "line 2, byte 168: a text on a record of kind `attempt`",
                "line 3, byte 288: a text on a record of kind `rollover`",
            ],
        ),
    ];
    for (name, words) in expected {
        let said: Vec<String> = said(name);
        assert_eq!(said, words);
    }
}

// What is too large to be a fixture.

fn note(seq: u64, text: &str) -> String {
    format!("{{\"v\":1,\"session\":\"kiln\",\"gen\":{seq},\"text\":\"{text}\",\"seq\":{seq}}}\n")
}

#[test]
fn size_never_turns_into_emptiness() {
    let text = "x".repeat(1024);
    let file: String = (1..=400).map(|seq| note(seq, &text)).collect();
    assert_eq!(figures_of(&health(file.as_bytes())), "400 notes to seq 400, 400 unsealed");
}

/// A line that goes on and on, ten times as long as a line may be.
fn endless() -> String {
    let stub = "{\"v\":1,\"session\":\"kiln\",\"gen\":2,\"text\":\"two\",\"se";
    [stub, &"y".repeat(10 * LINE_BYTES_MAX)].concat()
}

#[test]
fn an_endless_line_is_passed_over_and_counted_once() {
    let file = [note(1, "one"), endless(), "\n".to_owned(), note(3, "three")].concat();
    let health = health(file.as_bytes());
    assert_eq!(figures_of(&health), "2 notes to seq 3, 1 bad, 2 unsealed");
    assert_eq!(findings_of(&health), "2 too_long");

    let (from_the_front, tail) = replay_in_pieces(file.as_bytes(), 65_536);
    let (mut from_the_end, tail_seen, _) = rewind(file.as_bytes(), usize::MAX);
    from_the_end.reverse();
    assert_eq!((from_the_front, Some(tail)), (from_the_end, tail_seen));
}

#[test]
fn an_endless_line_that_never_ends_is_a_torn_tail() {
    let file = [note(1, "one"), endless()].concat();
    assert_eq!(figures_of(&health(file.as_bytes())), "1 notes to seq 1, 1 unsealed, torn");

    let (from_the_front, tail) = replay_in_pieces(file.as_bytes(), 65_536);
    let (from_the_end, tail_seen, _) = rewind(file.as_bytes(), usize::MAX);
    assert_eq!((from_the_front, Some(tail)), (from_the_end, tail_seen));
    assert!(matches!(tail, Tail::Torn { fault: Fault::TooLong, .. }));
}

#[test]
fn findings_beyond_the_first_thousand_are_counted_and_not_kept() {
    let health = health("junk\n".repeat(1_234).as_bytes());
    assert_eq!(
        (health.bad_lines, health.faults.len(), health.faults_left_out),
        (1_234, 1_000, 234)
    );
    assert!(!health.is_ok());
}

#[test]
fn the_name_of_a_foreign_session_is_kept_in_part_however_long_it_is() {
    let long = "ü".repeat(LINE_BYTES_MAX / 4);
    let foreign = format!(r#"{{"v":1,"session":"{long}","text":"not ours"}}"#);
    let health = health(foreign.as_bytes());
    let Concern::Foreign { session } = &health.faults[0].concern else { panic!("{health:?}") };
    assert_eq!(*session, "ü".repeat(40));
}

#[test]
fn damage_behind_the_newest_note_is_told_from_damage_before_it() {
    let behind = |name| health(&fixture(name)).damage_behind_newest;
    assert_eq!((behind("bad_middle"), behind("front_missing")), (0, 0));
    assert_eq!((behind("torn_tail"), behind("conflict")), (1, 1));
    assert_eq!(behind("utf16"), 4);
}

/// Writes the figures that are not zero.
fn figures_of(health: &Health) -> String {
    let mut words = format!("{} notes", health.notes);
    if let Some(seq) = health.newest.and_then(|newest| newest.seq) {
        write!(words, " to seq {seq}").unwrap();
    }
    let figures = [
        (health.attempts, "attempts"),
        (health.rollovers, "rollovers"),
        (health.bad_lines, "bad"),
        (health.foreign, "foreign"),
        (health.newer_version, "newer"),
        (health.blank_lines, "blank"),
        (health.unsealed, "unsealed"),
    ];
    for (figure, word) in figures.into_iter().filter(|(figure, _)| *figure > 0) {
        write!(words, ", {figure} {word}").unwrap();
    }
    words += if health.torn_tail { ", torn" } else { "" };
    words += if health.final_newline_missing { ", no final newline" } else { "" };
    words
}

/// Writes the line and reason of each finding, in the order of the file.
fn findings_of(health: &Health) -> String {
    let mut all: Vec<_> = health.faults.iter().chain(&health.remarks).collect();
    all.sort_by_key(|finding| finding.line);
    let words = all.iter().map(|f| format!("{} {}", f.line, f.concern.reason()));
    words.collect::<Vec<_>>().join(", ")
}
