//! The turn boundary: what may happen when a turn begins, ends, or outgrows the model's window.
//!
//! Each file is one decision and knows nothing of the others: [`Steers`] keep what a user says
//! while a turn runs, [`History`] is what the model is shown, [`SummaryRequest`] asks for what will
//! replace it, [`Handoffs`] say whether that may happen of the agent's own accord, [`Ladder`] how
//! small the request for it must be after a refusal for size, and [`classify`] which refusals are
//! that. A [`Conversation`](crate::conversation::Conversation) joins them into whole turns.
//!
//! ```text
//!  begin ─ request ─ tools ─ request ─ … ─ last response
//!    │        │ refused for size: Ladder ─ SummaryRequest ─ install, Reseat::LivePrompt
//!    └ carried-over Steers, then the prompt
//!                                               drain ─ close ─ Handoffs ─ note ─ SummaryRequest
//!                                                                    └ install, Reseat::None
//! ```
//!
//! This module does not know how large a history is (that is [`usage`](crate::usage)'s), what size
//! is too large ([`threshold`](crate::threshold)'s), or who pays ([`budget`](crate::budget)'s).
//!
//! Invariants:
//! * A steer that was accepted is shown to the model, in this turn or first thing in the next; a
//!   steer that cannot be is rejected.
//! * A tool result is never shown, cut free or quoted without its call.
//! * What the transcript says is quoted, line by line, and cannot pass for the request around it.

mod handoffs;
mod headings;
mod history;
mod item;
mod ladder;
mod patterns;
mod provider_error;
mod steers;
mod stop;
mod summary;
mod transcript;

pub use handoffs::{Handoffs, Milestone, Proactive, Standing, Withheld};
pub use headings::{HEADINGS, Heading, Summary, SummaryRefused};
pub use history::{Cut, History, HistoryRefused, Reseat};
pub use item::{Item, ToolCall, ToolResult};
pub use ladder::{Exhausted, Ladder, Rung};
pub use provider_error::{ContextOverflow, Figures, ProviderError, classify};
pub use steers::{SteerRejected, Steering, Steers};
pub use stop::{ResponseStop, StopReason};
pub use summary::{Reasoning, SummaryLimit, SummaryRequest};
pub use transcript::LeftOut;
