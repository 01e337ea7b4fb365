//! Promise: what a fuzzer once found stays mended, and no input breaks the properties it searches.
//!
//! Shown by its findings in fixtures/fuzz, made small, in a folder a target; by every other fixture
//! as an input of every target; and by sampled bytes.

use std::{fs, path::Path};

use graff_notes::log::{Fault, Line};
use proptest::prelude::*;

use crate::properties::{
    TARGETS,
    seen::{replay, rewind},
    spelt::{a_long_log_is_read_one_way, spelt},
};

/// Every file below a folder of the fixtures.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn put_to_every_target(input: &[u8]) {
    for (_, property) in TARGETS {
        property(input);
    }
}

#[test]
fn what_a_fuzzer_once_found_stays_mended() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fuzz");
    let mut names: Vec<_> = fs::read_dir(&root)
        .expect("the findings")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.retain(|name| name != "README.md");
    for name in names {
        let target = TARGETS.iter().find(|target| target.0 == name);
        let (_, property) = target.unwrap_or_else(|| panic!("{name} is no target"));
        let mut findings = Vec::new();
        files(&root.join(name), &mut findings);
        assert!(!findings.is_empty());
        for finding in findings {
            property(&fs::read(finding).expect("a finding"));
        }
    }
}

#[test]
fn every_fixture_is_an_input_that_breaks_no_property() {
    let mut fixtures = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), &mut fixtures);
    assert!(fixtures.len() > 60);
    for fixture in fixtures {
        let mut bytes = fs::read(fixture).expect("a fixture");
        bytes.truncate(64 * 1024);
        put_to_every_target(&bytes);
    }
}

/// The beginning of a record, up to its text, and its end.
const HEAD: &[u8] = b"{\"v\":1,\"session\":\"kiln\",\"text\":\"";
const END: &[u8] = b"\"}\n";

/// Spells a piece that stands there as it is.
fn once(piece: &[u8]) -> Vec<u8> {
    [&[1, 0, u8::try_from(piece.len()).expect("a short piece")], piece].concat()
}

/// Spells a piece that is repeated, up to a length near an edge.
fn repeated(edge: u8, near: u8, piece: &[u8]) -> Vec<u8> {
    [&[edge * 8, near, u8::try_from(piece.len()).expect("a short piece")], piece].concat()
}

/// Spells a note whose text has a length near an edge.
fn note(edge: u8, near: u8) -> Vec<u8> {
    [once(HEAD), repeated(edge, near, b"y"), once(END)].concat()
}

#[test]
fn a_few_bytes_spell_a_log_of_many_windows_and_a_line_that_is_just_too_long() {
    let line = |near| {
        let log = spelt(&note(4, near));
        assert_eq!(log.len(), HEAD.len() + (1 << 20) + usize::from(near) - 128 + END.len());
        replay(&log).0.remove(0).line
    };
    let fits = u8::try_from(128 - HEAD.len() - (END.len() - 1)).expect("it is near");
    assert!(matches!(line(fits), Line::Record(_)), "the longest line");
    assert_eq!(line(fits + 1), Line::Bad(Fault::TooLong));
    for near in fits - 1..=fits + 2 {
        a_long_log_is_read_one_way(&[once(b"x\n"), note(4, near), once(b"x\n")].concat());
    }
    let (_, _, bytes_read) = rewind(&spelt(&repeated(5, 255, b"y")), usize::MAX);
    assert!(bytes_read > 2 << 20, "{bytes_read}: it goes on over what is too long");
}

#[test]
fn a_few_bytes_spell_no_more_lines_than_a_search_has_memory_for() {
    let pieces = 1_000;
    let log = spelt(&repeated(3, 255, b"\n").repeat(pieces));
    assert!(log.len() <= (64 << 10) + pieces, "{} lines", log.len());
}

/// What a long log is spelt of.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let scrap =
        || prop::sample::select(vec![&b"y"[..], b"\n", b"x\n", b"\0", b"{", b" ", HEAD, END]);
    prop_oneof![
        4 => scrap().prop_map(once),
        4 => (0_u8..4, any::<u8>(), scrap()).prop_map(|(edge, near, piece)| repeated(edge, near, piece)),
        4 => (0_u8..4, any::<u8>()).prop_map(|(edge, near)| note(edge, near)),
        1 => (4_u8..6, any::<u8>(), scrap()).prop_map(|(edge, near, piece)| repeated(edge, near, piece)),
        1 => any::<u8>().prop_map(|near| note(4, near)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_long_log_breaks_a_property(pieces in prop::collection::vec(pieces(), 1..6)) {
        a_long_log_is_read_one_way(&pieces.concat());
    }
}

proptest! {
    #[test]
    fn no_bytes_break_a_property(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        put_to_every_target(&bytes);
    }
}
