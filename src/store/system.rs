//! What the store asks of the system beside files: which process this is, and what time it is.
//!
//! Where the system has neither, as in a bare WebAssembly module, there is one process and nobody
//! to wait for: a lock that is not to be had at once is not waited for.

use std::{
    process,
    time::{Duration, Instant},
};

/// Whether there are processes and a clock.
const HAS_PROCESSES: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Until when something is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deadline {
    At(Instant),
    Never,
    Passed,
}

impl Deadline {
    /// Returns the end of a wait that begins now; one that is too long to be told never ends.
    pub(super) fn after(patience: Duration) -> Self {
        if !HAS_PROCESSES {
            return Self::Passed;
        }
        Instant::now().checked_add(patience).map_or(Self::Never, Self::At)
    }

    pub(super) fn left(self) -> Duration {
        match self {
            Self::At(end) => end.saturating_duration_since(Instant::now()),
            Self::Never => Duration::MAX,
            Self::Passed => Duration::ZERO,
        }
    }
}

/// Returns this process's number.
pub(super) fn process_number() -> u32 {
    if HAS_PROCESSES { process::id() } else { 0 }
}
