//! The promise: the house is as docs/design.md draws it.
//!
//! Shown by reading the sources: who imports whom, who touches the world, and how long files get.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

#[cfg(feature = "cli")]
mod dependencies;
mod durability;
mod performance;

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
    ("gate", &["error", "note", "session", "units"]),
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

/// What only the store and the program may use, as paths.
const THE_WORLD: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::os",
    "std::time::SystemTime",
    "std::time::Instant",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "rustix",
    "fs2",
    "tempfile",
];

/// The files of the store that may name the disk; the others ask a `Medium`, so that what the tests
/// do to one in memory is done to all of them.
const ON_THE_DISK: [&str; 11] = [
    "disk.rs",
    "beneath.rs",
    "root.rs",
    "owner.rs",
    "access_list.rs",
    "holder.rs",
    "nameless.rs",
    "names.rs",
    "rename.rs",
    "stamp.rs",
    "elsewhere.rs",
];

/// What those may use, as paths.
const THE_DISK: [&str; 5] = ["std::fs", "std::os", "rustix", "fs2", "tempfile"];

/// What only the program may print with.
const PRINTING: &[&str] = &["print!", "println!", "eprint!", "eprintln!", "dbg!"];

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

/// Returns every path that a source uses, whole: the lists of `use` written out, and what stands
/// before it in place of `crate`, `self` and `super`.
fn paths(text: &str, module: &[String]) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let written = text.split(|c| !is_path(c)).filter(|word| word.contains("::")).map(str::to_owned);
    let used = text.split(';').filter_map(|statement| {
        let (before, list) = statement.rsplit_once("use ")?;
        before.chars().last().is_none_or(char::is_whitespace).then_some(list)
    });
    let used = used.flat_map(|list| written_out("", list));
    written.chain(used).map(|path| resolved(&path, module)).collect()
}

/// Returns the paths that a `use` names: `a::{b, c::{self, d}}` is `a::b`, `a::c` and `a::c::d`.
fn written_out(prefix: &str, list: &str) -> Vec<String> {
    let list = list.trim();
    let Some((before, rest)) = list.split_once('{') else {
        let name = list.split(" as ").next().unwrap_or_default().trim();
        return vec![format!("{prefix}{name}").trim_end_matches("::self").to_owned()];
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let prefix = format!("{prefix}{}", before.trim());
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| written_out(&prefix, part)).collect()
}

/// Returns a path from the crate's root, or from another crate's name.
fn resolved(path: &str, module: &[String]) -> String {
    let mut segments: Vec<_> = path.split("::").collect();
    let mut base: Vec<&str> = match segments[0] {
        "crate" => Vec::new(),
        "self" | "super" => module.iter().map(String::as_str).collect(),
        _ => return path.to_owned(),
    };
    while matches!(segments.first(), Some(&("crate" | "self" | "super"))) {
        if segments.remove(0) == "super" {
            base.pop();
        }
    }
    [&["crate"][..], &base, &segments].concat().join("::")
}

/// Returns where a source stands among the modules.
fn module_of(path: &Path) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let below = path.strip_prefix(root).expect("a source").with_extension("");
    let names = below.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod").collect()
}

/// Whether `path` is `place` or something in it.
fn is_in(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[test]
fn a_path_is_seen_however_it_is_written() {
    let module = ["log", "json", "read"].map(str::to_owned);
    let rows: [(&str, &[&str]); 6] = [
        ("use std::{fmt, fs::{self, File}};", &["std::fmt", "std::fs", "std::fs::File"]),
        (
            "pub(crate) use crate::{\n    store::Store as S,\n    units,\n};",
            &["crate::store::Store"],
        ),
        ("use super::super::super::store::Log;", &["crate::store::Log"]),
        (
            "use super::{super::{super::store}, plain};",
            &["crate::store", "crate::log::json::plain"],
        ),
        ("let now = std::time::SystemTime::now();", &["std::time::SystemTime::now"]),
        ("fn a() {}\n\nuse self::b::c;", &["crate::log::json::read::b::c"]),
    ];
    for (text, expected) in rows {
        let found = paths(text, &module);
        assert!(expected.iter().all(|path| found.iter().any(|f| f == path)), "{text}: {found:?}");
    }
}

#[test]
fn each_part_imports_only_what_the_layering_lets_it() {
    let table: BTreeMap<_, _> = MAY_IMPORT.iter().copied().collect();
    for (part, path, text) in library() {
        let allowed = table.get(part.as_str());
        let allowed = allowed.unwrap_or_else(|| panic!("{part} is not in the layering table"));
        for path_used in paths(&text, &module_of(&path)) {
            let Some(below) = path_used.strip_prefix("crate::") else { continue };
            let import = match below.split("::").next().unwrap_or_default() {
                "Error" | "ErrorKind" => "error",
                "" => continue, // the beginning of a list
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
        for used in paths(&text, &module_of(&path)) {
            let world = THE_WORLD.iter().find(|place| is_in(&used, place));
            assert_eq!(world, None, "{} uses {used}", path.display());
            assert!(!used.starts_with("std::*"), "{} uses all of std", path.display());
        }
    }
}

#[test]
fn in_the_store_only_the_real_disk_names_a_file_system() {
    let store = library().into_iter().filter(|(part, ..)| part == "store");
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let (on_the_disk, others): (Vec<_>, Vec<_>) = store
        .partition(|(_, path, _)| name(path).is_some_and(|n| ON_THE_DISK.contains(&n.as_str())));
    let disk_in = |path: &Path, text: &str| {
        let used = paths(text, &module_of(path)).into_iter();
        used.filter(|used| THE_DISK.iter().any(|place| is_in(used, place))).collect::<Vec<_>>()
    };
    assert_eq!(on_the_disk.len(), ON_THE_DISK.len());
    for (_, path, text) in on_the_disk {
        assert_ne!(disk_in(&path, &text), Vec::<String>::new(), "{} need not", path.display());
    }
    assert!(others.len() > 15);
    for (_, path, text) in others {
        assert_eq!(disk_in(&path, &text), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn the_library_prints_nothing() {
    for (_, path, text) in library() {
        for word in PRINTING {
            assert!(!text.contains(word), "{} has {word}", path.display());
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
