//! A turn between two requests.

use std::{error::Error, fmt};

use super::{Asked, Boundary, Ended, Finished, Rollover, join::weight_of, running::Running};
use crate::{
    budget::{AdmissionRefused, Call},
    facts::Facts,
    turn::{Cut, StopReason},
    units::Timestamp,
};

/// A turn whose next step is a request to the model.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct Turn<'c> {
    pub(super) running: Running<'c>,
}

/// A turn whose next request may not be made.
///
/// It borrows the conversation, since the turn goes on; `?` cannot turn it into a
/// `Box<dyn Error>`: pass on its text, or what [`why`](Self::why) returns.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct Unasked<'c> {
    running: Running<'c>,
    why: Why,
}

/// Why a request may not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The turn has made as many requests as one may.
    RoundsSpent {
        /// How many that is.
        rounds_max: u64,
    },
    /// The pool has no call for it.
    NotAdmitted(AdmissionRefused),
}

impl<'c> Turn<'c> {
    /// Returns the next request: what the user said meanwhile is in it, the history's cap has been
    /// applied, the call is paid, and the newest note is in the system prompt `base`.
    ///
    /// The last reading is void from now on.
    pub fn request(mut self, base: &str, now: Timestamp) -> Result<Asked<'c>, Unasked<'c>> {
        let rounds_max = self.running.conversation.settings.rounds_max;
        if let Some(rounds_max) = rounds_max.filter(|max| self.running.rounds >= *max) {
            return Err(self.unasked(Why::RoundsSpent { rounds_max }));
        }
        let permit = match self.running.admit(Call::Root) {
            Ok(permit) => permit,
            Err(refused) => return Err(self.unasked(Why::NotAdmitted(refused))),
        };
        self.running.rounds = self.running.rounds.saturating_add(1);
        // Only now is it sure that a request will show them.
        self.fold_steers();
        let cut = self.cap(now);
        Ok(Asked::new(self.running, permit, base, cut))
    }

    /// Adds what the user said since the last request.
    fn fold_steers(&mut self) {
        let conversation = &mut *self.running.conversation;
        conversation.history.steer(conversation.steers.drain());
    }

    /// Cuts the oldest turns off where the history weighs more than it may, which is a rewriting.
    fn cap(&mut self, now: Timestamp) -> Option<Cut> {
        let conversation = &mut *self.running.conversation;
        let cut = conversation.history.cut(conversation.settings.history_max?, weight_of)?;
        tracing::debug!(?cut, "history cut");
        self.running.next_generation(now);
        Some(cut)
    }

    /// Returns what a mechanical note would be made of, for the host to add to.
    pub const fn facts(&mut self) -> &mut Facts {
        &mut self.running.conversation.facts
    }

    /// Ends the turn before its next request.
    pub fn cancelled(self) -> Ended {
        self.running.cancel()
    }

    fn unasked(self, why: Why) -> Unasked<'c> {
        tracing::debug!(%why, "no request");
        Unasked { running: self.running, why }
    }
}

impl<'c> Unasked<'c> {
    /// Returns why not.
    #[must_use]
    pub const fn why(&self) -> Why {
        self.why
    }

    /// Goes on with the turn, for a host that has waited until its pool has room.
    pub fn again(self) -> Turn<'c> {
        Turn { running: self.running }
    }

    /// Ends the turn here: see [`Finished::close`]. A turn without a response hands nothing off,
    /// since its prompt would be lost.
    pub fn close(self, now: Timestamp) -> Boundary<'c> {
        let Self { mut running, why } = self;
        let stop = match why {
            Why::RoundsSpent { .. } => StopReason::RoundsSpent,
            Why::NotAdmitted(_) => StopReason::CallsSpent,
        };
        running.unasked(why);
        if running.responses == 0 {
            return Boundary::Ended(running.end(stop, Rollover::NotPermitted));
        }
        Finished { running, stop }.close(now)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundsSpent { rounds_max } => {
                write!(f, "the turn has made {rounds_max} requests, which is the most")
            }
            Self::NotAdmitted(refused) => refused.fmt(f),
        }
    }
}

impl Error for Unasked<'_> {}

impl fmt::Display for Unasked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}
