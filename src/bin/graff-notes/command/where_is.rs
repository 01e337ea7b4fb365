//! `where`: which store this is about, and why that one.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::store::Store;
use serde::Serialize;

use crate::{
    context::Context,
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table},
    root::{Because, Root, Skipped},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes where
  graff-notes where --json | jq -r .notes";

/// Prints which folder holds the notes, and why that one
#[derive(Args, Debug)]
#[command(name = "where", after_help = EXAMPLES)]
pub(crate) struct Where {}

#[derive(Serialize)]
struct Answer<'a> {
    root: &'a Utf8Path,
    because: Because,
    notes: Utf8PathBuf,
    exists: bool,
    skipped: &'a [Skipped],
}

impl Where {
    pub(crate) fn run(cx: &mut Context) -> Result<Exit, Stop> {
        let Root { path, because, skipped } = cx.root()?;
        let notes = Store::at(path.clone()).notes_path();
        if cx.out.form() == Form::Json {
            let exists = notes.is_dir();
            cx.out.json(&Answer { root: &path, because, notes, exists, skipped: &skipped })?;
            return Ok(Exit::Done);
        }
        let there = if notes.is_dir() { "yes" } else { "no: the first note makes it" };
        let mut table = Table::of(&[]);
        let mut row = |name, text| table.row(&mut cx.out, vec![Cell::dim(name), Cell::text(text)]);
        row("root", path.to_string())?;
        row("because", because.words().to_owned())?;
        row("notes", notes.to_string())?;
        row("exists", there.to_owned())?;
        table.end(&mut cx.out)?;
        Ok(Exit::Done)
    }
}
