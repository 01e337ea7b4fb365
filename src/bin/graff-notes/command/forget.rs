//! `forget`: the notes of sessions are removed, once somebody has said yes.

use std::{
    collections::BTreeSet,
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
    failure::{Failure, Stop, heard_or_not},
    output::{Clock, Form, Notices, plural, shown},
    selection::Times,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes forget fix-parser
  graff-notes forget fix-parser --yes
  graff-notes forget fix-parser --yes -- -odd-name

Several sessions are asked about at once, and each is looked at before any is gone: where one of \
them is not there, all are kept.";

/// The most sessions that a question names one by one.
const NAMED_MAX: usize = 8;

/// Removes the notes of sessions, and what repairs took out of them; asks first
///
/// The empty lock file stays, and with it the session's name: another process may be waiting for
/// it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Forget {
    /// Names of the sessions
    #[arg(value_name = "SESSION", required = true)]
    sessions: Vec<String>,
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
        let sessions: BTreeSet<_> =
            self.sessions.iter().map(|name| session(name)).collect::<Result<_, _>>()?;
        let store = cx.store()?;
        let clock = self.times.clock(Form::Terminal);
        // Each is looked at before any is gone.
        let what = sessions.iter().map(|session| what(&store, session, &clock));
        let what = what.collect::<Result<Vec<_>, _>>()?;
        if !self.yes {
            confirm(&sessions.iter().zip(what).collect::<Vec<_>>())?;
        }
        let mut worst = Exit::Done;
        for session in &sessions {
            match heard_or_not(forget(cx, &store, session)) {
                Err(Stop::Failed(why)) => worst = worst.graver(cx.notices.failure(&why)),
                Ok(()) | Err(Stop::ReaderGone) => {}
            }
        }
        Ok(worst)
    }
}

fn forget(cx: &mut Context, store: &Store, session: &SessionName) -> Result<(), Stop> {
    let mut removed = files_of(store, session);
    store.forget(session).map_err(|e| explain(e, store, session))?;
    removed.retain(|path| !is_there(path));
    let said = say(cx, session, &removed)
        .and_then(|()| cx.out.flush())
        .map_err(|stop| stop.advise(format!("session {session} is forgotten")));
    hook::forget_session(session, store.root())?;
    said
}

fn say(cx: &mut Context, session: &SessionName, removed: &[Utf8PathBuf]) -> Result<(), Stop> {
    match cx.out.form() {
        Form::Json => cx.out.json(&Answer { session: session.as_str(), forgotten: true, removed }),
        Form::Terminal => {
            let names = removed.iter().filter_map(|path| path.file_name()).collect::<Vec<_>>();
            let names = match names.as_slice() {
                [] => String::new(), // somebody else was at it meanwhile
                names => format!(": removed {}", names.join(", ")),
            };
            cx.out.line(&shown(&format!("session {session} is forgotten{names}")))
        }
        Form::Plain => Ok(()),
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

/// Asks a person at a terminal about sessions and what is of each; whoever else calls has to say
/// `--yes`.
fn confirm(sessions: &[(&SessionName, String)]) -> Result<(), Failure> {
    let about = match sessions {
        [(only, what)] => format!("session {only} ({what})"),
        several => {
            let each = several.iter().map(|(one, what)| format!("{one} ({what})"));
            let named: Vec<_> = each.take(NAMED_MAX).collect();
            let more = match several.len() - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{} sessions: {}{more}", several.len(), named.join(", "))
        }
    };
    let named = |failure: Failure| match sessions {
        [(only, _)] => failure.about(only),
        _ => failure,
    };
    if !io::stdin().is_terminal() {
        let failure = Failure::input(format_args!("ask whether to forget {about}"));
        return Err(named(failure.advise("say --yes where nobody can be asked")));
    }
    Notices::ask(format_args!("Forget {about}? [y/N]"));
    let mut reply = String::new();
    let read = io::stdin().lock().read_line(&mut reply);
    if read.is_ok() && matches!(reply.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    let kept = match sessions {
        [(only, _)] => format!("session {only} is kept: the answer was not yes"),
        several => format!("the {} sessions are kept: the answer was not yes", several.len()),
    };
    Err(named(Failure::declined(kept)))
}
