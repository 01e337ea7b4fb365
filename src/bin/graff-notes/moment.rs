//! A time as a person names it: a day, a time of day, how long ago, or as RFC 3339 has it.
//!
//! What is named lasts: a day until it ends, a minute and a second likewise. So the same word can
//! begin a period and end it.

use graff_notes::units::Timestamp;
use jiff::{Span, ToSpan, Unit, ZonedDateTime, fmt::strtime, tz::TimeZone};

/// How a day and a time of day are written, and what lasts how long.
const FORMATS: [(&str, Unit); 5] = [
    ("%Y-%m-%d", Unit::Day),
    ("%Y-%m-%d %H:%M", Unit::Minute),
    ("%Y-%m-%dT%H:%M", Unit::Minute),
    ("%Y-%m-%d %H:%M:%S", Unit::Second),
    ("%Y-%m-%dT%H:%M:%S", Unit::Second),
];

/// A time that somebody named, from its first millisecond to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Its first millisecond.
    pub(crate) first: Timestamp,
    /// Its last millisecond.
    pub(crate) last: Timestamp,
}

impl Moment {
    /// Returns the time that `text` names today, in the time zone of this machine.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text.trim(), &ZonedDateTime::now()).ok_or_else(|| {
            "write a day (2026-08-01, today, yesterday), a time (14:30, 2026-08-01 14:30, \
             2026-08-01T14:30:00Z), or how long ago (2h, 3 days ago)"
                .to_owned()
        })
    }

    fn read(text: &str, now: &ZonedDateTime) -> Option<Self> {
        match text {
            "now" => return Self::lasting(now, Unit::Millisecond),
            "today" => return Self::lasting(&now.start_of_day().ok()?, Unit::Day),
            "yesterday" => {
                return Self::lasting(&now.yesterday().ok()?.start_of_day().ok()?, Unit::Day);
            }
            _ => {}
        }
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Self::lasting(&instant.to_zoned_datetime(TimeZone::UTC), Unit::Second);
        }
        if let Ok(span) = text.parse::<Span>() {
            return Self::lasting(&now.checked_sub(span.abs()).ok()?, Unit::Millisecond);
        }
        let is_today = text.contains(':') && !text.contains('-');
        let text = if is_today { format!("{} {text}", now.date()) } else { text.to_owned() };
        FORMATS.iter().find_map(|(format, unit)| {
            let named = strtime::parse(format, &text).and_then(|read| read.to_datetime()).ok()?;
            Self::lasting(&named.to_zoned_datetime(now.time_zone().clone()).ok()?, *unit)
        })
    }

    fn lasting(from: &ZonedDateTime, unit: Unit) -> Option<Self> {
        let length = match unit {
            Unit::Day => 1.day(),
            Unit::Minute => 1.minute(),
            Unit::Second => 1.second(),
            _ => 1.millisecond(),
        };
        let end = from.checked_add(length).ok()?;
        let last = millis(&end).saturating_sub(1);
        Some(Self { first: Timestamp::new(millis(from)), last: Timestamp::new(last) })
    }
}

/// Returns the time as a log has it; before 1970 there is none.
fn millis(at: &ZonedDateTime) -> u64 {
    u64::try_from(at.timestamp().as_millisecond()).unwrap_or(0)
}
