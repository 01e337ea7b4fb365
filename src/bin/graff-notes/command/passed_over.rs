//! What between the logs is none: files that another program named, and logs that were begun and
//! never came to be. Which sessions there are beside them, and what is said where they are passed
//! over.

use graff_notes::{
    session::SessionName,
    store::{Sessions, Store},
};

use crate::{
    context::{Context, finish},
    failure::Failure,
    output::quoted,
};

/// Returns the sessions of a store, and says which files between their logs are passed over.
pub(super) fn sessions(cx: &Context, store: &Store) -> Result<Vec<SessionName>, Failure> {
    let Sessions { names, unrecognised, begun } = store.sessions()?;
    warn(cx, store, &unrecognised);
    warn_of_begun(cx, store, &begun);
    Ok(names)
}

/// Says which sessions have no log while a replacement of it was begun.
pub(super) fn warn_of_begun(cx: &Context, store: &Store, begun: &[SessionName]) {
    for session in begun {
        cx.notices.warn_and_advise(unfinished(session), finish(store, session));
    }
}

/// Returns what is so of a session that has no log, only what was to replace it.
pub(super) fn unfinished(session: &SessionName) -> String {
    format!("session {session} has no log: a replacement of it was begun and not finished")
}

/// Says that these files are passed over, and what can be done about the first.
pub(super) fn warn(cx: &Context, store: &Store, files: &[String]) {
    let Some((first, more)) = files.split_first() else { return };
    let what = match more.len() {
        0 => format!("passed over {first}, which another program named"),
        more => format!("passed over {first} and {more} more, which another program named"),
    };
    cx.notices.warn_and_advise(what, advice(store, first));
}

/// Returns what can be done about such a file.
pub(super) fn advice(store: &Store, file: &str) -> String {
    let path = quoted(store.notes_path().join(file).as_str());
    format!("`graff-notes import {path}` takes in its records; then move the file away")
}
