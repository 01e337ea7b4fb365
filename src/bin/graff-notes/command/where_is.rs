//! `where`: which store this is about, and why that one.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::store::Store;
use serde::Serialize;

use crate::{
    command::links,
    context::Context,
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table},
    root::{Because, Root, Skipped},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes where
  graff-notes where --json | jq -r .notes

Where it cannot be found out whether the notes are there, it says so, and why; in --json `exists` \
is null then, and `reason` says it.";

/// Prints which folder holds the notes, and why that one
#[derive(Args, Debug)]
#[command(name = "where", after_help = EXAMPLES)]
pub(crate) struct Where {}

#[derive(Serialize)]
struct Answer<'a> {
    root: &'a Utf8Path,
    because: Because,
    notes: Utf8PathBuf,
    /// `None` where that cannot be found out.
    exists: Option<bool>,
    /// Why it is not known, or what stands in the way.
    reason: Option<String>,
    skipped: &'a [Skipped],
}

impl Where {
    pub(crate) fn run(cx: &mut Context) -> Result<Exit, Stop> {
        let Root { path, because, skipped } = cx.root()?;
        let notes = Store::at(path.clone()).notes_path();
        if cx.out.form() == Form::Json {
            let There { exists, reason } = There::below(&path);
            let skipped = &skipped;
            cx.out.json(&Answer { root: &path, because, notes, exists, reason, skipped })?;
            return Ok(Exit::Done);
        }
        let there = There::below(&path).words();
        let mut table = Table::of(&[]);
        let mut row = |name, text| table.row(&mut cx.out, vec![Cell::dim(name), Cell::text(text)]);
        row("root", path.to_string())?;
        row("because", because.words().to_owned())?;
        row("notes", notes.to_string())?;
        row("exists", there)?;
        table.end(&mut cx.out)?;
        Ok(Exit::Done)
    }
}

/// What is found in the place of the notes.
struct There {
    exists: Option<bool>,
    reason: Option<String>,
}

impl There {
    fn below(root: &Utf8Path) -> Self {
        match links::on_the_way(root) {
            // Through which a store doesn't go.
            Some(link) => {
                Self { exists: Some(false), reason: Some(format!("{link} is a symbolic link")) }
            }
            None => Self::at(&Store::at(root).notes_path()),
        }
    }

    fn at(notes: &Utf8Path) -> Self {
        match fs::metadata(notes) {
            Ok(status) if status.is_dir() => Self { exists: Some(true), reason: None },
            Ok(_) => Self { exists: Some(false), reason: Some("it is no folder".to_owned()) },
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Self { exists: Some(false), reason: None }
            }
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
                let above = notes.parent().unwrap_or(notes);
                Self { exists: Some(false), reason: Some(format!("{above} is no folder")) }
            }
            Err(e) => Self { exists: None, reason: Some(e.to_string()) },
        }
    }

    fn words(self) -> String {
        let answer = match self.exists {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        match self.reason {
            Some(reason) => format!("{answer}: {reason}"),
            None if self.exists == Some(false) => format!("{answer}: the first note makes it"),
            None => answer.to_owned(),
        }
    }
}
