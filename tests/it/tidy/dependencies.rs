//! What is depended on is what deny.toml lets in: the same lists that cargo-deny reads, held to on
//! machines that don't have it; and the library alone takes little.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use toml::de::{DeTable, DeValue};

use crate::support::skipped;

/// What the library may name in its Cargo.toml without a feature.
const OF_THE_LIBRARY: [&str; 9] = [
    "camino",
    "crc32fast",
    "fs2",
    "memchr",
    "rustix",
    "serde",
    "serde_json",
    "thiserror",
    "tracing",
];

/// What deny.toml says.
struct Lists {
    licences: Vec<String>,
    /// A crate, and the licences that it alone may have.
    exceptions: Vec<(String, Vec<String>)>,
    /// A crate that is kept out, and whose it may be nevertheless.
    banned: Vec<(String, Vec<String>)>,
    registries: Vec<String>,
}

fn text_of(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("it is there")
}

fn lists() -> Lists {
    let text = text_of("deny.toml");
    let document = DeTable::parse(&text).expect("TOML");
    let at = |section: &str, key: &str| {
        let section = table(document.get_ref()[section].get_ref());
        array(section.get(key).expect("a list").get_ref())
    };
    Lists {
        licences: at("licenses", "allow").map(string).collect(),
        exceptions: at("licenses", "exceptions").map(|row| named(row, "allow")).collect(),
        banned: at("bans", "deny").map(|row| named(row, "wrappers")).collect(),
        registries: at("sources", "allow-registry").map(string).collect(),
    }
}

fn table<'t>(value: &'t DeValue<'_>) -> &'t DeTable<'t> {
    value.as_table().expect("a table")
}

fn array<'t>(value: &'t DeValue<'t>) -> impl Iterator<Item = &'t DeValue<'t>> {
    value.as_array().expect("an array").iter().map(toml::Spanned::get_ref)
}

fn string(value: &DeValue<'_>) -> String {
    value.as_str().expect("a string").to_owned()
}

/// A row of crate and list; without one, the list is empty.
fn named(row: &DeValue<'_>, list: &str) -> (String, Vec<String>) {
    let row = table(row);
    let list = row.get(list).map(|list| array(list.get_ref()).map(string).collect());
    (string(row.get("crate").expect("a crate").get_ref()), list.unwrap_or_default())
}

/// What `cargo tree` says of this build, a line a package.
fn tree(args: &[&str]) -> BTreeSet<String> {
    tried(args).unwrap_or_else(|why| panic!("{why}"))
}

/// The same of a build that may take what this machine has not fetched.
fn tried(args: &[&str]) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["tree", "--offline", "--locked", "--prefix", "none"]).args(args);
    let said = command.output().expect("cargo runs the tests");
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let said = String::from_utf8(said.stdout).expect("UTF-8");
    Ok(said.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect())
}

/// Whether an SPDX expression can be met with what is allowed; `AND` binds closer than `OR`.
fn is_met(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.replace('/', " OR ");
    parts(&expression, " OR ").iter().any(|term| {
        parts(term, " AND ").iter().all(|part| {
            let part = part.trim();
            let inner = part.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            inner.map_or_else(|| allowed(part), |inner| is_met(inner, allowed))
        })
    })
}

/// The parts of `text` between `separator`, but for those in parentheses.
fn parts<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let is_outside = |at: &usize| {
        let before = &text[..*at];
        before.matches('(').count() == before.matches(')').count()
    };
    let (mut from, mut parts) = (0, Vec::new());
    for at in text.match_indices(separator).map(|(at, _)| at).filter(is_outside) {
        parts.push(&text[from..at]);
        from = at + separator.len();
    }
    parts.push(&text[from..]);
    parts
}

#[test]
fn an_expression_is_met_by_one_of_its_choices_and_all_of_its_duties() {
    let is_allowed = |licence: &str| ["MIT", "ISC"].contains(&licence);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("MIT AND ISC", true),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("(MIT OR ISC) AND GPL-3.0", false),
        ("GPL-3.0 AND ISC OR MIT", true),
        ("MIT WITH an-exception", false),
        ("", false),
    ] {
        assert_eq!(is_met(expression, &is_allowed), expected, "{expression}");
    }
}

#[test]
fn every_package_of_a_build_has_a_licence_that_is_allowed() {
    let Lists { licences, exceptions, .. } = lists();
    let format = ["--format", "{p}\t{l}"];
    let packages = tried(&[&format[..], &["--all-features"]].concat()).unwrap_or_else(|_| {
        skipped("some of what other features take was never fetched");
        tree(&format)
    });
    assert!(packages.len() > 80, "{packages:?}");
    for package in packages {
        let (package, expression) = package.split_once('\t').expect("a package and a licence");
        let name = package.split(' ').next().unwrap_or_default();
        let own = exceptions.iter().find(|(of, _)| of == name).map(|(_, own)| own);
        let is_allowed = |licence: &str| {
            licences.iter().chain(own.into_iter().flatten()).any(|allowed| allowed == licence)
        };
        assert!(is_met(expression, &is_allowed), "{package} is under {expression:?}");
    }
}

/// The values of a field in Cargo.lock, for whatever features and systems.
fn locked(field: &str) -> Vec<String> {
    let text = text_of("Cargo.lock");
    let values = text.lines().filter_map(|line| line.strip_prefix(field)?.strip_prefix(" = "));
    values.map(|value| value.trim_matches('"').to_owned()).collect()
}

/// The packages in Cargo.lock, each with those that it depends on.
fn packages_locked() -> Vec<(String, Vec<String>)> {
    let text = text_of("Cargo.lock");
    let document = DeTable::parse(&text).expect("TOML");
    let of_row = |row: &DeValue<'_>| {
        let row = table(row);
        let needs = row.get("dependencies").into_iter().flat_map(|list| array(list.get_ref()));
        // Where two versions are locked, the version follows the name.
        let name = |needed: &DeValue<'_>| string(needed).split(' ').next().map(str::to_owned);
        (string(row.get("name").expect("a name").get_ref()), needs.filter_map(name).collect())
    };
    array(document.get_ref()["package"].get_ref()).map(of_row).collect()
}

#[test]
fn nothing_that_is_banned_is_locked_but_by_whom_it_may_be() {
    let packages = packages_locked();
    assert!(packages.len() > 100);
    for (banned, wrappers) in lists().banned {
        for (package, needs) in &packages {
            assert!(*package != banned || !wrappers.is_empty(), "{banned} is banned");
            let may = !needs.contains(&banned) || wrappers.contains(package);
            assert!(may, "{package} depends on {banned}");
        }
    }
}

#[test]
fn every_package_comes_from_the_registry_that_is_allowed() {
    let sources = locked("source");
    assert_eq!(sources.len() + 1, locked("name").len(), "all but our own");
    let allowed: Vec<_> =
        lists().registries.iter().map(|registry| format!("registry+{registry}")).collect();
    for source in sources {
        assert!(allowed.contains(&source), "{source}");
    }
}

#[test]
fn the_library_alone_depends_on_its_few_and_on_nothing_banned() {
    let alone = ["--no-default-features", "--edges", "normal", "--format", "{p}"];
    let name = |package: &String| package.split(' ').next().unwrap_or_default().to_owned();
    let named: BTreeSet<_> =
        tree(&[&alone[..], &["--depth", "1"]].concat()).iter().map(name).collect();
    let foreign: Vec<_> = named
        .iter()
        .filter(|name| *name != env!("CARGO_PKG_NAME") && !OF_THE_LIBRARY.contains(&name.as_str()))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let whole: BTreeSet<_> = tree(&alone).iter().map(name).collect();
    for (banned, _) in lists().banned {
        assert!(!whole.contains(&banned), "{banned}");
    }
}

#[test]
fn a_runtime_comes_with_the_command_that_needs_it_and_with_no_other() {
    for (features, expected) in [("host", false), ("cli", false), ("mcp", true)] {
        let build = ["--no-default-features", "--features", features, "--edges", "normal"];
        let packages = tree(&[&build[..], &["--format", "{p}"]].concat());
        let has = |name: &str| packages.iter().any(|it| it.split(' ').next() == Some(name));
        assert_eq!((has("rmcp"), has("tokio")), (expected, expected), "{features}");
    }
}
