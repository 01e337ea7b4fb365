//! What to do where an agent's settings could not be changed.

use graff_notes::{ErrorKind, host::hook::Host};

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
            _ => "mend it",
        };
        let advice = format!("{first} and run it again, or {}", self.by_hand(host));
        Stop::Failed(failure.advise(advice))
    }

    /// Returns how to do it without us.
    fn by_hand(self, host: Host) -> String {
        match (self, host) {
            (Self::PutIn, Host::Opencode | Host::Goose) => "let it stay as it is".to_owned(),
            (Self::PutIn, _) => {
                format!("put the hooks in by hand: docs/hosts/{host}.md shows them")
            }
            (Self::TakeOut, Host::Opencode | Host::Goose) => "remove the file by hand".to_owned(),
            (Self::TakeOut, _) => {
                format!("take what has `graff-notes hook {host}` out of it by hand")
            }
        }
    }
}
