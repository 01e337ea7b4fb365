//! What becomes of a note that the gate has fired.

use std::fmt;

use serde::Serialize;

use crate::{
    error::ErrorKind,
    note::Reply,
    units::{Bytes, Calls, Generation, Seq},
};

/// What became of a note that the gate has fired. None of these blocks the rollover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "figures", rename_all = "snake_case")]
pub enum Outcome {
    /// The note is on disk. Its number counts all records: where its attempt was recorded before
    /// it, the first note of a session is record 2.
    Stored {
        /// The number that the log gave it.
        seq: Seq,
        /// The generation that it describes.
        generation: Generation,
        /// How much of its text the cap left out.
        cut: Bytes,
    },
    /// The newest record says the same of the same generation: nothing was written.
    Unchanged,
    /// The model said that nothing is in flight.
    OptedOut,
    /// The reply is a fragment.
    TooShort {
        /// What remained of it after trimming.
        bytes: Bytes,
    },
    /// The reply is longer than any text that is kept.
    TooLong {
        /// What there was of it.
        bytes: Bytes,
    },
    /// The turn was cancelled.
    Cancelled,
    /// Another call was admitted between the decision and the note's own admission.
    BudgetRaced {
        /// The model calls that were left.
        remaining: Calls,
        /// The model calls that are held back for the landing.
        reserve: Calls,
        /// What the note takes, with the calls that are certain to follow it.
        cost: Calls,
    },
    /// An attempt for this generation was put on record first, here or by another process.
    AlreadyAttempted {
        /// The generation.
        generation: Generation,
    },
    /// The model call failed.
    CallFailed {
        /// Why, in the host's words.
        reason: String,
    },
    /// The generation has a note already, so none was made without a model.
    AlreadyNoted {
        /// The generation.
        generation: Generation,
    },
    /// The history was rewritten between the decision and the attempt.
    Stale,
    /// The ticket or the attempt is another session's.
    OtherSession,
    /// The agent is a worker, or has no session: it keeps no notes.
    KeepsNone,
    /// The attempt or the note could not be written, or the log not read.
    StoreFailed {
        /// What kind of failure it was.
        kind: ErrorKind,
        /// Why, in the store's words.
        reason: String,
    },
}

impl Outcome {
    /// Returns whether a new note is on disk.
    #[must_use]
    pub const fn is_stored(&self) -> bool {
        matches!(self, Self::Stored { .. })
    }

    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Stored { .. } => "stored",
            Self::Unchanged => "unchanged",
            Self::OptedOut => "opted_out",
            Self::TooShort { .. } => "too_short",
            Self::TooLong { .. } => "too_long",
            Self::Cancelled => "cancelled",
            Self::BudgetRaced { .. } => "budget_raced",
            Self::AlreadyAttempted { .. } => "already_attempted",
            Self::CallFailed { .. } => "call_failed",
            Self::AlreadyNoted { .. } => "already_noted",
            Self::Stale => "stale",
            Self::OtherSession => "other_session",
            Self::KeepsNone => "keeps_none",
            Self::StoreFailed { .. } => "store_failed",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored { seq, generation, cut } if *cut == Bytes::ZERO => {
                write!(f, "record {seq} of generation {generation} is on disk")
            }
            Self::Stored { seq, generation, cut } => {
                let record = format_args!("record {seq} of generation {generation}");
                write!(f, "{record} is on disk, {cut} bytes left out")
            }
            Self::Unchanged => f.write_str("the newest note says the same already"),
            Self::OptedOut => f.write_str("the model said that nothing is in flight"),
            Self::TooShort { bytes } => {
                let unit = if *bytes == Bytes::new(1) { "byte" } else { "bytes" };
                let least = Reply::BYTES_MIN;
                write!(f, "a reply of {bytes} {unit} is a fragment: a note has {least} at least")
            }
            Self::TooLong { bytes } => write!(f, "a reply of {bytes} bytes is too long to keep"),
            Self::Cancelled => f.write_str("the turn was cancelled"),
            Self::BudgetRaced { remaining, reserve, cost } => {
                let left = one_or_more(*remaining, "call was", "calls were");
                let held = one_or_more(*reserve, "was", "were");
                write!(
                    f,
                    "{remaining} {left} left and {reserve} {held} held back: {cost} did not fit"
                )
            }
            Self::AlreadyAttempted { generation } => {
                write!(f, "generation {generation} has had its attempt")
            }
            Self::CallFailed { reason } => write!(f, "the model call failed: {reason}"),
            Self::AlreadyNoted { generation } => {
                write!(f, "generation {generation} has a note already, which stays")
            }
            Self::Stale => f.write_str("the history was rewritten since the decision"),
            Self::OtherSession => f.write_str("the decision was made for another session"),
            Self::KeepsNone => {
                f.write_str("a worker, or an agent without a session, keeps no notes")
            }
            Self::StoreFailed { reason, .. } => write!(f, "the store failed: {reason}"),
        }
    }
}

fn one_or_more<'a>(calls: Calls, one: &'a str, more: &'a str) -> &'a str {
    if calls == Calls::new(1) { one } else { more }
}
