//! Who may make a model call: one pool that everybody draws on, and one ledger over it.
//!
//! A [`RunPool`] counts the model calls of a run, of the root agent and its workers alike. The
//! [`Ledger`] is the arithmetic over its cap: how many calls are held back for the landing, and
//! whether something fits *on top of* them. The note is the junior liability: it never takes a
//! call that the landing owns, and it has no reserve of its own, since two reserves over one pool
//! would both count the last call.
//!
//! ```text
//!  │ admitted       │ spendable              │ reserve             │
//!  ├────────────────┼────────────────────────┼───────────────────┬─┤
//!  0              used                 cap − reserve             │cap
//!                   └ a note, and what must                      └ the last call:
//!                     follow it, fit in here                       the root's alone
//! ```
//!
//! This module does not know what a call says, how it is made, or why a note is wanted.
//!
//! Invariants:
//! * No more calls than the cap are ever admitted, and the last one only to the root.
//! * A permit for a note is had from [`RunPool::admit_note`] or
//!   [`RunPool::admit_note_and_summary`] alone, which ask the pool's own ledger in the same atomic
//!   step that takes the calls: no call that was spent meanwhile can push a note, or the summary
//!   behind it, into the reserve.
//! * A call that was admitted stays counted; only its place among the running ones is given back.

mod ledger;
mod permit;
mod pool;
mod refused;

pub use ledger::{Balance, Ledger, NOTE_COST, landing_reserve};
pub use permit::{Call, CallKind, Permit};
pub use pool::{RunPool, RunPoolBuilder};
pub use refused::{AdmissionRefused, BudgetRaced};
