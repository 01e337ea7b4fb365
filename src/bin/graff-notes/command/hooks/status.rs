//! `hooks status`: which agents have the hooks, whether they can call us, and when they did.

use clap::Args;
use graff_notes::host::hook::Host;

use super::{
    lines::{Lost, Narrow},
    standing::{Installed, LastCall, PROGRAM, Standing, standings},
};
use crate::{
    context::Context,
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Clock, Form, Table},
    selection::Times,
};

/// Which agents are asked about.
#[derive(Args, Debug)]
pub(super) struct Status {
    /// Agent; all of them without one
    #[arg(value_name = "HOST")]
    host: Option<Host>,
    #[command(flatten)]
    times: Times,
}

impl Status {
    pub(super) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let standings = standings(cx.root()?.path, self.host);
        heard_or_not(match cx.out.form() {
            Form::Json => standings.iter().try_for_each(|standing| cx.out.json(standing)),
            form => show(cx, &standings, &self.times.clock(form)),
        })?;
        let unreadable = standings.into_iter().flat_map(Standing::failures);
        Ok(unreadable.fold(Exit::Done, |_, failure| cx.notices.failure(&failure)))
    }
}

impl Standing {
    fn words(&self) -> String {
        let is_off = matches!(self.installed, Installed::Yes) && self.switched_off.is_some();
        let off = if is_off { ", switched off" } else { "" };
        let trials = match self.trials.as_slice() {
            [] => String::new(),
            events => format!(", a trial on {}", events.join(" and ")),
        };
        let lost = Lost::words(&self.lost);
        let has_ours = !matches!(self.installed, Installed::No);
        let unread = self.unread.filter(|_| has_ours).map(|it| it.to_string());
        let but: String = unread.iter().chain(&lost).flat_map(|why| [", but ", why]).collect();
        [&self.installed.words(), off, &but, &trials].concat()
    }

    fn cells(&self, clock: &Clock) -> Vec<Cell> {
        let trusted = match (self.trusted, &self.untold) {
            (Some(true), _) => "on record",
            (Some(false), _) => "no",
            (None, Some(_)) => "unknown",
            (None, None) => "-",
        };
        let called = self.last_called.as_ref();
        let called = called.map(|LastCall { at, event }| format!("{} ({event})", clock.show(*at)));
        vec![
            Cell::text(self.host.as_str()),
            Cell::text(self.scope.to_string()),
            Cell::text(self.words()),
            Cell::text(trusted),
            Cell::text(self.reachable.as_ref().map_or("no", |it| it.as_str())),
            Cell::text(called.unwrap_or_else(|| "never".to_owned())),
            Cell::text(self.settings.as_str()),
        ]
    }
}

impl Installed {
    fn words(&self) -> String {
        match self {
            Self::Yes => "yes".to_owned(),
            Self::No => "no".to_owned(),
            Self::Partly { missing, narrow } => {
                format!("without {}{}", missing.join(", "), Narrow::words(narrow))
            }
            Self::Unreadable { .. } => "unreadable".to_owned(),
        }
    }
}

fn show(cx: &mut Context, standings: &[Standing], clock: &Clock) -> Result<(), Stop> {
    let mut table = Table::uncut(&[
        "HOST",
        "SCOPE",
        "INSTALLED",
        "TRUSTED",
        "REACHABLE",
        "LAST CALL",
        "SETTINGS",
    ]);
    for standing in standings {
        table.row(&mut cx.out, standing.cells(clock))?;
    }
    table.end(&mut cx.out)?;
    let installed = standings.iter().any(|it| matches!(it.installed, Installed::Yes));
    if installed && standings.iter().all(|it| it.reachable.is_none()) {
        cx.notices.warn(format_args!("the agents won't find {PROGRAM}: no folder in PATH has it"));
    }
    Ok(())
}
