//! `hooks status`: which agents have the hooks, whether they can call us, and when they did.

use std::{
    env, fs,
    time::{Duration, UNIX_EPOCH},
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    ErrorKind,
    host::{
        hook::Host,
        settings::{self, Registration},
    },
    units::Timestamp,
};
use serde::Serialize;

use super::{
    file::PersonsFile,
    place::{Scope, codex_config, places},
    setting::Setting,
};
use crate::{
    command::hook::last_called,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    output::{Cell, Clock, Form, Table},
    selection::Times,
};

/// The program as the hosts' settings name it.
const PROGRAM: &str = "graff-notes";

/// Which agents are asked about.
#[derive(Args, Debug)]
pub(super) struct Status {
    /// Agent; all of them without one
    #[arg(value_name = "HOST")]
    host: Option<Host>,
    #[command(flatten)]
    times: Times,
}

/// How an agent stands to us.
#[derive(Serialize)]
pub(in crate::command) struct Standing {
    pub(in crate::command) host: &'static str,
    pub(in crate::command) scope: &'static str,
    pub(in crate::command) settings: Utf8PathBuf,
    pub(in crate::command) installed: Installed,
    /// Whether Codex has trust on record for each hook; null for the others.
    pub(in crate::command) trusted: Option<bool>,
    /// Where the program lies that the agent will find; null where there is none.
    pub(in crate::command) reachable: Option<Utf8PathBuf>,
    last_called: Option<LastCall>,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(in crate::command) enum Installed {
    Yes,
    No,
    Partly { missing: Vec<&'static str> },
    Unreadable { why: String },
}

#[derive(Serialize)]
struct LastCall {
    at: Timestamp,
    event: String,
}

impl Status {
    pub(super) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let standings = standings(cx.root()?.path, self.host)?;
        match cx.out.form() {
            Form::Json => standings.iter().try_for_each(|standing| cx.out.json(standing))?,
            form => show(cx, &standings, &self.times.clock(form))?,
        }
        let unreadable = standings.iter().filter_map(Standing::unreadable);
        Ok(unreadable.fold(Exit::Done, |_, failure| cx.notices.failure(&failure)))
    }
}

/// Returns how the agents stand to us, or one of them: for the user, and for the project below
/// `root` where that has settings of its own.
pub(in crate::command) fn standings(
    root: Utf8PathBuf,
    only: Option<Host>,
) -> Result<Vec<Standing>, Failure> {
    let project = Scope::Project(root);
    let mut standings = Vec::new();
    for host in Host::ALL.into_iter().filter(|host| only.is_none_or(|it| it == *host)) {
        standings.push(Standing::of(host, "user", &Scope::User)?);
        let of_project = Standing::of(host, "project", &project)?;
        let same = standings.last().is_some_and(|of_user| of_user.settings == of_project.settings);
        if !same && !matches!(of_project.installed, Installed::No) {
            standings.push(of_project);
        }
    }
    Ok(standings)
}

impl Standing {
    fn of(host: Host, scope_name: &'static str, scope: &Scope) -> Result<Self, Failure> {
        let files = places(host, scope)?;
        let settings = files.first().map(|(path, _)| path.clone()).unwrap_or_default();
        let last_called = last_called(host).map(|(at, event)| LastCall {
            at: millis(at.duration_since(UNIX_EPOCH).unwrap_or_default()),
            event,
        });
        let installed = Installed::of(files);
        let trusted = match (host, &installed) {
            (Host::Codex, Installed::Yes | Installed::Partly { .. }) => {
                Some(is_trusted(&settings)?)
            }
            _ => None,
        };
        let reachable = reachable();
        let host = host.as_str();
        Ok(Self { host, scope: scope_name, settings, installed, trusted, reachable, last_called })
    }

    /// Returns the failure that settings which cannot be read are.
    fn unreadable(&self) -> Option<Failure> {
        let Installed::Unreadable { why } = &self.installed else { return None };
        let Self { host, settings, .. } = self;
        let what = format_args!("tell whether {host} has the hooks, in {settings}: {why}");
        let failure = Failure::new(Exit::Failed, ErrorKind::InvalidInput.as_str(), what);
        Some(failure.advise(format!("mend {settings}")).at(settings))
    }

    fn cells(&self, clock: &Clock) -> Vec<Cell> {
        let trusted = self.trusted.map(|on_record| if on_record { "on record" } else { "no" });
        let called = self.last_called.as_ref();
        let called = called.map(|LastCall { at, event }| format!("{} ({event})", clock.show(*at)));
        vec![
            Cell::text(self.host),
            Cell::text(self.scope),
            Cell::text(self.installed.words()),
            Cell::text(trusted.unwrap_or("-")),
            Cell::text(called.unwrap_or_else(|| "never".to_owned())),
            Cell::text(self.settings.as_str()),
        ]
    }
}

impl Installed {
    fn of(files: Vec<(Utf8PathBuf, Setting)>) -> Self {
        let mut missing = Vec::new();
        let mut wanted = 0;
        for (path, setting) in files {
            let file = match PersonsFile::open(path) {
                Ok(file) => file,
                Err(why) => return Self::Unreadable { why: why.to_string() },
            };
            let text = file.text().unwrap_or_default();
            match setting {
                Setting::Whole(_) => {
                    wanted += 1;
                    missing.extend((!setting.has_ours(text)).then_some("the plugin"));
                }
                Setting::Hooks(host) => match settings::events(host, text) {
                    Ok(events) => {
                        let registrations = Registration::of(host).iter().map(|hook| hook.event);
                        wanted += Registration::of(host).len();
                        missing.extend(
                            registrations.filter(|event| !events.iter().any(|e| e == event)),
                        );
                    }
                    Err(why) => return Self::Unreadable { why: why.to_string() },
                },
            }
        }
        match missing.len() {
            0 => Self::Yes,
            none if none == wanted => Self::No,
            _ => Self::Partly { missing },
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Yes => "yes".to_owned(),
            Self::No => "no".to_owned(),
            Self::Partly { missing } => format!("without {}", missing.join(", ")),
            Self::Unreadable { why } => why.clone(),
        }
    }
}

fn show(cx: &mut Context, standings: &[Standing], clock: &Clock) -> Result<(), Stop> {
    let mut table = Table::of(&["HOST", "SCOPE", "INSTALLED", "TRUSTED", "LAST CALL", "SETTINGS"]);
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

/// Whether Codex CLI has trust on record for each hook in a file. It keeps a hash of each, so a
/// hook that was changed since is on record and not trusted: only `/hooks` in codex tells.
fn is_trusted(settings: &Utf8Path) -> Result<bool, Failure> {
    let config = fs::read_to_string(codex_config()?).unwrap_or_default();
    Ok(Registration::of(Host::Codex).iter().all(|hook| {
        let key = format!("[hooks.state.\"{settings}:{}:", snake_case(hook.event));
        config.contains(&key)
    }))
}

fn snake_case(event: &str) -> String {
    let mut name = String::with_capacity(event.len() + 2);
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Returns where PATH finds the program.
fn reachable() -> Option<Utf8PathBuf> {
    let path = env::var("PATH").ok()?;
    let folders = path.split(':').filter(|folder| !folder.is_empty()).map(Utf8Path::new);
    folders.map(|folder| folder.join(PROGRAM)).find(|program| program.is_file())
}

fn millis(since: Duration) -> Timestamp {
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
