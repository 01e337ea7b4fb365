//! `diff`: what changed between two notes of a session.

use std::{num::ParseIntError, rc::Rc, str::FromStr};

use anstyle::{AnsiColor, Style};
use clap::Args;
use graff_notes::{
    log::Line,
    note::Note,
    session::SessionName,
    store::{Doubt, Store},
    units::{Seq, Timestamp},
};
use serde::Serialize;
use similar::TextDiff;

use super::{one::OneSession, record::NoteAnswer};
use crate::{
    context::{Context, explain},
    doubt,
    exit::Exit,
    failure::{Failure, Stop},
    output::{Clock, Form, Output, shown},
    selection::Times,
    words::{self, Op, Piece},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes diff fix-parser
  graff-notes diff fix-parser --from 3 --to 7
  graff-notes diff fix-parser --from line:2 --to line:5
  graff-notes diff fix-parser --json | jq -r '.changes[] | select(.op == \"insert\") .text'

On a terminal it shows which words went and which came; in a pipe whole lines, as diff -u has \
them. A note without a number is named by its line, which `log` shows in the number's place at a \
terminal, and `log --json` as `line`. Without --from it compares with the note before the other \
one, without --to with the newest.";

/// Shows what changed between two notes, without flags the last two
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    #[command(flatten)]
    session: OneSession,
    /// Number of the old note, or `line:` and its line in the log
    #[arg(long, value_name = "SEQ")]
    from: Option<Which>,
    /// Number of the new note, or `line:` and its line in the log
    #[arg(long, value_name = "SEQ")]
    to: Option<Which>,
    #[command(flatten)]
    times: Times,
}

/// Which note is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The one with this number.
    Seq(Seq),
    /// The one on this line of the log.
    Line(u64),
}

impl Which {
    fn is(self, line: u64, note: &Note) -> bool {
        match self {
            Self::Seq(seq) => note.seq == Some(seq),
            Self::Line(wanted) => line == wanted,
        }
    }
}

impl FromStr for Which {
    type Err = ParseIntError;

    fn from_str(which: &str) -> Result<Self, ParseIntError> {
        match which.strip_prefix("line:") {
            Some(line) => line.parse().map(Self::Line),
            None => which.parse().map(|seq| Self::Seq(Seq::new(seq))),
        }
    }
}

/// How many unchanged lines are shown around a changed one.
const CONTEXT_LINES: usize = 3;

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    from: NoteAnswer,
    to: NoteAnswer,
    changed: bool,
    changes: Vec<Piece>,
}

/// Two notes of a session.
struct Pair {
    from: Rc<Note>,
    to: Rc<Note>,
    /// Where the first is the one before the other: what may have been a note between them.
    between: Option<Doubt>,
    /// Where the second is the newest: what may have been a note behind it.
    behind: Option<Doubt>,
}

impl Diff {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let session = self.session.find(cx, &store)?;
        let pair = self.find(&store, &session)?;
        if let Some(doubt) = pair.between {
            cx.notices.warn(doubt::between(&session, doubt));
        }
        if let Some(doubt) = pair.behind {
            cx.notices.warn(doubt::warning(&session, doubt));
        }
        cx.out.page();
        let clock = self.times.clock(cx.out.form());
        match cx.out.form() {
            Form::Json => cx.out.json(&pair.answer(&session))?,
            Form::Plain => pair.lines(&mut cx.out, &clock)?,
            Form::Terminal => pair.words(&mut cx.out, &clock)?,
        }
        Ok(Exit::Done)
    }

    fn find(&self, store: &Store, session: &SessionName) -> Result<Pair, Failure> {
        let (mut from, mut to, mut before) = (None, None, None);
        let (mut doubt, mut between) = (None, None);
        let mut see = |line, note: Rc<Note>, doubt: Option<Doubt>| {
            if self.to.is_none_or(|which| which.is(line, &note)) {
                to = Some(Rc::clone(&note));
                if self.from.is_none() {
                    from.clone_from(&before);
                    between = doubt;
                }
            }
            if self.from.is_some_and(|which| which.is(line, &note)) {
                from = Some(Rc::clone(&note));
            }
            before = Some(note);
        };
        let replayed = store.replay(session, &mut |entry| match entry.line {
            Line::Record(record) => {
                if let Some(note) = record.into_note() {
                    see(entry.number, Rc::new(note), doubt.take());
                }
            }
            line => doubt = doubt.or(doubt::of_line(&line, entry.offset)),
        });
        let tail = replayed.map_err(|e| explain(e, store, session))?;
        let unread = |doubt| doubt::failure("compare two notes of", session, doubt);
        match (from, to) {
            (Some(from), Some(to)) => {
                let behind = doubt.or(doubt::of_tail(&tail)).filter(|_| self.to.is_none());
                Ok(Pair { from, to, between, behind })
            }
            (_, None) => Err(doubt
                .filter(|_| self.to.is_none())
                .map_or_else(|| nothing(session, self.to, "note"), unread)),
            (None, Some(_)) => Err(between
                .map_or_else(|| nothing(session, self.from, "note before the other"), unread)),
        }
    }
}

fn nothing(session: &SessionName, wanted: Option<Which>, which: &str) -> Failure {
    let what = match wanted {
        Some(Which::Line(line)) => {
            format!("the note on line {line} of session {session}: no note stands there")
        }
        Some(Which::Seq(seq)) => {
            format!("note {seq} of session {session}: no note has this number")
        }
        None => format!("two notes of session {session}: there is no {which}"),
    };
    Failure::nothing(format_args!("compare {what}"))
        .advise(format!("`graff-notes log {}` shows what is on record", session.to_argument()))
        .about(session)
}

impl Pair {
    fn answer<'a>(&self, session: &'a SessionName) -> Answer<'a> {
        Answer {
            session: session.as_str(),
            from: NoteAnswer::from(&*self.from),
            to: NoteAnswer::from(&*self.to),
            changed: self.from.text != self.to.text,
            changes: words::compare(&self.from.text, &self.to.text),
        }
    }

    /// Says it line by line, for a script and for `patch`: both know a line by its LF alone.
    fn lines(&self, out: &mut Output, clock: &Clock) -> Result<(), Stop> {
        let [old, new] =
            [&self.from, &self.to].map(|note| note.text.split_inclusive('\n').collect::<Vec<_>>());
        let diff = TextDiff::configure().timeout(words::PATIENCE).diff_slices(&old, &new);
        let [from, to] = [&self.from, &self.to].map(|note| title(note, "\t", clock));
        let mut head = Some(format!("--- {from}\n+++ {to}\n"));
        for hunk in diff.unified_diff().context_radius(CONTEXT_LINES).iter_hunks() {
            for line in head.take().iter().flat_map(|head| head.split_inclusive('\n')) {
                out.styled(style_of_line(line), line)?;
            }
            out.styled(style_of_line("@"), &format!("{}\n", hunk.header()))?;
            for change in hunk.iter_changes() {
                let line = format!("{}{}", change.tag(), change.value());
                out.styled(style_of_line(&line), &line)?;
                if !line.ends_with('\n') {
                    out.line("\n\\ No newline at end of file")?;
                }
            }
        }
        Ok(())
    }

    /// Says it word by word, for a person.
    fn words(&self, out: &mut Output, clock: &Clock) -> Result<(), Stop> {
        let [from, to] = [&self.from, &self.to].map(|note| title(note, " · ", clock));
        if self.from.text == self.to.text {
            return out.line(&format!("no change: {from}, and {to}"));
        }
        out.styled(Style::new().bold(), &format!("--- {from}\n+++ {to}\n"))?;
        let lines = lines(&words::compare(&self.from.text, &self.to.text));
        let is_near = |at: usize| {
            let near = at.saturating_sub(CONTEXT_LINES)..=at.saturating_add(CONTEXT_LINES);
            lines
                .get(*near.start()..lines.len().min(near.end() + 1))
                .is_some_and(|lines| lines.iter().flatten().any(|piece| piece.op != Op::Equal))
        };
        let mut is_skipping = false;
        for (at, line) in lines.iter().enumerate() {
            if is_near(at) {
                say_line(out, line)?;
            } else if !is_skipping {
                out.styled(Style::new().dimmed(), "⋯\n")?;
            }
            is_skipping = !is_near(at);
        }
        Ok(())
    }
}

fn title(note: &Note, gap: &str, clock: &Clock) -> String {
    let number = note.seq.map_or_else(|| "without a number".to_owned(), |seq| seq.to_string());
    let at = match note.created_at {
        Timestamp::ZERO => String::new(),
        at => format!("{gap}{}", clock.show(at)),
    };
    format!("note {number}{at}")
}

/// Parts pieces at their line breaks; a line has at least one piece.
fn lines(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut lines = vec![Vec::new()];
    for Piece { op, text } in pieces {
        for part in text.split_inclusive('\n') {
            let ends = part.ends_with('\n');
            if let Some(line) = lines.last_mut() {
                line.push(Piece { op: *op, text: part.trim_end_matches('\n').to_owned() });
            }
            if ends {
                lines.push(Vec::new());
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn say_line(out: &mut Output, line: &[Piece]) -> Result<(), Stop> {
    for Piece { op, text } in line {
        let text = shown(text);
        match op {
            _ if text.is_empty() || out.has_colour() => out.styled(style(*op), &text)?,
            Op::Equal => out.bytes(text.as_bytes())?,
            Op::Delete => out.bytes(format!("[-{text}-]").as_bytes())?,
            Op::Insert => out.bytes(format!("{{+{text}+}}").as_bytes())?,
        }
    }
    out.line("")
}

/// Returns a style that is seen on white space too.
const fn style(op: Op) -> Style {
    match op {
        Op::Equal => Style::new(),
        Op::Delete => AnsiColor::Red.on_default().strikethrough(),
        Op::Insert => AnsiColor::Green.on_default().underline(),
    }
}

fn style_of_line(line: &str) -> Style {
    match line.bytes().next() {
        Some(b'-') => AnsiColor::Red.on_default(),
        Some(b'+') => AnsiColor::Green.on_default(),
        Some(b'@') => AnsiColor::Cyan.on_default(),
        _ => Style::new(),
    }
}
