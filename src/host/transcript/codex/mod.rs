//! Codex rollouts: `{"type", "payload"}` a line, of which `response_item` is what the model sees,
//! `event_msg` what a person sees, and `compacted` a rewritten history.
//!
//! A `token_count` reports on the response whose items stand before it, and counts only there:
//! around a compaction Codex also writes one for the request of the summary, and then an estimate
//! or the figure of before once more.

mod reader;
mod record;

pub(super) use reader::Codex;
