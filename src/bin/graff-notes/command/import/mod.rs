//! `import`: records from elsewhere, checked first, and never at the cost of one that is here.

mod document;

use std::collections::{BTreeMap, btree_map};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    log::Record,
    session::SessionName,
    store::{self, ImportMode, Store},
};
use serde::Serialize;

use crate::{
    args::is_flag_of,
    context::{Context, session},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    input::{Expected, Input},
    output::{Cell, Form, Progress, Table, plural},
    signals::Held,
};
use document::{Document, LeftOut};

const EXAMPLES: &str = "\
Examples:
  graff-notes import fix-parser.jsonl
  graff-notes import --dry-run '.graff/notes/my session.notes.jsonl'
  graff-notes export fix-parser --format json | graff-notes import - --as fix-parser-again

It takes what `export` wrote in JSON or JSONL, and logs, codegraff's too, whatever their files are \
called. Everything is checked before anything is written. An export must be well formed to its \
end; the damage that it tells of is left out, and so are the bad lines of a log, and records of a \
newer version of the format, which are no damage. What is left out is named by its line in the \
log; where whole records stand on it, `repair` wins them back first. A session that is here \
already gets the records that it lacks, if its own are the first of those that come; else nothing \
at all is imported. Where it is interrupted or fails midway, it says how many sessions are in, \
each of them whole; the same import again takes in the rest.

In a pipe it prints, a row a session: session, outcome (added, would add, nothing), how many \
records came, and how many there were before.

Exit status: 1 where a session here has other records, 2 where a file cannot be imported, 3 where \
there is no record in any, else 5 where damage was left out, else 0; 130 where it was interrupted.";

/// Takes in the records of sessions from exports and from logs
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// The files; `-` stands for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<Utf8PathBuf>,
    /// Checks everything and writes nothing
    #[arg(long)]
    dry_run: bool,
    /// Stores the one session that comes under this name
    #[arg(long = "as", value_name = "SESSION", allow_hyphen_values = true)]
    name: Option<String>,
}

/// How many of the lines that are left out are named.
const LEFT_OUT_NAMED_MAX: usize = 5;

/// What came of one session.
#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    mode: &'static str,
    outcome: &'static str,
    added: u64,
    had: u64,
}

/// The records that come, and from which file.
type Coming = BTreeMap<SessionName, (Vec<Record<'static>>, Utf8PathBuf)>;

impl Import {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let (coming, exit) = self.coming(cx)?;
        let store = cx.store()?;
        if coming.is_empty() {
            return Err(Failure::nothing("import anything: there is no record in it").into());
        }
        let checked = each(cx, &store, &coming, ImportMode::DryRun, &|| false);
        if let Some(failure) = checked.failure {
            return Err(failure.into());
        }
        let done = &checked.done;
        let parted: Vec<_> = done.iter().filter_map(|(s, import)| why_not(s, *import)).collect();
        if !parted.is_empty() {
            return Ok(parted.iter().fold(Exit::Done, |_, why| cx.notices.failure(why)));
        }
        if self.dry_run {
            heard_or_not(say(cx, done, ImportMode::DryRun))?;
            cx.notices.hint("nothing was written: that was a dry run");
            return Ok(exit);
        }
        Ok(exit.graver(write(cx, &store, &coming)?))
    }

    /// Reads the documents; says what is left out of them.
    fn coming(&self, cx: &Context) -> Result<(Coming, Exit), Failure> {
        let (mut coming, mut exit) = (Coming::new(), Exit::Done);
        for path in &self.files {
            if path.is_dir() {
                let advice = format!("name the files in it: {}", path.join("*.notes.jsonl"));
                return Err(refused(path, "it is a folder").advise(advice));
            }
            let Document { sessions, left_out, newer } =
                Document::read(&Input::of(path).whole(&Expected::DOCUMENT)?).map_err(|why| {
                    refused(path, &why).advise("`graff-notes import --help` says what can be")
                })?;
            if newer > 0 {
                let records = plural(newer, "record");
                cx.notices.warn(format_args!("left out {records} of a newer version in {path}"));
            }
            if !left_out.is_empty() {
                cx.notices.warn(format_args!("left out of {path}: {}", named(&left_out)));
                exit = Exit::Damage;
            }
            for (session, records) in sessions {
                match coming.entry(session) {
                    btree_map::Entry::Vacant(free) => drop(free.insert((records, path.clone()))),
                    btree_map::Entry::Occupied(taken) => {
                        let (session, (_, other)) = (taken.key(), taken.get());
                        let why = format!("session {session} is in {other} too");
                        return Err(refused(path, &why)
                            .advise("import one of them first")
                            .about(session));
                    }
                }
            }
        }
        Ok((self.renamed(coming)?, exit))
    }

    fn renamed(&self, coming: Coming) -> Result<Coming, Failure> {
        let Some(name) = &self.name else { return Ok(coming) };
        if is_flag_of("import", name) {
            let what = format_args!("use {name:?} as a session: `import` has a flag of that name");
            return Err(Failure::input(what).advise("--as takes the name that comes next"));
        }
        let session = session(name)?;
        match coming.len() {
            0 | 1 => Ok(coming.into_values().map(|records| (session.clone(), records)).collect()),
            many => {
                let sessions = plural(many as u64, "session");
                Err(Failure::input(format_args!("import {sessions} as one, as --as asks for")))
            }
        }
    }
}

/// Returns what is left out, in words: the first lines by name.
fn named(left_out: &[LeftOut]) -> String {
    let first: Vec<_> = left_out.iter().take(LEFT_OUT_NAMED_MAX).map(ToString::to_string).collect();
    match left_out.len().saturating_sub(first.len()) {
        0 => first.join(", "),
        more => format!("{} and {}", first.join(", "), plural(more as u64, "more line")),
    }
}

fn refused(path: &Utf8Path, why: &str) -> Failure {
    Failure::input(format_args!("import {path}: {why}")).at(path)
}

/// How far an import has come.
struct Came<'c> {
    done: Vec<(&'c SessionName, store::Import)>,
    /// Why it has come no further; `None` where it has come to its end, or was interrupted.
    failure: Option<Failure>,
}

/// Imports each session, or says what would come of it; begins with no other one once `is_over`, or
/// where one fails. One that it has begun with is whole, or as it was before.
fn each<'c>(
    cx: &Context,
    store: &Store,
    coming: &'c Coming,
    mode: ImportMode,
    is_over: &dyn Fn() -> bool,
) -> Came<'c> {
    let mut progress = Progress::new(&cx.notices, coming.len(), "importing");
    let mut done = Vec::new();
    for (session, (records, path)) in coming.iter().take_while(|_| !is_over()) {
        progress.step();
        match store.import(session, records, mode) {
            Ok(import) => done.push((session, import)),
            Err(e) => {
                let failure = Some(Failure::from(e).about(session).at(path));
                return Came { done, failure };
            }
        }
    }
    Came { done, failure: None }
}

/// Imports each session, and says what is in wherever it ends.
fn write(cx: &mut Context, store: &Store, coming: &Coming) -> Result<Exit, Stop> {
    let held = Held::hold();
    let Came { done, failure } = each(cx, store, coming, ImportMode::Write, &|| held.have_come());
    let said = say(cx, &done, ImportMode::Write).and_then(|()| cx.out.flush());
    heard_or_not(said.map_err(|stop| stop.advise(stored(&done))))?;
    let mut exit = failure.as_ref().map_or(Exit::Done, |why| cx.notices.failure(why));
    if held.have_come() {
        cx.notices.warn(how_far("interrupted", done.len(), coming.len()));
        held.give_way();
    }
    if failure.is_some() {
        cx.notices.warn(how_far("ended early", done.len(), coming.len()));
    }
    // Who wrote between the check and the import has the right of way.
    for why in done.iter().filter_map(|(session, import)| why_not(session, *import)) {
        exit = exit.graver(cx.notices.failure(&why));
    }
    Ok(exit)
}

/// Returns the failure of an import that one of two logs would have to give way for.
fn why_not(session: &SessionName, import: store::Import) -> Option<Failure> {
    let store::Import::Parted { common } = import else { return None };
    let which = match common {
        0 => "the first record here is another than".to_owned(),
        _ => format!("behind {} in common, those here are others than", plural(common, "record")),
    };
    let what = format_args!("import session {session}: {which} what comes");
    let failure = Failure::new(Exit::Failed, "parted", what).about(session);
    Some(failure.advise(format!(
        "`graff-notes log {}` shows those here; `--as NEWNAME` stores the others as a session of their own",
        session.to_argument()
    )))
}

/// Says how far an import has come that did not come to its end, or that somebody wanted to end.
fn how_far(word: &str, done: usize, coming: usize) -> String {
    let sessions = plural(coming as u64, "session");
    match (done, coming - done) {
        (_, 0) => format!("{word} when all of it was in: {sessions}"),
        (0, _) => format!("{word}: nothing is in; import again"),
        _ => format!("{word}: {done} of {sessions} are in; import again for the rest"),
    }
}

/// Says what is on disk, for whoever does not get the answer.
fn stored(imports: &[(&SessionName, store::Import)]) -> String {
    let added = imports.iter().map(|(_, import)| match import {
        store::Import::Added { added, .. } => *added,
        store::Import::Nothing { .. } | store::Import::Parted { .. } => 0,
    });
    format!("the import is on disk: {} came", plural(added.sum(), "record"))
}

fn say(
    cx: &mut Context,
    imports: &[(&SessionName, store::Import)],
    mode: ImportMode,
) -> Result<(), Stop> {
    let mut table = Table::of(&["session", "outcome", "came", "had"]);
    for (session, import) in imports {
        let (outcome, added, had) = match *import {
            store::Import::Added { had, added } => ("added", added, had),
            store::Import::Nothing { had } => ("nothing", 0, had),
            store::Import::Parted { .. } => continue,
        };
        let answer = Answer { session: session.as_str(), mode: word(mode), outcome, added, had };
        if cx.out.form() == Form::Json {
            cx.out.json(&answer)?;
            continue;
        }
        let outcome = match mode {
            _ if added == 0 => Cell::dim(outcome),
            ImportMode::DryRun => Cell::good("would add"),
            ImportMode::Write => Cell::good(outcome),
        };
        let row = vec![Cell::text(answer.session), outcome, Cell::figure(added), Cell::figure(had)];
        table.row(&mut cx.out, row)?;
    }
    table.end(&mut cx.out)
}

/// Returns the name of a mode in the answers.
const fn word(mode: ImportMode) -> &'static str {
    match mode {
        ImportMode::DryRun => "dry_run",
        ImportMode::Write => "write",
    }
}
