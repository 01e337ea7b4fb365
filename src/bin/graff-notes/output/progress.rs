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
///
/// Elsewhere no step of it costs anything.
#[derive(Debug)]
pub(crate) struct Progress(Option<Shown>);

/// What a person sees of it.
#[derive(Debug)]
struct Shown {
    bar: ProgressBar,
    /// Where the bar is drawn.
    place: MultiProgress,
    since: Instant,
    begun: Begun,
}

/// Whether the bar is drawn yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    NotYet,
    Now,
}

impl Progress {
    /// Returns the progress of work in `total` steps, `what` being its name.
    pub(crate) fn new(notices: &Notices, total: usize, what: &'static str) -> Self {
        Self(notices.is_for_a_person().then(|| Shown::new(total as u64, what)))
    }

    /// Goes on by one step.
    pub(crate) fn step(&mut self) {
        if let Some(shown) = &mut self.0 {
            shown.step();
        }
    }

    /// Takes it off the screen for good.
    pub(crate) fn end(&mut self) {
        if let Some(shown) = self.0.take() {
            shown.bar.finish_and_clear();
        }
    }

    /// Runs `write`, which writes to stderr: the progress is taken off the screen, and comes back
    /// with a later step.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        if let Some(shown) = self.0.as_ref().filter(|shown| shown.begun == Begun::Now) {
            let _ = shown.place.clear(); // what stays there is no more than ugly
        }
        write()
    }

    /// Runs `write`, which writes to stdout: the progress makes room where both are on the screen.
    pub(crate) fn beside_answer<T>(&self, write: impl FnOnce() -> T) -> T {
        if io::stdout().is_terminal() { self.aside(write) } else { write() }
    }
}

impl Shown {
    fn new(total: u64, what: &'static str) -> Self {
        let place = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let bar = place.add(ProgressBar::new(total).with_message(what));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self { bar, place, since: Instant::now(), begun: Begun::NotYet }
    }

    fn step(&mut self) {
        if self.begun == Begun::NotYet && self.since.elapsed() >= SILENT_FOR {
            let stderr = ProgressDrawTarget::stderr_with_hz(DRAWN_PER_SECOND);
            self.place.set_draw_target(stderr);
            self.begun = Begun::Now;
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}
