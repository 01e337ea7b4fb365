//! Times, as a person reads them and as a script does.

use graff_notes::units::Timestamp;
use jiff::tz::TimeZone;

use crate::selection::TimeStyle;

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

/// What shows all times of an answer in one style, and seen from one moment.
#[derive(Debug)]
pub(crate) struct Clock {
    style: TimeStyle,
    now: Timestamp,
}

impl Clock {
    pub(crate) const fn new(style: TimeStyle, now: Timestamp) -> Self {
        Self { style, now }
    }

    /// Returns the time zone that days begin in.
    pub(crate) fn zone(&self) -> TimeZone {
        match self.style {
            TimeStyle::Iso => TimeZone::UTC,
            TimeStyle::Relative | TimeStyle::Local => TimeZone::system(),
        }
    }

    /// Returns a time as it is shown; `-` where none is on record.
    pub(crate) fn show(&self, at: Timestamp) -> String {
        match self.style {
            TimeStyle::Iso => iso(at),
            TimeStyle::Relative => ago(at, self.now),
            TimeStyle::Local => local(at),
        }
    }
}

/// Returns the time in UTC, as RFC 3339 has it; `-` where none is on record.
fn iso(at: Timestamp) -> String {
    if at == Timestamp::ZERO { "-".to_owned() } else { at.utc().to_string() }
}

/// Returns the time where this machine stands, with how far that is from UTC.
fn local(at: Timestamp) -> String {
    let known = (at > Timestamp::ZERO).then_some(at.get());
    let instant = known
        .and_then(|millis| i64::try_from(millis).ok())
        .and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    match instant {
        Some(instant) => instant
            .to_zoned_datetime(TimeZone::system())
            .strftime("%Y-%m-%d %H:%M:%S %:z")
            .to_string(),
        None => iso(at),
    }
}

/// Returns how long ago a time is, seen from `now`; `-` where none is on record.
fn ago(at: Timestamp, now: Timestamp) -> String {
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
