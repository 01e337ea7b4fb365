//! The promise: whatever happens around a turn's end, nothing is handed off but what must be, at
//! the moment when it costs least; nothing the user said is lost; and a history that the provider
//! refuses is brought back in three steps or not at all.
//!
//! Shown by driving a conversation through whole turns against a model that answers from a script
//! and records what it was asked. The modules below follow a turn: its end, the steers, the
//! summary, the overflow, what providers say, and the figures of reported faults.

mod awaits;
mod cap;
mod faults;
mod handoffs;
mod history;
mod limits;
mod orders;
mod overflow;
mod payment;
mod provider_errors;
mod quoting;
mod reasons;
mod rescue;
mod rollover;
mod script;
mod steers;
mod summary;
mod world;
