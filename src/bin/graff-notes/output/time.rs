//! Times, as a person reads them and as a script does.

use graff_notes::units::Timestamp;

/// The steps of a relative time: from how many seconds on, in which unit, of how many seconds.
const STEPS: [(u64, &str, u64); 5] = [
    (2 * YEAR, "year", YEAR),
    (2 * 86_400, "day", 86_400),
    (2 * 3_600, "hour", 3_600),
    (120, "min", 60),
    (2, "s", 1),
];

/// A year of 365 days, in seconds.
const YEAR: u64 = 365 * 86_400;

/// Returns the time in UTC, as RFC 3339 has it; `-` where none is on record.
pub(crate) fn iso(at: Timestamp) -> String {
    if at == Timestamp::ZERO { "-".to_owned() } else { at.utc().to_string() }
}

/// Returns how long ago a time is, seen from `now`; `-` where none is on record.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    if at == Timestamp::ZERO {
        return "-".to_owned();
    }
    let seconds = at.get().abs_diff(now.get()) / 1_000;
    let Some((_, unit, length)) = STEPS.iter().find(|(from, ..)| seconds >= *from) else {
        return "just now".to_owned();
    };
    let count = seconds / length;
    let plural = if matches!(*unit, "s" | "min") { "" } else { "s" };
    if at <= now {
        format!("{count} {unit}{plural} ago")
    } else {
        format!("in {count} {unit}{plural}")
    }
}
