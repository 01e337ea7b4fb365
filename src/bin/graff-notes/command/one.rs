//! The one session that a command reads: that of a name, or the one with the newest note.

use std::ops::ControlFlow;

use clap::Args;
use graff_notes::{
    session::SessionName,
    store::{Newest, Store},
};

use super::passed_over;
use crate::{
    context::{Context, explain, is_forgotten},
    doubt,
    failure::{Failure, Stop},
    parallel,
};

/// Which session is read.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(super) struct OneSession {
    /// Name of the session; at a terminal the beginning of one will do
    session: Option<String>,
    /// The session whose newest note is newer than those of the others, in place of a name
    #[arg(long)]
    latest: bool,
}

impl OneSession {
    pub(super) fn find(&self, cx: &Context, store: &Store) -> Result<SessionName, Stop> {
        match &self.session {
            Some(name) => Ok(cx.to_read(store, name)?),
            None => latest(cx, store),
        }
    }
}

/// Returns the session with the newest note, the first by name of those that are alike in that; says
/// of which others nobody knows whether their newest note is a newer one.
fn latest(cx: &Context, store: &Store) -> Result<SessionName, Stop> {
    let (mut latest, mut unread, mut doubts) = (None, Vec::new(), Vec::new());
    let sessions = passed_over::sessions(cx, store)?;
    parallel::in_order(
        &sessions,
        |session| store.newest(session),
        |session, newest| {
            match newest {
                Ok(Newest { note: Some(note), doubt }) => {
                    doubts.extend(doubt.map(|doubt| (session, doubt)));
                    if latest.is_none_or(|(at, _)| note.created_at > at) {
                        latest = Some((note.created_at, session));
                    }
                }
                Ok(Newest { note: None, doubt: Some(doubt) }) => {
                    unread.push(doubt::failure("find the newest note of", session, doubt));
                }
                Ok(Newest { note: None, doubt: None }) => {}
                Err(e) if is_forgotten(&e) => {}
                Err(e) => unread.push(explain(e, store, session)),
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let Some((_, session)) = latest else { return Err(none(cx, store, unread).into()) };
    for failure in &unread {
        cx.notices.warn_of(failure);
    }
    // What is so of the one that is found, whoever reads it says.
    for (other, doubt) in doubts.into_iter().filter(|(other, _)| *other != session) {
        cx.notices.warn(doubt::warning(other, doubt));
    }
    Ok(session.clone())
}

/// Returns why no session is the latest: the gravest of what kept one from being it, if anything did.
fn none(cx: &Context, store: &Store, unread: Vec<Failure>) -> Failure {
    let folder = store.notes_path();
    let nothing = format_args!("find the latest session: there is no note in {folder}");
    let mut gravest = Failure::nothing(nothing).at(&folder);
    for failure in unread {
        if gravest.exit().graver(failure.exit()) == gravest.exit() {
            cx.notices.warn_of(&failure);
        } else {
            gravest = failure;
        }
    }
    gravest
}
