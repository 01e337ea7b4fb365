//! What a host knows of a session without asking a model, and the note that can be made of it.
//!
//! [`Facts`] keeps the last user request, the open to-do items, the last commands and how they
//! ended, the files touched and the last statement of the agent. A note made of them is
//! *mechanical*: it stands in where the agent could not be asked, and says so in its first line.
//!
//! This module doesn't know where facts come from, nor whether a mechanical note is wanted.
//!
//! Invariants:
//! * Memory is bounded: the newest facts push out the oldest, and each text is kept up to a limit.
//! * A mechanical note never exceeds its cap, and is the same for the same facts.
//! * A long fact shortens itself before it costs another one its place.

mod known;
mod layout;
mod mechanical;

pub use known::{Command, CommandId, Facts, FileAction, Outcome, TodoItem, TodoState, TouchedFile};
