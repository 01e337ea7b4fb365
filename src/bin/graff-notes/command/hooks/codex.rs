//! What Codex CLI's own settings say of hooks: whether it runs any, and which of them are trusted.

use std::fmt::Display;

use camino::Utf8Path;
use graff_notes::{
    ErrorKind,
    host::{
        hook::Host,
        settings::{self, Found},
    },
};
use toml::de::{DeTable, DeValue};

use super::{file::PersonsFile, place::codex_config};
use crate::{exit::Exit, failure::Failure};

/// The key that keeps it from running any hook.
const FEATURE: &str = "features.hooks";

/// Whether Codex CLI has trust on record for each hook of ours in a file. It keeps a hash of each
/// under its place, so a hook that was changed since is on record and not trusted: only `/hooks` in
/// codex tells.
pub(super) fn has_trust(hooks: &Utf8Path) -> Result<bool, Failure> {
    let path = codex_config()?;
    let file = open(&path)?;
    let config = DeTable::parse(file.text().unwrap_or_default());
    let config = config.map_err(|why| untold(&path, &why.message()))?;
    let state = table_in(config.get_ref(), "hooks").and_then(|hooks| table_in(hooks, "state"));
    let on_record = |Found { event, group, handler, .. }: &Found| {
        let key = format!("{hooks}:{}:{group}:{handler}", snake_case(event));
        state.is_some_and(|state| state.keys().any(|it| *it.get_ref() == key))
    };
    let settings = open(hooks)?;
    let ours = settings::found(Host::Codex, settings.text().unwrap_or_default());
    let ours = ours.map_err(|why| untold(hooks, &why))?;
    Ok(ours.iter().filter(|found| found.acts()).all(on_record))
}

/// Returns the key by which the user has told it to run no hook, where one does.
pub(super) fn switched_off() -> Option<&'static str> {
    let file = open(&codex_config().ok()?).ok()?;
    let config = DeTable::parse(file.text()?).ok()?;
    let feature = table_in(config.get_ref(), "features")?.get("hooks")?;
    matches!(feature.get_ref(), DeValue::Boolean(false)).then_some(FEATURE)
}

fn open(path: &Utf8Path) -> Result<PersonsFile, Failure> {
    PersonsFile::open(path.to_owned()).map_err(|why| untold(path, &why))
}

fn untold(path: &Utf8Path, why: &dyn Display) -> Failure {
    let what = format_args!("tell whether codex trusts the hooks, in {path}: {why}");
    let failure = Failure::new(Exit::Failed, ErrorKind::InvalidInput.as_str(), what);
    failure.advise(format!("mend {path}")).at(path)
}

fn table_in<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    match table.get(name)?.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn snake_case(event: &str) -> String {
    let mut name = String::with_capacity(event.len() + 2);
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}
