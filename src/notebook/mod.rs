//! One session of one agent: the type that a host holds.
//!
//! A [`Notebook`] is where the decisions, the texts and the store meet. It holds no threshold and
//! touches no file itself; time comes in as an argument, and the model call is the host's:
//!
//! ```text
//! situation ─ decide ─┬─ Refuse(why) ──────────────── salvage(facts)
//!                     └─ Fire(ticket) ─ spend ─┬─ Left(outcome)
//!                                              └─ Ask(attempt) ─ the host asks the model ─ settle
//! rolled_over ─ the generation goes up           splice ─ the note goes into the next prompt
//! ```
//!
//! Nothing waits for a network here and nothing is held from one call to the next but the
//! [`Attempt`], which is owned and can cross threads and `await`s. A notebook can be shared between
//! threads by reference.
//!
//! Invariants:
//! * The attempt is on disk before the host is handed the request, so a generation gets one call
//!   at most, also across a crash.
//! * None of the outcomes keeps the host from rolling over.

mod attempt;
mod book;
mod splicing;
mod state;
mod tally;

pub use attempt::{Answer, Attempt, Spent};
pub use book::{Notebook, Settings};
pub use splicing::Spliced;
pub use tally::Tally;
