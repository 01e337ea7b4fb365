//! Programs whose system calls fail, or are the last they make, by the order of a test.

use std::process::{Command, Stdio};

use super::skipped;

/// A command under strace with these arguments of strace's, without standard input and with no
/// other environment than its own; `None` where strace is not to be had.
#[track_caller]
pub(crate) fn under_strace(strace: &[&str], plain: &Command) -> Option<Command> {
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        skipped("strace is not to be had, or may not trace here");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(strace).arg(plain.get_program()).args(plain.get_args());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path))); // where strace is
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Some(command)
}
