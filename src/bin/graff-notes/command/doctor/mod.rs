//! `doctor`: whether what we rely on holds here, a line a check, and what to do where it doesn't.

mod bounded;
mod call;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod file_systems;
mod hosts;
mod left;
mod place;
mod plain;
mod probe;
mod report;
mod scratch;
mod sessions;
mod versions;
mod withheld;
mod workplace;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::store::Store;
use serde::Serialize;

use crate::{
    command::links,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, Table},
    root::Root,
    settings::{self, InForce},
    signals::Held,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes doctor
  graff-notes doctor --json | jq 'select(.status != \"ok\")'
  graff-notes doctor --report >report.md

To report a bug, attach what `graff-notes doctor --report` prints: the version, the system, each \
check, and of each session how many records it has, and which lines are damaged and how. It has no \
text of a note and no session's name. The home folder is a ~ in it, and what your environment \
calls a key, token or password, as by GRAFF_API_KEY, is ***, and so is a login in an address. \
Secrets under other names it does not know: look before you send it.

It writes a note in a folder of its own beside the notes, with a second process, and removes it, \
only where that is yours, nobody else may write there and no link leads there; it asks each agent \
in PATH for its version, and calls the hooks that are installed, by the command in the agent's \
settings, for a note in that folder. None of them is waited for longer than five seconds, no more \
than 64 KiB is read of what one prints, and what one leaves at work in its process group is ended \
with it; what has gone over to a group of its own is not. In a project's settings only the command \
that `hooks install` writes is called, and nowhere one that has more for a shell to do than to run \
a program. In a pipe it prints, a row a check: check, status (ok, hint, warning, failure), what \
was found, and what to do. With --report --json it prints one object, whose `report` is the \
Markdown.

Exit status: 1 where a check failed, else 0; 0 with --report.";

/// Checks that notes can be kept safely here, and that agents can call us
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Only writes a note below this root, without waiting: the second process of the check
    #[arg(long, value_name = "DIR", hide = true)]
    probe: Option<Utf8PathBuf>,
    /// Prints a report to attach to a bug report, in Markdown
    #[arg(long)]
    report: bool,
    /// Tells the sessions' names in the report, instead of numbers
    #[arg(long, requires = "report")]
    names: bool,
}

/// Whether sessions are told by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Told,
    LeftOut,
}

/// A report in JSON.
#[derive(Serialize)]
struct Report {
    report: String,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    /// All is well, and there is more to be had.
    Hint,
    Warning,
    Failure,
}

/// What a check found.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    status: Status,
    detail: String,
    advice: Option<String>,
}

impl Status {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Failure => "failure",
        }
    }
}

impl Finding {
    fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, status: Status::Ok, detail: detail.into(), advice: None }
    }

    fn hint(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Hint, ..Self::warning(check, detail, advice) }
    }

    fn warning(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        let advice = Some(advice.into());
        Self { check, status: Status::Warning, detail: detail.into(), advice }
    }

    fn failure(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Failure, ..Self::warning(check, detail, advice) }
    }
}

/// The columns at a terminal, where advice stands in a line of its own below what was found.
const HEAD: &[&str] = &["check", "status", "found"];

impl Doctor {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        if let Some(root) = &self.probe {
            return probe::second(root);
        }
        let root = cx.root()?;
        let store = Store::at(root.path.clone());
        let names = if self.report && !self.names { Names::LeftOut } else { Names::Told };
        let mut findings = of_place(cx, &root, &store, names);
        // A report counts them by itself, without their names.
        let sessions = if self.report { Vec::new() } else { sessions::all(&store) };
        // From here on there is something to clear away.
        let held = Held::hold();
        findings.extend(probe::first(&store, &held));
        findings.extend(sessions);
        findings.extend(versions::all(&store, &held));
        findings.extend(hosts::all(&store, &held));
        held.give_way();
        if self.report {
            return report_on(cx, report::of(&store, &findings, names));
        }
        heard_or_not(say(cx, &findings))?;
        let failed = findings.iter().any(|finding| finding.status == Status::Failure);
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }
}

/// Says which program this is, and where the notes are.
fn of_place(cx: &Context, root: &Root, store: &Store, names: Names) -> Vec<Finding> {
    let mut findings = vec![Finding::ok("version", version())];
    findings.push(Finding::ok("root", format!("{}: {}", root.path, root.because.words())));
    findings.extend(of_settings(cx.root_flag()));
    findings.push(place::file_system(&root.path));
    if let Some(link) = links::on_the_way(&root.path) {
        findings.push(place::behind(&link, &root.path));
        return findings;
    }
    findings.extend(place::modes(store, names));
    findings.extend(place::ignored(store));
    findings
}

/// Says how many settings there are, or which of them are dropped.
fn of_settings(root: Option<&Utf8Path>) -> Vec<Finding> {
    const CHECK: &str = "settings";
    let InForce { given, dropped } = settings::read(root);
    if dropped.is_empty() {
        let are = if given.len() == 1 { "is" } else { "are" };
        return vec![Finding::ok(CHECK, format!("{} {are} set", given.len()))];
    }
    let finding =
        |why: &Failure| Finding::failure(CHECK, why.to_string(), why.advice().unwrap_or_default());
    dropped.iter().map(finding).collect()
}

fn report_on(cx: &mut Context, report: String) -> Result<Exit, Stop> {
    match cx.out.form() {
        Form::Json => cx.out.json(&Report { report })?,
        Form::Plain | Form::Terminal => cx.out.bytes(report.as_bytes())?,
    }
    Ok(Exit::Done)
}

fn version() -> String {
    format!("graff-notes {}, format 1 of the log", env!("CARGO_PKG_VERSION"))
}

fn say(cx: &mut Context, findings: &[Finding]) -> Result<(), Stop> {
    let mut table = Table::uncut(HEAD);
    for finding in findings {
        if cx.out.form() == Form::Json {
            cx.out.json(finding)?;
            continue;
        }
        let word = finding.status.word();
        let status = match finding.status {
            Status::Ok => Cell::good(word),
            Status::Hint => Cell::text(word),
            Status::Warning => Cell::strong(word),
            Status::Failure => Cell::bad(word),
        };
        let row = vec![Cell::text(finding.check), status, Cell::text(&finding.detail)];
        let advice = finding.advice.as_deref().map(Cell::dim);
        if cx.out.form() == Form::Plain {
            let advice = advice.unwrap_or_else(|| Cell::dim("-"));
            table.row(&mut cx.out, row.into_iter().chain([advice]).collect())?;
            continue;
        }
        table.row(&mut cx.out, row)?;
        if let Some(advice) = advice {
            table.row(&mut cx.out, vec![Cell::text(""), Cell::text(""), advice])?;
        }
    }
    table.end(&mut cx.out)
}
