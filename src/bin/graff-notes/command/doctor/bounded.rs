//! Programs of others: none is waited for without end, whatever it prints beyond a bound is never
//! kept, and nothing that it has started in its group is left at work.

use std::{
    io::{self, Read},
    mem,
    os::unix::process::CommandExt,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};

use crate::signals::Held;

/// More than this is read of no program, in bytes: a version is a line, and an answer with our note
/// is a page.
pub(super) const PRINTED_BYTES_MAX: u64 = 64 * 1024;

/// How often is looked whether it has printed something, or ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// So long is waited for one that was ended: only a file system that doesn't answer holds it back.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// A program at work, and what it has printed so far. When this goes it is ended, and with it what
/// it has started in its group, also where it has ended itself.
///
/// It prints into a pipe of which the other end was ours before it ran, so that nothing which it
/// does to files can stand in for what it printed. The pipe is never waited for: it stays open for
/// as long as whatever the program starts.
#[derive(Debug)]
pub(super) struct Running {
    program: Child,
    stdout: Option<ChildStdout>,
    printed: Vec<u8>,
    /// Nobody has asked yet how it ended, so that its number is nobody else's.
    is_unasked: bool,
}

/// What a program came to.
#[derive(Debug)]
pub(super) enum Ran {
    /// It ended by itself, and had printed this.
    Ended(ExitStatus, Vec<u8>),
    /// It printed more than [`PRINTED_BYTES_MAX`].
    SaidTooMuch,
    /// It went on until the deadline, or until we are to end.
    WentOn,
}

impl Running {
    /// Starts a program, as the first of a process group of its own; what it says on stderr is for
    /// nobody.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut program = command.process_group(0).spawn()?;
        let stdout = program.stdout.take();
        let running = Self { program, stdout, printed: Vec::new(), is_unasked: true };
        if let Some(stdout) = &running.stdout {
            fcntl_setfl(stdout, OFlags::NONBLOCK)?;
        }
        Ok(running)
    }

    /// Waits for its end.
    pub(super) fn end_by(mut self, deadline: Instant, held: &Held) -> io::Result<Ran> {
        loop {
            // In this order: all that it printed is in the pipe by then.
            let has_ended = self.has_ended()?;
            self.listen()?;
            if self.printed.len() as u64 > PRINTED_BYTES_MAX {
                return Ok(Ran::SaidTooMuch);
            }
            if has_ended {
                let status = self.end()?;
                return Ok(Ran::Ended(status, mem::take(&mut self.printed)));
            }
            if Instant::now() >= deadline || held.have_come() {
                return Ok(Ran::WentOn);
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Returns whether it has ended, without asking how: its number, and that of its group, stay
    /// its own until then.
    fn has_ended(&self) -> io::Result<bool> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(&self.program)), look)?.is_some())
    }

    /// Takes what stands in the pipe, as much of it as is wanted.
    fn listen(&mut self) -> io::Result<()> {
        let Some(stdout) = &mut self.stdout else { return Ok(()) };
        let wanted = (PRINTED_BYTES_MAX + 1).saturating_sub(self.printed.len() as u64);
        match stdout.take(wanted).read_to_end(&mut self.printed) {
            Err(e) if e.kind() != io::ErrorKind::WouldBlock => Err(e),
            _ => Ok(()),
        }
    }

    /// Ends all that is at work in its group, and asks how it has ended itself.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if mem::replace(&mut self.is_unasked, false) {
            let _ = kill_process_group(Pid::from_child(&self.program), Signal::KILL);
        }
        self.program.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_unasked {
            return;
        }
        let _ = kill_process_group(Pid::from_child(&self.program), Signal::KILL);
        let _ = self.program.kill(); // it may have gone over to another group
        let begun = Instant::now();
        while let Ok(false) = self.has_ended() {
            if begun.elapsed() > LAST_WAIT {
                return;
            }
            thread::sleep(LOOK_EVERY);
        }
        let _ = self.program.wait();
    }
}
