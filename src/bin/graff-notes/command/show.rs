//! `show`: a note, byte for byte.

use clap::Args;
use graff_notes::{
    log::{Line, Record},
    note::{Author, Note},
    session::SessionName,
    store::{Doubt, Newest, Store},
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::Serialize;

use crate::{
    context::{Context, explain, now, session},
    doubt,
    exit::Exit,
    failure::{Failure, Stop},
    output::{Form, ago, argument, plural, shown},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes show fix-parser
  graff-notes show fix-parser --previous
  graff-notes show fix-parser --seq 12 >note.md

In a pipe the note comes out as it went in, byte for byte, without a line break of ours. On a
terminal a line about it stands above it, and control characters are shown as escapes.";

/// Prints a session's newest note, byte for byte
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// Name of the session
    session: String,
    #[command(flatten)]
    which: Which,
}

/// Which note; without any of these the newest.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Which {
    /// Prints the note with this number
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// Prints the newest note of this generation
    #[arg(long = "gen", value_name = "N")]
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
        let session = session(&self.session)?;
        let store = cx.store()?;
        let Newest { note, doubt } = self.which.find(&store, &session)?;
        match (note, doubt) {
            (Some(note), doubt) => {
                if let Some(doubt) = doubt {
                    cx.notices.warn(doubt::warning(&session, doubt));
                }
                say(cx, &session, &note, doubt)?;
                Ok(Exit::Done)
            }
            (None, Some(doubt)) => Err(doubt::failure("show a note of", &session, doubt).into()),
            (None, None) => Err(self.which.nothing(&session).into()),
        }
    }
}

impl Which {
    fn find(&self, store: &Store, session: &SessionName) -> Result<Newest, Failure> {
        let found = if let Some(seq) = self.seq {
            last(store, session, |record| record.seq == Some(Seq::new(seq)))
        } else if let Some(generation) = self.generation {
            last(store, session, |record| record.generation == Generation::new(generation))
        } else if self.previous {
            previous(store, session)
        } else {
            store.newest(session)
        };
        found.map_err(|e| explain(e, store, session))
    }

    fn nothing(&self, session: &SessionName) -> Failure {
        let (which, why) = if let Some(seq) = self.seq {
            (format!("note {seq}"), "no note has this number")
        } else if let Some(generation) = self.generation {
            (format!("a note of generation {generation}"), "there is none")
        } else if self.previous {
            ("the note before the newest".to_owned(), "there is none")
        } else {
            ("a note".to_owned(), "its log holds none yet")
        };
        Failure::nothing(format_args!("show {which} of session {session}: {why}"))
            .advise(format!("`graff-notes log {}` shows what is on record", argument(session)))
            .about(session)
    }
}

/// Returns the last note that is as asked.
fn last(
    store: &Store,
    session: &SessionName,
    wanted: impl Fn(&Record<'_>) -> bool,
) -> Result<Newest, graff_notes::Error> {
    let mut found = None;
    store.replay(session, &mut |entry| {
        if let Line::Record(record) = entry.line
            && wanted(&record)
        {
            found = record.into_note().or(found.take());
        }
    })?;
    Ok(Newest { note: found, doubt: None })
}

fn previous(store: &Store, session: &SessionName) -> Result<Newest, graff_notes::Error> {
    let (mut before, mut newest) = (None, None);
    store.replay(session, &mut |entry| {
        if let Line::Record(record) = entry.line
            && let Some(note) = record.into_note()
        {
            before = newest.replace(note);
        }
    })?;
    Ok(Newest { note: before, doubt: None })
}

fn say(
    cx: &mut Context,
    session: &SessionName,
    note: &Note,
    doubt: Option<Doubt>,
) -> Result<(), Stop> {
    match cx.out.form() {
        Form::Plain => cx.out.bytes(note.text.as_bytes()),
        Form::Json => cx.out.json(&answer(session, note, doubt)),
        Form::Terminal => {
            cx.out.styled(anstyle::Style::new().dimmed(), &header(session, note))?;
            cx.out.line("")?;
            cx.out.line(shown(&note.text).trim_end_matches('\n'))
        }
    }
}

fn answer<'a>(session: &'a SessionName, note: &'a Note, doubt: Option<Doubt>) -> Answer<'a> {
    Answer {
        session: session.as_str(),
        seq: note.seq,
        r#gen: note.generation,
        kind: kind(note),
        created_at: note.created_at,
        text: &note.text,
        cut: note.cut,
        sealed: note.sealed,
        doubt: doubt.map(doubt::Answer::from),
    }
}

const fn kind(note: &Note) -> &'static str {
    match note.author {
        Author::Agent => "note",
        Author::Mechanical => "mechanical",
    }
}

fn header(session: &SessionName, note: &Note) -> String {
    let Note { generation, cut, .. } = note;
    let number = note.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    let when = ago(note.created_at, now());
    let bytes = plural(note.text.len() as u64, "byte");
    let cut = if *cut == Bytes::ZERO { String::new() } else { format!(", {cut} cut off") };
    format!("{session} · {}{number} · generation {generation} · {when} · {bytes}{cut}", kind(note))
}
