//! What is told of a turn once it has ended.

use std::fmt;

use super::Why;
use crate::{
    budget::AdmissionRefused,
    error::Error,
    gate::{Outcome, Refusal},
    threshold::Handoff,
    turn::{Heading, Milestone, StopReason, SummaryRefused, Withheld},
    units::{Bytes, Generation},
};

/// A turn that has ended: why, and what became of the history.
#[derive(Debug)]
#[must_use]
pub struct Ended {
    /// Why the turn ended.
    pub stop: StopReason,
    /// The provider's own words, where a request failed.
    pub error: Option<String>,
    /// Why no further call was made, where one was wanted for the turn or its rescue.
    pub unasked: Option<Why>,
    /// What became of handing the history off.
    pub rollover: Rollover,
    /// What became of the note; `None` where it did not come to that.
    pub note: Option<Noted>,
    /// The rewritings in the midst of the turn, after the provider had refused a request for size.
    pub recovered: Vec<RolledOver>,
    /// A number of handoffs that is worth a word.
    pub milestone: Option<Milestone>,
    /// How many steers were accepted and not shown: the next turn begins with them.
    pub carried: usize,
    /// What could not be put on record; it counts all the same for this process.
    pub troubles: Vec<Error>,
}

/// What became of handing a history off at the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rollover {
    /// The turn was cancelled or failed, or had no response at all: nothing follows it.
    NotPermitted,
    /// The history has not reached its threshold, or there is none.
    NotDue(Handoff),
    /// It has, and is not handed off all the same.
    Withheld {
        /// Why not.
        why: Withheld,
        /// The figures.
        due: Handoff,
    },
    /// It was replaced by its summary.
    Performed(RolledOver),
    /// There is no summary: history, notes and reading are as they were, and the next turn that
    /// goes over the threshold tries again.
    Failed(SummaryFailure),
    /// The user or the host stopped it; all is as it was.
    Cancelled,
}

/// A history that was replaced by its summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledOver {
    /// The generation that has begun.
    pub generation: Generation,
    /// The headings that the summary lacks.
    pub missing: Vec<Heading>,
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryFailure {
    /// No call was left for it.
    Unaffordable(AdmissionRefused),
    /// A request would quote nothing of the history.
    NoRoom {
        /// What the request could take.
        budget: Bytes,
    },
    /// The call failed; why, in the host's words.
    CallFailed {
        /// Why.
        reason: String,
    },
    /// The reply is none.
    Refused(SummaryRefused),
}

/// What became of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noted {
    /// The gate did not fire.
    Refused {
        /// Why not.
        refusal: Refusal,
        /// What became of the mechanical note in its place; `None` where none was made.
        salvaged: Option<Outcome>,
    },
    /// The gate fired, and this came of it.
    Fired(Outcome),
}

impl Rollover {
    /// Returns whether the history was replaced.
    #[must_use]
    pub const fn is_performed(&self) -> bool {
        matches!(self, Self::Performed(_))
    }
}

impl fmt::Display for Rollover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPermitted => f.write_str("the turn did not end by itself"),
            Self::NotDue(Handoff::Disabled) => {
                f.write_str("there is no threshold, so that nothing is handed off by itself")
            }
            Self::NotDue(_) => f.write_str("the history has not reached its threshold"),
            Self::Withheld { why, .. } => why.fmt(f),
            Self::Performed(rolled_over) => rolled_over.fmt(f),
            Self::Failed(failure) => failure.fmt(f),
            Self::Cancelled => f.write_str("the handoff was cancelled"),
        }
    }
}

impl fmt::Display for RolledOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the history was replaced: generation {} has begun", self.generation)?;
        for (at, heading) in self.missing.iter().enumerate() {
            write!(f, "{}{heading}", if at == 0 { "; the summary lacks " } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for SummaryFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unaffordable(refused) => write!(f, "no summary: {refused}"),
            Self::NoRoom { budget } => {
                write!(f, "no summary: a request of {budget} bytes could quote nothing")
            }
            Self::CallFailed { reason } => write!(f, "no summary: the call failed: {reason}"),
            Self::Refused(refused) => write!(f, "no summary: {refused}"),
        }
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fired(outcome) => outcome.fmt(f),
            Self::Refused { refusal, salvaged: None } => refusal.fmt(f),
            Self::Refused { refusal, salvaged: Some(outcome) } => {
                write!(f, "{refusal}; a mechanical note instead: {outcome}")
            }
        }
    }
}
