//! Promise: a line says what docs/format.md says it does, to this crate and to any other reader.
//!
//! Shown by the exact bytes that are written, by each rule broken in turn, by an independent reader
//! that agrees on every fixture and on mutations of good lines, by a reader with codegraff's rules,
//! and by the fast path agreeing with the parser behind it. What is written comes back, whatever
//! characters it holds.

mod codegraff;
mod readers;
mod rules;

use graff_notes::{
    log::{Body, Draft, LINE_BYTES_MAX, Line, Record},
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};
use proptest::prelude::*;

use crate::support::logs::{fixture, session};

fn text(text: &str) -> NoteText {
    NoteText::fit(text, NoteCap::new(NoteText::BYTES_LIMIT).unwrap()).unwrap().text
}

#[track_caller]
fn written(draft: &Draft, session: &SessionName, seq: u64) -> Vec<u8> {
    let mut out = b"what stood there before".to_vec();
    draft.write(session, Seq::new(seq), &mut out);
    out.strip_prefix(b"what stood there before").unwrap().to_vec()
}

// Writing.

#[test]
fn every_kind_of_record_is_written_as_the_format_says_byte_for_byte() {
    let minute = |n: u64| Timestamp::new(1_790_000_000_000 + n * 60_000);
    let note = |words, author, cut, generation, created_at| Draft::Note {
        text: text(words),
        author,
        cut: Bytes::new(cut),
        generation: Generation::new(generation),
        created_at,
    };
    let ramp = "Ramp lives at kiln.toml:41.\t60 °C/h, \"soak\" 20 min \\ no longer";
    let asked = "user asked: fire the tiles\nfiles: ramp.rs, kiln.toml";
    let glaze = "ash glaze 🏺 runs: keep 5 mm off the foot";
    let drafts = [
        Draft::Attempt { generation: Generation::ZERO, created_at: minute(1) },
        note(ramp, Author::Agent, 0, 0, minute(2)),
        Draft::Rollover { generation: Generation::new(1), created_at: minute(3) },
        note(asked, Author::Mechanical, 311, 1, minute(4)),
        Draft::Rollover { generation: Generation::new(2), created_at: minute(5) },
        Draft::Attempt { generation: Generation::new(2), created_at: minute(6) },
        note(glaze, Author::Agent, 12, 2, minute(7)),
    ];
    let lines = (1..).zip(&drafts).flat_map(|(seq, draft)| written(draft, &session(), seq));
    let expected = String::from_utf8(fixture("sealed")).unwrap();
    assert_eq!(String::from_utf8(lines.collect()).unwrap(), expected);
}

#[test]
fn no_more_is_escaped_than_must_be() {
    let all: String = ('\0'..='\u{a0}').collect();
    let draft = plain_note(&all);
    let line = String::from_utf8(written(&draft, &session(), 1)).unwrap();
    let expected = serde_json::to_string(&all).unwrap();
    assert!(line.contains(&format!(r#","text":{expected},"#)), "{line}");
}

#[test]
fn the_longest_record_is_within_the_longest_line() {
    let draft = Draft::Note {
        text: text(&["x", &"\u{1}".repeat(NoteText::BYTES_LIMIT - 1)].concat()),
        author: Author::Mechanical,
        cut: Bytes::MAX,
        generation: Generation::MAX,
        created_at: Timestamp::MAX,
    };
    let session = SessionName::parse(&"\"".repeat(SessionName::STEM_BYTES_MAX / 3)).unwrap();
    let line = written(&draft, &session, u64::MAX);
    assert!(line.len() <= LINE_BYTES_MAX);
    assert!(matches!(read(&line, &session), Line::Record(Record { sealed: true, .. })));
}

fn plain_note(words: &str) -> Draft {
    Draft::Note {
        text: text(words),
        author: Author::Agent,
        cut: Bytes::ZERO,
        generation: Generation::ZERO,
        created_at: Timestamp::ZERO,
    }
}

#[test]
fn the_example_of_the_format_is_what_is_written() {
    let page = include_str!("../../docs/format.md");
    let (_, example) = page.split_once("```jsonl\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (generation, created_at) = (Generation::new(3), Timestamp::new(1_790_000_000_000));
    let drafts = [
        Draft::Attempt { generation, created_at },
        Draft::Note {
            text: text("red\nblue"),
            author: Author::Agent,
            cut: Bytes::ZERO,
            generation,
            created_at,
        },
    ];
    let session = SessionName::parse("s1").unwrap();
    let lines = (7..).zip(&drafts).flat_map(|(seq, draft)| written(draft, &session, seq));
    assert_eq!(String::from_utf8(lines.collect()).unwrap(), example);
}

/// Reads a line that ends in LF.
#[track_caller]
fn read<'a>(line: &'a [u8], session: &SessionName) -> Line<'a> {
    let line = line.strip_suffix(b"\n").unwrap();
    assert!(!line.contains(&b'\n'));
    Line::read(line, session)
}

// Round trip.

#[track_caller]
fn assert_comes_back(draft: &Draft, session: &SessionName, seq: u64) {
    let line = written(draft, session, seq);
    let (generation, created_at, body) = match draft.clone() {
        Draft::Note { text, author, cut, generation, created_at } => {
            let text = text.as_str().to_owned().into();
            (generation, created_at, Body::Note { text, author, cut })
        }
        Draft::Attempt { generation, created_at } => (generation, created_at, Body::Attempt),
        Draft::Rollover { generation, created_at } => (generation, created_at, Body::Rollover),
    };
    let record = Record { generation, created_at, seq: Some(Seq::new(seq)), body, sealed: true };
    assert_eq!(read(&line, session), Line::Record(record));
}

#[test]
fn every_character_that_may_be_escaped_comes_back_by_itself() {
    for c in '\0'..='\u{a0}' {
        let words = format!("a{c}b");
        assert_comes_back(&plain_note(&words), &session(), 1);
    }
}

#[test]
fn every_unicode_scalar_value_comes_back() {
    let scalars: Vec<char> = ('\0'..=char::MAX).collect();
    for chunk in scalars.chunks(16_000) {
        let words = chunk.iter().collect::<String>() + "visible";
        assert_comes_back(&plain_note(&words), &session(), 1);
    }
}

fn drafts() -> impl Strategy<Value = Draft> {
    let notes = (any::<String>(), any::<bool>(), any::<[u64; 3]>());
    prop_oneof![
        3 => notes.prop_map(|(words, mechanical, [cut, generation, created_at])| Draft::Note {
            text: text(&(words + "visible")),
            author: if mechanical { Author::Mechanical } else { Author::Agent },
            cut: Bytes::new(cut),
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
        1 => any::<[u64; 2]>().prop_map(|[generation, created_at]| Draft::Attempt {
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
        1 => any::<[u64; 2]>().prop_map(|[generation, created_at]| Draft::Rollover {
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
    ]
}

fn names() -> impl Strategy<Value = SessionName> {
    "[a-z\"'{}:,é🏺 .-]{1,20}".prop_filter_map("refused", |name| SessionName::parse(&name).ok())
}

proptest! {
    #[test]
    fn every_record_comes_back(draft in drafts(), session in names(), seq: u64) {
        assert_comes_back(&draft, &session, seq);
    }

    #[test]
    fn a_record_is_foreign_to_every_other_session(draft in drafts(), a in names(), b in names()) {
        prop_assume!(a != b);
        let line = written(&draft, &a, 1);
        prop_assert_eq!(read(&line, &b), Line::Foreign { session: a.as_str().into() });
    }
}
