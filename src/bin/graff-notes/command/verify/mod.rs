//! `verify`: what a log's lines add up to, and what is wrong with them.

mod person;

use std::{collections::BTreeMap, fs, ops::ControlFlow};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    log::{Finding, Health},
    session::SessionName,
    store::{RepairMode, Store},
    units::Bytes,
};
use serde::Serialize;

use super::{meant::Meant, record::NoteAnswer};
use crate::{
    context::{Context, explain},
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Form, Progress, Table, plural},
    parallel,
    selection::Scope,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes verify
  graff-notes verify fix-parser --json | jq .faults

In a pipe it prints, a row each: session, `ok` or `damaged`, and a summary; then for each finding \
session, `fault` or `remark`, line, offset in bytes, reason, and what it means and a repair would \
do. The first 1000 of each sort are named; a row with the reason `left_out` says how many more \
there are, and one with the reason `rejected` where the lines are that repairs took out. A fault \
makes a log damaged, a remark doesn't. On a terminal the faults come first, and remarks of one \
sort are one line.

Exit status: 5 where a log is damaged, else 1 where one cannot be read, else 3 where one that \
was named is not there, or none is; else 0.";

/// The reason in a row that tells of the file with what repairs took out.
const REJECTED: &str = "rejected";

/// The reason in a row that stands for all findings that are not named.
pub(super) const LEFT_OUT: &str = "left_out";

/// Checks logs without changing them, and says what is wrong and where
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Verify {
    /// Names of the sessions, or at a terminal their beginnings; without any, all of them
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    #[command(flatten)]
    scope: Scope,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    path: String,
    notes: u64,
    attempts: u64,
    bad_lines: u64,
    foreign: u64,
    newer_version: u64,
    blank_lines: u64,
    unsealed: u64,
    torn_tail: bool,
    final_newline_missing: bool,
    newest: Option<NoteAnswer>,
    faults: Vec<Fault>,
    faults_left_out: u64,
    remarks: Vec<Fault>,
    remarks_left_out: u64,
    rejected_path: Option<Utf8PathBuf>,
    ok: bool,
}

#[derive(Serialize)]
struct Fault {
    line: u64,
    offset: Bytes,
    reason: &'static str,
    detail: String,
}

impl Verify {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let store = cx.store()?;
        let named = self.sessions.iter().map(|name| cx.to_read(&store, name));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let meant = Meant::of(cx, &store, named, &self.scope, "verify")?;
        let mut progress = Progress::new(&cx.notices, meant.sessions.len(), "checking");
        let (mut worst, mut mendable, mut failures) = (Exit::Done, Vec::new(), Vec::new());
        cx.out.page();
        parallel::in_order(
            &meant.sessions,
            |session| Checked::of(&store, session),
            |session, checked| {
                // Whoever interrupted us in the pager ends us with this when they leave it. Whoever
                // only leaves it has the rest checked: the exit status is about all of the logs.
                heard_or_not(cx.out.heard())?;
                let exit = match checked {
                    Ok(checked) => {
                        heard_or_not(progress.beside_answer(|| checked.say(cx)))?;
                        if cx.out.is_in_pager() {
                            progress.end(); // which has the terminal for itself
                        }
                        mendable.extend(checked.is_mendable().then_some(session));
                        if checked.health.is_ok() { Exit::Done } else { Exit::Damage }
                    }
                    Err(e) if meant.is_left_out(&e) => Exit::Done,
                    Err(e) => {
                        failures.push(explain(e, &store, session)); // a pager may be at work
                        Exit::Done
                    }
                };
                progress.step();
                worst = worst.graver(exit);
                Ok(ControlFlow::Continue(()))
            },
        )?;
        progress.end();
        heard_or_not(cx.out.close())?;
        let worst = failures.iter().fold(worst, |worst, why| worst.graver(cx.notices.failure(why)));
        let arguments = match mendable.as_slice() {
            [] => return Ok(worst),
            [only] => format!(" {}", only.to_argument()),
            _ => meant.arguments(),
        };
        cx.notices.hint(format_args!("`graff-notes repair{arguments}` says what can be done"));
        Ok(worst)
    }
}

/// A log that was checked.
struct Checked<'a> {
    store: &'a Store,
    session: &'a SessionName,
    health: Health,
    /// How many records a repair would win back, by the offsets of the lines that hold some.
    won_back: BTreeMap<Bytes, u64>,
}

impl<'a> Checked<'a> {
    fn of(store: &'a Store, session: &'a SessionName) -> Result<Self, graff_notes::Error> {
        let health = store.verify(session)?;
        let mut won_back = BTreeMap::new();
        // Only a repair looks into the lines that it takes out, so it is asked.
        if health.faults.iter().any(|fault| !fault.concern.outlasts_repair())
            && let Ok(plan) = store.repair(session, RepairMode::DryRun)
        {
            let named = plan.named.iter().filter(|line| line.won_back > 0);
            won_back.extend(named.map(|line| (line.offset, line.won_back)));
        }
        Ok(Self { store, session, health, won_back })
    }

    /// Returns whether a repair has something to take out.
    fn is_mendable(&self) -> bool {
        let faults = self.health.faults.len() as u64 + self.health.faults_left_out;
        faults > self.health.faults_for_good
    }

    fn say(&self, cx: &mut Context) -> Result<(), Stop> {
        match cx.out.form() {
            Form::Json => cx.out.json(&self.answer()),
            Form::Plain => self.rows(cx),
            Form::Terminal => person::words(cx, self),
        }
    }

    fn answer(&self) -> Answer<'a> {
        let Self { store, session, ref health, .. } = *self;
        Answer {
            session: session.as_str(),
            path: store.log_path(session).into_string(),
            notes: health.notes,
            attempts: health.attempts,
            bad_lines: health.bad_lines,
            foreign: health.foreign,
            newer_version: health.newer_version,
            blank_lines: health.blank_lines,
            unsealed: health.unsealed,
            torn_tail: health.torn_tail,
            final_newline_missing: health.final_newline_missing,
            newest: health.newest.map(NoteAnswer::from),
            faults: health.faults.iter().map(|finding| self.fault(finding)).collect(),
            faults_left_out: health.faults_left_out,
            remarks: health.remarks.iter().map(|finding| self.fault(finding)).collect(),
            remarks_left_out: health.remarks_left_out,
            rejected_path: rejected(store, session),
            ok: health.is_ok(),
        }
    }

    fn fault(&self, finding: &Finding) -> Fault {
        Fault {
            line: finding.line,
            offset: finding.offset,
            reason: finding.concern.reason(),
            detail: format!("{}; {}", finding.concern, self.under_repair(finding)),
        }
    }

    /// Returns what a repair would do about a finding, in words for a person.
    fn under_repair(&self, finding: &Finding) -> &'static str {
        let won_back = self.won_back.get(&finding.offset).copied();
        finding.concern.under_repair(won_back.unwrap_or_default())
    }

    fn rows(&self, cx: &mut Context) -> Result<(), Stop> {
        let Self { store, session, ref health, .. } = *self;
        let mut table = Table::of(&[]);
        let verdict = if health.is_ok() { "ok" } else { "damaged" };
        let name = || Cell::text(session.as_str());
        table.row(&mut cx.out, vec![name(), Cell::text(verdict), Cell::text(summary(health))])?;
        let faults = health.faults.iter().map(|finding| ("fault", finding));
        let remarks = health.remarks.iter().map(|finding| ("remark", finding));
        for (sort, finding) in faults.chain(remarks) {
            let Fault { line, offset, reason, detail } = self.fault(finding);
            let mut row = vec![name(), Cell::text(sort), Cell::figure(line), Cell::figure(offset)];
            row.extend([Cell::text(reason), Cell::text(detail)]);
            table.row(&mut cx.out, row)?;
        }
        let left_out = [("fault", health.faults_left_out), ("remark", health.remarks_left_out)];
        for (sort, more) in left_out.into_iter().filter(|(_, more)| *more > 0) {
            let mut row = vec![name()];
            row.extend([sort, "-", "-", LEFT_OUT].map(Cell::text));
            row.push(Cell::text(format!("and {more} more")));
            table.row(&mut cx.out, row)?;
        }
        if let Some(path) = rejected(store, session) {
            let mut row = vec![name()];
            row.extend(["remark", "-", "-", REJECTED].map(Cell::text));
            row.push(Cell::text(kept_in(&path)));
            table.row(&mut cx.out, row)?;
        }
        Ok(())
    }
}

/// Returns where the lines are that repairs took out of a log, if one did.
pub(super) fn rejected(store: &Store, session: &SessionName) -> Option<Utf8PathBuf> {
    let path = store.rejected_path(session);
    fs::symlink_metadata(&path).is_ok().then_some(path)
}

fn kept_in(path: &Utf8Path) -> String {
    format!("what repairs took out is kept in {path}")
}

/// Returns the figures that are worth a word, in words.
pub(super) fn summary(health: &Health) -> String {
    let mut parts = vec![plural(health.notes, "note")];
    let counted = [
        (health.attempts, "attempt", ""),
        (health.rollovers, "rollover", ""),
        (health.bad_lines, "bad line", ""),
        (health.foreign, "foreign record", ""),
        (health.newer_version, "record", " of a newer version"),
        (health.unsealed, "record", " without a checksum"),
    ];
    let said = counted.iter().filter(|(count, ..)| *count > 0);
    parts.extend(said.map(|(count, one, of)| plural(*count, one) + of));
    if health.torn_tail {
        parts.push("a torn tail".to_owned());
    }
    if health.final_newline_missing {
        parts.push("no final line break".to_owned());
    }
    parts.join(", ")
}
