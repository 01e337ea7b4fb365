//! The promise: the house is as docs/design.md draws it.
//!
//! Shown by reading the sources: who imports whom, who touches the world, and how long files get.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What each part of the library may import. A part that is not listed does not exist.
///
/// Decisions know the vocabulary and not each other; the log and the prompt never learn who stores
/// them; the notebook is where all meet.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("error", &[]),
    ("session", &[]),
    ("note", &["units"]),
    ("facts", &["note", "units"]),
    ("budget", &["units"]),
    ("usage", &["units"]),
    ("threshold", &["units"]),
    ("gate", &["error", "session", "units"]),
    ("turn", &["note", "units"]),
    ("log", &["note", "session", "units"]),
    ("prompt", &["note", "session", "units"]),
    ("store", &["error", "log", "note", "session", "units"]),
    (
        "notebook",
        &[
            "budget",
            "error",
            "facts",
            "gate",
            "log",
            "note",
            "prompt",
            "session",
            "store",
            "threshold",
            "turn",
            "units",
            "usage",
        ],
    ),
    (
        "conversation",
        &[
            "budget",
            "error",
            "facts",
            "gate",
            "notebook",
            "prompt",
            "threshold",
            "turn",
            "units",
            "usage",
        ],
    ),
    ("host", &["facts", "note", "prompt", "session", "units", "usage"]),
];

/// What only the store and the program may name, and why.
const THE_WORLD: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::now",
    "fs::File",
    "rustix",
    "fs2",
    "tempfile",
    "println!",
    "eprintln!",
    "stdin()",
    "stdout()",
];

/// A file that is longer does two jobs.
const LINES_MAX: usize = 400;

fn sources_below(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the library's sources with the part that each belongs to.
fn library() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources_below("src").into_iter();
    let named = files.filter_map(|path| {
        let below = path.strip_prefix(&root).ok()?;
        let first = below.components().next()?.as_os_str().to_str()?;
        let part = first.trim_end_matches(".rs").to_owned();
        let text = code(&fs::read_to_string(&path).ok()?);
        (!["lib", "bin"].contains(&part.as_str())).then_some((part, path, text))
    });
    named.collect()
}

/// Returns a source without its comments.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the parts that a source names behind `crate::`, also within braces.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    _ if depth > 0 => {}
                    c if c.is_alphanumeric() || c == '_' => word.push(c),
                    ',' => found.push(std::mem::take(&mut word)),
                    ':' if !word.is_empty() => {
                        found.push(std::mem::take(&mut word));
                        word.push(' ');
                    }
                    _ => {}
                }
            }
            found.push(word);
        } else {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found.retain(|word| !word.is_empty() && !word.starts_with(' '));
    found
}

#[test]
fn each_part_imports_only_what_the_layering_lets_it() {
    let table: BTreeMap<_, _> = MAY_IMPORT.iter().copied().collect();
    for (part, path, text) in library() {
        let allowed = table.get(part.as_str());
        let allowed = allowed.unwrap_or_else(|| panic!("{part} is not in the layering table"));
        for import in imports(&text) {
            let import = match import.as_str() {
                "Error" | "ErrorKind" => "error",
                other => other,
            };
            let fine = import == part || allowed.contains(&import);
            assert!(fine, "{} imports {import}, which {part} may not", path.display());
        }
    }
}

#[test]
fn nothing_but_the_store_and_the_program_names_a_file_a_clock_or_the_environment() {
    for (part, path, text) in library() {
        if part == "store" {
            continue;
        }
        for word in THE_WORLD {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

#[test]
fn the_program_uses_the_library_by_its_public_name() {
    for path in sources_below("src/bin") {
        let text = code(&fs::read_to_string(&path).expect("readable"));
        assert!(!text.contains("#[path"), "{} takes a file of the library", path.display());
    }
}

#[test]
fn no_file_does_two_jobs() {
    for path in sources_below("src") {
        let lines = fs::read_to_string(&path).expect("readable").lines().count();
        assert!(lines <= LINES_MAX, "{} has {lines} lines", path.display());
    }
}
