//! The specification: one module a promise.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails the test that called it"
)]

mod properties;
mod support;

mod agent_loop;
#[cfg(target_os = "linux")]
mod bounds;
mod budget;
#[cfg(target_os = "linux")]
mod costs;
mod crash;
mod facts;
mod failing_disk;
mod faults;
mod following;
mod format;
mod fuzzed;
mod gate;
mod hooks;
#[cfg(target_os = "linux")]
mod hostile;
mod instruction;
#[cfg(feature = "mcp")]
mod mcp;
mod names;
mod notebook;
#[cfg(target_os = "linux")]
mod processes;
mod program;
#[cfg(target_os = "linux")]
mod real_disk;
mod replay;
mod replies;
mod splice;
mod store;
mod threshold;
mod tidy;
mod transcripts;
mod turn;
mod usage;
