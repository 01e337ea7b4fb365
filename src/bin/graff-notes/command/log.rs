//! `log`: every record of a session, oldest first.

use std::{collections::VecDeque, mem};

use clap::Args;
use graff_notes::{
    log::{Line, Tail},
    session::SessionName,
};

use super::{
    one::OneSession,
    record::{self, RecordAnswer},
};
use crate::{
    context::{Context, explain},
    exit::Exit,
    failure::{Failure, Stop},
    output::{Cell, Clock, Form, Table, first_line, plural, size},
    selection::{Period, Times},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes log fix-parser
  graff-notes log fix-parser -n 5 --since yesterday --time local
  graff-notes log fix-parser --json | jq -r 'select(.kind == \"note\") .text'

In a pipe it prints, a row a record: seq, generation, kind, time, bytes, and the whole text with \
its line breaks, tabs and backslashes escaped; other control characters stand there as they are. \
What has no value is a dash. On a terminal a record without a number has its line in the number's \
place: `show --line` and `diff` take that.

Exit status: where no line is a readable record, 5 if any is damaged, else 1.";

/// Lists every record of a session, oldest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Log {
    #[command(flatten)]
    session: OneSession,
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
        let store = cx.store()?;
        let session = self.session.find(cx, &store)?;
        cx.out.page();
        let mut rows = Rows::new(self.times.clock(cx.out.form()), self.limit);
        let mut lines = Lines::default();
        let tail = store
            .replay(&session, &mut |entry| {
                lines.see(&entry.line);
                if let Line::Record(record) = &entry.line
                    && self.period.holds(record.created_at)
                {
                    rows.see(cx, RecordAnswer::of(&entry, record));
                }
            })
            .map_err(|e| explain(e, &store, &session))?;
        rows.end(cx)?;
        cx.out.close()?;
        lines.end(tail);
        lines.judge(cx, &session)?;
        Ok(Exit::Done)
    }
}

/// How many lines of a log are what.
#[derive(Default)]
struct Lines {
    records: u64,
    damaged: u64,
    newer: u64,
}

impl Lines {
    fn see(&mut self, line: &Line<'_>) {
        match line {
            Line::Blank => {}
            Line::Record(_) => self.records += 1,
            Line::Newer => self.newer += 1,
            Line::Foreign { .. } | Line::Bad(_) => self.damaged += 1,
        }
    }

    fn end(&mut self, tail: Tail) {
        self.damaged += u64::from(matches!(tail, Tail::Torn { .. }));
    }

    /// Warns of lines that were left out; where there is nothing but those, that is a failure.
    fn judge(&self, cx: &Context, session: &SessionName) -> Result<(), Failure> {
        let left_out = self.damaged + self.newer;
        if left_out == 0 {
            return Ok(());
        }
        let lines = plural(left_out, "line");
        let verify = format!("`graff-notes verify {}` shows more", session.to_argument());
        if self.records > 0 {
            cx.notices.warn(format_args!(
                "left out {lines} of session {session}: no readable record of it; {verify}"
            ));
            return Ok(());
        }
        let (exit, kind) = match self.damaged {
            0 => (Exit::Failed, "newer_version"),
            _ => (Exit::Damage, "damaged"),
        };
        let what =
            format_args!("list a record of session {session}: {lines}, and none is readable");
        Err(Failure::new(exit, kind, what).advise(verify).about(session))
    }
}

/// The rows of a log: said as they come, or the last ones at the end.
struct Rows {
    table: Table,
    clock: Clock,
    limit: Option<usize>,
    last: VecDeque<RecordAnswer<'static>>,
    said: Result<(), Stop>,
}

impl Rows {
    const fn new(clock: Clock, limit: Option<usize>) -> Self {
        Self { table: Table::of(HEAD), clock, limit, last: VecDeque::new(), said: Ok(()) }
    }

    fn see(&mut self, cx: &mut Context, answer: RecordAnswer<'_>) {
        if let Some(limit) = self.limit {
            self.last.push_back(answer.into_owned());
            record::keep_last(&mut self.last, limit);
        } else if self.said.is_ok() {
            self.said = self.say(cx, &answer);
        }
    }

    fn end(mut self, cx: &mut Context) -> Result<(), Stop> {
        mem::replace(&mut self.said, Ok(()))?;
        for answer in mem::take(&mut self.last) {
            self.say(cx, &answer)?;
        }
        self.table.end(&mut cx.out)
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
            Cell::note(text.unwrap_or("-")),
        ]
    }

    fn shown(&self, answer: &RecordAnswer<'_>) -> Vec<Cell> {
        let text = answer.text.as_deref();
        // Without a number it can still be asked for by its line.
        let number = answer.seq.map_or_else(|| format!("line:{}", answer.line), |n| n.to_string());
        vec![
            Cell::figure(number),
            Cell::figure(answer.r#gen),
            Cell::text(answer.kind),
            Cell::figure(self.clock.show(answer.created_at)),
            Cell::figure_if(text.map(|text| size(text.len() as u64))),
            text.map_or_else(|| Cell::dim("-"), |text| Cell::text(first_line(text, TEXT_MAX))),
        ]
    }
}
