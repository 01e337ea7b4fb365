//! `write`: a note goes to disk, and only then is it said to be there.

use std::{
    borrow::Cow,
    io::{self, IsTerminal},
};

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    log::Draft,
    note::{Author, Fitted, NoteCap, NoteText},
    session::SessionName,
    store::{Appended, Store},
    units::{Bytes, Generation, Seq},
};
use serde::Serialize;

use crate::{
    alike, args,
    context::{self, Context, has_log, now, session},
    exit::Exit,
    failure::{Failure, Stop},
    input::{Expected, Input},
    output::{Cell, Form, Table},
};

const EXAMPLES: &str = "\
Examples:
  echo 'src/parse.rs:88 drops the CR; next: read_line' | graff-notes write fix-parser
  graff-notes write fix-parser --file note.md --generation 3
  graff-notes write fix-parser --text 'all green, waiting for review'
  graff-notes write --text 'the same, for a name with a dash' -- -odd-name

A note of more than 65536 bytes is refused, whatever the cap: nothing that long is stored. What \
is shorter than that and over the cap is cut.

In a pipe it prints the note's seq, its generation, and `stored`, or `unchanged` where the newest \
note says the same of the same generation.";

/// Stores a note, and says so once it is on disk
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Write {
    /// Name of the session
    session: String,
    /// Takes the note from stdin, as it does without it
    #[arg(value_name = "-", value_parser = stdin, conflicts_with_all = ["file", "text"])]
    from: Option<Stdin>,
    /// Takes the note from this file instead of stdin, for which `-` stands
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<Utf8PathBuf>,
    /// Takes this text for the note, and leaves stdin alone
    #[arg(long, allow_hyphen_values = true)]
    text: Option<String>,
    /// Generation that the note describes; without it the greatest on record, else 0
    #[arg(long, value_name = "N", visible_alias = "gen")]
    generation: Option<u64>,
    /// Most bytes of the note that are kept, 16 to 65536; the rest is cut off, and that is said
    #[arg(long, value_name = "N", default_value_t = NoteCap::DEFAULT.get())]
    cap_bytes: usize,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    seq: Option<Seq>,
    r#gen: Generation,
    outcome: Outcome,
    cut: Bytes,
}

/// What became of the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Stored,
    /// The newest note says the same of the same generation.
    Unchanged,
}

impl Write {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        let Fitted { text, cut } = self.note(cx, &session)?;
        let generation = self.generation(cx, &store, &session)?;
        let is_new = cx.notices.is_for_a_person() && !has_log(&store, &session);
        let draft = Draft::Note { text, author: Author::Agent, cut, generation, created_at: now() };
        let (seq, outcome) = match store.append(&session, &draft) {
            Ok(Appended::Stored(seq)) => (Some(seq), Outcome::Stored),
            Ok(Appended::Unchanged(seq)) => (seq, Outcome::Unchanged),
            Err(e) => return Err(Failure::from(e).about(&session).into()),
        };
        if cut > Bytes::ZERO {
            let cap = self.cap_bytes;
            cx.notices.warn(format_args!("cut {cut} bytes off the note: over the cap of {cap}"));
        }
        if is_new {
            cx.notices.hint(begins(&store, &session));
        }
        let session = session.as_str();
        let answer = Answer { session, seq, r#gen: generation, outcome, cut };
        say(cx, &answer).and_then(|()| cx.out.flush()).map_err(|stop| {
            let number = number(seq);
            stop.advise(format!("the note is on disk: record {number} of generation {generation}"))
        })?;
        Ok(Exit::Done)
    }

    fn note(&self, cx: &Context, session: &SessionName) -> Result<Fitted, Failure> {
        let cap = args::cap(self.cap_bytes)?;
        let from = self.file.as_deref().map_or(Input::Stdin, Input::of);
        let text = if let Some(text) = &self.text {
            Cow::Borrowed(text.as_str())
        } else {
            if matches!(from, Input::Stdin) && io::stdin().is_terminal() {
                cx.notices.hint("type the note, then Ctrl-D on a line of its own");
            }
            read(from)?.into()
        };
        NoteText::fit(&text, cap)
            .map_err(|why| Failure::input(format_args!("store the note: {why}")).about(session))
    }

    fn generation(
        &self,
        cx: &Context,
        store: &Store,
        session: &SessionName,
    ) -> Result<Generation, Failure> {
        match self.generation {
            Some(generation) => context::generation(generation, &cx.notices),
            None => store.greatest_generation(session).map_err(|e| Failure::from(e).about(session)),
        }
    }
}

/// What `-` stands for.
#[derive(Clone, Copy, Debug)]
struct Stdin;

/// Reads what stands behind the session's name, where people put the note itself.
fn stdin(word: &str) -> Result<Stdin, &'static str> {
    if word == "-" { Ok(Stdin) } else { Err("a note is given by `--text TEXT`, or on stdin") }
}

/// Returns that a session is new, to a person who may have meant another.
fn begins(store: &Store, session: &SessionName) -> String {
    match alike::most_like(store, session) {
        Some(other) => format!("{session} is a new session; did you mean {other}?"),
        None => format!("{session} is a new session"),
    }
}

fn say(cx: &mut Context, answer: &Answer<'_>) -> Result<(), Stop> {
    let Answer { seq, r#gen, outcome, .. } = answer;
    let number = number(*seq);
    match (cx.out.form(), *outcome) {
        (Form::Json, _) => cx.out.json(answer),
        (Form::Terminal, Outcome::Stored) => {
            cx.out.line(&format!("record {number} of generation {gen} is on disk"))
        }
        (Form::Terminal, Outcome::Unchanged) => {
            cx.out.line(&format!("record {number} of generation {gen} says the same already"))
        }
        (Form::Plain, outcome) => {
            let word = match outcome {
                Outcome::Stored => "stored",
                Outcome::Unchanged => "unchanged",
            };
            let row = vec![Cell::figure_if(*seq), Cell::figure(r#gen), Cell::text(word)];
            Table::of(&[]).row(&mut cx.out, row)
        }
    }
}

fn number(seq: Option<Seq>) -> String {
    seq.map_or_else(|| "without a number".to_owned(), |seq| seq.to_string())
}

fn read(from: Input<'_>) -> Result<String, Failure> {
    String::from_utf8(from.whole(&Expected::NOTE)?).map_err(|e| {
        let (name, at) = (from.name(), e.utf8_error().valid_up_to());
        Failure::input(format_args!("store the note: {name} is not UTF-8 at byte {at}"))
    })
}
