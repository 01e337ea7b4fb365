//! `forget`: a session's notes are removed, once somebody has said yes.

use std::{
    fs,
    io::{self, BufRead, IsTerminal},
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{ErrorKind, session::SessionName, store::Store};
use serde::Serialize;

use crate::{
    command::hook,
    context::{Context, drawn_up, explain, session},
    exit::Exit,
    failure::{Failure, Stop},
    output::{Clock, Form, Notices, plural, shown},
    selection::Times,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes forget fix-parser
  graff-notes forget fix-parser --yes";

/// Removes a session's notes, and what repairs took out of them; asks first
///
/// The empty lock file stays, and with it the session's name: another process may be waiting for
/// it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Forget {
    /// Name of the session
    session: String,
    /// Doesn't ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    times: Times,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    forgotten: bool,
    removed: &'a [Utf8PathBuf],
}

impl Forget {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        if !self.yes {
            confirm(&store, &session, &self.times.clock(Form::Terminal))?;
        }
        let mut removed = files_of(&store, &session);
        store.forget(&session).map_err(|e| explain(e, &store, &session))?;
        removed.retain(|path| !is_there(path));
        match cx.out.form() {
            Form::Json => {
                let (session, removed) = (session.as_str(), &*removed);
                cx.out.json(&Answer { session, forgotten: true, removed })?;
            }
            Form::Terminal => {
                let names = removed.iter().filter_map(|path| path.file_name()).collect::<Vec<_>>();
                let names = match names.as_slice() {
                    [] => String::new(), // somebody else was at it meanwhile
                    names => format!(": removed {}", names.join(", ")),
                };
                cx.out.line(&shown(&format!("session {session} is forgotten{names}")))?;
            }
            Form::Plain => {}
        }
        hook::forget_session(&session, store.root())?;
        Ok(Exit::Done)
    }
}

/// Returns the files that a session has.
fn files_of(store: &Store, session: &SessionName) -> Vec<Utf8PathBuf> {
    let mut files = store.paths_of(session);
    files.retain(|path| is_there(path));
    files
}

fn is_there(path: &Utf8Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns what is to be forgotten, in words; fails where there is nothing.
fn what(store: &Store, session: &SessionName, clock: &Clock) -> Result<String, Failure> {
    let has_rejected = is_there(&store.rejected_path(session));
    let rejected = if has_rejected { ", and what repairs took out of it" } else { "" };
    let log = match store.verify(session) {
        Ok(health) => {
            let notes = plural(health.notes, "note");
            let newest = health.newest.map(|newest| clock.show(newest.created_at));
            newest.map_or(notes.clone(), |newest| format!("{notes}, the newest {newest}"))
        }
        Err(e) if e.kind() == ErrorKind::NotFound => match drawn_up(store, session) {
            Some(path) => {
                format!("no log, but what was to become it, {path}, which may be the only copy")
            }
            None if files_of(store, session).is_empty() => return Err(explain(e, store, session)),
            None => "no log".to_owned(),
        },
        Err(_) => "a log that cannot be read".to_owned(),
    };
    Ok(format!("{log}{rejected}"))
}

/// Asks a person at a terminal; whoever else calls has to say `--yes`.
fn confirm(store: &Store, session: &SessionName, clock: &Clock) -> Result<(), Failure> {
    let what = what(store, session, clock)?;
    if !io::stdin().is_terminal() {
        return Err(Failure::input(format_args!(
            "ask whether to forget session {session} ({what})"
        ))
        .advise("say --yes where nobody can be asked")
        .about(session));
    }
    Notices::ask(format_args!("Forget session {session} ({what})? [y/N]"));
    let mut reply = String::new();
    let read = io::stdin().lock().read_line(&mut reply);
    if read.is_ok() && matches!(reply.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    let what = format_args!("forget session {session}: the answer was not yes, so it is kept");
    Err(Failure::new(Exit::Failed, "declined", what).about(session))
}
