//! The arithmetic over a pool's cap: what is held back, what fits on top of it.

use serde::Serialize;

use crate::units::Calls;

/// What a note costs: one model call.
///
/// Source: codegraff PR 460.
pub const NOTE_COST: Calls = Calls::new(1);

/// The least that is held back for the landing, in calls: fewer do not suffice to read a result,
/// make an edit, verify it and tell of it.
///
/// Source: codegraff PR 460.
const RESERVE_MIN: u64 = 6;

/// The part of the cap that is held back: one fifth.
///
/// Source: codegraff PR 460.
const RESERVE_SHARE: u64 = 5;

/// Returns the calls that a pool of `cap` holds back for the landing.
///
/// A pool without a cap has a nominal reserve, which refuses nothing.
///
/// Source: codegraff issue 390.
#[must_use]
pub const fn landing_reserve(cap: Calls) -> Calls {
    let share = cap.get() / RESERVE_SHARE;
    Calls::new(if share > RESERVE_MIN { share } else { RESERVE_MIN })
}

/// The view of a pool's cap that says what may be spent, and what is owed to the landing.
///
/// It holds no count of calls: every question takes `remaining` as an argument, so that a stale
/// copy cannot be asked.
///
/// # Examples
///
/// ```
/// use graff_notes::{budget::Ledger, units::Calls};
///
/// let ledger = Ledger::new(Calls::new(40));
/// assert_eq!(ledger.reserve(), Calls::new(8));
/// assert!(ledger.affords_note(Calls::new(9)));
/// assert!(!ledger.affords_note(Calls::new(8)), "the last 8 are the landing's");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ledger {
    cap: Calls,
    reserve: Calls,
}

/// How a pool stands and what that means for a note: the figures behind a budget decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// The most calls that the run may make; 0 where there is no limit.
    pub cap: Calls,
    /// The calls that were admitted.
    pub used: Calls,
    /// The calls that are left; [`Calls::MAX`] where there is no limit, which is null in JSON.
    #[serde(serialize_with = "Calls::serialize_left")]
    pub remaining: Calls,
    /// The calls that are held back for the landing.
    pub reserve: Calls,
    /// The calls that the same rollover is certain to need beside the note.
    pub pending: Calls,
    /// The least `remaining` that admits a note; `None` where no note can ever be admitted.
    pub least_remaining_for_note: Option<Calls>,
}

impl Ledger {
    /// Returns the ledger over `cap` calls with the usual [`landing_reserve`].
    ///
    /// A cap of 0 means no limit, and so does [`Calls::MAX`], which is what an unlimited pool
    /// has left.
    #[must_use]
    pub const fn new(cap: Calls) -> Self {
        Self::with_reserve(cap, landing_reserve(cap))
    }

    /// Returns the ledger over `cap` calls that holds back `reserve` of them.
    #[must_use]
    pub const fn with_reserve(cap: Calls, reserve: Calls) -> Self {
        Self { cap, reserve }
    }

    /// Returns the most calls that the run may make; 0 where there is no limit.
    #[must_use]
    pub const fn cap(&self) -> Calls {
        self.cap
    }

    /// Returns the calls that are held back for the landing.
    #[must_use]
    pub const fn reserve(&self) -> Calls {
        self.reserve
    }

    /// Returns whether the pool has no limit.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        matches!(self.cap, Calls::ZERO | Calls::MAX)
    }

    /// Returns the calls that are left after `used`; [`Calls::MAX`] where there is no limit.
    #[must_use]
    pub const fn remaining(&self, used: Calls) -> Calls {
        if self.is_unlimited() { Calls::MAX } else { self.cap.saturating_sub(used) }
    }

    /// Returns the calls that may be spent without touching the reserve.
    #[must_use]
    pub const fn spendable(&self, remaining: Calls) -> Calls {
        if self.is_unlimited() { Calls::MAX } else { remaining.above(self.reserve) }
    }

    /// Returns whether `cost` calls fit on top of the reserve.
    #[must_use]
    pub const fn fits(&self, remaining: Calls, cost: Calls) -> bool {
        self.is_unlimited() || remaining.cover(cost, self.reserve)
    }

    /// Returns what a note takes when `pending` more calls of its rollover are certain to follow.
    #[must_use]
    pub const fn note_cost(pending: Calls) -> Calls {
        NOTE_COST.saturating_add(pending)
    }

    /// Returns whether a note fits on top of the reserve when nothing else is owed.
    #[must_use]
    pub const fn affords_note(&self, remaining: Calls) -> bool {
        self.fits(remaining, NOTE_COST)
    }

    /// Returns whether work must stop now, since what must follow it takes at least `later_min`
    /// calls and the landing still has to fit.
    #[must_use]
    pub fn early_exit(&self, remaining: Calls, later_min: Calls) -> bool {
        !self.is_unlimited() && remaining < later_min.saturating_add(self.reserve)
    }

    /// Returns the least `remaining` that admits a note: 0 where there is no limit, `None` where
    /// the cap is too small for a note ever to fit.
    #[must_use]
    pub fn least_remaining_for_note(&self, pending: Calls) -> Option<Calls> {
        let cost = Self::note_cost(pending);
        self.cap.least(|remaining| self.fits(remaining, cost))
    }

    /// Returns how the pool stands after `used` calls when `pending` more are certain to follow.
    #[must_use]
    pub fn balance(&self, used: Calls, pending: Calls) -> Balance {
        Balance {
            cap: self.cap,
            used,
            remaining: self.remaining(used),
            reserve: self.reserve,
            pending,
            least_remaining_for_note: self.least_remaining_for_note(pending),
        }
    }
}
