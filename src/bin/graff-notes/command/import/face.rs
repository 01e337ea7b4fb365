//! What `import` takes, and in which order it goes about it.

use std::collections::btree_map;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::store::ImportMode;

use super::{
    document::{Document, LeftOut},
    taken_in::{Coming, each, say, why_not, write},
};
use crate::{
    args::is_flag_of,
    context::{Context, session},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    input::{Expected, Input},
    output::plural,
};

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
        Ok(match write(cx, &store, &coming)? {
            Exit::Done => exit,
            failed => failed, // damage that was left out is all that 5 speaks of
        })
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
