//! `repair`: what is no record is taken out of a log, and kept beside it.

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    session::SessionName,
    store::{self, Dropped, FinalNewline, RepairMode, Store},
    units::Bytes,
};
use serde::Serialize;

use super::verify;
use crate::{
    context::{Context, explain, session},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, Table, plural},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes repair fix-parser
  graff-notes repair fix-parser --write

Without --write it only says what it would do, with exit status 5 where there is something to do. \
Every good line stays byte for byte; what is taken out goes to a .rejected file beside the log, \
.graff/notes/fix-parser.notes.rejected here, behind what earlier repairs took out. It holds those \
lines as they stood: `cat -v` shows them, and `forget` removes it with the log.

Whole lines stay, also where `verify` calls them a fault: records of another session, which nobody \
is ever shown as this one's, and numbers that repeat or go back. To have a log without the records \
of others: `export --format jsonl`, `forget` the session, and `import` what was exported.

In a pipe it prints, a row each line taken out: line, offset and length in bytes, reason, records \
won back, and what the reason means. The first 1000 are named; a last row has the reason \
`left_out` and says how many more there are.";

/// Takes out of a log what is no record, and keeps it beside the log
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Repair {
    /// Name of the session
    session: String,
    /// Does it; without this it only says what it would do
    #[arg(long)]
    write: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    mode: &'static str,
    clean: bool,
    kept: u64,
    won_back: u64,
    dropped: u64,
    final_newline_supplied: bool,
    faults_left: u64,
    rejected_path: Option<Utf8PathBuf>,
    lines: Vec<LineAnswer>,
    lines_left_out: u64,
}

#[derive(Serialize)]
struct LineAnswer {
    line: u64,
    offset: Bytes,
    length: Bytes,
    reason: &'static str,
    won_back: u64,
    detail: String,
}

impl Repair {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let session = session(&self.session)?;
        let store = cx.store()?;
        let mode = if self.write { RepairMode::Write } else { RepairMode::DryRun };
        let repair = store.repair(&session, mode).map_err(|e| explain(e, &store, &session))?;
        let left = left(&store, &session)?;
        match cx.out.form() {
            Form::Json => {
                heard_or_not(cx.out.json(&answer(&store, &session, mode, &repair, left)))?;
            }
            Form::Plain | Form::Terminal => {
                heard_or_not(rows(cx, &repair))?;
                cx.notices.hint(summary(&store, &session, mode, &repair, left));
            }
        }
        Ok(match mode {
            RepairMode::DryRun if !repair.is_clean() => Exit::Damage,
            RepairMode::DryRun | RepairMode::Write => Exit::Done,
        })
    }
}

fn answer<'a>(
    store: &Store,
    session: &'a SessionName,
    mode: RepairMode,
    repair: &store::Repair,
    faults_left: u64,
) -> Answer<'a> {
    Answer {
        session: session.as_str(),
        mode: match mode {
            RepairMode::DryRun => "dry_run",
            RepairMode::Write => "write",
        },
        clean: repair.is_clean(),
        kept: repair.kept,
        won_back: repair.won_back,
        dropped: repair.dropped,
        final_newline_supplied: repair.final_newline == FinalNewline::Supplied,
        faults_left,
        rejected_path: verify::rejected(store, session),
        lines: repair.named.iter().map(LineAnswer::from).collect(),
        lines_left_out: left_out(repair),
    }
}

/// Returns how many faults a repair leaves in the log.
fn left(store: &Store, session: &SessionName) -> Result<u64, Failure> {
    let health = store.verify(session).map_err(|e| explain(e, store, session))?;
    Ok(health.faults_for_good)
}

/// Returns how many lines are taken out beyond those that are named.
fn left_out(repair: &store::Repair) -> u64 {
    repair.dropped.saturating_sub(repair.named.len() as u64)
}

impl From<&Dropped> for LineAnswer {
    fn from(dropped: &Dropped) -> Self {
        let Dropped { line, offset, length, ref concern, won_back } = *dropped;
        let (reason, detail) = (concern.reason(), concern.to_string());
        Self { line, offset, length, reason, won_back, detail }
    }
}

const HEAD: &[&str] = &["line", "offset", "length", "reason", "won back", "detail"];

fn rows(cx: &mut Context, repair: &store::Repair) -> Result<(), Stop> {
    let mut table = Table::of(HEAD);
    for LineAnswer { line, offset, length, reason, won_back, detail } in
        repair.named.iter().map(LineAnswer::from)
    {
        let row = vec![
            Cell::figure(line),
            Cell::figure(offset),
            Cell::figure(length),
            Cell::text(reason),
            Cell::figure(won_back),
            Cell::text(detail),
        ];
        table.row(&mut cx.out, row)?;
    }
    let more = left_out(repair);
    if more > 0 {
        let none = || Cell::figure("-");
        let said = Cell::text(format!("and {more} more"));
        let row = vec![none(), none(), none(), Cell::text(verify::LEFT_OUT), none(), said];
        table.row(&mut cx.out, row)?;
    }
    table.end(&mut cx.out)
}

fn summary(
    store: &Store,
    session: &SessionName,
    mode: RepairMode,
    repair: &store::Repair,
    left: u64,
) -> String {
    let argument = session.to_argument();
    let mut said = match mode {
        _ if repair.is_clean() && left == 0 => format!("session {session} needs no repair"),
        _ if repair.is_clean() => format!("nothing in session {session} is for a repair to mend"),
        RepairMode::DryRun => format!(
            "would {}; `graff-notes repair --write {argument}` does it",
            steps(repair, ["take out", "win back", "keep", "end the last line"]),
        ),
        RepairMode::Write => steps(repair, ["took out", "won back", "kept", "ended the last line"]),
    };
    if left > 0 {
        let faults = plural(left, "fault");
        let stay = if left == 1 { "stays" } else { "stay" };
        let which = "whole records of other sessions, or numbers that repeat or go back";
        said = format!(
            "{said}; {faults} {stay}, which `graff-notes verify {argument}` names: {which}"
        );
    }
    match verify::rejected(store, session) {
        Some(path) if mode == RepairMode::Write && repair.dropped > 0 => {
            format!("{said}; what was taken out is in {path}")
        }
        Some(path) => format!("{said}; what earlier repairs took out is in {path}"),
        None => said,
    }
}

/// Returns what a repair comes to, in words for taking out, winning back, keeping, and supplying the
/// final LF; what it does none of is not said.
fn steps(repair: &store::Repair, [take, win, keep, end]: [&str; 4]) -> String {
    let mut steps = Vec::new();
    if repair.dropped > 0 {
        steps.push(format!("{take} {}", plural(repair.dropped, "line")));
    }
    if repair.won_back > 0 {
        steps.push(format!("{win} {} from them", plural(repair.won_back, "record")));
    }
    if repair.final_newline == FinalNewline::Supplied {
        steps.push(end.to_owned());
    }
    steps.push(format!("{keep} {}", plural(repair.kept, "line")));
    let last = steps.pop().unwrap_or_default();
    format!("{} and {last}", steps.join(", "))
}
