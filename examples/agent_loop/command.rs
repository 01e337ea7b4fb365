//! A shell command, which ends with all that it has started, whatever happens.

use std::{
    io::{self, PipeReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use super::tools::BYTES_MAX;

/// The longest that a command may run.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked at.
const TICK: Duration = Duration::from_millis(10);

/// How long the rest of its output is waited for once it has ended.
const GRACE: Duration = Duration::from_millis(500);

/// What came of a command.
pub(super) struct Run {
    pub(super) end: End,
    /// What it wrote, up to [`BYTES_MAX`].
    pub(super) output: Vec<u8>,
    /// How many bytes it wrote beyond that.
    pub(super) left_out: u64,
}

/// How a command ended.
pub(super) enum End {
    /// By itself, with this status where it has one.
    Exited(Option<i32>),
    /// It ran for too long.
    TimedOut,
    /// The user did not want to wait for it.
    Cancelled,
}

/// What was read of a command's output so far.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    left_out: u64,
}

/// Runs a command in `folder`.
pub(super) fn run_in(
    folder: &Path,
    command: &str,
    cancelled: &mut dyn FnMut() -> bool,
) -> io::Result<Run> {
    let (reader, writer) = io::pipe()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
    shell.stdout(writer.try_clone()?).stderr(writer);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let mut child = shell.spawn()?;
    drop(shell); // with its ends of the pipe
    let output = Arc::new(Mutex::new(Output::default()));
    let ended = read(reader, Arc::clone(&output));
    let end = wait(&mut child, cancelled);
    kill_all(&mut child);
    child.wait()?;
    let _ = ended.recv_timeout(GRACE); // somebody may have left the group, and still write
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let Output { bytes, left_out } = std::mem::take(&mut *output);
    Ok(Run { end: end?, output: bytes, left_out })
}

/// Reads what a command writes, and tells when it has ended.
fn read(mut reader: PipeReader, output: Arc<Mutex<Output>>) -> mpsc::Receiver<()> {
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 8_192];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let read = buffer.get(..count).unwrap_or_default();
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            let held = u64::try_from(output.bytes.len()).unwrap_or(u64::MAX);
            let room = usize::try_from(BYTES_MAX.saturating_sub(held)).unwrap_or(usize::MAX);
            let (kept, rest) = read.split_at(room.min(read.len()));
            output.bytes.extend(kept);
            output.left_out += u64::try_from(rest.len()).unwrap_or(u64::MAX);
        }
        let _ = sender.send(());
    });
    ended
}

fn wait(child: &mut Child, cancelled: &mut dyn FnMut() -> bool) -> io::Result<End> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status.code()));
        }
        if cancelled() {
            return Ok(End::Cancelled);
        }
        if began.elapsed() > PATIENCE {
            return Ok(End::TimedOut);
        }
        thread::sleep(TICK);
    }
}

/// Ends the command and what it has started: its process group.
fn kill_all(child: &mut Child) {
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    let _ = child.kill();
}
