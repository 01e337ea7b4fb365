//! `list`: which sessions are here, and how they are.

use std::{cmp::Reverse, fs, ops::ControlFlow};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use graff_notes::{
    log::Health,
    session::SessionName,
    store::{Sessions, Store},
    units::{Bytes, Generation, Timestamp},
};
use serde::Serialize;

use super::{passed_over, record::NoteAnswer};
use crate::{
    context::{Context, explain, is_forgotten},
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Clock, Form, Progress, Table, plural, size},
    parallel,
    selection::Selection,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes list
  graff-notes list --since yesterday -n 5
  graff-notes list --sort size -n 5
  graff-notes list --session-glob 'fix-*' | cut -f1
  graff-notes list --json | jq -r 'select(.health != \"ok\") .session'

--since and --until go by the newest note of a session: one whose newest \
note is older is left out, also where it was worked on since. The generation shown is that of the \
newest note; `generation` in --json is where the session stands, the greatest on record. The first \
line of the newest note is shown where a terminal has room for it, and stands in --json. For it \
long names are cut at a terminal, which ends them in `…`; what is left will do there to name the \
session.

In a pipe it prints, a row a session: session, notes, generation and time of the newest one, size \
in bytes, health (ok, damaged, unreadable, or unrecognised for a file that another program \
named), and the log's path. What has no value is a dash.

Exit status: 1 where a log cannot be read, else 0; what is damaged is for `verify` to judge.";

/// Lists the sessions with their notes, age, size and health
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Only N sessions: those with the newest notes, or with --sort the first of them
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// In which order; without it by name
    #[arg(long, value_name = "ORDER")]
    sort: Option<Order>,
    #[command(flatten)]
    selection: Selection,
}

/// An order of sessions; those that are alike in it are by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// From A to Z
    Name,
    /// The newest note first
    Newest,
    /// The largest log first
    Size,
    /// The most notes first
    Notes,
}

const HEAD: &[&str] = &["session", "notes", "gen", "newest", "size", "health", "first line"];

/// One line of the list.
#[derive(Serialize)]
struct Answer<'a> {
    session: Option<&'a str>,
    path: Utf8PathBuf,
    notes: Option<u64>,
    attempts: Option<u64>,
    generation: Option<Generation>,
    newest: Option<NoteAnswer>,
    first_line: Option<String>,
    size_bytes: Option<Bytes>,
    health: State,
}

/// How it stands with a file among the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Damaged,
    Unreadable,
    /// Another program named it: it is no session's.
    Unrecognised,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Damaged => "damaged",
            Self::Unreadable => "unreadable",
            Self::Unrecognised => "unrecognised",
        }
    }
}

/// What is printed as it comes, so that as many sessions as there are need no room.
struct Rows {
    clock: Clock,
    table: Table,
    said: usize,
    exit: Exit,
}

impl List {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let Sessions { names, unrecognised, begun } = store.sessions()?;
        passed_over::warn_of_begun(cx, &store, &begun);
        if names.is_empty() && unrecognised.is_empty() && begun.is_empty() {
            cx.notices.hint(format_args!("there is no session in {} yet", store.notes_path()));
        }
        let mut rows = Rows {
            clock: self.selection.times.clock(cx.out.form()),
            table: Table::of_names_and_texts(HEAD),
            said: 0,
            exit: Exit::Done,
        };
        let kept = self.look(cx, &store, &names, &mut rows)?;
        for answer in self.chosen(kept) {
            rows.say(cx, &answer)?;
        }
        if self.selection.is_everything() && self.limit.is_none() {
            for file in &unrecognised {
                let path = store.notes_path().join(file);
                rows.say(cx, &Answer::on(None, path, None, State::Unrecognised))?;
            }
        } else {
            // They have no name and no time that could be asked for.
            passed_over::warn(cx, &store, &unrecognised);
        }
        heard_or_not(rows.table.end(&mut cx.out))?;
        if rows.said == 0 && !names.is_empty() {
            cx.notices.hint(self.why_empty(names.len()));
        }
        Ok(rows.exit)
    }

    /// Returns why none of so many sessions is listed.
    fn why_empty(&self, sessions: usize) -> String {
        let sessions = plural(sessions as u64, "session");
        let limit = self.limit.filter(|limit| *limit == 0).map(|_| "-n 0");
        let flags: Vec<_> = self.selection.given().into_iter().chain(limit).collect();
        let period: Vec<_> = self.selection.period.given().collect();
        let by = match period.as_slice() {
            [] => String::new(),
            [one] => format!("; {one} goes by the newest note of each"),
            both => format!("; {} go by the newest note of each", both.join(" and ")),
        };
        let went_on = if self.selection.period.ends() {
            ": of those that went on since, `log` and `export` show that time"
        } else {
            ""
        };
        match flags.as_slice() {
            [] => format!("none of {sessions} is there any more"),
            flags => format!("{} leaves none of {sessions}{by}{went_on}", flags.join(" with ")),
        }
    }

    /// Says of each session how it is; returns those that are to be chosen among first.
    fn look<'a>(
        &self,
        cx: &mut Context,
        store: &Store,
        names: &'a [SessionName],
        rows: &mut Rows,
    ) -> Result<Vec<Answer<'a>>, Stop> {
        let meant = names.iter().filter(|session| self.selection.scope.holds(session));
        let meant: Vec<&'a SessionName> = meant.collect();
        let mut progress = Progress::new(&cx.notices, meant.len(), "looking");
        let mut kept = Vec::new();
        parallel::in_order(
            &meant,
            |session| store.verify(session),
            |session, looked| {
                progress.step();
                if looked.as_ref().is_err_and(is_forgotten) {
                    return Ok(ControlFlow::Continue(()));
                }
                let looked = looked.map_err(|e| explain(e, store, session)).inspect_err(|why| {
                    progress.aside(|| cx.notices.warn(why));
                    rows.exit = Exit::Failed;
                });
                let answer = Answer::of(store, session, looked.ok());
                match (self.limit, self.sort) {
                    _ if !self.selection.period.holds(answer.time()) => {}
                    (None, None) => rows.say(cx, &answer)?,
                    _ => kept.push(answer),
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        Ok(kept)
    }

    /// Returns as many answers as are wanted, in the order that is.
    fn chosen<'a>(&self, mut answers: Vec<Answer<'a>>) -> Vec<Answer<'a>> {
        self.sort.unwrap_or(Order::Newest).sort(&mut answers);
        answers.truncate(self.limit.unwrap_or(usize::MAX));
        self.sort.unwrap_or(Order::Name).sort(&mut answers);
        answers
    }
}

impl Order {
    fn sort(self, answers: &mut [Answer<'_>]) {
        answers.sort_by_key(|answer| answer.session);
        match self {
            Self::Name => {}
            Self::Newest => answers.sort_by_key(|answer| Reverse(answer.time())),
            Self::Size => answers.sort_by_key(|answer| Reverse(answer.size_bytes)),
            Self::Notes => answers.sort_by_key(|answer| Reverse(answer.notes)),
        }
    }
}

impl Rows {
    fn say(&mut self, cx: &mut Context, answer: &Answer<'_>) -> Result<(), Stop> {
        self.said += 1;
        heard_or_not(answer.say(cx, &mut self.table, &self.clock))
    }
}

impl<'a> Answer<'a> {
    /// Returns the line of a session, whose log could not be read where it has no health.
    fn of(store: &Store, session: &'a SessionName, health: Option<Health>) -> Self {
        let state = match health.as_ref().map(Health::is_ok) {
            Some(true) => State::Ok,
            Some(false) => State::Damaged,
            None => State::Unreadable,
        };
        Self::on(Some(session), store.log_path(session), health, state)
    }

    fn on(
        session: Option<&'a SessionName>,
        path: Utf8PathBuf,
        health: Option<Health>,
        state: State,
    ) -> Self {
        let known = health.as_ref();
        Self {
            session: session.map(SessionName::as_str),
            size_bytes: known.map_or_else(|| length(&path), |health| Some(health.length)),
            path,
            notes: known.map(|health| health.notes),
            attempts: known.map(|health| health.attempts),
            generation: known.and_then(|health| health.greatest_generation),
            newest: known.and_then(|health| health.newest).map(NoteAnswer::from),
            first_line: health.filter(|health| health.notes > 0).map(|health| health.first_line),
            health: state,
        }
    }

    /// Returns when the newest note was stored; zero where there is none.
    fn time(&self) -> Timestamp {
        self.newest.as_ref().map(|newest| newest.created_at).unwrap_or_default()
    }

    fn say(&self, cx: &mut Context, table: &mut Table, clock: &Clock) -> Result<(), Stop> {
        match cx.out.form() {
            Form::Json => cx.out.json(self),
            Form::Plain => table.row(&mut cx.out, self.plain(clock)),
            Form::Terminal => table.row(&mut cx.out, self.shown(clock)),
        }
    }

    fn plain(&self, clock: &Clock) -> Vec<Cell> {
        vec![
            Cell::text(self.session.unwrap_or("-")),
            Cell::figure_if(self.notes),
            Cell::figure_if(self.newest.as_ref().map(|newest| newest.r#gen)),
            Cell::figure_if(self.newest.as_ref().map(|newest| clock.show(newest.created_at))),
            Cell::figure_if(self.size_bytes),
            self.health(),
            Cell::text(self.path.as_str()),
        ]
    }

    fn health(&self) -> Cell {
        let word = self.health.as_str();
        match self.health {
            State::Ok => Cell::good(word),
            State::Unrecognised => Cell::dim(word),
            State::Damaged | State::Unreadable => Cell::bad(word),
        }
    }

    fn shown(&self, clock: &Clock) -> Vec<Cell> {
        let name = self.session.or(self.path.file_name()).unwrap_or_default();
        vec![
            Cell::strong(name),
            Cell::figure_if(self.notes),
            Cell::figure_if(self.newest.as_ref().map(|newest| newest.r#gen)),
            Cell::figure_if(self.newest.as_ref().map(|newest| clock.show(newest.created_at))),
            Cell::figure_if(self.size_bytes.map(|bytes| size(bytes.get()))),
            self.health(),
            self.first_line.as_deref().map_or_else(|| Cell::dim("-"), Cell::text),
        ]
    }
}

/// Returns how long a file is that has not been read.
fn length(path: &Utf8Path) -> Option<Bytes> {
    fs::symlink_metadata(path).ok().map(|status| status.len().into())
}
