//! `list`: which sessions are here, and how they are.

use std::fs;

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    log::Health,
    session::SessionName,
    store::{Sessions, Store},
};
use serde::Serialize;

use super::verify::NewestAnswer;
use crate::{
    context::{Context, explain, now},
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table, ago, iso, size},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes list
  graff-notes list | cut -f1
  graff-notes list --json | jq -r 'select(.health != \"ok\") .session'

In a pipe it prints, a row a session: session, notes, generation and time of the newest one, size
in bytes, health (ok, damaged, unreadable, or unrecognised for a file that another program named),
and the log's path. What has no value is a dash.";

/// Lists the sessions with their notes, age, size and health
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {}

const HEAD: &[&str] = &["session", "notes", "gen", "newest", "size", "health"];

/// One line of the list.
#[derive(Serialize)]
struct Answer<'a> {
    session: Option<&'a str>,
    path: Utf8PathBuf,
    notes: Option<u64>,
    attempts: Option<u64>,
    newest: Option<NewestAnswer>,
    size_bytes: Option<u64>,
    health: &'static str,
}

impl List {
    pub(crate) fn run(cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let Sessions { names, unrecognised } = store.sessions()?;
        if names.is_empty() && unrecognised.is_empty() {
            cx.notices.hint(format_args!("there is no session in {} yet", store.notes_path()));
        }
        let mut table = Table::of(HEAD);
        for session in &names {
            let answer = Answer::of(cx, &store, session);
            answer.say(cx, &mut table)?;
        }
        for file in &unrecognised {
            let path = store.notes_path().join(file);
            Answer::on(None, path, None, "unrecognised").say(cx, &mut table)?;
        }
        table.end(&mut cx.out)?;
        Ok(Exit::Done)
    }
}

impl<'a> Answer<'a> {
    fn of(cx: &Context, store: &Store, session: &'a SessionName) -> Self {
        let (health, word) = match store.verify(session) {
            Ok(health) if health.is_ok() => (Some(health), "ok"),
            Ok(health) => (Some(health), "damaged"),
            Err(e) => {
                cx.notices.warn(explain(e, store, session));
                (None, "unreadable")
            }
        };
        Self::on(Some(session), store.log_path(session), health.as_ref(), word)
    }

    fn on(
        session: Option<&'a SessionName>,
        path: Utf8PathBuf,
        health: Option<&Health>,
        word: &'static str,
    ) -> Self {
        Self {
            session: session.map(SessionName::as_str),
            size_bytes: fs::symlink_metadata(&path).ok().map(|status| status.len()),
            path,
            notes: health.map(|health| health.notes),
            attempts: health.map(|health| health.attempts),
            newest: health.and_then(|health| health.newest).map(NewestAnswer::from),
            health: word,
        }
    }

    fn say(&self, cx: &mut Context, table: &mut Table) -> Result<(), Stop> {
        match cx.out.form() {
            Form::Json => cx.out.json(self),
            Form::Plain => table.row(&mut cx.out, self.plain()),
            Form::Terminal => table.row(&mut cx.out, self.shown()),
        }
    }

    fn plain(&self) -> Vec<Cell> {
        vec![
            Cell::text(self.session.unwrap_or("-")),
            Cell::figure_if(self.notes),
            Cell::figure_if(self.newest.as_ref().map(|newest| newest.r#gen)),
            Cell::figure_if(self.newest.as_ref().map(|newest| iso(newest.created_at))),
            Cell::figure_if(self.size_bytes),
            Cell::text(self.health),
            Cell::text(self.path.as_str()),
        ]
    }

    fn shown(&self) -> Vec<Cell> {
        let name = self.session.or(self.path.file_name()).unwrap_or_default();
        let health = match self.health {
            "ok" => Cell::good("ok"),
            "unrecognised" => Cell::dim("unrecognised"),
            word => Cell::bad(word),
        };
        vec![
            Cell::strong(name),
            Cell::figure_if(self.notes),
            Cell::figure_if(self.newest.as_ref().map(|newest| newest.r#gen)),
            Cell::figure_if(self.newest.as_ref().map(|newest| ago(newest.created_at, now()))),
            Cell::figure_if(self.size_bytes.map(size)),
            health,
        ]
    }
}
