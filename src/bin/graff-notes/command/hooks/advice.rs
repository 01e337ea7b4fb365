//! What to do where an agent's settings could not be changed.

use graff_notes::{
    ErrorKind,
    host::{hook::Host, settings},
};

use crate::failure::Stop;

/// What was to be done to the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    PutIn,
    TakeOut,
}

impl Change {
    /// Adds what to do now to why it was not done, where that doesn't say so itself.
    pub(super) fn advise(self, host: Host, why: Stop) -> Stop {
        let Stop::Failed(failure) = why else { return why };
        if failure.advice().is_some() {
            return Stop::Failed(failure);
        }
        let first = match failure.kind() {
            kind if kind == ErrorKind::NoSpace.as_str() => "make room on that disk",
            kind if kind == ErrorKind::PermissionDenied.as_str() => {
                "see to it that the file is yours, its group one of yours (`chgrp`), and that you may \
                 write in its folder"
            }
            _ => "mend that file",
        };
        let advice = format!("{first} and run it again, or {}", self.by_hand(host));
        Stop::Failed(failure.advise(advice))
    }

    /// Adds that it was done to why that could not be said.
    pub(super) fn unsaid(self, why: Stop) -> Stop {
        let Stop::Failed(failure) = why else { return why };
        Stop::Failed(failure.advise(match self {
            Self::PutIn => "the hooks are in all the same: `graff-notes hooks status` says so",
            Self::TakeOut => "the hooks are out all the same: `graff-notes hooks status` says so",
        }))
    }

    /// Returns how to do it without us.
    fn by_hand(self, host: Host) -> String {
        match (self, host) {
            (Self::PutIn, Host::Opencode | Host::Goose) => "let it stay as it is".to_owned(),
            (Self::PutIn, _) => format!("put these hooks in by hand: {}", hooks_of(host)),
            (Self::TakeOut, Host::Opencode | Host::Goose) => "remove the file by hand".to_owned(),
            (Self::TakeOut, _) => {
                format!("take what has `{}` out of it by hand", settings::command_of(host))
            }
        }
    }
}

/// Returns what is put into the settings of `host`, on one line.
fn hooks_of(host: Host) -> String {
    let settings = settings::install(host, "").unwrap_or_default();
    settings.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
