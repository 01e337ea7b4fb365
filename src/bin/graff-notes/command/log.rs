//! `log`: every record of a session, oldest first.

use clap::Args;
use graff_notes::{
    log::{Body, Entry, Line, Record, Tail},
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::Serialize;

use crate::{
    context::{Context, explain, now, session},
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table, ago, argument, first_line, iso, plural, size},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes log fix-parser
  graff-notes log fix-parser --json | jq -r 'select(.kind == \"note\") .text'

In a pipe it prints, a row a record: seq, generation, kind, time, bytes, and the whole text with
its line breaks, tabs and backslashes escaped. What has no value is a dash.";

/// Lists every record of a session, oldest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Log {
    /// Name of the session
    session: String,
}

const HEAD: &[&str] = &["seq", "gen", "kind", "time", "size", "text"];

/// The most that a terminal is shown of a text, in columns; a narrower one cuts more off.
const TEXT_MAX: usize = 240;

#[derive(Serialize)]
struct Answer<'a> {
    seq: Option<Seq>,
    r#gen: Generation,
    kind: &'static str,
    created_at: Timestamp,
    text: Option<&'a str>,
    cut: Bytes,
    line: u64,
    offset: Bytes,
    sealed: bool,
}

impl Log {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        let mut table = Table::of(HEAD);
        let mut others = 0;
        let mut said = Ok(());
        let tail = store
            .replay(&session, &mut |entry| match (&said, &entry.line) {
                (Err(_), _) | (_, Line::Blank) => {}
                (Ok(()), Line::Record(record)) => said = say(cx, &mut table, &entry, record),
                (Ok(()), Line::Foreign { .. } | Line::Newer | Line::Bad(_)) => others += 1,
            })
            .map_err(|e| explain(e, &store, &session))?;
        said?;
        table.end(&mut cx.out)?;
        let others = others + u64::from(matches!(tail, Tail::Torn { .. }));
        if others > 0 {
            let lines = plural(others, "line");
            let name = argument(&session);
            cx.notices.warn(format_args!(
                "left out {lines} of session {session}: no readable record of it; \
                 `graff-notes verify {name}` shows more"
            ));
        }
        Ok(Exit::Done)
    }
}

fn say(
    cx: &mut Context,
    table: &mut Table,
    entry: &Entry<'_>,
    record: &Record<'_>,
) -> Result<(), Stop> {
    let answer = Answer::of(entry, record);
    match cx.out.form() {
        Form::Json => cx.out.json(&answer),
        Form::Plain => table.row(&mut cx.out, answer.plain()),
        Form::Terminal => table.row(&mut cx.out, answer.shown()),
    }
}

impl<'a> Answer<'a> {
    fn of(entry: &Entry<'_>, record: &'a Record<'_>) -> Self {
        let (text, cut) = match &record.body {
            Body::Note { text, cut, .. } => (Some(text.as_ref()), *cut),
            Body::Attempt | Body::Rollover => (None, Bytes::ZERO),
        };
        Self {
            seq: record.seq,
            r#gen: record.generation,
            kind: record.kind().as_str(),
            created_at: record.created_at,
            text,
            cut,
            line: entry.number,
            offset: entry.offset,
            sealed: record.sealed,
        }
    }

    fn plain(&self) -> Vec<Cell> {
        vec![
            Cell::figure_if(self.seq),
            Cell::figure(self.r#gen),
            Cell::text(self.kind),
            Cell::text(iso(self.created_at)),
            Cell::figure_if(self.text.map(str::len)),
            Cell::text(self.text.unwrap_or("-")),
        ]
    }

    fn shown(&self) -> Vec<Cell> {
        let text =
            self.text.map_or_else(|| Cell::dim("-"), |text| Cell::text(first_line(text, TEXT_MAX)));
        vec![
            Cell::figure_if(self.seq),
            Cell::figure(self.r#gen),
            Cell::text(self.kind),
            Cell::figure(ago(self.created_at, now())),
            Cell::figure_if(self.text.map(|text| size(text.len() as u64))),
            text,
        ]
    }
}
