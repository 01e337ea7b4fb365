//! How the program ends.

use std::process::ExitCode;

use graff_notes::ErrorKind;
use serde::Serialize;

/// How the program ends; the number is the exit status.
///
/// 129, 130 and 143 are not among them: so a shell reports that the signal HUP, INT or TERM ended
/// us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "u8")]
#[repr(u8)]
pub(crate) enum Exit {
    /// What was asked for is done.
    Done = 0,
    /// It failed: a file, a right, space.
    Failed = 1,
    /// It was asked for in a way that cannot be done.
    Usage = 2,
    /// There is no such session, note or record.
    NothingThere = 3,
    /// Another process holds the session's lock.
    Busy = 4,
    /// A log is damaged.
    Damage = 5,
    /// The gate refused a note that was required.
    Refused = 6,
}

impl Exit {
    /// Returns the one of two that says more about a store as a whole: damage, else what failed,
    /// else what is not there.
    #[must_use]
    pub(crate) const fn graver(self, other: Self) -> Self {
        if other.gravity() > self.gravity() { other } else { self }
    }

    const fn gravity(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NothingThere => 1,
            Self::Failed | Self::Usage | Self::Busy | Self::Refused => 2,
            Self::Damage => 3,
        }
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        exit as Self
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(u8::from(exit))
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::InvalidInput => Self::Usage,
            ErrorKind::NotFound => Self::NothingThere,
            ErrorKind::Busy => Self::Busy,
            _ => Self::Failed,
        }
    }
}
