//! What every command is handed: where to answer, where to complain, and which store is meant.

use std::time::{SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    Error, ErrorKind,
    session::SessionName,
    store::Store,
    units::{Generation, Timestamp},
};

use crate::{
    args::Common,
    failure::Failure,
    output::{Notices, Output},
    root::{self, Root},
    settings::ForAgents,
};

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

/// Returns the generation that `--generation` names for a record: not the last that there can be, since
/// none comes after it. Says where codegraff won't read it.
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

/// Returns whether `error` says of a session that it was forgotten since it was listed: what is about
/// all sessions leaves it out.
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
        return Failure::nothing(what).advise(error.advice()).about(session).at(folder);
    }
    Failure::from(error).about(session)
}

/// Returns the time; a clock that stands before 1970 reads as 1970.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
