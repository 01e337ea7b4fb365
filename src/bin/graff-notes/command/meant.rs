//! The sessions that a command over many logs is about: those that were named, else all of them,
//! each once.

use std::collections::HashSet;

use graff_notes::{Error, session::SessionName, store::Store};

use super::passed_over;
use crate::{
    context::{Context, is_forgotten},
    failure::Failure,
    selection::Scope,
};

/// The sessions that are meant, and how that was said.
pub(super) struct Meant {
    pub(super) sessions: Vec<SessionName>,
    how: How,
    /// The flags that leave out others.
    flags: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Named,
    All,
}

impl Meant {
    /// Returns the sessions that are to be `attempted`, such as "verify"; it fails where there is
    /// none.
    pub(super) fn of(
        cx: &Context,
        store: &Store,
        named: Vec<SessionName>,
        scope: &Scope,
        attempted: &str,
    ) -> Result<Self, Failure> {
        let how = if named.is_empty() { How::All } else { How::Named };
        let mut sessions = match how {
            How::Named => named,
            How::All => passed_over::sessions(cx, store)?,
        };
        let mut seen = HashSet::new();
        sessions.retain(|session| scope.holds(session) && seen.insert(session.clone()));
        if sessions.is_empty() {
            let folder = store.notes_path();
            let none = if scope.is_everything() {
                format!("there is no session in {folder} yet")
            } else {
                format!("there is no such session in {folder}")
            };
            return Err(Failure::nothing(format_args!("{attempted} anything: {none}")).at(&folder));
        }
        Ok(Self { sessions, how, flags: scope.flags() })
    }

    /// Returns whether `error` only says that a session was forgotten since all of them were
    /// listed.
    pub(super) fn is_left_out(&self, error: &Error) -> bool {
        self.how == How::All && is_forgotten(error)
    }

    /// Returns the arguments that mean the same sessions to another command, with a space before
    /// them.
    pub(super) fn arguments(&self) -> String {
        match self.how {
            How::All => self.flags.clone(),
            How::Named => arguments(&self.sessions),
        }
    }
}

/// Returns sessions as arguments, with a space before them.
fn arguments(sessions: &[SessionName]) -> String {
    const GUARD: &str = "-- ";
    let all: Vec<_> = sessions.iter().map(SessionName::to_argument).collect();
    let guard = if all.iter().any(|one| one.starts_with(GUARD)) { GUARD } else { "" };
    let all: Vec<_> = all.iter().map(|one| one.strip_prefix(GUARD).unwrap_or(one)).collect();
    format!(" {guard}{}", all.join(" "))
}
