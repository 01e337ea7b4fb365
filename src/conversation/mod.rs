//! Whole turns: the history, the notebook and the decisions at a turn's boundary, joined.
//!
//! A [`Conversation`] is for a host that has no history of its own yet, or wants to give it away.
//! It does no I/O but the notebook's, whose lock it may wait for (some seconds, where another
//! process holds it): the host owns the network and the clock. Each step of a turn is a value that
//! the next step consumes, so what comes in the wrong order does not compile.
//!
//! ```text
//! begin(prompt) ─► Turn ─ request ─► Asked ─ answered ─┬─► Tools(ToolRound) ─ results ─► Turn
//!                   ▲                 │ │              ├─► Steered(Turn)
//!                   │                 │ │              └─► Finished ─ close ─► Boundary
//!                   │                 │ └─ failed, cancelled ─► Ended
//!                   └──── Recovered ◄─┴─ overflowed ─► Recovery ─► Ended
//!
//! Boundary:  Note(NoteStep) ─ answered ─► Summary(SummaryStep) ─ answered ─► Ended
//! ```
//!
//! A second turn cannot begin while one runs, and no step can be taken twice:
//!
//! ```compile_fail,E0499
//! # use graff_notes::{Conversation, units::Timestamp};
//! fn two_at_once(conversation: &mut Conversation, now: Timestamp) {
//!     let first = conversation.begin("mend the parser");
//!     let second = conversation.begin("mend the lexer");
//!     let _ = first.map(|turn| turn.request("You are an agent.", now).is_ok());
//! }
//! ```
//!
//! ```compile_fail,E0382
//! # use graff_notes::conversation::{Boundary, Finished};
//! # use graff_notes::units::Timestamp;
//! fn closed_twice<'c>(last: Finished<'c>, now: Timestamp) -> [Boundary<'c>; 2] {
//!     [last.close(now), last.close(now)]
//! }
//! ```
//!
//! A turn borrows the conversation. Dropping a step ends the turn as if it had been cancelled: no
//! more steers are accepted, nothing is handed off, and the history stays usable.
//!
//! At the end of a turn the order is fixed: steers are drained, and run another round; acceptance
//! closes; what was accepted meanwhile is carried over; then the note gate, the note, the summary,
//! the rewriting, the next generation. The next request has its prompt recomposed from the log, and
//! its usage read anew.
//!
//! Invariants:
//! * Nothing is handed off in the midst of a turn but what the provider refused for its size, and
//!   nothing at all after a turn that was cancelled or failed.
//! * A summary that failed leaves history, notes and reading as they were.
//! * Note and summary are paid from one pool: a note that would leave no call for the summary on
//!   top of the reserve is not asked for.

mod asked;
mod boundary;
mod ended;
mod join;
mod recovery;
mod running;
mod settings;
mod turn;

pub use asked::{Answered, Asked, Response, ToolRound, Unfit};
pub use boundary::{Boundary, Finished, NoteStep, SummaryStep};
pub use ended::{Ended, Noted, RolledOver, Rollover, SummaryFailure};
pub use join::{BlankPrompt, Conversation, check};
pub use recovery::{Recovery, RecoveryStep};
pub use settings::{Missing, Settings};
pub use turn::{Turn, Unasked, Why};
