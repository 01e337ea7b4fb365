//! Three readers of the same lines: an independent one, the parser of this crate, and its fast path.

use proptest::prelude::*;

use crate::properties::reference::{BEYOND_REFERENCE, detour, ours, reference, resealed};
use crate::support::logs::{fixture, fixtures, session};

#[test]
fn an_independent_reader_agrees_on_every_fixture() {
    let mut beyond = Vec::new();
    for (name, file) in fixtures() {
        for (index, line) in file.split(|&byte| byte == b'\n').enumerate() {
            match reference(line, session().as_str()) {
                Err(BEYOND_REFERENCE) => beyond.push(name.clone()),
                said => assert_eq!(ours(line, &session()), said, "{name}, line {}", index + 1),
            }
        }
    }
    assert_eq!(beyond, ["deep_200", "lone_surrogate", "odd_numbers"]);
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
            assert_eq!(ours(line, &session()), ours(&detour(line), &session()), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn an_independent_reader_agrees_on_mutations(line in mutants()) {
        let said = reference(&line, session().as_str());
        prop_assume!(said != Err(BEYOND_REFERENCE));
        prop_assert_eq!(ours(&line, &session()), said);
    }

    #[test]
    fn the_fast_path_says_what_the_parser_behind_it_says(line in mutants()) {
        prop_assert_eq!(ours(&line, &session()), ours(&detour(&line), &session()));
    }
}
