//! `hooks status`: which agents have the hooks, whether they can call us, and when they did.

use std::time::{Duration, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    ErrorKind,
    host::{
        hook::Host,
        settings::{self, Found, Registration, Sort},
    },
    units::Timestamp,
};
use serde::Serialize;

use super::{
    codex,
    file::PersonsFile,
    place::{self, Scope, places},
    setting::Setting,
};
use crate::{
    command::{hook::last_called, in_path::in_path},
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
    /// The file, the first where there are more; empty where a variable names none that can be.
    pub(in crate::command) settings: Utf8PathBuf,
    pub(in crate::command) installed: Installed,
    /// The events on which a line only tries: it keeps nothing, and doesn't count.
    pub(in crate::command) trials: Vec<String>,
    /// The key by which the user has told the agent to run no hook; null where it may.
    pub(in crate::command) switched_off: Option<&'static str>,
    /// Whether Codex has trust on record for each hook; null for the others.
    pub(in crate::command) trusted: Option<bool>,
    /// Why that cannot be told, where it can't.
    #[serde(skip)]
    pub(in crate::command) untold: Option<Failure>,
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
        let standings = standings(cx.root()?.path, self.host);
        match cx.out.form() {
            Form::Json => standings.iter().try_for_each(|standing| cx.out.json(standing))?,
            form => show(cx, &standings, &self.times.clock(form))?,
        }
        let unreadable = standings.into_iter().flat_map(Standing::failures);
        Ok(unreadable.fold(Exit::Done, |_, failure| cx.notices.failure(&failure)))
    }
}

/// Returns how the agents stand to us, or one of them: for the user, and for the project below
/// `root` where that has settings of its own. A user without a home has none.
pub(in crate::command) fn standings(root: Utf8PathBuf, only: Option<Host>) -> Vec<Standing> {
    let project = Scope::Project(root);
    let mut standings = Vec::new();
    for host in Host::ALL.into_iter().filter(|host| only.is_none_or(|it| it == *host)) {
        let of_user = Standing::of(host, "user", &Scope::User);
        let settings = of_user.as_ref().map(|of_user| of_user.settings.clone());
        let of_project = Standing::of(host, "project", &project).filter(|of_project| {
            Some(&of_project.settings) != settings.as_ref()
                && !matches!(of_project.installed, Installed::No)
        });
        standings.extend(of_user.into_iter().chain(of_project));
    }
    standings
}

/// Returns what keeps hooks in these settings from working, with what to do, a sentence each.
pub(super) fn obstacles(host: Host, scope: &Scope) -> Vec<String> {
    let missing = (reachable().is_none() && is_called_by_name(host, scope)).then(|| {
        format!("No folder in PATH has {PROGRAM}, and {host} won't find it: put it into one.")
    });
    // What the user has told the agent holds in a project too.
    let mut off: Vec<_> = [scope, &Scope::User]
        .into_iter()
        .filter_map(|scope| kept_from_running(host, scope))
        .collect();
    off.dedup();
    missing.into_iter().chain(off).collect()
}

/// Returns that a key in these settings keeps hooks from running, where one does, and what to do.
fn kept_from_running(host: Host, scope: &Scope) -> Option<String> {
    let settings = places(host, scope).ok()?.into_iter().next()?.0;
    let key = switched_off(host, &settings)?;
    let file = if host == Host::Codex { place::codex_config().ok()? } else { settings };
    Some(format!("`{key}` keeps {host} from running any hook: take it out of {file}."))
}

/// Whether a hook in these settings leaves it to PATH where the program is, or may.
fn is_called_by_name(host: Host, scope: &Scope) -> bool {
    let mut files = places(host, scope).unwrap_or_default().into_iter();
    !files
        .any(|(path, setting)| matches!(setting, Setting::Hooks(_)) && all_name_a_path(host, path))
}

fn all_name_a_path(host: Host, settings: Utf8PathBuf) -> bool {
    let acting: Vec<_> = found_in(host, settings).into_iter().filter(Found::acts).collect();
    let names_a_path = |hook: &Registration| {
        let mut on_event = acting.iter().filter(|found| found.event == hook.event).peekable();
        on_event.peek().is_some() && on_event.all(|found| found.program.contains('/'))
    };
    Registration::of(host).iter().all(names_a_path)
}

/// Returns the hooks in a file that call us; none where it cannot be read.
fn found_in(host: Host, settings: Utf8PathBuf) -> Vec<Found> {
    let file = PersonsFile::open(settings);
    let text = file.as_ref().ok().and_then(PersonsFile::text).unwrap_or_default();
    settings::found(host, text).unwrap_or_default()
}

impl Standing {
    /// Returns how an agent stands to us; `None` where it has no such settings.
    fn of(host: Host, scope_name: &'static str, scope: &Scope) -> Option<Self> {
        let (settings, installed) = match places(host, scope) {
            Ok(files) => {
                let first = files.first().map(|(path, _)| path.clone());
                (first.unwrap_or_default(), Installed::of(files))
            }
            Err(_) if !place::has_home() => return None,
            Err(why) => (Utf8PathBuf::new(), Installed::Unreadable { why: why.to_string() }),
        };
        let last_called = last_called(host).map(|(at, event)| LastCall {
            at: millis(at.duration_since(UNIX_EPOCH).unwrap_or_default()),
            event,
        });
        let trusted = match (host, &installed) {
            (Host::Codex, Installed::Yes | Installed::Partly { .. }) => {
                codex::has_trust(&settings).map(Some)
            }
            _ => Ok(None),
        };
        let (trusted, untold) = trusted.map_or_else(|why| (None, Some(why)), |it| (it, None));
        let switched_off = switched_off(host, &settings);
        let tries = |found: Found| (found.sort == Sort::Trial).then_some(found.event);
        let found = found_in(host, settings.clone());
        let trials = found.into_iter().filter_map(tries).collect();
        let (host, scope, reachable) = (host.as_str(), scope_name, reachable());
        Some(Self {
            host,
            scope,
            settings,
            installed,
            trials,
            switched_off,
            trusted,
            untold,
            reachable,
            last_called,
        })
    }

    /// Returns what to do where the settings cannot be read, or cannot be named.
    pub(in crate::command) fn mending(&self) -> String {
        match self.settings.as_str() {
            "" => "name a folder whose path is UTF-8".to_owned(),
            path => format!("mend {path}"),
        }
    }

    /// Returns the failures that settings which cannot be read are.
    fn failures(self) -> impl Iterator<Item = Failure> {
        let Self { host, settings, .. } = &self;
        let unreadable = match &self.installed {
            Installed::Unreadable { why } => {
                let path = Some(settings).filter(|path| *path != "");
                let within = path.map_or_else(String::new, |path| format!(", in {path}"));
                let what = format_args!("tell whether {host} has the hooks{within}: {why}");
                let failure = Failure::new(Exit::Failed, ErrorKind::InvalidInput.as_str(), what);
                let failure = failure.advise(self.mending());
                Some(match path {
                    Some(path) => failure.at(path),
                    None => failure,
                })
            }
            _ => None,
        };
        unreadable.into_iter().chain(self.untold)
    }

    fn words(&self) -> String {
        let is_off = matches!(self.installed, Installed::Yes) && self.switched_off.is_some();
        let off = if is_off { ", switched off" } else { "" };
        let trials = match self.trials.as_slice() {
            [] => String::new(),
            events => format!(", a trial on {}", events.join(" and ")),
        };
        [&self.installed.words(), off, &trials].concat()
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
            Cell::text(self.host),
            Cell::text(self.scope),
            Cell::text(self.words()),
            Cell::text(trusted),
            Cell::text(self.reachable.as_ref().map_or("no", |it| it.as_str())),
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

/// Returns the key by which the user has told `host` to run no hook, where one does.
fn switched_off(host: Host, settings: &Utf8Path) -> Option<&'static str> {
    if host == Host::Codex {
        return codex::switched_off();
    }
    let file = PersonsFile::open(settings.to_owned()).ok()?;
    settings::switched_off(host, file.text()?).ok()?
}

/// Returns where PATH finds the program.
fn reachable() -> Option<Utf8PathBuf> {
    in_path(PROGRAM).find_map(|program| Utf8PathBuf::from_path_buf(program).ok())
}

fn millis(since: Duration) -> Timestamp {
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
