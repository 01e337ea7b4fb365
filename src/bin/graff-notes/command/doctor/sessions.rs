//! Whether every log can be read, is whole, and is no newer than now.

use graff_notes::{store::Store, units::Timestamp};

use super::Finding;
use crate::{context::now, output::plural};

/// How much a clock may differ from that of another machine, in milliseconds.
const CLOCK_SLACK: u64 = 5 * 60 * 1_000;

/// Says how the sessions are.
pub(super) fn all(store: &Store) -> Vec<Finding> {
    const CHECK: &str = "sessions";
    let sessions = match store.sessions() {
        Ok(sessions) => sessions,
        Err(e) => return vec![Finding::failure(CHECK, e.with_causes(), e.advice())],
    };
    let (mut findings, mut newest) = (Vec::new(), Timestamp::ZERO);
    for session in &sessions.names {
        match store.verify(session) {
            Err(e) => findings.push(Finding::failure(CHECK, e.with_causes(), e.advice())),
            Ok(health) => {
                newest = newest.max(health.newest.map_or(Timestamp::ZERO, |it| it.created_at));
                if !health.is_ok() {
                    let advice =
                        format!("`graff-notes verify {}` shows where", session.to_argument());
                    findings.push(Finding::warning(CHECK, format!("{session} is damaged"), advice));
                }
            }
        }
    }
    if !sessions.unrecognised.is_empty() {
        let files = plural(sessions.unrecognised.len() as u64, "file");
        let detail = format!("{files} of another program stand between the logs");
        findings.push(Finding::warning(
            CHECK,
            detail,
            "`graff-notes import` takes in their records",
        ));
    }
    if findings.is_empty() {
        let logs = plural(sessions.names.len() as u64, "log");
        findings.push(Finding::ok(CHECK, format!("{logs}, all of them whole")));
    }
    findings.push(clock(newest));
    findings
}

/// Says whether the newest note is from the future: then the clock has gone back, and what is
/// stored now looks older than what was before.
fn clock(newest: Timestamp) -> Finding {
    const CHECK: &str = "clock";
    if newest.get() <= now().get().saturating_add(CLOCK_SLACK) {
        return Finding::ok(CHECK, "no note is from the future");
    }
    let detail = format!("the newest note is of {}, which is yet to come", newest.utc());
    Finding::warning(
        CHECK,
        detail,
        "set this machine's clock; the order of notes doesn't hang on it",
    )
}
