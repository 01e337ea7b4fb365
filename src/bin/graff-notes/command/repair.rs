//! `repair`: what is no record is taken out of a log, and kept beside it.

use std::iter;

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    Error,
    session::SessionName,
    store::{self, Dropped, FinalNewline, RepairMode, Store},
    units::Bytes,
};
use serde::Serialize;

use super::{meant::Meant, verify};
use crate::{
    context::{Context, explain, session},
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Form, Progress, Table, plural},
    selection::Scope,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes repair
  graff-notes repair fix-parser
  graff-notes repair fix-parser --write

Without a name all logs are meant. Without --write it only says what it would do, with exit \
status 5 where there is something to do. \
Every good line stays byte for byte; what is taken out goes to a .rejected file beside the log, \
.graff/notes/fix-parser.notes.rejected here, behind what earlier repairs took out. It holds those \
lines as they stood: `cat -v` shows them, and `forget` removes it with the log.

Whole lines stay, also where `verify` calls them a fault: records of another session, which nobody \
is ever shown as this one's, and numbers that repeat or go back. To have a log without the records \
of others: `export --format jsonl`, `forget` the session, and `import` what was exported.

In a pipe it prints, a row each line taken out: session, line, offset and length in bytes, reason, \
records won back, and what the reason means. The \
first 1000 of a log are named; a last row has the reason `left_out` and says how many more there are.

Exit status: 5 where there is something to do and --write is missing; else 1 where a log cannot be \
read or mended, else 3 where one that was named is not there, or none is; else 0.";

/// Takes out of a log what is no record, and keeps it beside the log
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Repair {
    /// Names of the sessions; without any, all of them
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Does it; without this it only says what it would do
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    scope: Scope,
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

/// What came of one log.
struct Mended<'a> {
    store: &'a Store,
    session: &'a SessionName,
    mode: RepairMode,
    repair: store::Repair,
    /// How many faults stay in the log.
    left: u64,
}

impl Repair {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let named =
            self.sessions.iter().map(|name| session(name)).collect::<Result<Vec<_>, _>>()?;
        let store = cx.store()?;
        let mode = if self.write { RepairMode::Write } else { RepairMode::DryRun };
        let meant = Meant::of(cx, &store, named, &self.scope, "repair")?;
        let mut progress = Progress::new(&cx.notices, meant.sessions.len(), "repairing");
        let mut answers = Answers::of(self.sessions.len(), cx.out.form());
        let mut worst = Exit::Done;
        for session in &meant.sessions {
            let exit = match Mended::of(&store, session, mode) {
                Ok(mended) => {
                    heard_or_not(progress.beside_answer(|| answers.say(cx, &mended)))?;
                    mended.exit()
                }
                Err(e) if meant.is_left_out(&e) => Exit::Done,
                Err(e) => progress.aside(|| cx.notices.failure(&explain(e, &store, session))),
            };
            progress.step();
            worst = worst.graver(exit);
        }
        progress.end();
        answers.end(cx, mode, &meant)?;
        Ok(worst)
    }
}

impl<'a> Mended<'a> {
    fn of(store: &'a Store, session: &'a SessionName, mode: RepairMode) -> Result<Self, Error> {
        let repair = store.repair(session, mode)?;
        let left = store.verify(session)?.faults_for_good;
        Ok(Self { store, session, mode, repair, left })
    }

    fn exit(&self) -> Exit {
        match self.mode {
            RepairMode::DryRun if !self.repair.is_clean() => Exit::Damage,
            RepairMode::DryRun | RepairMode::Write => Exit::Done,
        }
    }

    fn answer(&self) -> Answer<'a> {
        let Self { store, session, mode, ref repair, left } = *self;
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
            faults_left: left,
            rejected_path: verify::rejected(store, session),
            lines: repair.named.iter().map(LineAnswer::from).collect(),
            lines_left_out: left_out(repair),
        }
    }
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

const HEAD: &[&str] = &["session", "line", "offset", "length", "reason", "won back", "detail"];

/// What is said of all logs.
struct Answers {
    table: Table,
    /// Whether one was named, which need not be said to a person again.
    of: Of,
    /// What a person is told once the table is there.
    words: Vec<String>,
    /// How many logs need no repair.
    clean: u64,
    /// How many have something for a repair to mend.
    mendable: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    One,
    Several,
}

impl Answers {
    /// Returns the answers where so many sessions are named.
    fn of(named: usize, form: Form) -> Self {
        let of = if named == 1 { Of::One } else { Of::Several };
        let head = HEAD.get(Self::unsaid(of, form)..).unwrap_or_default();
        Self { table: Table::of(head), of, words: Vec::new(), clean: 0, mendable: 0 }
    }

    /// Returns how many of the first columns are left out. A script is given the same ones,
    /// whatever it names.
    fn unsaid(of: Of, form: Form) -> usize {
        usize::from(of == Of::One && form == Form::Terminal)
    }

    fn say(&mut self, cx: &mut Context, mended: &Mended<'_>) -> Result<(), Stop> {
        if cx.out.form() == Form::Json {
            return cx.out.json(&mended.answer());
        }
        self.mendable += u64::from(!mended.repair.is_clean());
        if self.of == Of::Several && mended.repair.is_clean() && mended.left == 0 {
            self.clean += 1;
        } else {
            self.words.push(mended.words(self.of));
        }
        self.rows(cx, mended)
    }

    fn rows(&mut self, cx: &mut Context, mended: &Mended<'_>) -> Result<(), Stop> {
        let unsaid = Self::unsaid(self.of, cx.out.form());
        let mut row = |cells: [Cell; 6]| {
            let session = iter::once(Cell::strong(mended.session.as_str()));
            self.table.row(&mut cx.out, session.chain(cells).skip(unsaid).collect())
        };
        for line in mended.repair.named.iter().map(LineAnswer::from) {
            row([
                Cell::figure(line.line),
                Cell::figure(line.offset),
                Cell::figure(line.length),
                Cell::text(line.reason),
                Cell::figure(line.won_back),
                Cell::text(line.detail),
            ])?;
        }
        let more = left_out(&mended.repair);
        if more > 0 {
            let none = || Cell::figure("-");
            let said = Cell::text(format!("and {more} more"));
            row([none(), none(), none(), Cell::text(verify::LEFT_OUT), none(), said])?;
        }
        Ok(())
    }

    fn end(self, cx: &mut Context, mode: RepairMode, meant: &Meant) -> Result<(), Stop> {
        heard_or_not(self.table.end(&mut cx.out))?;
        heard_or_not(cx.out.close())?;
        for words in &self.words {
            cx.notices.hint(words);
        }
        if self.clean > 0 {
            let need = if self.clean == 1 { "needs" } else { "need" };
            cx.notices.hint(format_args!("{} {need} no repair", plural(self.clean, "session")));
        }
        if self.of == Of::Several && mode == RepairMode::DryRun && self.mendable > 0 {
            let arguments = meant.arguments();
            cx.notices.hint(format_args!("`graff-notes repair --write{arguments}` does it"));
        }
        Ok(())
    }
}

impl Mended<'_> {
    /// Returns what came of it, in words.
    fn words(&self, of: Of) -> String {
        let Self { store, session, mode, ref repair, left } = *self;
        let argument = session.to_argument();
        let whose = if of == Of::One { String::new() } else { format!("session {session}: ") };
        let does_it = match of {
            Of::One => format!("; `graff-notes repair --write {argument}` does it"),
            Of::Several => String::new(), // said once, at the end
        };
        let mut said = match mode {
            _ if repair.is_clean() && left == 0 => format!("session {session} needs no repair"),
            _ if repair.is_clean() => {
                format!("nothing in session {session} is for a repair to mend")
            }
            RepairMode::DryRun => {
                let steps = steps(repair, ["take out", "win back", "keep", "end the last line"]);
                format!("{whose}would {steps}{does_it}")
            }
            RepairMode::Write => {
                let steps = steps(repair, ["took out", "won back", "kept", "ended the last line"]);
                format!("{whose}{steps}")
            }
        };
        if left > 0 {
            said = format!("{said}; {}", stay(left, &argument));
        }
        match verify::rejected(store, session) {
            Some(path) if mode == RepairMode::Write && repair.dropped > 0 => {
                format!("{said}; what was taken out is in {path}")
            }
            Some(path) => format!("{said}; what earlier repairs took out is in {path}"),
            None => said,
        }
    }
}

/// Returns how many faults stay in the log of a session, and what they are.
fn stay(left: u64, session: &str) -> String {
    let faults = plural(left, "fault");
    let stay = if left == 1 { "stays" } else { "stay" };
    let which = "whole records of other sessions, or numbers that repeat or go back";
    format!("{faults} {stay}, which `graff-notes verify {session}` names: {which}")
}

/// Returns what a repair comes to, in words for taking out, winning back, keeping, and supplying
/// the final LF; what it does none of is not said.
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
