//! Promise: what a fuzzer once found stays mended, and no input breaks the properties it searches.
//!
//! Shown by its findings in fixtures/fuzz, made small, in a folder a target; by every other fixture
//! as an input of every target; and by sampled bytes.

use std::{fs, path::Path};

use proptest::prelude::*;

use crate::properties::TARGETS;

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

proptest! {
    #[test]
    fn no_bytes_break_a_property(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        put_to_every_target(&bytes);
    }
}
