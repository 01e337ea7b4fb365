//! `stats`: what the notes of all sessions add up to.

use std::ops::ControlFlow;

use anstyle::Style;
use clap::Args;
use graff_notes::{session::SessionName, store::Store, units::Timestamp};
use serde::Serialize;

use super::passed_over;
use crate::{
    calendar::{Calendar, Step},
    context::{Context, explain, is_forgotten},
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Clock, Form, Progress, Table, chart, plural, size},
    parallel,
    selection::Selection,
    totals::Totals,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes stats
  graff-notes stats --since 2026-08-01 --session-glob 'fix-*'
  graff-notes stats --json | jq .attempts_without_note

An attempt left no note where its generation got none of the agent after it: the call failed, the \
agent had nothing to say, or the process died. In a pipe it prints, a row a figure: name and \
figure; then for each bar of the charts `by_time` or `by_size`, where it begins, and the notes in \
it. Days are those of UTC, and those of this machine on a terminal or with --time local.";

/// Counts notes, attempts and damage over all sessions
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stats {
    #[command(flatten)]
    selection: Selection,
}

/// Where the second of the bars of sizes begins, in bytes; each further one begins at twice that.
const SIZE_STEP_FIRST: u64 = 256;

#[derive(Serialize)]
struct Answer {
    sessions: u64,
    unreadable_sessions: u64,
    notes: u64,
    mechanical: u64,
    attempts: u64,
    attempts_without_note: u64,
    rollovers: u64,
    unreadable_lines: u64,
    cut_notes: u64,
    cut_bytes: u64,
    log_bytes: u64,
    note_bytes: Sizes,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    step: Step,
    by_time: Vec<TimeBar>,
    by_size: Vec<SizeBar>,
}

/// The sizes of all notes, in bytes.
#[derive(Debug, Default, Serialize)]
struct Sizes {
    total: u64,
    least: u64,
    median: u64,
    greatest: u64,
}

#[derive(Serialize)]
struct TimeBar {
    from: Timestamp,
    notes: u64,
    #[serde(skip)]
    label: String,
}

#[derive(Serialize)]
struct SizeBar {
    from: u64,
    notes: u64,
}

impl Stats {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let mut sessions = passed_over::sessions(cx, &store)?;
        sessions.retain(|session| self.selection.scope.holds(session));
        let mut progress = Progress::new(&cx.notices, sessions.len(), "counting");
        let (mut whole, mut read, mut unreadable) = (Totals::default(), 0, 0);
        parallel::in_order(
            &sessions,
            |session| self.count(&store, session),
            |session, counted| {
                progress.step();
                match counted {
                    Ok(totals) => {
                        read += 1;
                        whole.add(totals);
                    }
                    Err(e) if is_forgotten(&e) => {}
                    Err(e) => {
                        unreadable += 1;
                        let failure = explain(e, &store, session);
                        progress.aside(|| cx.notices.failure(&failure));
                    }
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        drop(progress);
        let clock = self.selection.times.clock(cx.out.form());
        let answer = Answer::of(&whole, read, unreadable, &clock);
        heard_or_not(match cx.out.form() {
            Form::Json => cx.out.json(&answer),
            Form::Plain => answer.rows(cx, &clock),
            Form::Terminal => answer.show(cx, &clock),
        })?;
        Ok(if unreadable > 0 { Exit::Failed } else { Exit::Done })
    }

    fn count(&self, store: &Store, session: &SessionName) -> Result<Totals, graff_notes::Error> {
        let mut totals = Totals::default();
        let tail = store.replay(session, &mut |entry| {
            totals.see(&entry, |at| self.selection.period.holds(at));
        })?;
        totals.end(tail);
        Ok(totals)
    }
}

impl Answer {
    fn of(totals: &Totals, read: u64, unreadable: u64, clock: &Clock) -> Self {
        let known = || totals.times.iter().copied().filter(|at| *at > Timestamp::ZERO);
        let calendar = Calendar::of(&totals.times, &clock.zone());
        let sizes = Sizes::of(totals);
        Self {
            sessions: read + unreadable,
            unreadable_sessions: unreadable,
            notes: totals.notes(),
            mechanical: totals.mechanical,
            attempts: totals.attempts,
            attempts_without_note: totals.attempts_without_note,
            rollovers: totals.rollovers,
            unreadable_lines: totals.unreadable_lines,
            cut_notes: totals.cut_notes,
            cut_bytes: totals.cut_bytes,
            log_bytes: totals.log_bytes,
            by_size: SizeBar::all(totals, &sizes),
            note_bytes: sizes,
            first: known().min(),
            last: known().max(),
            step: calendar.step,
            by_time: TimeBar::all(&calendar),
        }
    }

    fn figures(&self) -> [(&'static str, u64); 15] {
        [
            ("sessions", self.sessions),
            ("unreadable_sessions", self.unreadable_sessions),
            ("notes", self.notes),
            ("mechanical", self.mechanical),
            ("attempts", self.attempts),
            ("attempts_without_note", self.attempts_without_note),
            ("rollovers", self.rollovers),
            ("unreadable_lines", self.unreadable_lines),
            ("cut_notes", self.cut_notes),
            ("cut_bytes", self.cut_bytes),
            ("log_bytes", self.log_bytes),
            ("note_bytes_total", self.note_bytes.total),
            ("note_bytes_least", self.note_bytes.least),
            ("note_bytes_median", self.note_bytes.median),
            ("note_bytes_greatest", self.note_bytes.greatest),
        ]
    }

    fn rows(&self, cx: &mut Context, clock: &Clock) -> Result<(), Stop> {
        let mut table = Table::of(&[]);
        let out = &mut cx.out;
        for (name, figure) in self.figures() {
            table.row(out, vec![Cell::text(name), Cell::figure(figure)])?;
        }
        for (name, at) in [("first", self.first), ("last", self.last)] {
            let at = at.map(|at| clock.show(at));
            table.row(out, vec![Cell::text(name), Cell::figure_if(at)])?;
        }
        table.row(out, vec![Cell::text("step"), Cell::text(self.step.as_str())])?;
        for TimeBar { label, notes, .. } in &self.by_time {
            let row = vec![Cell::text("by_time"), Cell::text(label), Cell::figure(notes)];
            table.row(out, row)?;
        }
        for SizeBar { from, notes } in &self.by_size {
            let row = vec![Cell::text("by_size"), Cell::figure(from), Cell::figure(notes)];
            table.row(out, row)?;
        }
        table.end(out)
    }

    fn show(&self, cx: &mut Context, clock: &Clock) -> Result<(), Stop> {
        let mut table = Table::of(&[]);
        for (name, words) in self.words(clock) {
            table.row(&mut cx.out, vec![Cell::dim(name), Cell::text(words)])?;
        }
        table.end(&mut cx.out)?;
        let bars = |bars: Vec<_>, title: &str, cx: &mut Context| {
            if bars.is_empty() {
                return Ok(());
            }
            cx.out.styled(Style::new().bold(), &format!("\n{title}\n"))?;
            chart(&mut cx.out, &bars)
        };
        let by_time = self.by_time.iter().map(|bar| (bar.label.clone(), bar.notes)).collect();
        bars(by_time, &format!("notes by {}", self.step.as_str()), cx)?;
        let by_size =
            self.by_size.iter().map(|bar| (format!("from {}", size(bar.from)), bar.notes));
        bars(by_size.collect(), "notes by size", cx)
    }

    fn words(&self, clock: &Clock) -> Vec<(&'static str, String)> {
        let mut notes = vec![self.notes.to_string()];
        if let Some(percent) = (self.mechanical * 100).checked_div(self.notes) {
            notes.push(format!("{} mechanical ({percent} %)", self.mechanical));
        }
        if self.cut_notes > 0 {
            notes.push(format!("{} cut by {} together", self.cut_notes, size(self.cut_bytes)));
        }
        let Sizes { total, least, median, greatest } = self.note_bytes;
        let [total, least, median, greatest] = [total, least, median, greatest].map(size);
        let shown = |at: Option<Timestamp>| at.map_or_else(|| "-".to_owned(), |at| clock.show(at));
        let mut words = vec![
            ("sessions", self.sessions.to_string()),
            ("notes", notes.join(", ")),
            ("attempts", format!("{}, {} left no note", self.attempts, self.attempts_without_note)),
            ("rollovers", self.rollovers.to_string()),
            ("first note", shown(self.first)),
            ("newest note", shown(self.last)),
            (
                "sizes",
                format!("{least} to {greatest}, half of them up to {median}, {total} in all"),
            ),
            ("logs", size(self.log_bytes)),
        ];
        if self.unreadable_lines + self.unreadable_sessions > 0 {
            let lines = plural(self.unreadable_lines, "line");
            let logs = plural(self.unreadable_sessions, "log");
            words.push(("unreadable", format!("{lines}, {logs}; `graff-notes verify` shows more")));
        }
        words
    }
}

impl Sizes {
    fn of(totals: &Totals) -> Self {
        let mut sizes: Vec<_> = totals.sizes.iter().map(|size| size.get()).collect();
        sizes.sort_unstable();
        let at = |at: usize| sizes.get(at).copied().unwrap_or_default();
        Self {
            total: sizes.iter().sum(),
            least: at(0),
            median: at(sizes.len().saturating_sub(1) / 2),
            greatest: at(sizes.len().saturating_sub(1)),
        }
    }
}

impl TimeBar {
    fn all(calendar: &Calendar) -> Vec<Self> {
        let bar = |(at, notes): &(jiff::ZonedDateTime, u64)| Self {
            from: Timestamp::new(u64::try_from(at.timestamp().as_millisecond()).unwrap_or(0)),
            notes: *notes,
            label: calendar.step.label(at),
        };
        calendar.bars.iter().map(bar).collect()
    }
}

impl SizeBar {
    /// Returns the bars from that of the least note to that of the greatest.
    fn all(totals: &Totals, sizes: &Sizes) -> Vec<Self> {
        if totals.sizes.is_empty() {
            return Vec::new();
        }
        let starts = std::iter::successors(Some(0), |from| Some((from * 2).max(SIZE_STEP_FIRST)));
        let bar = |from: u64| {
            let end = (from * 2).max(SIZE_STEP_FIRST);
            let notes =
                totals.sizes.iter().filter(|size| (from..end).contains(&size.get())).count();
            (end, Self { from, notes: notes as u64 })
        };
        let bars = starts.take_while(|from| *from <= sizes.greatest).map(bar);
        bars.filter(|(end, _)| *end > sizes.least).map(|(_, bar)| bar).collect()
    }
}
