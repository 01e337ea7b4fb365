//! The one session that a command reads: that of a name, or the one with the newest note.

use std::ops::ControlFlow;

use clap::Args;
use graff_notes::{
    session::SessionName,
    store::{Newest, Store},
    units::Timestamp,
};

use super::passed_over;
use crate::{
    context::{Context, explain, is_forgotten},
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

/// Returns the session with the newest note, the first by name of those that are alike in that;
/// says which could not be looked at.
fn latest(cx: &Context, store: &Store) -> Result<SessionName, Stop> {
    let mut latest: Option<(Timestamp, &SessionName)> = None;
    let sessions = passed_over::sessions(cx, store)?;
    parallel::in_order(
        &sessions,
        |session| store.newest(session),
        |session, newest| {
            match newest {
                Ok(Newest { note: Some(note), .. }) => {
                    if latest.is_none_or(|(at, _)| note.created_at > at) {
                        latest = Some((note.created_at, session));
                    }
                }
                Ok(_) => {}
                Err(e) if is_forgotten(&e) => {}
                Err(e) => cx.notices.warn(explain(e, store, session)),
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let Some((_, session)) = latest else {
        let folder = store.notes_path();
        let what = format_args!("find the latest session: there is no note in {folder}");
        return Err(Failure::nothing(what).at(&folder).into());
    };
    Ok(session.clone())
}
