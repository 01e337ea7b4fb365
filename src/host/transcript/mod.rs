//! What the transcript of an existing agent says: how large the history was at the last request,
//! how often it has been compacted, and the facts for a mechanical note.
//!
//! A transcript is read as a stream, never held and never written. Its form is told by what the
//! records say: Claude Code's session files, Codex rollouts, Gemini's chat files, or plain
//! messages in the shape of either provider. This module refuses to know where the bytes come
//! from, and what size is too large.
//!
//! Invariants:
//! * Memory is bounded, whatever the transcript holds.
//! * A damaged record costs itself, and is counted.
//! * The usage of an earlier request is never taken for that of the last one.

mod account;
mod arguments;
mod calls;
mod claude;
mod codex;
mod form;
mod gemini;
mod lines;
mod loose;
mod parts;
mod plain;
mod reader;
mod text;

pub use form::Form;
pub(super) use gemini::summary as gemini_summary;
pub use reader::{Transcript, TranscriptReader};
pub use text::read_mended;
