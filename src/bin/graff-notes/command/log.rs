//! `log`: every record of a session, oldest first.

use std::collections::VecDeque;

use clap::Args;
use graff_notes::log::{Line, Tail};

use super::record::{self, RecordAnswer};
use crate::{
    context::{Context, explain, session},
    exit::Exit,
    failure::Stop,
    output::{Cell, Clock, Form, Table, argument, first_line, plural, size},
    selection::{Period, Times},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes log fix-parser
  graff-notes log fix-parser -n 5 --since yesterday --time local
  graff-notes log fix-parser --json | jq -r 'select(.kind == \"note\") .text'

In a pipe it prints, a row a record: seq, generation, kind, time, bytes, and the whole text with
its line breaks, tabs and backslashes escaped. What has no value is a dash.";

/// Lists every record of a session, oldest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Log {
    /// Name of the session
    session: String,
    /// Only the last N of them
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    period: Period,
    #[command(flatten)]
    times: Times,
}

const HEAD: &[&str] = &["seq", "gen", "kind", "time", "size", "text"];

/// The most that a terminal is shown of a text, in columns; a narrower one cuts more off.
const TEXT_MAX: usize = 240;

impl Log {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        let mut rows = Rows::new(self.times.clock(cx.out.form()));
        let (mut last, mut others) = (VecDeque::new(), 0);
        let mut said = Ok(());
        let tail = store
            .replay(&session, &mut |entry| match &entry.line {
                Line::Record(record) if said.is_ok() && self.period.holds(record.created_at) => {
                    let answer = RecordAnswer::of(&entry, record);
                    match self.limit {
                        None => said = rows.say(cx, &answer),
                        Some(limit) => {
                            last.push_back(answer.into_owned());
                            record::keep_last(&mut last, limit);
                        }
                    }
                }
                Line::Record(_) | Line::Blank => {}
                Line::Foreign { .. } | Line::Newer | Line::Bad(_) => others += 1,
            })
            .map_err(|e| explain(e, &store, &session))?;
        said?;
        last.iter().try_for_each(|answer| rows.say(cx, answer))?;
        rows.table.end(&mut cx.out)?;
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

/// The rows of a log, one of them at a time.
struct Rows {
    table: Table,
    clock: Clock,
}

impl Rows {
    const fn new(clock: Clock) -> Self {
        Self { table: Table::of(HEAD), clock }
    }

    fn say(&mut self, cx: &mut Context, answer: &RecordAnswer<'_>) -> Result<(), Stop> {
        let cells = match cx.out.form() {
            Form::Json => return cx.out.json(answer),
            Form::Plain => self.plain(answer),
            Form::Terminal => self.shown(answer),
        };
        self.table.row(&mut cx.out, cells)
    }

    fn plain(&self, answer: &RecordAnswer<'_>) -> Vec<Cell> {
        let text = answer.text.as_deref();
        vec![
            Cell::figure_if(answer.seq),
            Cell::figure(answer.r#gen),
            Cell::text(answer.kind),
            Cell::text(self.clock.show(answer.created_at)),
            Cell::figure_if(text.map(str::len)),
            Cell::text(text.unwrap_or("-")),
        ]
    }

    fn shown(&self, answer: &RecordAnswer<'_>) -> Vec<Cell> {
        let text = answer.text.as_deref();
        vec![
            Cell::figure_if(answer.seq),
            Cell::figure(answer.r#gen),
            Cell::text(answer.kind),
            Cell::figure(self.clock.show(answer.created_at)),
            Cell::figure_if(text.map(|text| size(text.len() as u64))),
            text.map_or_else(|| Cell::dim("-"), |text| Cell::text(first_line(text, TEXT_MAX))),
        ]
    }
}
