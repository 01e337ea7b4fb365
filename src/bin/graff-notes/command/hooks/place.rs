//! Where each agent keeps what belongs to us, and what its user does besides.

use std::{env, fmt};

use camino::Utf8PathBuf;
use graff_notes::host::hook::Host;

use super::{file::PersonsFile, setting::Setting};
use crate::failure::Failure;

/// The plugin for opencode.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");
/// What goose knows a plugin by.
const GOOSE_PLUGIN: &str = include_str!("goose-plugin.json");
/// The hooks in it.
const GOOSE_HOOKS: &str = include_str!("goose-hooks.json");

/// What makes Codex CLI run the hooks.
const CODEX_STEP: &str = "\
Codex runs a hook only once you trust it: start codex, type /hooks, and trust the five that say \
`graff-notes hook codex`. Until then they are skipped without a word.";

/// What makes goose read the note.
pub(in crate::command) const GOOSE_STEP: &str = "\
goose reads the note from a file: put `export GOOSE_MOIM_MESSAGE_FILE=\"$HOME/\
.local/state/graff-notes/goose-note.md\"` into your shell's profile, and start goose from a new shell.";

/// Whose settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::command) enum Scope {
    /// The user's, for all projects.
    User,
    /// Those of the project in this folder.
    Project(Utf8PathBuf),
}

impl Scope {
    /// Opens a file of these settings to read it.
    pub(super) fn open(&self, path: Utf8PathBuf) -> Result<PersonsFile, Failure> {
        let file = PersonsFile::open(path)?;
        match self {
            Self::User => Ok(file),
            Self::Project(root) => file.within(root),
        }
    }

    /// Opens a file of these settings to change it, which no other run of ours does meanwhile.
    pub(super) fn hold(&self, path: Utf8PathBuf, setting: Setting) -> Result<PersonsFile, Failure> {
        let file = self.open(path)?.hold(setting)?;
        match self {
            Self::User => Ok(file),
            Self::Project(root) => file.within(root),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Project(_) => "project",
        })
    }
}

/// Returns the folder that stays whatever is taken out below it: the user's home, or the project.
///
/// Where the user has put an agent's settings elsewhere, their folder is the user's own.
pub(super) fn roof(host: Host, scope: &Scope) -> Result<Utf8PathBuf, Failure> {
    match scope {
        Scope::Project(root) => Ok(root.clone()),
        Scope::User => {
            let folder = user_folder(host)?;
            let home = named("HOME")?;
            Ok(home.filter(|home| folder.starts_with(home)).unwrap_or(folder))
        }
    }
}

/// Returns the files that make `host` call us, and what belongs into each.
pub(super) fn places(host: Host, scope: &Scope) -> Result<Vec<(Utf8PathBuf, Setting)>, Failure> {
    let within = match scope {
        Scope::User => user_folder(host)?,
        Scope::Project(root) => root.join(folder(host)),
    };
    let named = |name: &str, setting| (within.join(name), setting);
    Ok(match host {
        Host::ClaudeCode | Host::Gemini => vec![named("settings.json", Setting::Hooks(host))],
        Host::Codex => vec![named("hooks.json", Setting::Hooks(host))],
        Host::Opencode => {
            vec![named("plugins/graff-notes.js", Setting::Whole(OPENCODE_PLUGIN))]
        }
        Host::Goose => vec![
            named("plugins/graff-notes/plugin.json", Setting::Whole(GOOSE_PLUGIN)),
            named("plugins/graff-notes/hooks/hooks.json", Setting::Whole(GOOSE_HOOKS)),
        ],
    })
}

fn user_folder(host: Host) -> Result<Utf8PathBuf, Failure> {
    let own = match host {
        Host::ClaudeCode => named("CLAUDE_CONFIG_DIR")?,
        Host::Codex => named("CODEX_HOME")?,
        Host::Gemini | Host::Goose => None,
        Host::Opencode => match (named("OPENCODE_CONFIG_DIR")?, named("XDG_CONFIG_HOME")?) {
            (Some(folder), _) => Some(folder),
            (None, Some(config)) => Some(config.join("opencode")),
            (None, None) => Some(home(".config/opencode")?),
        },
    };
    own.map_or_else(|| home(folder(host)), Ok)
}

/// Returns the folder of an agent's settings, in a project and, unless it has another there, in the
/// user's home.
const fn folder(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => ".claude",
        Host::Codex => ".codex",
        Host::Gemini => ".gemini",
        Host::Opencode => ".opencode",
        Host::Goose => ".agents",
    }
}

/// Returns whether the user has a home; without one there are no settings but a project's.
pub(super) fn has_home() -> bool {
    env::var_os("HOME").is_some_and(|home| !home.is_empty())
}

fn home(folder: &str) -> Result<Utf8PathBuf, Failure> {
    named("HOME")?.map(|home| home.join(folder)).ok_or_else(|| {
        Failure::input("find the agent's settings: HOME names no folder")
            .advise("set HOME, or say --project")
    })
}

/// Returns the folder that a variable names, if it is set.
///
/// A path that is not UTF-8 is refused: without it, the settings of another place would be changed.
fn named(variable: &str) -> Result<Option<Utf8PathBuf>, Failure> {
    let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) else { return Ok(None) };
    Utf8PathBuf::from_path_buf(path.into()).map(Some).map_err(|path| {
        let path = path.display();
        Failure::input(format_args!("use {path}, which {variable} names: it is not UTF-8"))
            .advise("name a folder whose path is UTF-8, or say --project")
    })
}

/// Returns the file in which Codex CLI keeps which hooks are trusted.
pub(super) fn codex_config() -> Result<Utf8PathBuf, Failure> {
    user_folder(Host::Codex).map(|folder| folder.join("config.toml"))
}

/// Returns what the user of `host` must do besides, where there is something.
pub(super) const fn own_step(host: Host) -> Option<&'static str> {
    match host {
        Host::Codex => Some(CODEX_STEP),
        Host::Goose => Some(GOOSE_STEP),
        Host::ClaudeCode | Host::Gemini | Host::Opencode => None,
    }
}

/// What the user is told once hooks are out, whatever others stay.
pub(super) const AFTER_REMOVAL: &str = "Notes that were kept stay: `graff-notes list` shows them.";

/// Returns what the user does next, once all hooks are out and what they had told elsewhere, too.
pub(super) const fn after_removal(host: Host) -> &'static str {
    match host {
        Host::Goose => {
            "The note is out of the file that goose reads; take GOOSE_MOIM_MESSAGE_FILE out of your \
             shell's profile too."
        }
        _ => AFTER_REMOVAL,
    }
}
