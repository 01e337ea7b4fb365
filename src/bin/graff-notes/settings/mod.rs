//! What is set once instead of with each command: by the environment, in the project, by the user.
//!
//! ```text
//! flag > GRAFF_… > <root>/.graff/config.toml > $XDG_CONFIG_HOME/graff-notes/config.toml > default
//! ```
//!
//! A setting stands in for the flag of the same name: it becomes that flag's default before the
//! command line is read, so that a command needs to know of flags only. What an agent calls finds
//! its root later than that, or has no flags, and reads them [`ForAgents`]. A project's file comes
//! with a repository that anybody may have written, so it can't say what is run or who is called.

mod allowed;
mod entry;
mod file;
mod for_agents;

use std::{env, ffi::OsStr};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::note::NoteCap;

use crate::{
    exit::Exit, failure::Failure, masked, note_from::PATIENCE_SECONDS_MAX, output::Notices, root,
};
pub(crate) use {allowed::Allowed, for_agents::ForAgents};

/// What every variable of ours begins with.
const PREFIX: &str = "GRAFF_";
/// The project's file, below its root.
const PROJECT_FILE: &str = ".graff/config.toml";
/// The user's file, below the folder of all such files.
const USER_FILE: &str = "graff-notes/config.toml";

/// A setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// What it is called, as its flag is.
    pub(crate) name: &'static str,
    pub(crate) allowed: Allowed,
    who: Who,
}

/// Who may set something in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Anybody,
    /// Only the user: it says what is run, or who is called.
    User,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Environment { variable: String },
    Project { path: Utf8PathBuf },
    User { path: Utf8PathBuf },
}

/// A value that somebody set.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) setting: &'static Setting,
    pub(crate) value: String,
    pub(crate) source: Source,
}

const fn setting(name: &'static str, allowed: Allowed) -> Setting {
    Setting { name, allowed, who: Who::Anybody }
}

const fn for_the_user(name: &'static str, allowed: Allowed) -> Setting {
    Setting { name, allowed, who: Who::User }
}

/// Every setting. What holds where nobody sets one is the default of its flag.
pub(crate) static ALL: [Setting; 13] = [
    setting("window-tokens", Allowed::From(0)),
    setting("percent", Allowed::Within(1, 100)),
    setting("ceiling-tokens", Allowed::ZeroOrFrom(1_000)),
    setting("output-reserve-tokens", Allowed::From(0)),
    setting("bytes-per-token", Allowed::From(1)),
    setting("calls-cap", Allowed::From(0)),
    setting("pending-calls", Allowed::From(0)),
    setting("cap-bytes", Allowed::Within(NoteCap::BYTES_MIN as u64, NoteCap::BYTES_MAX as u64)),
    setting("time", Allowed::OneOf(&["iso", "relative", "local"])),
    setting("note-timeout-seconds", Allowed::Within(1, PATIENCE_SECONDS_MAX)),
    for_the_user("note-from", Allowed::NoteFrom),
    for_the_user("endpoint", Allowed::Text),
    for_the_user("model", Allowed::Text),
];

impl Setting {
    fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|setting| setting.name == name)
    }

    /// Returns what its flag is called within the program.
    pub(crate) fn flag_id(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns a value as it is shown: without what may be a secret in it.
    pub(crate) fn shown(&self, value: &str) -> String {
        match self.name {
            "endpoint" => masked::url(value),
            "note-from" => masked::note_from(value),
            _ if self.allowed.is_number() => masked::number(value),
            _ => value.to_owned(),
        }
    }

    /// Returns what zero stands for, where it is no figure.
    pub(crate) fn zero(&self) -> Option<&'static str> {
        match self.name {
            "calls-cap" | "ceiling-tokens" => Some("no limit"),
            "window-tokens" => Some("unknown"),
            _ => None,
        }
    }

    /// Returns the variable that sets it.
    pub(crate) fn variable(&self) -> String {
        PREFIX.to_owned() + &self.flag_id().to_uppercase()
    }
}

/// What is set, and what could not be used of it: that alone is dropped, so that a fault in one
/// place never lifts a limit that is set in another.
#[derive(Debug, Default)]
pub(crate) struct InForce {
    /// The values; where two places set the same, that of the nearer one.
    pub(crate) given: Vec<Given>,
    /// Why something is not among them.
    pub(crate) dropped: Vec<Failure>,
}

impl InForce {
    /// Returns nothing, since a place could not be used at all.
    fn without(failure: Failure) -> Self {
        Self { given: Vec::new(), dropped: vec![failure] }
    }

    /// Says what was dropped, where the rest is gone on with.
    pub(crate) fn say_dropped(&self, notices: &Notices) {
        for failure in &self.dropped {
            notices.warn_of(failure);
        }
    }

    /// Says the same, and returns the status that it ends the program with, where it does.
    pub(crate) fn refuse_dropped(&self, notices: &Notices) -> Option<Exit> {
        self.dropped.iter().map(|failure| notices.failure(failure)).reduce(|first, _| first)
    }
}

/// Returns what is set, and where the nearest places say so.
pub(crate) fn read(root: Option<&Utf8Path>) -> InForce {
    let root = root::find(root).ok(); // why there is none the command says, if it needs one
    read_at(root.as_ref().map(|root| root.path.as_path()))
}

/// Returns the same, with the project's file below this root.
fn read_at(root: Option<&Utf8Path>) -> InForce {
    let project = root.map(|root| file::read(&root.join(PROJECT_FILE), &Place::Project));
    let user = user_file().map(|path| file::read(&path, &Place::User));
    let places = [of_environment(), project.unwrap_or_default(), user.unwrap_or_default()];
    let nearest = |setting: &Setting| {
        let given = places.iter().flat_map(|place| &place.given);
        given.clone().find(|given| given.setting.name == setting.name).cloned()
    };
    let given = ALL.iter().filter_map(nearest).collect();
    InForce { given, dropped: places.into_iter().flat_map(|place| place.dropped).collect() }
}

/// Whose file it is.
enum Place {
    Project,
    User,
}

impl Place {
    fn source(&self, path: &Utf8Path) -> Source {
        let path = path.to_owned();
        match self {
            Self::Project => Source::Project { path },
            Self::User => Source::User { path },
        }
    }
}

fn of_environment() -> InForce {
    let mut found = InForce::default();
    for setting in &ALL {
        let variable = setting.variable();
        let Some(value) = env::var_os(&variable).filter(|value| !value.is_empty()) else {
            continue;
        };
        match of_variable(setting, variable, &value) {
            Ok(given) => found.given.push(given),
            Err(failure) => found.dropped.push(failure),
        }
    }
    found
}

fn of_variable(
    setting: &'static Setting,
    variable: String,
    value: &OsStr,
) -> Result<Given, Failure> {
    let good = value.to_str().map(str::trim).filter(|value| setting.allowed.holds(value));
    let Some(value) = good.map(str::to_owned) else {
        let (shown, allowed) = (setting.shown(value.to_string_lossy().trim()), setting.allowed);
        let failure =
            Failure::input(format_args!("use {variable}={shown:?}: it is {}", allowed.words()));
        return Err(failure.advise(format!("mend {variable}, or unset it")));
    };
    Ok(Given { setting, value, source: Source::Environment { variable } })
}

/// Returns how to name what only the user may: with a flag, a variable, or in the user's file.
#[cfg(feature = "ask")]
pub(crate) fn how_to_name(flag: &str) -> String {
    let variable = PREFIX.to_owned() + &flag.replace('-', "_").to_uppercase();
    match user_file() {
        Some(path) => {
            format!(
                "name it with --{flag}, with {variable}, or with a line `{flag} = \"…\"` in {path}"
            )
        }
        None => format!("name it with --{flag}, or with {variable}"),
    }
}

/// Returns where the user's file is, if this user has such a place.
pub(crate) fn user_file() -> Option<Utf8PathBuf> {
    let folder = |variable| {
        let path = env::var(variable).ok().map(Utf8PathBuf::from);
        path.filter(|path| path.is_absolute()) // as the XDG specification has it
    };
    let folder = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(folder.join(USER_FILE))
}
