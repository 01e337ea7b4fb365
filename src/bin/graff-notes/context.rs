//! What every command is handed: where to answer, where to complain, and which store is meant.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    Error, ErrorKind,
    session::SessionName,
    store::{Sessions, Store},
    units::{Generation, Timestamp},
};

use crate::{
    args::Common,
    failure::Failure,
    output::{Form, Notices, Output},
    root::{self, Root},
    settings::ForAgents,
};

/// How many sessions are named that a name may be the beginning of.
const NAMED_MAX: usize = 8;

/// What every command is handed.
#[derive(Debug)]
pub(crate) struct Context {
    /// Where the answer goes.
    pub(crate) out: Output,
    /// Where everything else goes.
    pub(crate) notices: Notices,
    root: Option<Utf8PathBuf>,
}

/// Where the store is looked for, and where it is said that one was passed over.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    root: Option<Utf8PathBuf>,
    notices: Notices,
}

impl Context {
    pub(crate) fn new(common: Common) -> Self {
        Self { out: Output::new(&common), notices: Notices::new(&common), root: common.root }
    }

    /// Returns the folder that `--root` names.
    pub(crate) fn root_flag(&self) -> Option<&Utf8Path> {
        self.root.as_deref()
    }

    /// Finds the root of the store, and says where one was passed over.
    pub(crate) fn root(&self) -> Result<Root, Failure> {
        self.place().root()
    }

    /// Returns the store, found anew.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        self.place().store()
    }

    /// Returns the session that is named to be read: that of this name, or for a person at a
    /// terminal the only one whose name begins so.
    ///
    /// A script has whole names, and one that asks for the note of `task-1` before there is one is
    /// never given that of `task-12`.
    pub(crate) fn to_read(&self, store: &Store, name: &str) -> Result<SessionName, Failure> {
        let whole = session(name)?;
        if self.out.form() != Form::Terminal || has_log(store, &whole) {
            return Ok(whole);
        }
        let Sessions { names, begun, .. } = store.sessions().unwrap_or_default();
        if begun.contains(&whole) {
            return Ok(whole); // it is this one, and whoever reads it says that it has no log
        }
        match <[_; 1]>::try_from(begun_by(names, &whole)) {
            Ok([only]) => {
                self.notices.hint(format_args!("{whole} is the beginning of {only}"));
                Ok(only)
            }
            Err(none) if none.is_empty() => Ok(whole), // whoever reads it says that it is not there
            Err(several) => {
                let what = format_args!("tell which session {name:?} is the beginning of");
                let advice = format!("write more of it: {}", named(&several));
                Err(Failure::input(what).advise(advice).about(whole))
            }
        }
    }

    /// Returns where the store is looked for, for what outlives the command.
    pub(crate) fn place(&self) -> Place {
        Place { root: self.root.clone(), notices: self.notices.clone() }
    }
}

impl Place {
    /// Finds the root of the store, and says where one was passed over.
    pub(crate) fn root(&self) -> Result<Root, Failure> {
        let root = root::find(self.root.as_deref())?;
        for skipped in &root.skipped {
            self.notices.warn(skipped);
        }
        Ok(root)
    }

    /// Returns the store, found anew.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        self.root().map(|root| Store::at(root.path))
    }

    /// Returns what is set for whoever an agent calls, read anew.
    pub(crate) fn set_at(&self, store: &Store) -> ForAgents {
        ForAgents::at(store.root(), &self.notices)
    }
}

/// Returns the session that `name` names.
pub(crate) fn session(name: &str) -> Result<SessionName, Failure> {
    SessionName::parse(name)
        .map_err(|why| Failure::input(format_args!("use {name:?} as a session: {why}")))
}

fn has_log(store: &Store, session: &SessionName) -> bool {
    fs::symlink_metadata(store.log_path(session)).is_ok()
}

/// Returns what to do about a session of which an import never came to its end.
pub(crate) fn finish(session: &SessionName) -> String {
    let name = session.to_argument();
    format!(
        "if none is at work, import it again, which is safe; `graff-notes forget {name}` clears away what \
         was begun"
    )
}

/// Returns those names that begin with that of `session`, which has no log.
fn begun_by(mut names: Vec<SessionName>, session: &SessionName) -> Vec<SessionName> {
    names.retain(|name| name != session && name.as_str().starts_with(session.as_str()));
    names
}

/// Returns the names of sessions, the first few of them, as arguments.
fn named(sessions: &[SessionName]) -> String {
    let first: Vec<_> = sessions.iter().take(NAMED_MAX).map(SessionName::to_argument).collect();
    let more = match sessions.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", first.join(", "))
}

/// Returns the generation that `--generation` names for a record: not the last that there can be,
/// since none comes after it. Says where codegraff won't read it.
pub(crate) fn generation(number: u64, notices: &Notices) -> Result<Generation, Failure> {
    if number == u64::MAX {
        let what = format_args!("go by generation {number}: it leaves room for no others");
        return Err(Failure::input(what));
    }
    if u32::try_from(number).is_err() {
        notices
            .warn(format_args!("codegraff reads generation {number} as 0: it keeps 32 bits of it"));
    }
    Ok(Generation::new(number))
}

/// Returns whether `error` says of a session that it was forgotten since it was listed: what is
/// about all sessions leaves it out.
pub(crate) fn is_forgotten(error: &Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

/// Returns the failure that `error` is, in better words where a session has no log.
pub(crate) fn explain(error: Error, store: &Store, session: &SessionName) -> Failure {
    if error.kind() == ErrorKind::NotFound {
        let folder = store.log_path(session);
        let folder = folder.parent().unwrap_or(&folder);
        let name = session.as_str();
        // Of a plain name everybody sees where it ends.
        let quoted =
            if session.to_argument() == name { name.to_owned() } else { format!("{name:?}") };
        let what = format_args!("find session {quoted}: it has no log in {folder}");
        let sessions = store.sessions().unwrap_or_default();
        let advice = match begun_by(sessions.names, session) {
            _ if sessions.begun.contains(session) => finish(session),
            none if none.is_empty() => error.advice().to_owned(),
            // That one of them is meant nobody can know, and a script would do as it is told.
            others => format!("sessions that begin so: {}", named(&others)),
        };
        return Failure::nothing(what).advise(advice).about(session).at(folder);
    }
    Failure::from(error).about(session)
}

/// Returns the time; a clock that stands before 1970 reads as 1970.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
