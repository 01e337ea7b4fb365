//! The promise: a user of an existing agent installs one hook, goes on working, and what the agent
//! was in the middle of survives every compaction; nothing else changes.
//!
//! Shown by the payloads and transcripts that the real agents wrote, and by the built program.

mod answers;
#[cfg(feature = "cli")]
mod backups;
#[cfg(feature = "cli")]
mod by_root;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod changes;
#[cfg(feature = "cli")]
mod compactions;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod cost;
#[cfg(feature = "cli")]
mod desk;
#[cfg(feature = "cli")]
mod dry_run;
#[cfg(feature = "cli")]
mod goose;
#[cfg(feature = "cli")]
mod hindrances;
#[cfg(feature = "cli")]
mod installs;
mod lines;
#[cfg(feature = "cli")]
mod misuse;
#[cfg(feature = "cli")]
mod own_lines;
mod payloads;
#[cfg(feature = "cli")]
mod places;
#[cfg(feature = "cli")]
mod plugin;
mod progress;
#[cfg(feature = "cli")]
mod reported;
mod script;
mod settings;
#[cfg(feature = "cli")]
mod splices;
#[cfg(feature = "cli")]
mod standing;
mod tails;
#[cfg(feature = "cli")]
mod turns;
#[cfg(feature = "cli")]
mod unread;
mod word;

use std::fs;

use graff_notes::host::hook::Host;

/// A payload as the host sent it.
#[track_caller]
fn payload(host: Host, name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks");
    fs::read(format!("{folder}/{host}/{name}.json")).expect("a recorded payload")
}
