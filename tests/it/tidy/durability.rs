//! The promise: docs/durability.md says nothing without naming the tests that show it; each name is
//! that of a test, or the beginning of some; and its figures are in the words that a test prints.
//!
//! Shown by reading the page and the tests.

use std::{collections::BTreeSet, fs, path::Path};

use super::sources_below;

/// The heading of the column that names tests, and of the one with what they print.
const SHOWN_BY: &str = "shown by";
const FIGURE: &str = "figure";

/// What a row says that no test shows, in so many words.
const NOT_SHOWN: [&str; 2] = ["not tested", "nothing is promised"];

/// What a command begins with that shows something where a test cannot.
const COMMANDS: [&str; 5] = ["cargo ", "TMPDIR", "bash ", "fuzz/", "campaigns/"];

/// Returns the names of all tests, as `cargo test --test it` lists them.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut names = BTreeSet::new();
    for path in sources_below("tests/it") {
        let module = path.strip_prefix(&root).expect("below it").with_extension("");
        let module: Vec<_> = module.iter().map(|part| part.to_string_lossy()).collect();
        let source = fs::read_to_string(&path).expect("readable");
        let mut is_test = false;
        for line in source.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("fn ").filter(|_| is_test) {
                let name = name.split('(').next().unwrap_or_default();
                names.insert(format!("{}::{name}", module.join("::")));
            }
            is_test = line == "#[test]" || is_test && line.starts_with("#[");
        }
    }
    names
}

/// Whether tests begin with `name`: one of that name, or those of a module, or the first words.
fn is_of(tests: &BTreeSet<String>, name: &str) -> bool {
    tests.range(name.to_owned()..).next().is_some_and(|test| test.starts_with(name))
}

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/durability.md");
    fs::read_to_string(page).expect("readable")
}

/// Returns the cells of a row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(row.split('|').map(str::trim).collect())
}

/// A row of a table: its cells by the headings of their columns.
type Row<'p> = Vec<(&'p str, &'p str)>;

/// Returns the rows of all tables of the page.
fn rows(page: &str) -> Vec<Row<'_>> {
    let (mut headings, mut rows): (Option<Vec<_>>, _) = (None, Vec::new());
    for line in page.lines() {
        match (cells(line), &headings) {
            (None, _) => headings = None,
            (Some(row), None) => headings = Some(row),
            (Some(row), Some(_)) if row.iter().all(|cell| cell.starts_with("---")) => {}
            (Some(row), Some(headings)) => rows.push(headings.iter().copied().zip(row).collect()),
        }
    }
    rows
}

fn cell<'p>(row: &Row<'p>, heading: &str) -> Option<&'p str> {
    row.iter().find(|(found, _)| *found == heading).map(|(_, cell)| *cell)
}

/// Returns what stands between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_row_of_the_page_on_durability_names_what_shows_it() {
    let (tests, page) = (tests(), page());
    let rows = rows(&page);
    assert!(rows.len() > 30, "{} rows", rows.len());
    for row in rows {
        let claim = row.first().expect("a cell").1;
        let shown = cell(&row, SHOWN_BY).unwrap_or_else(|| panic!("nothing shows: {claim}"));
        let is_command = |code: &str| COMMANDS.iter().any(|command| code.starts_with(command));
        for name in code(shown) {
            assert!(is_command(name) || is_of(&tests, name), "{claim}: there is no test {name}");
        }
        let says_so = NOT_SHOWN.iter().any(|words| shown.contains(words));
        assert!(says_so || code(shown).next().is_some(), "{claim}: {shown}");
    }
}

#[test]
fn every_test_that_the_page_on_durability_names_elsewhere_is_there() {
    let (tests, page) = (tests(), page());
    for line in page.lines().filter(|line| !line.starts_with('|')) {
        let words = code(line).flat_map(|code| code.split(' '));
        for name in words.filter(|word| word.contains("::")) {
            assert!(is_of(&tests, name), "there is no test {name}: {line}");
        }
    }
}

#[test]
fn every_figure_of_the_page_on_durability_is_in_the_words_of_a_test() {
    let sources = sources_below("tests/it").into_iter();
    let sources: String = sources.map(|path| fs::read_to_string(path).expect("readable")).collect();
    let page = page();
    let figures: Vec<_> = rows(&page).iter().filter_map(|row| cell(row, FIGURE)).collect();
    assert!(figures.len() > 10, "{figures:?}");
    for figure in figures.into_iter().filter(|figure| !figure.is_empty()) {
        for figure in figure.split("; ") {
            let begins = figure.split_once(": ").map(|(words, _)| format!("\"{words}: "));
            let begins = begins.unwrap_or_else(|| panic!("in whose words? {figure}"));
            assert!(sources.contains(&begins), "no test prints {begins}…\": {figure}");
        }
    }
}
