//! Builders of worlds for the tests.

pub(crate) mod awaited;
#[cfg(target_os = "linux")]
pub(crate) mod child;
pub(crate) mod faulty;
#[cfg(feature = "cli")]
pub(crate) mod found;
pub(crate) mod ledger;
pub(crate) mod logs;
pub(crate) mod long_transcript;
pub(crate) mod notes;
pub(crate) mod plain_list;
#[cfg(feature = "cli")]
pub(crate) mod ran;
#[cfg(feature = "cli")]
pub(crate) mod schema;
pub(crate) mod server;
#[cfg(feature = "cli")]
pub(crate) mod traced;
#[cfg(target_os = "linux")]
pub(crate) mod watched;
#[cfg(feature = "cli")]
pub(crate) mod world;

use graff_notes::gate::{Boundary, Notes, Provider, Session, Situation};
use graff_notes::units::{Calls, Generation, Tokens};

/// A situation in which the gate fires, for reasons that no figure is near to changing.
pub(crate) fn situation() -> Situation {
    Situation {
        notes: Notes::On,
        depth: 0,
        session: Session::Named,
        generation: Generation::new(3),
        attempted: Some(Generation::new(2)),
        remaining: Calls::new(20),
        reserve: Calls::new(6),
        cost: Calls::new(1),
        provider: Provider::Accepted,
        boundary: Boundary::EndOfTurn,
        window: Tokens::new(200_000),
        effective: Tokens::new(100_000),
    }
}

/// Says a figure on the test run's output, past the harness, which keeps what passing tests print.
pub(crate) fn report(figure: std::fmt::Arguments<'_>) {
    let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{figure}\n"));
}

/// Waits until something is so that comes by itself, and fails where it does not come in a minute.
#[cfg(any(target_os = "linux", feature = "cli"))]
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(60), "not in a minute: {what}");
        std::thread::yield_now();
    }
}

/// Says on the test run's output why a test shows nothing on this machine; it fails there, where
/// the variable `GRAFF_NOTES_SKIP_NOTHING` says that this machine is to show everything.
#[cfg(any(target_os = "linux", feature = "cli"))]
#[track_caller]
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("GRAFF_NOTES_SKIP_NOTHING").is_none(), "skipped: {why}");
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default(); // the harness names it so
    report(format_args!("SKIPPED: {test}: {why}"));
}

/// How much memory a process has held at the most, in KiB.
#[cfg(target_os = "linux")]
#[track_caller]
pub(crate) fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it is at work");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}
