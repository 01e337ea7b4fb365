//! Signals: which ones end the program, and when it may finish its answer first.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    low_level::emulate_default_handler,
};

/// The signals that ask the program to end.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Sees to it that a write beyond the limit of a file's size fails, as one on a full disk does,
/// instead of ending the program.
///
/// The signal is caught rather than ignored: what is ignored stays so in the commands that we
/// start.
pub(crate) fn outlive_the_size_limit() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Sees to it that Ctrl-C ends what a pager does, and not us below it.
pub(crate) fn leave_the_interrupt_to_others() {
    let _ = flag::register(SIGINT, Arc::default());
}

/// The signals that ask the program to end, held back so that it can answer first. A second one
/// ends it at once.
#[derive(Debug)]
pub(crate) struct Held {
    came: [(i32, Arc<AtomicBool>); ENDING.len()],
}

impl Held {
    /// Holds them back from now on, until the program ends; one that cannot be held back goes on to
    /// end it at once.
    pub(crate) fn hold() -> Self {
        let is_second = Arc::<AtomicBool>::default();
        let came = ENDING.map(|signal| {
            let came = Arc::default();
            if !is_ignored(signal) {
                // In this order: the first one sets what the second one meets.
                let _ = flag::register_conditional_default(signal, Arc::clone(&is_second));
                let _ = flag::register(signal, Arc::clone(&is_second));
                let _ = flag::register(signal, Arc::clone(&came));
            }
            (signal, came)
        });
        Self { came }
    }

    /// Returns whether one has come.
    pub(crate) fn have_come(&self) -> bool {
        self.first().is_some()
    }

    /// Ends the program as the signal that came would have; where none came, returns.
    pub(crate) fn give_way(&self) {
        if let Some(signal) = self.first() {
            let _ = emulate_default_handler(signal);
        }
    }

    fn first(&self) -> Option<i32> {
        let came = self.came.iter().find(|(_, came)| came.load(Ordering::SeqCst));
        came.map(|(signal, _)| *signal)
    }
}

/// Returns whether a signal was ignored from the start, as under `nohup`: that holds on.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
