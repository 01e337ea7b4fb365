//! What an append comes to, one type for each way of asking.

use crate::units::Seq;

/// What became of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Appended {
    /// It is on disk under this number.
    Stored(Seq),
    /// The newest note has the same text and generation, and is on disk; nothing was written.
    Unchanged(Option<Seq>),
}

/// Whether an attempt was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Latched {
    /// It is on disk under this number: the one attempt of its generation.
    Latched(Seq),
    /// The generation has a note or an attempt already; nothing was written.
    Taken,
}

/// What became of a note that was made without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Salvaged {
    /// It is on disk under this number.
    Stored(Seq),
    /// The generation has a note already, by whomever; nothing was written.
    AlreadyNoted,
}
