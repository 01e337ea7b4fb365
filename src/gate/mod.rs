//! Whether the agent is asked for a note before its history rolls over.
//!
//! The gate is a table: [`decide`] tries its rows in order and the first that matches refuses; if
//! none does, it fires. [`rows`] gives every row's own answer, for those who want to know what
//! else would have refused.
//!
//! ```text
//!  1 disabled │ 2 worker │ 3 session │ 4 attempt │ 5 budget │ 6 recovering │ 7 headroom │ fire
//!  └─ cheap, and known before anything is read ──┘           └─ the context's size ─────┘
//! ```
//!
//! This module does not know where its figures come from: it is handed a [`Situation`] and looks
//! at nothing else. What becomes of a note that was fired is an [`Outcome`], and none of them
//! ever blocks the rollover.
//!
//! Invariants:
//! * A worker is refused whatever else is the case.
//! * Only [`decide`] makes a [`Ticket`], and a ticket can be spent once: the one attempt of its
//!   generation.

mod outcome;
mod situation;
mod table;
mod verdict;

pub use outcome::Outcome;
pub use situation::{Boundary, Notes, Provider, Session, Situation};
pub use table::{Row, RowAnswer, decide, headroom, nearly_full, rows};
pub use verdict::{Recovery, Refusal, Ticket, Verdict};
