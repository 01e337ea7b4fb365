//! Which session a call is about: what is said comes first, what was seen comes last.
//!
//! ```text
//! the call's `session` · --session · the host's _meta (Codex CLI) · its environment (Claude Code)
//!     · the session that last called a hook in this folder, and has not ended
//! ```
//!
//! Of two sessions that are active in one folder neither is taken for the other in silence: a note
//! is refused, and whoever looks is told. One of which it can't be read where it is at work may be
//! the other. The environment is that of the server's start, so a session that follows in the same
//! process (a `/clear`, a resume) has the one before in it: where a hook was told that this has
//! ended, it gives way to one that has called a hook since, and where hooks saw another one last
//! the answer says so.

use std::time::{Duration, SystemTime};

use camino::Utf8Path;
use graff_notes::session::SessionName;

use super::{
    active::{self, Active, active_in},
    caller::Caller,
};
use crate::{
    command::hook,
    context::{self, Place},
    failure::Failure,
};

/// A session whose last hook was called so much before the newest one's may still be at work: a
/// single turn can take that long.
const STILL_AT_WORK: Duration = Duration::from_secs(3600);

/// Whose note is meant, and how that is known.
pub(super) struct Whose {
    pub(super) session: SessionName,
    /// What is to be said of it, where it was not said but seen.
    pub(super) seen: Option<String>,
    /// The other sessions that are at work in the folder, or may be.
    others: Vec<Active>,
}

impl Whose {
    /// Returns whose note is meant where the user or the model names a session, or nobody does.
    pub(super) fn of(
        place: &Place,
        named: Option<&str>,
        caller: &Caller<'_>,
    ) -> Result<Self, Failure> {
        if let Some(name) = named.or_else(|| caller.session()) {
            let session = context::session(name)?;
            return Ok(Self { session, seen: None, others: Vec::new() });
        }
        let root = place.root()?.path;
        let Some(name) = caller.session_at_start() else {
            return Self::last_active(active_in(&root), &root);
        };
        let session = context::session(&name)?;
        match hook::ended_at(&session) {
            None => Ok(Self::of_start(session, &root)),
            Some(end) => Self::behind(session, end, &root),
        }
    }

    /// Returns the session that the server was started for, and says where another came later.
    fn of_start(session: SessionName, root: &Utf8Path) -> Self {
        let last = active_in(root).into_iter().next().filter(|last| last.session != session);
        let seen = last.map(|Active { session: last, place, .. }| {
            let later = match place {
                active::Place::Here => {
                    format!("the session that last called a hook in {root} is {last}")
                }
                active::Place::Unknown => {
                    format!("session {last} called a hook later, and it cannot be read where")
                }
            };
            format!("{}; {later}. Where that is you, say so with `session`.", started_for(&session))
        });
        Self { session, seen, others: Vec::new() }
    }

    /// Returns the session that has followed this one, which ended at `end`: only one that has
    /// called a hook since can be it. While there is none, it is this one.
    fn behind(session: SessionName, end: SystemTime, root: &Utf8Path) -> Result<Self, Failure> {
        let mut since = active_in(root);
        since.retain(|active| active.at >= end);
        if !since.is_empty() {
            return Self::last_active(since, root);
        }
        let started_for = started_for(&session);
        let seen = format!(
            "{started_for}; it has ended, and none has called a hook in {root} since. Where you are \
             another one, say so with `session`."
        );
        Ok(Self { session, seen: Some(seen), others: Vec::new() })
    }

    /// Returns the session that was last active below `root`, of these.
    fn last_active(mut active: Vec<Active>, root: &Utf8Path) -> Result<Self, Failure> {
        let Some(last) = active.iter().position(|it| it.place == active::Place::Here) else {
            return Err(nobody(&active, root));
        };
        let Active { session, at, .. } = active.remove(last);
        active.retain(|it| !at.duration_since(it.at).is_ok_and(|since| since >= STILL_AT_WORK));
        let (here, unknown) = apart(&active);
        let too = |sessions: &[SessionName], are| {
            let names = names(sessions);
            (!sessions.is_empty()).then(|| format!("{names} {are} at work there too"))
        };
        let about = format!("It is that of session {session}, which was last active in {root}");
        let said = [Some(about), too(&here, are(&here)), too(&unknown, "may be")];
        let said = said.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let end = if active.is_empty() { "" } else { " Where that is you, say so with `session`." };
        Ok(Self { session, seen: Some(format!("{said}.{end}")), others: active })
    }

    /// Returns this session where no other one may be meant.
    pub(super) fn alone(self) -> Result<Self, Failure> {
        if self.others.is_empty() {
            return Ok(self);
        }
        let (mut here, unknown) = apart(&self.others);
        here.insert(0, self.session);
        let at_work = format!("{} {} at work in this folder", counted(&here), are(&here));
        let read = match unknown.as_slice() {
            [] => String::new(),
            unknown => format!(", and of {} it cannot be read where it is", counted(unknown)),
        };
        let why = Failure::input(format_args!("tell whose note it is: {at_work}{read}"));
        Err(why.advise("name yours with `session`"))
    }
}

fn started_for(session: &SessionName) -> String {
    format!("It is that of session {session}, which this server was started for")
}

/// Returns why no session is meant, where none is known to be at work below `root`.
fn nobody(unknown: &[Active], root: &Utf8Path) -> Failure {
    if unknown.is_empty() {
        let why = format_args!("no session has called a hook in {root}");
        return Failure::nothing(format_args!("tell whose note is meant: {why}"))
            .advise("name one with `session`: any name that you will use again");
    }
    let unknown = counted(&apart(unknown).1);
    let why = format_args!("of {unknown} it cannot be read where it is at work");
    Failure::nothing(format_args!("tell whose note is meant: {why}"))
        .advise("name yours with `session`")
}

/// Returns the sessions that are at work here, and those that may be.
fn apart(active: &[Active]) -> (Vec<SessionName>, Vec<SessionName>) {
    let of = |place| {
        let of_place = active.iter().filter(|active| active.place == place);
        of_place.map(|active| active.session.clone()).collect()
    };
    (of(active::Place::Here), of(active::Place::Unknown))
}

const fn are(sessions: &[SessionName]) -> &'static str {
    if sessions.len() == 1 { "is" } else { "are" }
}

/// Returns the names with what they are: `session a`, `sessions a and b`.
pub(super) fn counted(sessions: &[SessionName]) -> String {
    let what = if sessions.len() == 1 { "session" } else { "sessions" };
    format!("{what} {}", names(sessions))
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
