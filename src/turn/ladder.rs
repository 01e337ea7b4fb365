//! How small the summary request must be after the provider refused a history for its size.

use std::fmt;

use serde::Serialize;

use crate::units::Bytes;

/// So many summaries are tried in one turn, whatever comes of them.
///
/// Source: block/buzz PR 6584.
const ATTEMPTS_MAX: u32 = 3;

/// The rungs that one turn has used; a turn begins with a new one.
///
/// It halves what was *seen* to be too large. The window that the host believes in is no guide,
/// since the provider has just contradicted it.
///
/// # Examples
///
/// ```
/// use graff_notes::{turn::{Ladder, Rung}, units::Bytes};
///
/// let mut ladder = Ladder::new();
/// let refused = Bytes::new(1_000_000);
/// for budget in [500_000, 250_000, 125_000] {
///     assert_eq!(ladder.climb(refused), Rung::Try { budget: Bytes::new(budget) });
/// }
/// assert!(matches!(ladder.climb(refused), Rung::Exhausted(_)));
/// ```
///
/// Source: block/buzz PR 6584.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    attempts: u32,
}

/// What is to be tried next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "rung", rename_all = "snake_case")]
#[must_use]
pub enum Rung {
    /// A summary whose whole request takes at most this.
    Try {
        /// The most that the request may take.
        budget: Bytes,
    },
    /// Nothing: the provider's own error is the answer.
    Exhausted(Exhausted),
}

/// Why nothing is left to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Exhausted {
    /// The turn has tried as often as one may.
    Attempts {
        /// How often that is.
        attempts_max: u32,
    },
    /// The next request would be too small to be of use.
    TooSmall {
        /// What it could take.
        budget: Bytes,
        /// The least that is of use.
        least: Bytes,
    },
}

impl Ladder {
    /// The least that a summary request is given, in bytes. Below this it holds little but its own
    /// instruction: what overflows then is nothing that a summary could shrink.
    ///
    /// Source: block/buzz PR 6584.
    pub const BUDGET_MIN: Bytes = Bytes::new(4_096);

    /// Returns a ladder of which no rung is used.
    #[must_use]
    pub const fn new() -> Self {
        Self { attempts: 0 }
    }

    /// Uses the next rung for a history of `refused`, the weight that the provider rejected.
    ///
    /// A second refusal in the same turn goes on where the first one stopped.
    pub fn climb(&mut self, refused: Bytes) -> Rung {
        if self.attempts >= ATTEMPTS_MAX {
            return Rung::Exhausted(Exhausted::Attempts { attempts_max: ATTEMPTS_MAX });
        }
        self.attempts += 1;
        let budget = Bytes::new(refused.get() >> self.attempts);
        if budget < Self::BUDGET_MIN {
            return Rung::Exhausted(Exhausted::TooSmall { budget, least: Self::BUDGET_MIN });
        }
        Rung::Try { budget }
    }

    /// Returns how many rungs are used.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attempts { attempts_max } => {
                write!(f, "the turn has tried {attempts_max} summaries, which is the most")
            }
            Self::TooSmall { budget, least } => {
                write!(f, "a summary request of {budget} bytes is below the least of {least}")
            }
        }
    }
}
