//! `verify`: what a log's lines add up to, and what is wrong with them.

mod person;

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    log::{Concern, Finding, Health},
    session::SessionName,
    store::Store,
    units::Bytes,
};
use serde::Serialize;

use super::{passed_over, record::NoteAnswer};
use crate::{
    context::{Context, explain, is_forgotten},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, Progress, Table, plural},
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
makes a log damaged, a remark doesn't. On a terminal the faults come first, and remarks of one sort \
are one line.

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
        let all = named.is_empty();
        let mut sessions = if all { passed_over::sessions(cx, &store)? } else { named };
        sessions.retain(|session| self.scope.holds(session));
        if sessions.is_empty() {
            let folder = store.notes_path();
            let what = format_args!("verify anything: there is no such session in {folder}");
            return Err(Failure::nothing(what).at(&folder).into());
        }
        let mut progress = Progress::new(&cx.notices, sessions.len(), "checking");
        let mut worst = Exit::Done;
        cx.out.page();
        for session in &sessions {
            let exit = match store.verify(session) {
                Ok(health) => {
                    if cx.out.may_page() {
                        progress.end(); // from here on, there is something to read
                    }
                    heard_or_not(progress.beside_answer(|| say(cx, &store, session, &health)))?;
                    if health.is_ok() { Exit::Done } else { Exit::Damage }
                }
                Err(e) if all && is_forgotten(&e) => Exit::Done,
                Err(e) => progress.aside(|| cx.notices.failure(&explain(e, &store, session))),
            };
            progress.step();
            worst = graver(worst, exit);
        }
        Ok(worst)
    }
}

/// Returns the status that says more about the store as a whole.
pub(super) fn graver(one: Exit, other: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Damage => 3,
        Exit::Done => 0,
        Exit::NothingThere => 1,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

fn say(
    cx: &mut Context,
    store: &Store,
    session: &SessionName,
    health: &Health,
) -> Result<(), Stop> {
    match cx.out.form() {
        Form::Json => cx.out.json(&answer(store, session, health)),
        Form::Plain => rows(cx, store, session, health),
        Form::Terminal => person::words(cx, store, session, health),
    }
}

fn answer<'a>(store: &Store, session: &'a SessionName, health: &Health) -> Answer<'a> {
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
        faults: health.faults.iter().map(Fault::from).collect(),
        faults_left_out: health.faults_left_out,
        remarks: health.remarks.iter().map(Fault::from).collect(),
        remarks_left_out: health.remarks_left_out,
        rejected_path: rejected(store, session),
        ok: health.is_ok(),
    }
}

impl From<&Finding> for Fault {
    fn from(finding: &Finding) -> Self {
        Self {
            line: finding.line,
            offset: finding.offset,
            reason: finding.concern.reason(),
            detail: detail(&finding.concern),
        }
    }
}

/// Returns what a finding means, and what a repair would do about it.
fn detail(concern: &Concern) -> String {
    format!("{concern}; {}", concern.under_repair())
}

fn rows(
    cx: &mut Context,
    store: &Store,
    session: &SessionName,
    health: &Health,
) -> Result<(), Stop> {
    let mut table = Table::of(&[]);
    let verdict = if health.is_ok() { "ok" } else { "damaged" };
    let name = || Cell::text(session.as_str());
    table.row(&mut cx.out, vec![name(), Cell::text(verdict), Cell::text(summary(health))])?;
    let faults = health.faults.iter().map(|finding| ("fault", finding));
    let remarks = health.remarks.iter().map(|finding| ("remark", finding));
    for (sort, Finding { line, offset, concern }) in faults.chain(remarks) {
        let place = [Cell::figure(line), Cell::figure(offset)];
        let mut row = vec![name(), Cell::text(sort)];
        row.extend(place);
        row.extend([Cell::text(concern.reason()), Cell::text(detail(concern))]);
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

/// Returns where the lines are that repairs took out of a log, if one did.
pub(super) fn rejected(store: &Store, session: &SessionName) -> Option<Utf8PathBuf> {
    let path = store.rejected_path(session);
    fs::symlink_metadata(&path).is_ok().then_some(path)
}

fn kept_in(path: &Utf8Path) -> String {
    format!("what repairs took out is kept in {path}")
}

/// Returns the figures that are worth a word, in words.
fn summary(health: &Health) -> String {
    let mut parts = vec![plural(health.notes, "note")];
    let counted = [
        (health.attempts, "attempt"),
        (health.rollovers, "rollover"),
        (health.bad_lines, "bad line"),
        (health.foreign, "foreign record"),
        (health.newer_version, "record"),
        (health.unsealed, "record"),
    ];
    let of = ["", "", "", "", " of a newer version", " without a checksum"];
    let said = counted.iter().zip(of).filter(|((count, _), _)| *count > 0);
    parts.extend(said.map(|((count, one), of)| plural(*count, one) + of));
    if health.torn_tail {
        parts.push("a torn tail".to_owned());
    }
    if health.final_newline_missing {
        parts.push("no final line break".to_owned());
    }
    parts.join(", ")
}
