//! Times gathered by hour, day, week, month or year, whichever makes a chart that fits a screen.

use std::{collections::BTreeMap, iter};

use graff_notes::units::Timestamp;
use jiff::{Span, ToSpan, ZonedDateTime, civil::Weekday, tz::TimeZone};
use serde::Serialize;

/// The most bars that a finer step may make; a coarser one is taken then.
const BARS_MAX: usize = 31;

/// How long one bar of a chart lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// How many times fall into each step, from the first that has any to the last.
#[derive(Debug)]
pub(crate) struct Calendar {
    pub(crate) step: Step,
    pub(crate) bars: Vec<(ZonedDateTime, u64)>,
}

impl Calendar {
    /// Gathers times in `zone`; those that are not on record, or beyond any calendar, are left out.
    ///
    /// Steps without a time have a bar too, unless there are more of them than fit a screen.
    pub(crate) fn of(times: &[Timestamp], zone: &TimeZone) -> Self {
        let times: Vec<_> = times.iter().filter_map(|at| zoned(*at, zone)).collect();
        let starts = |step: Step| (step, step.starts(&times));
        let fits = |(_, starts): &(Step, Vec<_>)| starts.len() <= BARS_MAX;
        let (step, starts) =
            Step::ALL.into_iter().map(starts).find(fits).unwrap_or((Step::Year, Vec::new()));
        let mut bars: BTreeMap<_, _> = starts.into_iter().map(|start| (start, 0)).collect();
        for at in &times {
            *bars.entry(step.start(at)).or_default() += 1;
        }
        Self { step, bars: bars.into_iter().collect() }
    }
}

impl Step {
    const ALL: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Returns the name of a bar that begins `at` a time.
    pub(crate) fn label(self, at: &ZonedDateTime) -> String {
        let format = match self {
            Self::Hour => "%Y-%m-%d %H:%M",
            Self::Day | Self::Week => "%Y-%m-%d",
            Self::Month => "%Y-%m",
            Self::Year => "%Y",
        };
        at.strftime(format).to_string()
    }

    /// Returns the word for it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Returns the starts of all steps from the first of `times` to the last, or more than fit.
    fn starts(self, times: &[ZonedDateTime]) -> Vec<ZonedDateTime> {
        let (Some(first), Some(last)) = (times.iter().min(), times.iter().max()) else {
            return Vec::new();
        };
        let next = |at: &ZonedDateTime| Some(self.start(&at.checked_add(self.span()).ok()?));
        let starts = iter::successors(Some(self.start(first)), next);
        starts.take_while(|at| at <= last).take(BARS_MAX + 1).collect()
    }

    /// Returns when the step that a time falls into begins.
    fn start(self, at: &ZonedDateTime) -> ZonedDateTime {
        let start = match self {
            Self::Hour => at.with().minute(0).second(0).subsec_nanosecond(0).build(),
            Self::Day => at.start_of_day(),
            Self::Week => {
                let days = i64::from(at.weekday().since(Weekday::Monday));
                at.checked_sub(days.days()).and_then(|at| at.start_of_day())
            }
            Self::Month => at.first_of_month().and_then(|at| at.start_of_day()),
            Self::Year => at.first_of_year().and_then(|at| at.start_of_day()),
        };
        start.unwrap_or_else(|_| at.clone())
    }

    fn span(self) -> Span {
        match self {
            Self::Hour => 1.hour(),
            Self::Day => 1.day(),
            Self::Week => 1.week(),
            Self::Month => 1.month(),
            Self::Year => 1.year(),
        }
    }
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Option<ZonedDateTime> {
    let millis = i64::try_from(at.get()).ok().filter(|millis| *millis > 0)?;
    let instant = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(instant.to_zoned_datetime(zone.clone()))
}
