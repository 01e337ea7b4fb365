//! Whether every log can be read, is whole, and is no newer than now.

use std::fs;

use camino::Utf8Path;
use graff_notes::{
    log::{Health, SetBack},
    session::SessionName,
    store::Store,
    units::Timestamp,
};

use super::Finding;
use crate::{
    command::passed_over,
    context::{finish, is_forgotten, now},
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
    let (mut findings, mut clock, mut logs) = (Vec::new(), Clock::default(), 0);
    for session in &sessions.names {
        match store.verify(session) {
            Err(e) if is_forgotten(&e) => {}
            Err(e) => findings.push(Finding::failure(CHECK, e.with_causes(), e.advice())),
            Ok(health) => {
                logs += 1;
                clock.see(session, &health);
                findings.extend(of_lock(&store.lock_path(session)));
                if !health.is_ok() {
                    findings.push(damaged(session, &health));
                }
            }
        }
    }
    findings.extend(of_others(store, &sessions.unrecognised));
    findings.extend(sessions.begun.iter().map(|session| {
        Finding::warning(CHECK, passed_over::unfinished(session), finish(store, session))
    }));
    if findings.is_empty() {
        let detail = format!("{}, all of them whole", plural(logs, "log"));
        findings.push(Finding::ok(CHECK, detail));
    }
    findings.extend(clock.findings());
    findings
}

/// Says what keeps a session's lock from being opened: then nothing can be stored.
pub(super) fn of_lock(lock: &Utf8Path) -> Option<Finding> {
    let status = fs::symlink_metadata(lock).ok()?;
    let advice = "move it away: the next note makes it anew";
    (!status.is_file())
        .then(|| Finding::failure(CHECK, format!("the lock {lock} is no plain file"), advice))
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
    let what = match more.len() {
        0 => format!("{first} is a file that another program named"),
        more => format!("{first} and {more} more are files that another program named"),
    };
    Some(Finding::warning(CHECK, what, passed_over::advice(store, first)))
}

/// What logs tell of the clock that their records were stamped by.
#[derive(Default)]
struct Clock {
    newest: Timestamp,
    /// The logs with a record that is older than one before it.
    set_back: Vec<(SessionName, SetBack)>,
}

impl Clock {
    fn see(&mut self, session: &SessionName, health: &Health) {
        self.newest = self.newest.max(health.newest.map_or(Timestamp::ZERO, |it| it.created_at));
        let by = |it: &SetBack| it.before.get().saturating_sub(it.created_at.get());
        let set_back = health.set_back.filter(|it| by(it) > CLOCK_SLACK);
        self.set_back.extend(set_back.map(|it| (session.clone(), it)));
    }

    /// Says whether the newest note is from the future, and whether the clock went back between two
    /// records: what was stored after that looks older than what was before.
    fn findings(&self) -> Vec<Finding> {
        const CHECK: &str = "clock";
        let advice = "set this machine's clock; the order of notes doesn't hang on it";
        let warning = |detail: String| Finding::warning(CHECK, detail, advice);
        let is_ahead = self.newest.get() > now().get().saturating_add(CLOCK_SLACK);
        let ahead = is_ahead.then(|| {
            warning(format!("the newest note is of {}, which is yet to come", self.newest.utc()))
        });
        let back = self.set_back.split_first().map(|((session, it), more)| {
            let record = it.seq.map_or(format!("line {}", it.line), |seq| format!("record {seq}"));
            let (at, before) = (it.created_at.utc(), it.before.utc());
            let more = match more.len() {
                0 => String::new(),
                more => format!("; {} are like that too", plural(more as u64, "other log")),
            };
            let detail = format!("{session}: {record} is of {at}, and one before it of {before}");
            warning(detail + &more)
        });
        let findings: Vec<_> = ahead.into_iter().chain(back).collect();
        if !findings.is_empty() {
            return findings;
        }
        vec![Finding::ok(CHECK, "no note is from the future, and none older than one before it")]
    }
}
