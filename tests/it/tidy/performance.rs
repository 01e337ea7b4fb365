//! The promise: the readme compares with others by the table that the page on performance has.

use std::{fs, path::Path};

const HEADER: &str = "| operation | raw |";

/// The table of engines of a page, line by line.
fn table(page: &str) -> Vec<String> {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).expect("readable");
    text.lines()
        .skip_while(|line| !line.starts_with(HEADER))
        .take_while(|line| line.starts_with('|'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_table_of_the_readme_is_that_of_the_page_on_performance() {
    let measured = table("docs/performance.md");

    assert!(!measured.is_empty(), "the page has no table that begins with {HEADER}");
    assert_eq!(table("README.md"), measured);
}
