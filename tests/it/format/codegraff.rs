//! codegraff reads what we write: a reader with its fields and its rules, and nothing of ours.
//!
//! Source: codegraff PR 460.

use graff_notes::{
    log::Draft,
    note::NoteText,
    session::SessionName,
    units::{Generation, Timestamp},
};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::{drafts, names, plain_note, text, written};
use crate::support::logs::{fixture, session};

/// A note as codegraff takes it from a line; fields that it doesn't know are passed over.
#[derive(Debug, Deserialize, PartialEq)]
struct Theirs {
    v: u64,
    session: String,
    #[serde(default, deserialize_with = "whole")]
    r#gen: u32,
    text: String,
    #[serde(default, deserialize_with = "whole")]
    created_at: i64,
}

/// A whole number that fits; 0 for whatever else stands there.
fn whole<'de, N, D>(deserializer: D) -> Result<N, D::Error>
where
    N: TryFrom<i64> + Default,
    D: serde::Deserializer<'de>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_i64().and_then(|whole| whole.try_into().ok()).unwrap_or_default())
}

/// The notes of a log: a line that is none, or has no text, is passed over.
fn theirs(log: &[u8]) -> Vec<Theirs> {
    let notes =
        log.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    notes.filter(|note: &Theirs| !note.text.is_empty()).collect()
}

/// What they have to read where we wrote `draft`.
fn ours(draft: &Draft, session: &SessionName) -> Vec<Theirs> {
    let Draft::Note { text, generation, created_at, .. } = draft else { return Vec::new() };
    vec![Theirs {
        v: 1,
        session: session.as_str().to_owned(),
        r#gen: generation.get().try_into().unwrap_or(0),
        text: text.as_str().to_owned(),
        created_at: created_at.get().try_into().unwrap_or(0),
    }]
}

#[test]
fn a_log_of_ours_is_a_log_of_theirs_with_its_notes_and_nothing_else() {
    let notes = theirs(&fixture("sealed"));
    let said: Vec<_> = notes.iter().map(|note| (note.r#gen, note.text.as_str())).collect();
    let expected = [
        (0, "Ramp lives at kiln.toml:41.\t60 °C/h, \"soak\" 20 min \\ no longer"),
        (1, "user asked: fire the tiles\nfiles: ramp.rs, kiln.toml"),
        (2, "ash glaze 🏺 runs: keep 5 mm off the foot"),
    ];
    assert_eq!(said, expected);
    assert_eq!(theirs(&fixture("codegraff")).len(), 3);
}

#[test]
fn the_extremes_of_what_we_write_are_read_too() {
    let longest = ["x", &"\u{1}".repeat(NoteText::BYTES_LIMIT - 1)].concat();
    let every: String = ('\0'..='\u{fff}').chain(['\u{2028}', '\u{feff}', char::MAX]).collect();
    let figures = [0, 1, u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX >> 1, u64::MAX];
    for (words, figure) in [longest, every].iter().flat_map(|text| figures.map(|it| (text, it))) {
        let Draft::Note { author, cut, .. } = plain_note("x") else { unreachable!("a note") };
        let (generation, created_at) = (Generation::new(figure), Timestamp::new(figure));
        let draft = Draft::Note { text: text(words), author, cut, generation, created_at };
        for seq in [1, u64::MAX] {
            let line = written(&draft, &session(), seq);
            assert_eq!(theirs(&line), ours(&draft, &session()), "{figure}, {seq}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_we_write_is_read(draft in drafts(), session in names(), seq: u64) {
        let line = written(&draft, &session, seq);
        prop_assert_eq!(theirs(&line), ours(&draft, &session));
    }
}
