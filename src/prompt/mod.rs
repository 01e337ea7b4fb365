//! The two texts that a model sees: the request for a note, and the note within a prompt.
//!
//! [`NoteRequest`] is what the agent is asked just before its context rolls over. [`Block`] is its
//! answer, dressed for a system prompt: between two fence lines, under a header that says what it
//! is. [`splice`] puts the block into a prompt, [`extract`] and [`strip`] take it out again.
//! [`section_request`] asks a summariser for the note instead, and [`section_of`] takes it out.
//!
//! For every prompt `b`, also one that holds pieces of the fence, and every text `n`:
//!
//! * `extract(splice(b, n)) == n`, byte for byte;
//! * `strip(splice(b, n)) == strip(b)`, which is `b` itself where `b` has no block;
//! * `splice(splice(b, n), n) == splice(b, n)`, and another note replaces the first;
//! * the same prompt and the same note give the same bytes: there is no clock and no chance here.
//!
//! This module doesn't know where a note is stored, which one is the newest, or who may see it.

mod block;
mod fence;
mod instruction;
mod needle;
mod place;
mod section;
mod splice;

pub use block::{Block, Limits};
pub use instruction::NoteRequest;
pub use place::Place;
pub use section::{section_of, section_request};
pub use splice::{Check, check, extract, splice, splice_into, strip};
