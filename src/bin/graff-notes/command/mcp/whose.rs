//! Which session a call is about: what is said comes first, what was seen comes last.
//!
//! ```text
//! the call's `session` · --session · the host's _meta (Codex CLI) · its environment (Claude Code)
//!     · the session that last called a hook in this folder
//! ```
//!
//! Of two sessions that are active in one folder neither is taken for the other in silence: a note
//! is refused, and whoever looks is told. The environment is that of the server's start, so a session
//! that follows in the same process (a `/clear`, a resume) has the one before in it: where hooks saw
//! another session last, the answer says so.

use std::{env, time::Duration};

use graff_notes::session::SessionName;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::active::{Active, active_in};
use crate::{
    context::{self, Place},
    failure::Failure,
};

/// A session whose last hook was called so much before the newest one's may still be at work: a
/// single turn can take that long.
const STILL_AT_WORK: Duration = Duration::from_secs(3600);

/// Where Codex CLI names its thread in a call's `_meta`.
const META_KEYS: [&str; 2] = ["threadId", "sessionId"];

/// Where Claude Code names its session as of the server's start.
const VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Whose note is meant, and how that is known.
pub(super) struct Whose {
    pub(super) session: SessionName,
    /// What is to be said of it, where it was not said but seen.
    pub(super) seen: Option<String>,
    /// The other sessions that are at work in the folder.
    pub(super) others: Vec<SessionName>,
}

impl Whose {
    /// Returns whose note is meant where the user or the model names a session, or nobody does, in
    /// a call with this `meta`.
    pub(super) fn of(
        place: &Place,
        named: Option<&str>,
        meta: &JsonObject,
    ) -> Result<Self, Failure> {
        let by_host = || META_KEYS.iter().find_map(|key| meta.get(*key).and_then(Value::as_str));
        if let Some(name) = named.or_else(by_host) {
            let session = context::session(name)?;
            return Ok(Self { session, seen: None, others: Vec::new() });
        }
        match env::var(VARIABLE).ok().filter(|name| !name.is_empty()) {
            Some(name) => Self::of_start(place, context::session(&name)?),
            None => Self::last_active(place),
        }
    }

    /// Returns the session that the server was started for, and says where another came later.
    fn of_start(place: &Place, session: SessionName) -> Result<Self, Failure> {
        let root = place.root()?.path;
        let last = active_in(&root).into_iter().next().map(|active| active.session);
        let seen = last.filter(|last| *last != session).map(|last| {
            format!(
                "It is that of session {session}, which this server was started for; the session \
                 that last called a hook in {root} is {last}. Where that is you, say so with \
                 `session`."
            )
        });
        Ok(Self { session, seen, others: Vec::new() })
    }

    fn last_active(place: &Place) -> Result<Self, Failure> {
        let root = place.root()?.path;
        let mut active = active_in(&root).into_iter();
        let Some(Active { session, at }) = active.next() else {
            return Err(Failure::nothing(format_args!(
                "tell whose note is meant: no session has called a hook in {root}"
            ))
            .advise("name one with `session`: any name that you will use again"));
        };
        let near = |other: &Active| at.duration_since(other.at).is_ok_and(|it| it < STILL_AT_WORK);
        let others: Vec<_> = active.take_while(near).map(|other| other.session).collect();
        let about = format!("It is that of session {session}, which was last active in {root}");
        let seen = if others.is_empty() {
            format!("{about}.")
        } else {
            let are = if others.len() == 1 { "is" } else { "are" };
            let also = format!("{} {are} at work there too", names(&others));
            format!("{about}; {also}. Where that is you, say so with `session`.")
        };
        Ok(Self { session, seen: Some(seen), others })
    }

    /// Returns this session where no other one may be meant.
    pub(super) fn alone(self) -> Result<Self, Failure> {
        if self.others.is_empty() {
            return Ok(self);
        }
        let all = names(&[&[self.session][..], &self.others].concat());
        Err(Failure::input(format_args!(
            "tell whose note it is: sessions {all} are at work in this folder"
        ))
        .advise("name yours with `session`"))
    }
}

/// Returns the names as a sentence has them: `a, b and c`.
fn names(sessions: &[SessionName]) -> String {
    match sessions {
        [] => String::new(),
        [only] => only.to_string(),
        [firsts @ .., last] => {
            let firsts: Vec<_> = firsts.iter().map(SessionName::as_str).collect();
            format!("{} and {last}", firsts.join(", "))
        }
    }
}
