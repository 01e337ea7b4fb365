//! How far long work has come, for a person at a terminal.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Notices;

/// Work that is done sooner shows nothing.
const SILENT_FOR: Duration = Duration::from_secs(1);

/// How the work is shown: what it is, how much of it is done, and how long the rest will take.
const TEMPLATE: &str = "{msg} {wide_bar:.dim} {pos}/{len} {eta}";

/// How often it is drawn at the most, in times a second, however many steps there are.
const DRAWN_PER_SECOND: u8 = 10;

/// How far work has come, shown on stderr where that is a terminal, and once it takes long.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Where the bar is drawn.
    place: MultiProgress,
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
        let place = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let bar = place.add(ProgressBar::new(total as u64).with_message(what));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let shown = if notices.is_for_a_person() { Shown::NotYet } else { Shown::Never };
        Self { bar, place, since: Instant::now(), shown }
    }

    /// Goes on by one step.
    pub(crate) fn step(&mut self) {
        if self.shown == Shown::NotYet && self.since.elapsed() >= SILENT_FOR {
            let stderr = ProgressDrawTarget::stderr_with_hz(DRAWN_PER_SECOND);
            self.place.set_draw_target(stderr);
            self.shown = Shown::Now;
        }
        self.bar.inc(1);
    }

    /// Takes it off the screen for good.
    pub(crate) fn end(&mut self) {
        self.bar.finish_and_clear();
        self.shown = Shown::Never;
    }

    /// Runs `write`, which writes to stderr: the progress is taken off the screen, and comes back
    /// with a later step.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        if self.shown == Shown::Now {
            let _ = self.place.clear(); // what stays there is no more than ugly
        }
        write()
    }

    /// Runs `write`, which writes to stdout: the progress makes room where both are on the screen.
    pub(crate) fn beside_answer<T>(&self, write: impl FnOnce() -> T) -> T {
        if io::stdout().is_terminal() { self.aside(write) } else { write() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}
