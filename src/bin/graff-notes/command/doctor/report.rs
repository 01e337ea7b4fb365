//! `doctor --report`: one text for a bug report, in Markdown.
//!
//! It tells no text of a note, and no session's name unless it is asked to. That holds by what it
//! is made of: of a log only figures, places and the words for what is wrong there. Out of the
//! words of checks, which quote others, [`Withheld`] is taken; what else they quote is told.

use graff_notes::{
    log::{self, Health},
    session::SessionName,
    store::Store,
};

use super::{Finding, Names, plain, sessions::of_lock, withheld::Withheld};
use crate::{
    command::verify::summary,
    context::is_forgotten,
    output::{fence, one_line, plural, size},
};

/// So many lines of a section are told, which an issue has room for.
const LINES_MAX: usize = 100;

/// What a report tells of the sessions.
#[derive(Default)]
struct Logs {
    counts: Vec<String>,
    damage: Vec<String>,
}

/// Returns the report.
pub(super) fn of(store: &Store, findings: &[Finding], names: Names) -> String {
    let withheld = Withheld::of_environment();
    let Logs { counts, damage } = Logs::of(store, names);
    let checks = findings.iter().flat_map(lines).collect();
    let sections = [
        ("graff-notes", vec![super::version(), system()]),
        ("Checks", checks),
        ("Sessions", counts),
        ("Damage", damage),
    ];
    sections.into_iter().map(|(title, lines)| section(title, lines, &withheld)).collect()
}

/// Returns a section; what is in it stands in a block of its own, where it is no Markdown.
fn section(title: &str, mut lines: Vec<String>, withheld: &Withheld) -> String {
    if lines.is_empty() {
        lines.push("none".to_owned());
    }
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    let told = lines.iter().map(|line| format!("{}\n", one_line(&withheld.taken_out_of(line))));
    let told: String = told.collect();
    let fence = fence(&told);
    format!("## {title}\n\n{fence}text\n{told}{fence}\n\n")
}

/// Returns the lines of a check.
fn lines(finding: &Finding) -> impl Iterator<Item = String> + use<> {
    let Finding { check, status, detail, advice } = finding;
    let advice = advice.as_ref().map(|advice| format!("{:9}{advice}", ""));
    [format!("{:9}{check}: {detail}", status.word())].into_iter().chain(advice)
}

/// Returns what the machine runs under.
fn system() -> String {
    use std::env::consts::{ARCH, OS};
    let kernel = plain::text("/proc/sys/kernel/osrelease".into()).ok();
    let kernel = kernel.map(|it| format!(", kernel {}", it.trim())).unwrap_or_default();
    let release = plain::text("/etc/os-release".into()).unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| format!(", {}", name.trim_matches('"'))).unwrap_or_default();
    format!("{OS} {ARCH}{kernel}{name}")
}

impl Logs {
    fn of(store: &Store, names: Names) -> Self {
        let sessions = match store.sessions() {
            Ok(sessions) => sessions,
            Err(e) => {
                let why = format!("cannot be listed: {}", e.kind().as_str());
                return Self { counts: vec![why], ..Self::default() };
            }
        };
        let mut logs = Self::default();
        for (at, session) in sessions.names.iter().enumerate() {
            let label = match names {
                Names::Told => session.to_string(),
                Names::LeftOut => format!("session {}", at + 1),
            };
            logs.add(store, session, &label);
        }
        let (others, begun) = (sessions.unrecognised.len() as u64, sessions.begun.len() as u64);
        let others = (others > 0).then(|| plural(others, "file") + " that another program named");
        let begun = (begun > 0).then(|| plural(begun, "session") + " begun and not imported");
        logs.counts.extend(others.into_iter().chain(begun));
        logs
    }

    fn add(&mut self, store: &Store, session: &SessionName, label: &str) {
        match store.verify(session) {
            Err(e) if is_forgotten(&e) => {}
            Err(e) => {
                self.counts.push(format!("{label}: cannot be read: {}", e.kind().as_str()));
            }
            Ok(health) => {
                let lock = of_lock(&store.lock_path(session));
                let lock = lock.map_or("", |_| ", its lock is no plain file");
                let (counts, bytes) = (summary(&health), size(health.length.get()));
                self.counts.push(format!("{label}: {counts}, {bytes}{lock}"));
                self.damage.extend(faults(&health, label));
            }
        }
    }
}

/// Returns what is wrong with a log, a line a fault.
fn faults(health: &Health, label: &str) -> Vec<String> {
    let place = |log::Finding { line, offset, concern, .. }: &log::Finding| {
        format!("{label}: line {line}, byte {offset}: {}", concern.reason())
    };
    let mut faults: Vec<_> = health.faults.iter().map(place).collect();
    let more = health.faults_left_out;
    faults.extend((more > 0).then(|| format!("{label}: and {more} more")));
    faults
}
