//! What went wrong, in the words and under the status that the program reports it with.

use std::{fmt, io};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{Error, ErrorKind};
use serde::Serialize;

use crate::exit::Exit;

/// Why a command ends before it has answered.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Whoever read stdout has closed it: nobody wants the rest, and nothing went wrong.
    ReaderGone,
    /// Something failed.
    Failed(Failure),
}

impl Stop {
    /// Adds what a person is to know all the same, where something failed.
    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        match self {
            Self::ReaderGone => Self::ReaderGone,
            Self::Failed(failure) => Self::Failed(failure.advise(advice)),
        }
    }
}

/// Returns that all went well also where nobody reads stdout any more: for a command whose exit
/// status says as much as its answer.
pub(crate) fn heard_or_not(said: Result<(), Stop>) -> Result<(), Stop> {
    match said {
        Err(Stop::ReaderGone) => Ok(()),
        said => said,
    }
}

/// What was attempted on what, why it failed, and what to do now.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Utf8PathBuf>,
    exit: Exit,
}

impl Failure {
    /// Returns the failure to do `what`, which reads on after "could not".
    pub(crate) fn new(exit: Exit, kind: &'static str, what: impl fmt::Display) -> Self {
        let message = format!("could not {what}");
        Self { kind, message, advice: None, session: None, path: None, exit }
    }

    /// Returns the failure of a command that was given a value it cannot take.
    pub(crate) fn input(what: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, ErrorKind::InvalidInput.as_str(), what)
    }

    /// Returns the failure to find something.
    pub(crate) fn nothing(what: impl fmt::Display) -> Self {
        Self::new(Exit::NothingThere, ErrorKind::NotFound.as_str(), what)
    }

    /// Returns that all is `kept` as it was, since whoever was asked didn't say yes.
    pub(crate) fn declined(kept: String) -> Self {
        let exit = Exit::Failed;
        Self { kind: "declined", message: kept, advice: None, session: None, path: None, exit }
    }

    /// Returns the failure of a system call.
    pub(crate) fn system(what: impl fmt::Display, cause: &io::Error) -> Self {
        let kind = match cause.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => ErrorKind::NoSpace,
            _ => ErrorKind::Io,
        };
        Self::new(Exit::Failed, kind.as_str(), format_args!("{what}: {cause}"))
    }

    /// Returns the failure of a system call on a file or a folder.
    pub(crate) fn on(attempted: &str, path: &Utf8Path, cause: &io::Error) -> Self {
        Self::system(format_args!("{attempted} {path}"), cause).at(path)
    }

    /// Adds what a person can do now.
    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Adds which session it was about.
    pub(crate) fn about(mut self, session: impl fmt::Display) -> Self {
        self.session = Some(session.to_string());
        self
    }

    /// Adds which file or folder it was about.
    pub(crate) fn at(mut self, path: &Utf8Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Returns the name of the kind that it is of.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    pub(crate) fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let what = error.with_causes();
        let failure = Self::new(error.kind().into(), error.kind().as_str(), what);
        Self { path: error.path().map(Utf8Path::to_owned), ..failure }.advise(error.advice())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}
