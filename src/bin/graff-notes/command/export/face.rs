//! What `export` takes, and in which order it goes about it.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::store::Store;
use serde::Serialize;

use super::{
    records::{Run, Sum},
    sheet::{Format, Sheet, Target},
};
use crate::{
    command::meant::Meant,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, IfThere, Progress, Table, plural},
    selection::{Selection, TimeStyle},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes export >notes.md
  graff-notes export fix-parser --format jsonl --output fix-parser.jsonl
  graff-notes export --since '1 week' --format json | jq '.entries | length'

Markdown is for reading. JSON and JSONL hold every record and every fault, and `import` takes \
them back. A file that is there is only replaced with --force, and only by a whole one: where a \
session that was named is not there, or none can be read, no file is written.

With --output, in a pipe it prints: the file, and how many sessions, records and faults are in it.

A record of a newer version of the format is exported as what it is, without its text: it is no \
damage, and `import` leaves it out. With --without-text nobody has the texts, and `import` takes \
nothing of it.

Exit status: 5 where damage was met, which is exported as such; else 1 where a log could not be \
read, else 3 where a session that was named is not there, or none is; else 0.";

/// Writes the records of sessions as one document
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// Names of the sessions, or at a terminal their beginnings; without any, all of them
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// What the document is; without this what the file is called by (.json, .jsonl), else markdown,
    /// and on stdout with --json jsonl
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Writes to this file; without it, or where it is -, to stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<Utf8PathBuf>,
    /// Replaces the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
    /// Says of each note how long it is, and leaves its text out: for whoever is to see how the
    /// notes are kept, and not what they say
    #[arg(long)]
    pub(super) without_text: bool,
    /// Only the last N records of each session
    #[arg(short = 'n', long, value_name = "N")]
    pub(super) limit: Option<usize>,
    #[command(flatten)]
    pub(super) selection: Selection,
}

/// What was exported to a file.
#[derive(Serialize)]
struct Answer<'a> {
    path: &'a str,
    format: Format,
    sessions: u64,
    records: u64,
    damage: u64,
}

impl Export {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let format = self.format(cx)?;
        let store = cx.store()?;
        let named = self.sessions.iter().map(|name| cx.to_read(&store, name));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let meant = Meant::of(cx, &store, named, &self.selection.scope, "export")?;
        let clock = self.selection.times.lasting_clock(cx.out.form(), TimeStyle::Iso);
        let sheet = Sheet::new(format, clock, self.target(&store)?);
        let progress = Progress::new(&cx.notices, meant.sessions.len(), "exporting");
        let mut run = Run { cx, sheet, sum: Sum::default(), progress };
        let mut exit = Exit::Done;
        for session in &meant.sessions {
            exit = exit.graver(run.session(&self, &store, session, &meant)?);
        }
        let Run { cx, sheet, sum, progress } = run;
        drop(progress);
        if let Some(path) = self.file().filter(|_| sum.is_no_document()) {
            cx.notices.hint(format_args!("wrote nothing to {path}"));
            return Ok(exit);
        }
        let sessions = sheet.end(&mut cx.out)?;
        let Sum { records, damage, .. } = sum;
        if let Some(path) = self.file() {
            let path = path.as_str();
            heard_or_not(say(cx, &Answer { path, format, sessions, records, damage }))?;
        }
        Ok(exit)
    }

    /// Returns the file that is written to, if it is not stdout.
    fn file(&self) -> Option<&Utf8Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    fn format(&self, cx: &Context) -> Result<Format, Failure> {
        let is_json = cx.out.form() == Form::Json;
        match self.format {
            Some(Format::Markdown) if is_json && self.file().is_none() => {
                Err(Failure::input("write Markdown with --json: it is none")
                    .advise("leave one of the two out, or name a file with --output"))
            }
            Some(format) => Ok(format),
            None => Ok(match self.file().map(Utf8Path::extension) {
                None if is_json => Format::Jsonl,
                Some(Some("json")) => Format::Json,
                Some(Some("jsonl")) => Format::Jsonl,
                _ => Format::Markdown,
            }),
        }
    }

    fn target(&self, store: &Store) -> Result<Target, Failure> {
        if let Some(path) = self.file()
            && is_in(store, path)
        {
            let what = format_args!("write {path}: it would stand among the store's own files");
            let advice = "name a file outside of the folder .graff";
            return Err(Failure::input(what).advise(advice).at(path));
        }
        let if_there = if self.force { IfThere::Replace } else { IfThere::Refuse };
        Target::of(self.file(), if_there)
    }
}

/// Returns whether a path is in the store's own folder, by whatever links it leads there.
fn is_in(store: &Store, path: &Utf8Path) -> bool {
    let notes = store.notes_path();
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty());
    let folder = folder.unwrap_or(Utf8Path::new(".")).canonicalize();
    [notes.parent(), Some(&*notes)].into_iter().flatten().any(|ours| {
        let ours = ours.canonicalize();
        ours.is_ok_and(|ours| folder.as_ref().is_ok_and(|folder| folder.starts_with(ours)))
    })
}

fn say(cx: &mut Context, answer: &Answer<'_>) -> Result<(), Stop> {
    let Answer { path, sessions, records, damage, .. } = *answer;
    match cx.out.form() {
        Form::Json => cx.out.json(answer),
        Form::Plain => {
            let figures = [sessions, records, damage].map(Cell::figure);
            let row = [Cell::text(path)].into_iter().chain(figures).collect();
            Table::of(&[]).row(&mut cx.out, row)
        }
        Form::Terminal => {
            let [records, sessions] = [plural(records, "record"), plural(sessions, "session")];
            let damage = if damage > 0 { format!(", {damage} damaged") } else { String::new() };
            cx.out.line(&format!("wrote {records} of {sessions} to {path}{damage}"))
        }
    }
}
