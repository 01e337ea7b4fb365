//! `forget`: a session's notes are removed, once somebody has said yes.

use std::{
    fs,
    io::{self, BufRead, IsTerminal},
};

use clap::Args;
use graff_notes::{session::SessionName, store::Store};
use serde::Serialize;

use crate::{
    command::hook,
    context::{Context, explain, session},
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
}

impl Forget {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        if !self.yes {
            confirm(&store, &session, &self.times.clock(Form::Terminal))?;
        }
        store.forget(&session).map_err(|e| explain(e, &store, &session))?;
        match cx.out.form() {
            Form::Json => cx.out.json(&Answer { session: session.as_str(), forgotten: true })?,
            Form::Terminal => cx.out.line(&shown(&format!("session {session} is forgotten")))?,
            Form::Plain => {}
        }
        hook::forget_session(&session, store.root())?;
        Ok(Exit::Done)
    }
}

/// Returns what is so of a session without a log. What was to become one may be the only copy, and
/// goes too.
fn without_log(store: &Store, session: &SessionName) -> String {
    let begun = store.log_path(session).with_extension("repaired");
    match fs::symlink_metadata(&begun) {
        Ok(_) => format!("no log, but what was to become it, {begun}, which may be the only copy"),
        Err(_) => "no log".to_owned(),
    }
}

/// Asks a person at a terminal; whoever else calls has to say `--yes`.
fn confirm(store: &Store, session: &SessionName, clock: &Clock) -> Result<(), Failure> {
    let what = match store.verify(session) {
        Ok(health) => {
            let notes = plural(health.notes, "note");
            let newest = health.newest.map(|newest| clock.show(newest.created_at));
            newest.map_or(notes.clone(), |newest| format!("{notes}, the newest {newest}"))
        }
        Err(e) if e.kind() == graff_notes::ErrorKind::NotFound => without_log(store, session),
        Err(_) => "a log that cannot be read".to_owned(),
    };
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
