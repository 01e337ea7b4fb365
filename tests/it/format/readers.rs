//! Three readers of the same lines: an independent one, the parser of this crate, and its fast
//! path.

use proptest::prelude::*;

use crate::properties::{
    called,
    compared::{detour, our_line, our_log, resealed},
    reference,
};
use crate::support::{
    faulty::{FaultyMedium, Image},
    logs::{fixture, fixtures, session},
    notes::store_on,
};

#[test]
fn an_independent_reader_agrees_on_every_fixture() {
    for (name, file) in fixtures() {
        assert_eq!(our_log(&file), called::log(&file, session().as_str()), "{name}");
        let records = reference::records(&file, session().as_str());
        let newest = records.into_iter().filter_map(|record| record.text).next_back();
        assert_eq!(shown(file), newest, "{name}");
    }
}

/// The text of the newest note of a log, as the store shows it.
fn shown(log: Vec<u8>) -> Option<String> {
    let file = format!("{}.notes.jsonl", session().as_str());
    let store = store_on(FaultyMedium::holding(&Image::from([(file, log)])));
    store.newest(&session()).unwrap().note.map(|note| note.text)
}

#[test]
fn the_independent_reader_has_nothing_of_this_crate() {
    let reader = include_str!("../properties/reference.rs");
    let words = include_str!("../properties/called.rs").replace("super::reference", "the reader");
    for text in [reader, &words] {
        assert!(!["graff_notes", "super::", "crate::"].iter().any(|name| text.contains(name)));
    }
}

/// Good lines without a seal, on which no reader trips.
fn unsealed_lines() -> Vec<String> {
    let sealed = String::from_utf8(fixture("sealed")).unwrap();
    let stripped = sealed.lines().map(|line| format!("{}}}", &line[..line.len() - 18]));
    let plain = String::from_utf8(fixture("codegraff")).unwrap();
    let extra = String::from_utf8(fixture("extra_fields")).unwrap();
    let others = plain.lines().chain(extra.lines().skip(1).take(1)).map(str::to_owned);
    stripped.chain(others).collect()
}

/// What is put in the place of a few bytes of a line.
const SPLINTERS: &[&str] = &[
    "",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "1",
    "-",
    ".",
    "e9",
    "\0",
    " ",
    "\t",
    "\r",
    "\u{1}",
    "\u{7f}",
    "é",
    "\\u",
    "\\n",
    "\\/",
    "\\u0041",
    "\\ud83c\\udffa",
    "\\ud83c",
    "null",
    "kiln",
    "wheel",
    "\"text\":\"x\",",
    ",\"v\":2",
    "\"kind\":\"attempt\",",
    ",\"cut\":7",
    ",\"seq\":18446744073709551615",
    ",\"crc\":\"00000000\"",
];

/// A good line with up to three mutations, then sealed or not.
fn mutants() -> impl Strategy<Value = Vec<u8>> {
    let mutation = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(SPLINTERS));
    let line = prop::sample::select(unsealed_lines());
    (line, prop::collection::vec(mutation, 0..4), any::<bool>()).prop_map(
        |(line, mutations, seal)| {
            let mut line = line.into_bytes();
            for (place, length, splinter) in mutations {
                let start = place.index(line.len());
                let end = (start + length).min(line.len());
                line.splice(start..end, splinter.bytes());
            }
            if seal { resealed(line) } else { line }
        },
    )
}

#[test]
fn the_fast_path_says_what_the_parser_behind_it_says_on_every_fixture() {
    for (name, file) in fixtures() {
        for line in file.split(|&byte| byte == b'\n') {
            assert_eq!(our_line(line, &session()), our_line(&detour(line), &session()), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn an_independent_reader_agrees_on_mutations(line in mutants()) {
        let said = called::line(&line, session().as_str());
        prop_assert_eq!(our_line(&line, &session()), said);
    }

    #[test]
    fn the_fast_path_says_what_the_parser_behind_it_says(line in mutants()) {
        prop_assert_eq!(our_line(&line, &session()), our_line(&detour(&line), &session()));
    }
}
