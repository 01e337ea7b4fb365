//! Makes fuzz targets of the properties that the ordinary tests sample.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(dead_code, reason = "the tests use more of it")]

#[path = "../../tests/it/properties/mod.rs"]
mod properties;

/// Puts `input` to the property of this name; a panic is a finding.
pub fn put(input: &[u8], name: &str) {
    let target = properties::TARGETS.iter().find(|target| target.0 == name);
    target.expect("a target of this name").1(input);
}
