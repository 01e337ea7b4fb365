//! `rollover`: from an agent's transcript and its system prompt to the prompt of its next context,
//! with the note in it.
//!
//! Whatever goes wrong, the prompt goes out: a rollover is never held up by its note.

mod face;
mod model;
mod roll;
mod say;

pub(crate) use face::Rollover;
