//! Which sessions and which records a command is about, and how it shows their times, as flags.

use clap::{ArgMatches, Args, Command, ValueEnum, error::ErrorKind};
use glob::Pattern;
use graff_notes::{session::SessionName, units::Timestamp};

use crate::{
    context::now,
    moment::Moment,
    output::{Clock, Form, quoted},
};

/// Which records of which sessions a command over all of them is about, and how it shows their
/// times.
#[derive(Args, Debug)]
pub(crate) struct Selection {
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) times: Times,
}

/// The sessions that a command over all of them is about.
#[derive(Args, Debug)]
pub(crate) struct Scope {
    /// Only the sessions whose names match: `*` stands for anything, `?` for one character, `[a-c]`
    /// for one of these
    #[arg(long, value_name = "GLOB", value_parser = Pattern::new, allow_hyphen_values = true)]
    session_glob: Option<Pattern>,
}

/// The time that a command is about; both ends belong to it.
#[derive(Args, Debug)]
pub(crate) struct Period {
    /// Leaves out what is older than this: a day of this machine's time zone (2026-08-01,
    /// yesterday), a time (14:30, 2026-08-01T14:30Z), or how long ago (2h, 3 days ago)
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    since: Option<Moment>,
    /// Leaves out what is newer than this; a day counts to its end, so that one and the same day
    /// for both is all of that day
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    until: Option<Moment>,
}

/// How a command shows times.
#[derive(Args, Debug)]
pub(crate) struct Times {
    /// How times are shown; without it iso in a pipe, and on a terminal relative, but local in
    /// `follow`, whose lines stay, and iso in `export`
    #[arg(long, value_name = "STYLE")]
    time: Option<TimeStyle>,
}

/// A way to show a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeStyle {
    /// 2026-08-01T12:30:00Z, in UTC
    Iso,
    /// 3 hours ago
    Relative,
    /// 2026-08-01 14:30:00 +02:00, in the time zone of this machine
    Local,
}

/// Refuses a time that ends before it begins: nothing is of it, which nobody means.
pub(crate) fn check_period(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let mut lowest = matches;
    while let Some((_, below)) = lowest.subcommand() {
        lowest = below;
    }
    let end = |flag| lowest.try_get_one::<Moment>(flag).ok().flatten();
    match (end("since"), end("until")) {
        (Some(since), Some(until)) if since.first > until.last => {
            let why = "the time from --since to --until is empty: it ends before it begins";
            Err(command.error(ErrorKind::ValueValidation, why))
        }
        _ => Ok(()),
    }
}

impl Selection {
    /// Returns the names of the flags that were given to leave sessions out.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let glob = (!self.scope.is_everything()).then_some("--session-glob");
        glob.into_iter().chain(self.period.given()).collect()
    }

    /// Returns whether all records of all sessions are meant.
    pub(crate) fn is_everything(&self) -> bool {
        self.scope.is_everything() && self.period.is_everything()
    }
}

impl Scope {
    /// Returns whether a session is meant.
    pub(crate) fn holds(&self, session: &SessionName) -> bool {
        self.session_glob.as_ref().is_none_or(|glob| glob.matches(session.as_str()))
    }

    /// Returns the flags that mean the same sessions again, with a space before each.
    pub(crate) fn flags(&self) -> String {
        let glob = self.session_glob.as_ref();
        glob.map_or_else(String::new, |glob| format!(" --session-glob {}", quoted(glob.as_str())))
    }

    /// Returns whether all sessions are meant.
    pub(crate) fn is_everything(&self) -> bool {
        self.session_glob.is_none()
    }
}

impl Period {
    /// Returns whether a time is meant; where one is not on record, only if any is.
    pub(crate) fn holds(&self, at: Timestamp) -> bool {
        let known = at > Timestamp::ZERO;
        self.since.is_none_or(|since| known && at >= since.first)
            && self.until.is_none_or(|until| known && at <= until.last)
    }

    /// Returns the names of the flags that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> + use<> {
        let ends = [("--since", self.since), ("--until", self.until)];
        ends.into_iter().filter_map(|(flag, end)| end.map(|_| flag))
    }

    /// Returns whether it ends, so that what went on since can be left out.
    pub(crate) fn ends(&self) -> bool {
        self.until.is_some()
    }

    fn is_everything(&self) -> bool {
        self.given().next().is_none()
    }
}

impl Times {
    /// Returns what shows times as asked, else as is usual for `form`.
    pub(crate) fn clock(&self, form: Form) -> Clock {
        self.lasting_clock(form, TimeStyle::Relative)
    }

    /// Returns the same for an answer that goes on, where `usual` is what is shown on a terminal.
    pub(crate) fn lasting_clock(&self, form: Form, usual: TimeStyle) -> Clock {
        let usual = if form == Form::Terminal { usual } else { TimeStyle::Iso };
        Clock::new(self.time.unwrap_or(usual), now())
    }
}
