//! A run of the program, or of a call, and what it took.

use std::{
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How often something is timed, of which the least counts.
const RUNS: u32 = 5;

/// How many runs are watched for the most that they hold: of a short one, no look may come in time.
const WATCHED: u32 = 3;

/// What stands in an argument for the number of the run.
pub(crate) const RUN: &str = "{run}";

/// How long the program is left to itself between two looks at its memory.
const LOOK: Duration = Duration::from_micros(200);

/// What something took.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) time: Duration,
    /// The most memory that was held at once, in KiB; `None` for a call within this process.
    pub(crate) peak_kib: Option<u64>,
}

/// Times the call, the least of some runs.
pub(crate) fn call<T>(mut call: impl FnMut() -> T) -> Measured {
    let time = least(|| drop(std::hint::black_box(call())));
    Measured { time, peak_kib: None }
}

/// Times runs of the program in the store at `root`, and watches the memory of some more; [`RUN`]
/// in an argument is another number each time.
pub(crate) fn program(root: &Path, args: &[&str]) -> Measured {
    let mut run = 0;
    let mut command = || {
        run += 1;
        let mut command = Command::new(env!("CARGO_BIN_EXE_graff-notes"));
        command.args(args.iter().map(|arg| arg.replace(RUN, &run.to_string())));
        command.env("GRAFF_ROOT", root).env("HOME", root);
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let time = least(|| {
        let ended = command().status().expect("it starts");
        assert!(ended.success(), "{args:?}");
    });
    let peaks = (0..WATCHED).map(|_| peak(command().spawn().expect("it starts")));
    Measured { time, peak_kib: peaks.max() }
}

fn least(mut work: impl FnMut()) -> Duration {
    let timed = (0..RUNS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}

/// Watches a process to its end; what it came to hold in its last moment can go unseen.
fn peak(mut child: Child) -> u64 {
    let (status, mut peak) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().expect("a child").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let most = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let most = most.and_then(|most| most.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(most.unwrap_or(0));
        thread::sleep(LOOK);
    }
    peak
}
