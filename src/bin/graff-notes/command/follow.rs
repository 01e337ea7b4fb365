//! `follow`: notes as they come.

use std::collections::{BTreeMap, VecDeque};

use anstyle::Style;
use clap::Args;
use graff_notes::{
    log::{Entry, Line},
    session::SessionName,
    store::{Follower, Store},
};

use super::record::{self, RecordAnswer};
use crate::{
    context::{Context, explain},
    exit::Exit,
    failure::{Failure, Stop},
    output::{Cell, Clock, Form, Table, plural, shown},
    selection::{TimeStyle, Times},
    watch::Watch,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes follow
  graff-notes follow fix-parser -n 1
  graff-notes follow --json | jq -r .text

It goes on until it is interrupted or nobody reads any more, across repair and forget, and waits \
for a session or a store that is not there yet; where they or the root go away, it waits until \
they come back. Where the root is a link, the folder is followed that it led to at the start, \
though the link be turned meanwhile. A log that is moved away and back is gone on with where it \
was; a copy that takes its place while it is gone is printed as new. In a pipe it prints, a row a \
note: session, seq, generation, kind, time, bytes, and the whole text with its line breaks, tabs \
and backslashes escaped; other control characters stand there as they are. Where the store lies \
on a network, notes from other machines come within a minute.";

/// Prints new notes as they come
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Follow {
    /// Name of the session, at a terminal the beginning of one will do; without it all of them
    session: Option<String>,
    /// Prints the last N notes that are there already, too
    #[arg(short = 'n', long, value_name = "N", default_value_t = 0)]
    limit: usize,
    #[command(flatten)]
    times: Times,
}

impl Follow {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = lasting(cx.store()?);
        let only = self.session.as_deref().map(|name| cx.to_read(&store, name)).transpose()?;
        // The watch stands before the first look, so that nothing falls between the two.
        let mut watch = Watch::on(&store)?;
        let clock = self.times.lasting_clock(cx.out.form(), TimeStyle::Local);
        let mut logs =
            Logs { store, only, followers: BTreeMap::new(), failing: Failing::default() };
        for answer in logs.there(cx, self.limit)? {
            say(cx, &clock, &answer)?;
        }
        cx.out.flush()?;
        logs.say_that_it_waits(cx);
        loop {
            let changes = watch.wait();
            if changes.reader_gone {
                return Err(Stop::ReaderGone);
            }
            if let Some(watched) = changes.watched {
                logs.failing.heed(cx, What::Watch, watched);
            }
            let sessions = if changes.everything {
                logs.all_or_known(cx)
            } else {
                changes.files.iter().filter_map(|file| logs.of(file)).collect()
            };
            for session in sessions {
                logs.catch_up(cx, &clock, &session)?;
            }
            cx.out.flush()?;
        }
    }
}

/// Returns the store by a path that leads to what takes the place of its root, too: be that the
/// current folder, or behind a link.
fn lasting(store: Store) -> Store {
    let root = store.root().canonicalize_utf8();
    root.or_else(|_| camino::absolute_utf8(store.root())).map_or(store, Store::at)
}

/// The logs that are followed.
struct Logs {
    store: Store,
    /// The one session that is followed, if not all are.
    only: Option<SessionName>,
    followers: BTreeMap<SessionName, Follower>,
    failing: Failing,
}

/// What fails at the moment, as it was said: a failure is said once until it is over.
#[derive(Default)]
struct Failing(BTreeMap<What, String>);

/// What can fail, and be tried again.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Watch,
    List,
    Read(SessionName),
}

impl Failing {
    /// Returns what came of an attempt; says why it failed, unless that was said the last time.
    fn heed<T>(&mut self, cx: &Context, what: What, tried: Result<T, Failure>) -> Option<T> {
        match tried {
            Ok(done) => {
                self.0.remove(&what);
                Some(done)
            }
            Err(why) => {
                let words = why.to_string();
                if self.0.insert(what, words.clone()) != Some(words) {
                    cx.notices.failure(&why);
                }
                None
            }
        }
    }
}

impl Logs {
    /// Returns the sessions to look at where anything may have changed: those that are there, and
    /// those that were.
    fn all(&self) -> Result<Vec<SessionName>, Failure> {
        if let Some(only) = &self.only {
            return Ok(vec![only.clone()]);
        }
        let mut names = self.store.sessions()?.names;
        names.extend(self.followers.keys().cloned());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Returns the same; where the store cannot be listed now, it says so, and returns those that
    /// were there.
    fn all_or_known(&mut self, cx: &Context) -> Vec<SessionName> {
        let listed = self.all();
        let all = self.failing.heed(cx, What::List, listed);
        all.unwrap_or_else(|| self.followers.keys().cloned().collect())
    }

    fn say_that_it_waits(&self, cx: &Context) {
        let of = self.only.as_ref().map(|only| format!(" of session {only}")).unwrap_or_default();
        let folder = self.store.notes_path();
        let what = format_args!("waiting for new notes{of} in {folder}; Ctrl-C ends it");
        cx.notices.hint(what);
    }

    /// Returns whose log a file is, if that one is followed.
    fn of(&self, file: &str) -> Option<SessionName> {
        let session = Store::session_of_log(file)?;
        self.only.as_ref().is_none_or(|only| *only == session).then_some(session)
    }

    /// Reads what is there already, and returns the newest `limit` notes of it, oldest first.
    fn there(
        &mut self,
        cx: &Context,
        limit: usize,
    ) -> Result<VecDeque<RecordAnswer<'static>>, Failure> {
        let mut last = VecDeque::new();
        for session in self.all()? {
            let mut mine = VecDeque::new();
            let read = self.read(&session, &mut |entry| {
                if let Some(note) = note(&entry, &session) {
                    mine.push_back(note);
                    record::keep_last(&mut mine, limit);
                }
            });
            self.failing.heed(cx, What::Read(session), read);
            // After each, so that no more notes are held than two times those that are wanted.
            last.extend(mine);
            last.make_contiguous().sort_by_key(|note| note.created_at);
            record::keep_last(&mut last, limit);
        }
        Ok(last)
    }

    /// Says what has come in a session's log.
    fn catch_up(
        &mut self,
        cx: &mut Context,
        clock: &Clock,
        session: &SessionName,
    ) -> Result<(), Stop> {
        let mut said = Ok(());
        let read = self.read(session, &mut |entry| match &entry.line {
            Line::Bad(fault) => {
                let number = entry.number;
                let what = format_args!("line {number} of session {session} is no note: {fault}");
                cx.notices.warn(what);
            }
            _ => {
                // As it comes: a log that appears may be longer than what can be held.
                if let Some(note) = note(&entry, session).filter(|_| said.is_ok()) {
                    said = say(cx, clock, &note);
                }
            }
        });
        self.failing.heed(cx, What::Read(session.clone()), read);
        said
    }

    /// Hands what has come in a session's log to `visit`; one that cannot be read now is tried
    /// again when it changes.
    fn read(
        &mut self,
        session: &SessionName,
        visit: &mut dyn FnMut(Entry<'_>),
    ) -> Result<(), Failure> {
        let follower =
            self.followers.entry(session.clone()).or_insert_with(|| self.store.follow(session));
        follower.catch_up(visit).map_err(|e| explain(e, &self.store, session))
    }
}

fn note(entry: &Entry<'_>, session: &SessionName) -> Option<RecordAnswer<'static>> {
    let Line::Record(record) = &entry.line else { return None };
    record.is_note().then(|| RecordAnswer::of(entry, record).named(session).into_owned())
}

fn say(cx: &mut Context, clock: &Clock, note: &RecordAnswer<'_>) -> Result<(), Stop> {
    let session = note.session.as_deref().unwrap_or_default();
    let text = note.text.as_deref().unwrap_or_default();
    let time = clock.show(note.created_at);
    let out = &mut cx.out;
    match out.form() {
        Form::Json => out.json(note),
        Form::Plain => {
            let row = vec![
                Cell::text(session),
                Cell::figure_if(note.seq),
                Cell::figure(note.r#gen),
                Cell::text(note.kind),
                Cell::text(time),
                Cell::figure(text.len()),
                Cell::note(text),
            ];
            Table::of(&[]).row(out, row)
        }
        Form::Terminal => {
            let number = note.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
            let bytes = plural(text.len() as u64, "byte");
            out.styled(Style::new().bold(), &shown(session))?;
            let generation = note.r#gen;
            let about =
                format!(" · {}{number} · generation {generation} · {time} · {bytes}", note.kind);
            out.styled(Style::new().dimmed(), &about)?;
            out.line("")?;
            out.line(shown(text).trim_end_matches('\n'))?;
            out.line("")
        }
    }
}
