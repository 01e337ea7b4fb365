//! Programs of others, run until they end or have overrun their time.

use std::{
    io,
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::signals::Held;

/// How often is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A program at work. Where it still is when this goes, it is ended, and with it what it has
/// started in its group; what a program leaves at work that ended by itself stays.
#[derive(Debug)]
pub(super) struct Running(Child);

impl Running {
    /// Starts a program, as the first of a process group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        command.process_group(0).spawn().map(Self)
    }

    /// Waits for its end; returns `None` where it went on until the deadline, or until we are to
    /// end.
    pub(super) fn end_by(
        mut self,
        deadline: Instant,
        held: &Held,
    ) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline || held.have_come() {
                return Ok(None);
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }
}
