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

#[cfg(feature = "mcp")]
use crate::settings;
use crate::{
    alike,
    args::Common,
    failure::Failure,
    output::{CUT, Form, Notices, Output},
    root::{self, Root},
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

    /// Returns the session that is named to be read: that of this name, or for a person at a
    /// terminal the only one whose name begins so.
    ///
    /// A script has whole names, and one that asks for the note of `task-1` before there is one is
    /// never given that of `task-12`. A name that was cut in a list, with the mark that stands at
    /// its end there, is the beginning of one too.
    pub(crate) fn to_read(&self, store: &Store, name: &str) -> Result<SessionName, Failure> {
        let whole = session(name)?;
        if self.out.form() != Form::Terminal || has_log(store, &whole) {
            return Ok(whole);
        }
        let Sessions { names, begun, .. } = store.sessions().unwrap_or_default();
        if begun.contains(&whole) {
            return Ok(whole); // it is this one, and whoever reads it says that it has no log
        }
        let beginning = whole.as_str().strip_suffix(CUT).unwrap_or(whole.as_str());
        match <[_; 1]>::try_from(alike::with_beginning(names, beginning)) {
            Ok([only]) => {
                self.notices.hint(format_args!("{beginning} is the beginning of {only}"));
                Ok(only)
            }
            Err(none) if none.is_empty() => Ok(whole), // whoever reads it says that it is not there
            Err(several) => {
                let what = format_args!("tell which session {beginning:?} is the beginning of");
                let advice = format!("write more of it: {}", alike::named(&several));
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
    #[cfg(feature = "mcp")]
    pub(crate) fn set_at(&self, store: &Store) -> settings::ForAgents {
        settings::ForAgents::at(store.root(), &self.notices)
    }
}

/// Returns the session that `name` names.
pub(crate) fn session(name: &str) -> Result<SessionName, Failure> {
    SessionName::parse(name)
        .map_err(|why| Failure::input(format_args!("use {name:?} as a session: {why}")))
}

/// Returns whether a session has a log, whatever is in it.
pub(crate) fn has_log(store: &Store, session: &SessionName) -> bool {
    fs::symlink_metadata(store.log_path(session)).is_ok()
}

/// Returns what was to become the log of a session, where it was drawn up and is there still.
pub(crate) fn drawn_up(store: &Store, session: &SessionName) -> Option<Utf8PathBuf> {
    let path = store.repaired_path(session);
    fs::symlink_metadata(&path).is_ok().then_some(path)
}

/// Returns what to do about a session of which an import never came to its end.
///
/// What was drawn up may be the only copy, where it was a repair and somebody removed the log; and
/// whoever writes next clears it away.
pub(crate) fn finish(store: &Store, session: &SessionName) -> String {
    let name = session.to_argument();
    let again = match drawn_up(store, session) {
        None => "import it again, which is safe".to_owned(),
        Some(path) => format!(
            "keep a copy of {path}, which the next write removes and which may be the only one; then \
             import it again, or `graff-notes import COPY --as {name}`"
        ),
    };
    format!("if none is at work, {again}; `graff-notes forget {name}` clears away what was begun")
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
        let advice = if sessions.begun.contains(session) {
            finish(store, session)
        } else {
            // That one of them is meant nobody can know, and a script would do as it is told.
            alike::with_beginning_in_words(sessions.names, session)
                .unwrap_or_else(|| error.advice().to_owned())
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
