//! What is taken in, session by session, and what is said of each.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use graff_notes::{
    log::Record,
    session::SessionName,
    store::{self, ImportMode, Store},
};
use serde::Serialize;

use crate::{
    context::Context,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, Progress, Table, plural},
    signals::Held,
};

/// The records that come, and from which file.
pub(super) type Coming = BTreeMap<SessionName, (Vec<Record<'static>>, Utf8PathBuf)>;

/// What came of one session.
#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    mode: &'static str,
    outcome: &'static str,
    added: u64,
    had: u64,
}

/// How far an import has come.
pub(super) struct Came<'c> {
    pub(super) done: Vec<(&'c SessionName, store::Import)>,
    /// Why it has come no further; `None` where it has come to its end, or was interrupted.
    pub(super) failure: Option<Failure>,
}

/// Imports each session, or says what would come of it; begins with no other one once `is_over`, or
/// where one fails. One that it has begun with is whole, or as it was before.
pub(super) fn each<'c>(
    cx: &Context,
    store: &Store,
    coming: &'c Coming,
    mode: ImportMode,
    is_over: &dyn Fn() -> bool,
) -> Came<'c> {
    let mut progress = Progress::new(&cx.notices, coming.len(), "importing");
    let mut done = Vec::new();
    for (session, (records, path)) in coming.iter().take_while(|_| !is_over()) {
        progress.step();
        match store.import(session, records, mode) {
            Ok(import) => done.push((session, import)),
            Err(e) => {
                let failure = Some(Failure::from(e).about(session).at(path));
                return Came { done, failure };
            }
        }
    }
    Came { done, failure: None }
}

/// Imports each session, and says what is in wherever it ends.
pub(super) fn write(cx: &mut Context, store: &Store, coming: &Coming) -> Result<Exit, Stop> {
    let held = Held::hold();
    let Came { done, failure } = each(cx, store, coming, ImportMode::Write, &|| held.have_come());
    let said = say(cx, &done, ImportMode::Write).and_then(|()| cx.out.flush());
    heard_or_not(said.map_err(|stop| stop.advise(stored(&done))))?;
    let mut exit = failure.as_ref().map_or(Exit::Done, |why| cx.notices.failure(why));
    if held.have_come() {
        cx.notices.warn(how_far("interrupted", done.len(), coming.len()));
        held.give_way();
    }
    if failure.is_some() {
        cx.notices.warn(how_far("ended early", done.len(), coming.len()));
    }
    // Who wrote between the check and the import has the right of way.
    for why in done.iter().filter_map(|(session, import)| why_not(session, *import)) {
        exit = exit.graver(cx.notices.failure(&why));
    }
    Ok(exit)
}

/// Returns the failure of an import that one of two logs would have to give way for.
pub(super) fn why_not(session: &SessionName, import: store::Import) -> Option<Failure> {
    let store::Import::Parted { common } = import else { return None };
    let which = match common {
        0 => "the first record here is another than".to_owned(),
        _ => format!("behind {} in common, those here are others than", plural(common, "record")),
    };
    let what = format_args!("import session {session}: {which} what comes");
    let failure = Failure::new(Exit::Failed, "parted", what).about(session);
    Some(failure.advise(format!(
        "`graff-notes log {}` shows those here; `--as NEWNAME` stores the others as a session of their own",
        session.to_argument()
    )))
}

/// Says how far an import has come that did not come to its end, or that somebody wanted to end.
fn how_far(word: &str, done: usize, coming: usize) -> String {
    let sessions = plural(coming as u64, "session");
    match (done, coming - done) {
        (_, 0) => format!("{word} when all of it was in: {sessions}"),
        (0, _) => format!("{word}: nothing is in; import again"),
        _ => format!("{word}: {done} of {sessions} are in; import again for the rest"),
    }
}

/// Says what is on disk, for whoever does not get the answer.
fn stored(imports: &[(&SessionName, store::Import)]) -> String {
    let added = imports.iter().map(|(_, import)| match import {
        store::Import::Added { added, .. } => *added,
        store::Import::Nothing { .. } | store::Import::Parted { .. } => 0,
    });
    format!("the import is on disk: {} came", plural(added.sum(), "record"))
}

/// Says what came of each.
pub(super) fn say(
    cx: &mut Context,
    imports: &[(&SessionName, store::Import)],
    mode: ImportMode,
) -> Result<(), Stop> {
    let mut table = Table::of(&["session", "outcome", "came", "had"]);
    for (session, import) in imports {
        let (outcome, added, had) = match *import {
            store::Import::Added { had, added } => ("added", added, had),
            store::Import::Nothing { had } => ("nothing", 0, had),
            store::Import::Parted { .. } => continue,
        };
        let answer = Answer { session: session.as_str(), mode: word(mode), outcome, added, had };
        if cx.out.form() == Form::Json {
            cx.out.json(&answer)?;
            continue;
        }
        let outcome = match mode {
            _ if added == 0 => Cell::dim(outcome),
            ImportMode::DryRun => Cell::good("would add"),
            ImportMode::Write => Cell::good(outcome),
        };
        let row = vec![Cell::text(answer.session), outcome, Cell::figure(added), Cell::figure(had)];
        table.row(&mut cx.out, row)?;
    }
    table.end(&mut cx.out)
}

/// Returns the name of a mode in the answers.
const fn word(mode: ImportMode) -> &'static str {
    match mode {
        ImportMode::DryRun => "dry_run",
        ImportMode::Write => "write",
    }
}
