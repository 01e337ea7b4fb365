//! `show`: a note, byte for byte.

use clap::Args;
use graff_notes::{
    log::{Kind, Line, Record},
    note::{Author, Note},
    session::SessionName,
    store::{Doubt, Newest, Store},
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::Serialize;

use super::one::OneSession;
use crate::{
    context::{Context, explain},
    doubt,
    exit::Exit,
    failure::{Failure, Stop},
    output::{Clock, Form, plural, shown},
    selection::Times,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes show fix-parser
  graff-notes show fix-parser --previous
  graff-notes show fix-parser --seq 12 >note.md
  graff-notes show fix-parser --line 3
  graff-notes show --latest

In a pipe the note comes out as it went in, byte for byte, without a line break of ours. On a \
terminal a line about it stands above it, and control characters are shown as escapes.";

/// Prints a session's newest note, byte for byte
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    #[command(flatten)]
    session: OneSession,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    times: Times,
}

/// Which note; without any of these the newest.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Which {
    /// Prints the note with this number
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// Prints the note on this line of the log, also one without a number: as `verify` and `log
    /// --json` count them, and `log` at a terminal where there is no number
    #[arg(long, value_name = "N")]
    line: Option<u64>,
    /// Prints the newest note of this generation
    #[arg(long = "gen", value_name = "N", visible_alias = "generation")]
    generation: Option<u64>,
    /// Prints the note before the newest
    #[arg(long)]
    previous: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    seq: Option<Seq>,
    r#gen: Generation,
    kind: &'static str,
    created_at: Timestamp,
    text: &'a str,
    cut: Bytes,
    sealed: bool,
    doubt: Option<doubt::Answer>,
}

impl Show {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let session = self.session.find(cx, &store)?;
        let Newest { note, doubt } = self.which.find(&store, &session)?;
        match (note, doubt) {
            (Some(note), doubt) => {
                if let Some(doubt) = doubt {
                    cx.notices.warn(doubt::warning(&session, doubt));
                }
                self.say(cx, &session, &note, doubt)?;
                Ok(Exit::Done)
            }
            (None, Some(doubt)) => {
                let what = format!("show {} of", self.which.words());
                Err(doubt::failure(&what, &session, doubt).into())
            }
            (None, None) => Err(self.which.nothing(&session).into()),
        }
    }

    fn say(
        &self,
        cx: &mut Context,
        session: &SessionName,
        note: &Note,
        doubt: Option<Doubt>,
    ) -> Result<(), Stop> {
        match cx.out.form() {
            Form::Plain => cx.out.bytes(note.text.as_bytes()),
            Form::Json => cx.out.json(&answer(session, note, doubt)),
            Form::Terminal => {
                let header = header(session, note, &self.times.clock(Form::Terminal));
                cx.out.page();
                cx.out.styled(anstyle::Style::new().dimmed(), &shown(&header))?;
                cx.out.line("")?;
                cx.out.line(shown(&note.text).trim_end_matches('\n'))
            }
        }
    }
}

impl Which {
    fn find(&self, store: &Store, session: &SessionName) -> Result<Newest, Failure> {
        let found = if let Some(seq) = self.seq {
            // A number is given once: whatever else there is, the note that has it is the one.
            last(store, session, |record| record.seq == Some(Seq::new(seq))).map(|found| {
                let doubt = found.doubt.filter(|_| found.note.is_none());
                Newest { doubt, ..found }
            })
        } else if let Some(line) = self.line {
            on_line(store, session, line)
        } else if let Some(generation) = self.generation {
            last(store, session, |record| record.generation == Generation::new(generation))
        } else if self.previous {
            previous(store, session)
        } else {
            store.newest(session)
        };
        found.map_err(|e| explain(e, store, session))
    }

    fn words(&self) -> String {
        if let Some(seq) = self.seq {
            format!("note {seq}")
        } else if let Some(line) = self.line {
            format!("the note on line {line}")
        } else if let Some(generation) = self.generation {
            format!("a note of generation {generation}")
        } else if self.previous {
            "the note before the newest".to_owned()
        } else {
            "a note".to_owned()
        }
    }

    fn nothing(&self, session: &SessionName) -> Failure {
        let which = self.words();
        let why = match self {
            Self { seq: Some(_), .. } => "no note has this number",
            Self { line: Some(_), .. } => "no note stands there",
            Self { generation: Some(_), .. } | Self { previous: true, .. } => "there is none",
            Self { .. } => "its log holds none yet",
        };
        Failure::nothing(format_args!("show {which} of session {session}: {why}"))
            .advise(format!("`graff-notes log {}` shows what is on record", session.to_argument()))
            .about(session)
    }
}

/// Returns the note on a line, in doubt where that line may have been one.
fn on_line(
    store: &Store,
    session: &SessionName,
    number: u64,
) -> Result<Newest, graff_notes::Error> {
    let mut found = Newest::default();
    store.replay(session, &mut |entry| {
        if entry.number == number {
            found.doubt = doubt::of_line(&entry.line, entry.offset);
            if let Line::Record(record) = entry.line {
                found.note = record.into_note();
            }
        }
    })?;
    Ok(found)
}

/// Returns the last note that is as asked, in doubt where a later one of the kind may have been.
fn last(
    store: &Store,
    session: &SessionName,
    wanted: impl Fn(&Record<'_>) -> bool,
) -> Result<Newest, graff_notes::Error> {
    let mut found = Newest::default();
    let tail = store.replay(session, &mut |entry| match entry.line {
        Line::Record(record) if wanted(&record) => {
            if let Some(note) = record.into_note() {
                found = Newest { note: Some(note), doubt: None };
            }
        }
        line => found.doubt = doubt::of_line(&line, entry.offset).or(found.doubt),
    })?;
    found.doubt = doubt::of_tail(&tail).or(found.doubt);
    Ok(found)
}

/// Returns the note before the newest, in doubt where another may have been behind it.
fn previous(store: &Store, session: &SessionName) -> Result<Newest, graff_notes::Error> {
    let (mut before, mut newest) = (Newest::default(), Newest::default());
    let tail = store.replay(session, &mut |entry| match entry.line {
        Line::Record(record) => {
            if let Some(note) = record.into_note() {
                let next = Newest { note: Some(note), doubt: None };
                before = std::mem::replace(&mut newest, next);
            }
        }
        line => newest.doubt = doubt::of_line(&line, entry.offset).or(newest.doubt),
    })?;
    let doubt = doubt::of_tail(&tail).or(newest.doubt).or(before.doubt);
    Ok(Newest { doubt, ..before })
}

fn answer<'a>(session: &'a SessionName, note: &'a Note, doubt: Option<Doubt>) -> Answer<'a> {
    Answer {
        session: session.as_str(),
        seq: note.seq,
        r#gen: note.generation,
        kind: Kind::of(note.author).as_str(),
        created_at: note.created_at,
        text: &note.text,
        cut: note.cut,
        sealed: note.sealed,
        doubt: doubt.map(doubt::Answer::from),
    }
}

fn header(session: &SessionName, note: &Note, clock: &Clock) -> String {
    let Note { generation, cut, .. } = note;
    let number = note.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    let when = clock.show(note.created_at);
    let bytes = plural(note.text.len() as u64, "byte");
    let kind = Kind::of(note.author).as_str();
    let cut = match (*cut, note.author) {
        (Bytes::ZERO, _) => String::new(),
        (cut, Author::Agent) => format!(", {cut} cut off"),
        (cut, Author::Mechanical) => format!(", {cut} left out"),
    };
    format!("{session} · {kind}{number} · generation {generation} · {when} · {bytes}{cut}")
}
