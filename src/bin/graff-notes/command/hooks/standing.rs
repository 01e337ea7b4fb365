//! How the agents stand to us: whether their settings have the hooks, whether they can call us, and
//! when they did.

use std::{
    fmt::Display,
    time::{Duration, UNIX_EPOCH},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    ErrorKind,
    host::{
        hook::Host,
        settings::{self, Found, Registration, Sort},
    },
    units::Timestamp,
};
use serde::{Serialize, Serializer};

use super::{
    codex,
    file::PersonsFile,
    lines::{Lost, Narrow, found_in, text_in, unanswered},
    place::{self, Scope, places},
    setting::Setting,
    unread::{Unread, unread_in},
};
use crate::{
    command::{hook::last_called, in_path::in_path},
    exit::Exit,
    failure::Failure,
};

/// The program as the hosts' settings name it.
pub(super) const PROGRAM: &str = "graff-notes";

/// How an agent stands to us.
#[derive(Serialize)]
pub(in crate::command) struct Standing {
    #[serde(serialize_with = "as_text")]
    pub(in crate::command) host: Host,
    #[serde(serialize_with = "as_text")]
    pub(in crate::command) scope: Scope,
    /// The file, the first where there are more; empty where a variable names none that can be.
    pub(in crate::command) settings: Utf8PathBuf,
    pub(in crate::command) installed: Installed,
    /// The events on which a line only tries: it keeps nothing, and doesn't count.
    pub(in crate::command) trials: Vec<String>,
    /// The lines that name a program by its place, where there is none that may be run.
    pub(in crate::command) lost: Vec<Lost>,
    /// The first thing in the settings that the agent does not read, and them neither with it.
    pub(in crate::command) unread: Option<Unread>,
    /// The key by which the user has told the agent to run no hook; null where it may.
    pub(in crate::command) switched_off: Option<&'static str>,
    /// Whether Codex has trust on record for each hook; null for the others.
    pub(in crate::command) trusted: Option<bool>,
    /// Why that cannot be told, where it can't.
    #[serde(skip)]
    pub(in crate::command) untold: Option<Failure>,
    /// Where the program lies that the agent will find; null where there is none.
    pub(in crate::command) reachable: Option<Utf8PathBuf>,
    pub(super) last_called: Option<LastCall>,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(in crate::command) enum Installed {
    Yes,
    No,
    Partly { missing: Vec<&'static str>, narrow: Vec<Narrow> },
    Unreadable { why: String },
}

#[derive(Serialize)]
pub(super) struct LastCall {
    pub(super) at: Timestamp,
    pub(super) event: String,
}

fn as_text<S: Serializer>(shown: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(shown)
}

/// Returns how the agents stand to us, or one of them: for the user, and for the project below
/// `root` where that has settings of its own. A user without a home has none.
pub(in crate::command) fn standings(root: Utf8PathBuf, only: Option<Host>) -> Vec<Standing> {
    let project = Scope::Project(root);
    let mut standings = Vec::new();
    for host in Host::ALL.into_iter().filter(|host| only.is_none_or(|it| it == *host)) {
        let of_user = Standing::of(host, &Scope::User);
        let settings = of_user.as_ref().map(|of_user| of_user.settings.clone());
        let of_project = Standing::of(host, &project).filter(|of_project| {
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
    let unread = unread_in(host, scope);
    missing.into_iter().chain(unread).chain(lost_in(host, scope)).chain(off).collect()
}

/// Returns which lines name a program that is not there, a sentence for each program.
fn lost_in(host: Host, scope: &Scope) -> Vec<String> {
    let files = places(host, scope).unwrap_or_default().into_iter();
    let words = |path: Utf8PathBuf| {
        let lost = Lost::among(&found_in(host, path.clone()));
        Lost::words(&lost).into_iter().map(move |words| format!("In {path} {words}: mend that."))
    };
    files.flat_map(|(path, _)| words(path)).collect()
}

/// Returns that a key in these settings keeps hooks from running, where one does, and what to do.
fn kept_from_running(host: Host, scope: &Scope) -> Option<String> {
    let settings = places(host, scope).ok()?.into_iter().next()?.0;
    let key = switched_off(host, &text_in(settings.clone()))?;
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

/// Returns the command lines by which hooks in a file of a host call us, each of them once.
pub(in crate::command) fn commands(host: Host, settings: Utf8PathBuf) -> Vec<String> {
    let mut commands = Vec::new();
    for Found { command, sort, .. } in found_in(host, settings) {
        if sort != Sort::Trial && !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

impl Standing {
    /// Returns how an agent stands to us; `None` where it has no such settings.
    fn of(host: Host, scope: &Scope) -> Option<Self> {
        let (settings, installed) = match places(host, scope) {
            Ok(files) => {
                let first = files.first().map(|(path, _)| path.clone());
                (first.unwrap_or_default(), Installed::of(files))
            }
            Err(_) if !place::has_home() => return None,
            Err(why) => (Utf8PathBuf::new(), Installed::Unreadable { why: why.to_string() }),
        };
        let trusted = is_trusted(host, &settings, &installed);
        let (trusted, untold) = trusted.map_or_else(|why| (None, Some(why)), |it| (it, None));
        let text = text_in(settings.clone());
        let switched_off = switched_off(host, &text);
        let unread = Unread::of(host, &text);
        let found = settings::found(host, &text).unwrap_or_default();
        let lost = Lost::among(&found);
        let tries = |found: Found| (found.sort == Sort::Trial).then_some(found.event);
        let trials = found.into_iter().filter_map(tries).collect();
        let (scope, reachable) = (scope.clone(), reachable());
        Some(Self {
            host,
            scope,
            settings,
            installed,
            trials,
            lost,
            unread,
            switched_off,
            trusted,
            untold,
            reachable,
            last_called: LastCall::of(host),
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
    pub(super) fn failures(self) -> impl Iterator<Item = Failure> {
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
}

impl LastCall {
    fn of(host: Host) -> Option<Self> {
        let (at, event) = last_called(host)?;
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self { at: millis(since), event })
    }
}

impl Installed {
    fn of(files: Vec<(Utf8PathBuf, Setting)>) -> Self {
        let (mut missing, mut narrow) = (Vec::new(), Vec::new());
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
                Setting::Hooks(host) => match settings::found(host, text) {
                    Ok(found) => {
                        let (none, part) = unanswered(host, found);
                        wanted += Registration::of(host).len();
                        missing.extend(none);
                        narrow.extend(part);
                    }
                    Err(why) => return Self::Unreadable { why: why.to_string() },
                },
            }
        }
        match missing.len() {
            0 => Self::Yes,
            none if none == wanted && narrow.is_empty() => Self::No,
            _ => Self::Partly { missing, narrow },
        }
    }
}

/// Returns the key by which the user has told `host` to run no hook, where one does.
fn switched_off(host: Host, text: &str) -> Option<&'static str> {
    if host == Host::Codex {
        return codex::switched_off();
    }
    settings::switched_off(host, text).ok()?
}

/// Returns whether a host that runs only what is trusted has trust on record for our hooks in these
/// settings.
fn is_trusted(
    host: Host,
    settings: &Utf8Path,
    installed: &Installed,
) -> Result<Option<bool>, Failure> {
    match (host, installed) {
        (Host::Codex, Installed::Yes | Installed::Partly { .. }) => {
            codex::has_trust(settings).map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns where PATH finds the program.
fn reachable() -> Option<Utf8PathBuf> {
    in_path(PROGRAM).find_map(|program| Utf8PathBuf::from_path_buf(program).ok())
}

fn millis(since: Duration) -> Timestamp {
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
