//! The one error type: what was attempted, on what, why it failed, what now.

use std::{error, fmt, io};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

/// The error of every fallible operation of this crate.
///
/// It prints one layer: what was attempted and on what; [`source`](error::Error::source) says why.
/// A program that shows it to a person prints the whole chain and [`advice`](Self::advice).
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    attempted: &'static str,
    path: Option<Utf8PathBuf>,
    detail: Option<String>,
    advice: Option<&'static str>,
    source: Option<io::Error>,
}

/// What kind of failure an [`Error`] reports: enough to choose an exit status or a next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value that the caller gave is outside what is allowed.
    InvalidInput,
    /// The session has no log.
    NotFound,
    /// Another process holds the session's lock.
    Busy,
    /// The file system refused for lack of rights.
    PermissionDenied,
    /// The path names a link, a folder, a pipe or a device where a plain file must stand.
    NotRegularFile,
    /// The disk or a quota is full, or a size limit was reached.
    NoSpace,
    /// The file system is read-only.
    ReadOnly,
    /// The file system has no locks; nothing is written without one.
    LockUnsupported,
    /// What was written may or may not be on disk: a later look must tell.
    Uncertain,
    /// Any other failure of the file system.
    Io,
}

impl ErrorKind {
    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::NotFound => "not_found",
            Self::Busy => "busy",
            Self::PermissionDenied => "permission_denied",
            Self::NotRegularFile => "not_regular_file",
            Self::NoSpace => "no_space",
            Self::ReadOnly => "read_only",
            Self::LockUnsupported => "lock_unsupported",
            Self::Uncertain => "uncertain",
            Self::Io => "io",
        }
    }

    const fn advice(self) -> &'static str {
        match self {
            Self::InvalidInput => "change the value as the message says",
            Self::NotFound => "`graff-notes list` shows the sessions that are here",
            Self::Busy => "try again once the other process is done; reading needs no lock",
            Self::PermissionDenied => "check who owns the folder and the file, and their modes",
            Self::NotRegularFile => "move it away; a session's files are plain files",
            Self::NoSpace => "free space or raise the limit, then do it again",
            Self::ReadOnly => "mount it writable, or choose another root",
            Self::LockUnsupported => "put the store on a local file system, with --root",
            Self::Uncertain => "`graff-notes verify` shows what is there now",
            Self::Io => "mend what the system names; nothing that was stored before has changed",
        }
    }
}

impl Error {
    /// Returns the kind of failure.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the path that the operation was about, where it was about one.
    #[must_use]
    pub fn path(&self) -> Option<&Utf8Path> {
        self.path.as_deref()
    }

    /// Returns what a person can do now, in one sentence without a full stop.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self.advice {
            Some(advice) => advice,
            None => self.kind.advice(),
        }
    }

    /// Returns the message with those of its causes, as one line.
    #[must_use]
    pub fn with_causes(&self) -> String {
        match &self.source {
            Some(cause) => format!("{self}: {cause}"),
            None => self.to_string(),
        }
    }

    pub(crate) fn on(kind: ErrorKind, attempted: &'static str, path: &Utf8Path) -> Self {
        Self {
            kind,
            attempted,
            path: Some(path.to_owned()),
            detail: None,
            advice: None,
            source: None,
        }
    }

    pub(crate) fn io(attempted: &'static str, path: &Utf8Path, source: io::Error) -> Self {
        let kind = kind_of(&source);
        Self { source: Some(source), ..Self::on(kind, attempted, path) }
    }

    pub(crate) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Gives it an advice of its own, where that of its kind does not fit.
    pub(crate) const fn with_advice(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

fn kind_of(source: &io::Error) -> ErrorKind {
    match source.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ErrorKind::NoSpace
        }
        io::ErrorKind::ReadOnlyFilesystem => ErrorKind::ReadOnly,
        io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => ErrorKind::NotRegularFile,
        _ => ErrorKind::Io,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.attempted)?;
        if let Some(path) = &self.path {
            write!(f, " {path}")?;
        }
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        Ok(())
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
