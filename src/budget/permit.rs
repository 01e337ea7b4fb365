//! What an admitted call carries: its number, its kind, and a place among the running ones.

use serde::Serialize;

use super::pool::Slot;

/// What an ordinary call is for: every kind but the note, which only
/// [`RunPool::admit_note`](super::RunPool::admit_note) admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// A request of the root agent's own turn.
    Root,
    /// A request of a worker.
    Child,
    /// Work that is done once more after it failed.
    Retry,
    /// A verdict on somebody's work.
    Judge,
    /// A title for the session.
    Title,
    /// The summary that replaces the history.
    Compaction,
    /// The final call, with which the root tells what it did.
    Landing,
}

/// What a permit was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A request of the root agent's own turn.
    Root,
    /// A request of a worker.
    Child,
    /// Work that is done once more after it failed.
    Retry,
    /// A verdict on somebody's work.
    Judge,
    /// A title for the session.
    Title,
    /// The note to the agent's future self.
    Note,
    /// The summary that replaces the history.
    Compaction,
    /// The final call, with which the root tells what it did.
    Landing,
}

/// The right to make one model call, which is counted from the moment of admission.
///
/// Dropping it frees the place among the running calls, never the call.
#[derive(Debug)]
#[must_use = "a permit that is dropped at once has spent a call on nothing"]
pub struct Permit {
    number: u64,
    kind: CallKind,
    slot: Option<Slot>,
}

impl Permit {
    pub(super) const fn new(number: u64, kind: CallKind, slot: Slot) -> Self {
        Self { number, kind, slot: Some(slot) }
    }

    /// Returns the number of the call within its run, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns what the call is for.
    #[must_use]
    pub const fn kind(&self) -> CallKind {
        self.kind
    }

    /// Frees the place among the running calls; a second time, nothing is left to free.
    pub fn release(&mut self) {
        self.slot = None;
    }
}

impl From<Call> for CallKind {
    fn from(call: Call) -> Self {
        match call {
            Call::Root => Self::Root,
            Call::Child => Self::Child,
            Call::Retry => Self::Retry,
            Call::Judge => Self::Judge,
            Call::Title => Self::Title,
            Call::Compaction => Self::Compaction,
            Call::Landing => Self::Landing,
        }
    }
}

impl CallKind {
    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Child => "child",
            Self::Retry => "retry",
            Self::Judge => "judge",
            Self::Title => "title",
            Self::Note => "note",
            Self::Compaction => "compaction",
            Self::Landing => "landing",
        }
    }
}
