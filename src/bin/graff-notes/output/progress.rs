//! How far long work has come, for a person at a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Notices;

/// Work that is done sooner shows nothing.
const SILENT_FOR: Duration = Duration::from_secs(1);

/// How the work is shown: what it is, how much of it is done, and how long the rest will take.
const TEMPLATE: &str = "{msg} {wide_bar:.dim} {pos}/{len} {eta}";

/// How far work has come, shown on stderr where that is a terminal, and once it takes long.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Never,
    NotYet,
    Now,
}

impl Progress {
    /// Returns the progress of work in `total` steps, `what` being its name.
    pub(crate) fn new(notices: &Notices, total: usize, what: &'static str) -> Self {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(total as u64), target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let shown = if notices.is_for_a_person() { Shown::NotYet } else { Shown::Never };
        Self { bar, since: Instant::now(), shown }
    }

    /// Goes on by one step.
    pub(crate) fn step(&mut self) {
        if self.shown == Shown::NotYet && self.since.elapsed() >= SILENT_FOR {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = Shown::Now;
        }
        self.bar.inc(1);
    }

    /// Takes it off the screen for good.
    pub(crate) fn end(&mut self) {
        self.bar.finish_and_clear();
        self.shown = Shown::Never;
    }

    /// Runs `write`, which writes to the terminal that the progress may be shown on.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.shown {
            Shown::Now => self.bar.suspend(write),
            Shown::Never | Shown::NotYet => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}
