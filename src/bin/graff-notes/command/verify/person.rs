//! How a log is, for a person at a terminal.

use anstyle::{AnsiColor, Style};
use graff_notes::log::{Concern, Finding};

use super::{Checked, kept_in, rejected, summary};
use crate::{
    context::Context,
    failure::Stop,
    output::{Cell, Output, Table, shown},
};

/// How many lines are named that have the same remark.
const LINES_NAMED_MAX: usize = 5;

/// Says how a log is: a line of figures, its faults, and a line for remarks of one sort.
pub(super) fn words(cx: &mut Context, checked: &Checked<'_>) -> Result<(), Stop> {
    let Checked { store, session, ref health, .. } = *checked;
    let mut table = Table::of(&[]);
    let verdict = if health.is_ok() { Cell::good("ok") } else { Cell::bad("damaged") };
    let row = vec![Cell::strong(session.as_str()), verdict, Cell::text(summary(health))];
    table.row(&mut cx.out, row)?;
    table.end(&mut cx.out)?;
    for finding in &health.faults {
        fault(&mut cx.out, &format!("{finding}; {}", checked.under_repair(finding)))?;
    }
    if health.faults_left_out > 0 {
        fault(&mut cx.out, &format!("and {} more", health.faults_left_out))?;
    }
    for alike in alike(&health.remarks) {
        remark(&mut cx.out, &together(&alike))?;
    }
    if health.remarks_left_out > 0 {
        remark(&mut cx.out, &format!("and {} more", health.remarks_left_out))?;
    }
    rejected(store, session).map_or(Ok(()), |path| remark(&mut cx.out, &kept_in(&path)))
}

fn fault(out: &mut Output, what: &str) -> Result<(), Stop> {
    out.styled(AnsiColor::Red.on_default().bold(), "  fault   ")?;
    out.line(&shown(what))
}

fn remark(out: &mut Output, what: &str) -> Result<(), Stop> {
    out.styled(Style::new().dimmed(), "  remark  ")?;
    out.line(&shown(what))
}

/// Returns findings by their reasons, in the order in which those come first.
fn alike(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let is_like = |group: &&mut Vec<&Finding>| {
            group.first().is_some_and(|first| first.concern.reason() == finding.concern.reason())
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// Returns what remarks of one sort say, in one sentence.
fn together(alike: &[&Finding]) -> String {
    let [first, _, ..] = alike else {
        let said = |one: &&Finding| format!("{one}; {}", one.concern.under_repair(0));
        return alike.first().map(said).unwrap_or_default();
    };
    let what = match &first.concern {
        Concern::GenerationRepeated { .. } => {
            "notes of the same generation as the note before".to_owned()
        }
        Concern::GenerationNotCounted { .. } => {
            "generations that don't count, for want of a checksum to vouch for them".to_owned()
        }
        other => other.to_string(),
    };
    let mut lines: Vec<_> =
        alike.iter().take(LINES_NAMED_MAX).map(|finding| finding.line.to_string()).collect();
    if alike.len() > LINES_NAMED_MAX {
        lines.push(format!("{} more", alike.len() - LINES_NAMED_MAX));
    }
    let last = lines.pop().unwrap_or_default();
    format!("lines {} and {last}: {what}; repair keeps them", lines.join(", "))
}
