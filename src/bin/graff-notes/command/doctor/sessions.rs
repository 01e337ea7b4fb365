//! Whether every log can be read, is whole, and is no newer than now.

use graff_notes::{log::Health, session::SessionName, store::Store, units::Timestamp};

use super::Finding;
use crate::{
    context::{is_forgotten, now},
    output::plural,
};

const CHECK: &str = "sessions";

/// How much a clock may differ from that of another machine, in milliseconds.
const CLOCK_SLACK: u64 = 5 * 60 * 1_000;

/// Says how the sessions are.
pub(super) fn all(store: &Store) -> Vec<Finding> {
    let sessions = match store.sessions() {
        Ok(sessions) => sessions,
        Err(e) => return vec![Finding::failure(CHECK, e.with_causes(), e.advice())],
    };
    let (mut findings, mut newest, mut logs) = (Vec::new(), Timestamp::ZERO, 0);
    for session in &sessions.names {
        match store.verify(session) {
            Err(e) if is_forgotten(&e) => {}
            Err(e) => findings.push(Finding::failure(CHECK, e.with_causes(), e.advice())),
            Ok(health) => {
                logs += 1;
                newest = newest.max(health.newest.map_or(Timestamp::ZERO, |it| it.created_at));
                if !health.is_ok() {
                    findings.push(damaged(session, &health));
                }
            }
        }
    }
    findings.extend(of_others(store, &sessions.unrecognised));
    if findings.is_empty() {
        let detail = format!("{}, all of them whole", plural(logs, "log"));
        findings.push(Finding::ok(CHECK, detail));
    }
    findings.push(clock(newest));
    findings
}

/// Says what can be done about a damaged log.
fn damaged(session: &SessionName, health: &Health) -> Finding {
    let name = session.to_argument();
    if health.bad_lines > 0 || health.torn_tail {
        let advice = format!(
            "`graff-notes verify {name}` shows where, `graff-notes repair {name}` what can be done"
        );
        return Finding::warning(CHECK, format!("{session} is damaged"), advice);
    }
    let advice = format!(
        "`graff-notes verify {name}` names them; a repair keeps them, and `graff-notes repair --help` \
         says what can be done"
    );
    let detail = "holds records of other sessions, or numbers that repeat or go back";
    Finding::warning(CHECK, format!("{session} {detail}"), advice)
}

/// Says which files stand between the logs that another program named.
fn of_others(store: &Store, files: &[String]) -> Option<Finding> {
    let (first, more) = files.split_first()?;
    let path = quoted(store.notes_path().join(first).as_str());
    let what = match more.len() {
        0 => format!("{first} is a file that another program named"),
        more => format!("{first} and {more} more are files that another program named"),
    };
    let advice =
        format!("`graff-notes import {path}` takes in its records; then move the file away");
    Some(Finding::warning(CHECK, what, advice))
}

/// Returns a path as a shell takes it.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
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
