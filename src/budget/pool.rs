//! The pool itself: a count of calls that many threads draw on at once.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::units::Calls;

use super::{
    ledger::{Balance, Ledger, landing_reserve},
    permit::{Call, CallKind, Permit},
    refused::{AdmissionRefused, BudgetRaced},
};

/// The deepest that may call unless the host says otherwise: the root's own workers.
///
/// Source: codegraff PR 460.
const DEPTH_MAX_DEFAULT: u32 = 1;

/// How many calls run at once before a worker is refused, unless the host says otherwise.
///
/// Source: codegraff PR 460.
const CONCURRENCY_MAX_DEFAULT: Calls = Calls::new(8);

/// One call.
const ONE: Calls = Calls::new(1);

/// What must be left for the root to be admitted: the call that it takes.
const LEAST_FOR_ROOT: Calls = Calls::new(1);

/// What must be left for a worker to be admitted: its own call, and the last one, the root's.
const LEAST_FOR_WORKER: Calls = Calls::new(2);

/// The model calls of one run, shared by the root and its workers.
///
/// Clones draw on the same count. Admission never waits: it is a yes or a no.
///
/// # Examples
///
/// ```
/// use graff_notes::{budget::{AdmissionRefused, Call, RunPool}, units::Calls};
///
/// let pool = RunPool::builder().cap(Calls::new(2)).build();
/// let worker = pool.admit(1, Call::Child);
/// assert!(worker.is_ok_and(|permit| permit.number() == 1));
///
/// let late = pool.admit(1, Call::Child).err();
/// assert_eq!(late, Some(AdmissionRefused::LastIsRoots { cap: Calls::new(2) }));
/// assert!(pool.admit(0, Call::Landing).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct RunPool {
    shared: Arc<Shared>,
}

/// The settings of a pool that is yet to be made.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RunPoolBuilder {
    cap: Calls,
    used: Calls,
    reserve: Option<Calls>,
    depth_max: u32,
    concurrency_max: Calls,
}

#[derive(Debug)]
struct Shared {
    ledger: Ledger,
    depth_max: u32,
    concurrency_max: Calls,
    used: AtomicU64,
    running: AtomicU64,
}

/// A place among the running calls, given back when dropped.
#[derive(Debug)]
pub(super) struct Slot(Arc<Shared>);

impl RunPool {
    /// Returns the settings of a pool without a cap, for the root and its own workers, with at
    /// most 8 calls at once.
    pub const fn builder() -> RunPoolBuilder {
        RunPoolBuilder {
            cap: Calls::ZERO,
            used: Calls::ZERO,
            reserve: None,
            depth_max: DEPTH_MAX_DEFAULT,
            concurrency_max: CONCURRENCY_MAX_DEFAULT,
        }
    }

    /// Returns the permit for one call of an agent at `depth` (the root is at 0), or why there is
    /// none.
    ///
    /// A worker is never given the last call, also when many race for it.
    pub fn admit(&self, depth: u32, call: Call) -> Result<Permit, AdmissionRefused> {
        self.refuse_depth(depth)?;
        // The early guard spares a worker that is too late the taking of a slot; the ceiling in
        // `count` is what holds when many are exactly in time.
        let least = if depth == 0 { LEAST_FOR_ROOT } else { LEAST_FOR_WORKER };
        if self.remaining() < least {
            return Err(self.too_little(self.remaining()));
        }
        let slot = self.slot(depth)?;
        let number = self.count(ONE, |left| left >= least).map_err(|left| self.too_little(left))?;
        Ok(Permit::new(number, call.into(), slot))
    }

    /// Returns the permit for the root's note, or the figures that forbid it.
    ///
    /// Whether the note, `pending` calls that are certain to follow it and the landing reserve
    /// fit is asked of the pool's ledger in the same atomic step that takes the call. So a sibling
    /// that spends between the gate's decision and this call cannot push the note into the
    /// reserve.
    pub fn admit_note(&self, pending: Calls) -> Result<Permit, BudgetRaced> {
        let ledger = self.ledger();
        let cost = Ledger::note_cost(pending);
        let number = self
            .count(ONE, |left| ledger.fits(left, cost))
            .map_err(|remaining| BudgetRaced { remaining, reserve: ledger.reserve(), cost })?;
        Ok(self.roots(number, CallKind::Note))
    }

    /// Returns the permits for the root's note and for the summary that follows it, or the figures
    /// that forbid the note.
    ///
    /// Both calls are taken in one atomic step: no sibling that spends while the note is written
    /// can push the summary into the reserve. A summary that is never asked for stays counted.
    pub fn admit_note_and_summary(&self) -> Result<(Permit, Permit), BudgetRaced> {
        let ledger = self.ledger();
        let cost = Ledger::note_cost(ONE);
        let number = self
            .count(cost, |left| ledger.fits(left, cost))
            .map_err(|remaining| BudgetRaced { remaining, reserve: ledger.reserve(), cost })?;
        let summary = self.roots(number.saturating_add(1), CallKind::Compaction);
        Ok((self.roots(number, CallKind::Note), summary))
    }

    fn roots(&self, number: u64, kind: CallKind) -> Permit {
        Permit::new(number, kind, Slot::beyond_the_limit(&self.shared))
    }

    /// Returns the ledger over this pool's cap.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.shared.ledger
    }

    /// Returns the calls that were admitted so far.
    #[must_use]
    pub fn used(&self) -> Calls {
        Calls::new(self.shared.used.load(Ordering::Acquire))
    }

    /// Returns the calls that are left; [`Calls::MAX`] where there is no limit.
    #[must_use]
    pub fn remaining(&self) -> Calls {
        self.ledger().remaining(self.used())
    }

    /// Returns the calls whose permits are still held.
    #[must_use]
    pub fn running(&self) -> Calls {
        Calls::new(self.shared.running.load(Ordering::Acquire))
    }

    /// Returns how the pool stands when `pending` more calls are certain to follow.
    #[must_use]
    pub fn balance(&self, pending: Calls) -> Balance {
        self.ledger().balance(self.used(), pending)
    }

    fn refuse_depth(&self, depth: u32) -> Result<(), AdmissionRefused> {
        let depth_max = self.shared.depth_max;
        if depth > depth_max { Err(AdmissionRefused::TooDeep { depth, depth_max }) } else { Ok(()) }
    }

    fn too_little(&self, remaining: Calls) -> AdmissionRefused {
        let cap = self.ledger().cap();
        if remaining == Calls::ZERO {
            AdmissionRefused::Spent { cap }
        } else {
            AdmissionRefused::LastIsRoots { cap }
        }
    }

    fn slot(&self, depth: u32) -> Result<Slot, AdmissionRefused> {
        if depth == 0 {
            Ok(Slot::beyond_the_limit(&self.shared))
        } else {
            Slot::within_the_limit(&self.shared)
        }
    }

    /// Takes so many calls in one atomic step if `admits` says yes to what is left before them, and
    /// returns the number of the first; else returns what is left.
    fn count(&self, calls: Calls, admits: impl Fn(Calls) -> bool) -> Result<u64, Calls> {
        let ledger = self.ledger();
        let taken = self.shared.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
            admits(ledger.remaining(Calls::new(used))).then(|| used.saturating_add(calls.get()))
        });
        match taken {
            Ok(before) => Ok(before.saturating_add(1)),
            Err(used) => Err(ledger.remaining(Calls::new(used))),
        }
    }
}

impl RunPoolBuilder {
    /// Sets the most calls that the run may make; 0 means no limit.
    pub const fn cap(mut self, cap: Calls) -> Self {
        self.cap = cap;
        self
    }

    /// Sets how many calls the run has made before this pool counted them.
    pub const fn used(mut self, calls: Calls) -> Self {
        self.used = calls;
        self
    }

    /// Sets how many calls are held back for the landing, in place of the usual
    /// [`landing_reserve`].
    pub const fn reserve(mut self, reserve: Calls) -> Self {
        self.reserve = Some(reserve);
        self
    }

    /// Sets how deep below the root an agent may stand and still call; 0 admits the root alone.
    pub const fn depth_max(mut self, depth: u32) -> Self {
        self.depth_max = depth;
        self
    }

    /// Sets how many calls may run at once before a worker is refused; the root never is.
    pub const fn concurrency_max(mut self, calls: Calls) -> Self {
        self.concurrency_max = calls;
        self
    }

    /// Returns the pool.
    #[must_use]
    pub fn build(self) -> RunPool {
        let reserve = self.reserve.unwrap_or_else(|| landing_reserve(self.cap));
        RunPool {
            shared: Arc::new(Shared {
                ledger: Ledger::with_reserve(self.cap, reserve),
                depth_max: self.depth_max,
                concurrency_max: self.concurrency_max,
                used: AtomicU64::new(self.used.get()),
                running: AtomicU64::new(0),
            }),
        }
    }
}

impl Default for RunPool {
    /// Returns a pool without a cap.
    fn default() -> Self {
        Self::builder().build()
    }
}

impl Slot {
    /// The root's: counted, never refused.
    fn beyond_the_limit(shared: &Arc<Shared>) -> Self {
        shared.running.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }

    fn within_the_limit(shared: &Arc<Shared>) -> Result<Self, AdmissionRefused> {
        let concurrency_max = shared.concurrency_max;
        shared
            .running
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |running| {
                (running < concurrency_max.get()).then(|| running.saturating_add(1))
            })
            .map(|_| Self(Arc::clone(shared)))
            .map_err(|_| AdmissionRefused::Saturated { concurrency_max })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}
