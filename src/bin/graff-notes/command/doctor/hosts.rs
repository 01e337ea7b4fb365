//! Whether the agents' hooks are installed, and whether a note comes back as they would call it.

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{host::hook::Host, store::Store};

use super::{
    Finding, Status,
    call::{Called, Uncalled, Whose, Wrong},
    versions::program,
};
use crate::{
    command::{
        hook::goose_reads,
        hooks::{GOOSE_STEP, Installed, Narrow, Scope, Standing, commands, standings},
        in_path::in_path,
    },
    signals::Held,
};

const CHECK: &str = "hooks";

/// So many commands are called of one agent: one for each event is more than anybody has. Each has
/// its time.
const CALLS_MAX: usize = 6;

/// Where goose's hooks stand, beside the file by which it knows the plugin.
const GOOSE_HOOKS: &str = "hooks/hooks.json";

/// Says how each agent stands to us.
pub(super) fn all(store: &Store, held: &Held) -> Vec<Finding> {
    let standings = standings(store.root().to_owned(), None);
    let wanted = standings.iter().take_while(|_| !held.have_come());
    let found =
        wanted.flat_map(|standing| trial(standing).into_iter().chain(of(standing, store, held)));
    found.chain(without_agent(&standings)).chain(without_hooks(&standings)).collect()
}

/// Says which agents have hooks of ours and are not in PATH, where they are of no use unless
/// something else starts the agent.
fn without_agent(standings: &[Standing]) -> Vec<Finding> {
    let has_hooks = |standing: &&Standing| matches!(standing.installed, Installed::Yes);
    let is_lost = |it: &&Standing| in_path(program(it.host)).next().is_none();
    let hint = |Standing { host, scope, .. }: &Standing| {
        let program = program(*host);
        let detail = format!("{host}: has hooks of ours, and no folder in PATH has `{program}`");
        let remove = format!("graff-notes hooks remove {host}{}", flag(scope));
        let advice = format!("right if it is started by another name or path; else `{remove}`");
        Finding::hint(CHECK, detail, advice)
    };
    standings.iter().filter(has_hooks).filter(is_lost).map(hint).collect()
}

/// Says which agents could call us and don't. No hooks at all may be right: the library and an MCP
/// client need none.
fn without_hooks(standings: &[Standing]) -> Vec<Finding> {
    let has_hooks = |host: &Host| {
        let mut of_host = standings.iter().filter(|it| it.host == *host);
        of_host.any(|it| !matches!(it.installed, Installed::No))
    };
    let is_here = |host: &Host| !has_hooks(host) && in_path(program(*host)).next().is_some();
    let here: Vec<_> = Host::ALL.into_iter().filter(is_here).collect();
    if Host::ALL.iter().any(has_hooks) {
        let hint = |host: Host| {
            let detail = format!("{host}: in PATH, and has no hooks of ours");
            Finding::hint(CHECK, detail, install(host, &Scope::User))
        };
        return here.into_iter().map(hint).collect();
    }
    let names: Vec<_> = here.iter().map(|host| host.as_str()).collect();
    let (first, among) = match here.first() {
        Some(first) => (*first, format!("; in PATH: {}", names.join(", "))),
        None => (Host::ClaudeCode, String::new()),
    };
    let detail = format!("no hooks installed for any agent{among}");
    vec![Finding::hint(CHECK, detail, install(first, &Scope::User))]
}

/// Says that a line of the user's own only tries, where one does.
fn trial(standing: &Standing) -> Option<Finding> {
    let Standing { host, scope, trials, settings, .. } = standing;
    let events = trials.join(" and ");
    let detail =
        format!("{host}, {scope}: a trial on {events}, with `--dry-run`, which keeps nothing");
    let advice = format!("take `--dry-run` out of that line in {settings}");
    (!trials.is_empty()).then(|| Finding::warning(CHECK, detail, advice))
}

/// Says how these settings stand to us, where they have anything of ours.
fn of(standing: &Standing, store: &Store, held: &Held) -> Vec<Finding> {
    let Standing { host, scope, .. } = standing;
    let finding = match &standing.installed {
        Installed::No => return Vec::new(),
        Installed::Partly { missing, narrow } => {
            let (missing, narrow) = (missing.join(", "), Narrow::words(narrow));
            let detail = format!("{host}, {scope}: without {missing}{narrow}");
            Finding::failure(CHECK, detail, install(*host, scope))
        }
        Installed::Unreadable { why } => {
            let detail = format!("{host}, {scope}: {why}");
            Finding::failure(CHECK, detail, standing.mending())
        }
        Installed::Yes => return reached(standing, store, held).unwrap_or_else(|it| vec![it]),
    };
    vec![finding]
}

/// Says whether hooks that are in the settings come to us, and what of us comes to the agent.
fn reached(standing: &Standing, store: &Store, held: &Held) -> Result<Vec<Finding>, Finding> {
    let Standing { host, scope, .. } = standing;
    let installed = |what: &str| format!("{host}, {scope}: installed, and {what}");
    if let Some(why) = &standing.untold {
        let advice = why.advice().unwrap_or_default();
        return Err(Finding::warning(CHECK, installed(&why.to_string()), advice));
    }
    if let Some(unread) = standing.unread {
        let advice = format!("take it out of {}", standing.settings);
        return Err(Finding::failure(CHECK, installed(&unread.to_string()), advice));
    }
    if let Some(key) = standing.switched_off {
        let advice = format!("take `{key}` out of the settings of {host}");
        return Err(Finding::warning(
            CHECK,
            installed(&format!("switched off by `{key}`")),
            advice,
        ));
    }
    if standing.trusted == Some(false) {
        let advice = "trust the hooks with /hooks in codex";
        return Err(Finding::warning(CHECK, installed("not trusted"), advice));
    }
    let wrong = tried(standing, store, held);
    if !wrong.is_empty() {
        return Ok(wrong);
    }
    if *host == Host::Goose && goose_reads().is_none() {
        let detail = installed("goose is told of no file: GOOSE_MOIM_MESSAGE_FILE isn't set here");
        return Err(Finding::warning(CHECK, detail, GOOSE_STEP));
    }
    Ok(vec![Finding::ok(CHECK, installed("answers"))])
}

/// Calls the hook by each command that stands in the settings, and says where no note came back.
fn tried(standing: &Standing, store: &Store, held: &Held) -> Vec<Finding> {
    let &Standing { host, ref scope, .. } = standing;
    let file = file_of_command(host, &standing.settings);
    let all = Called::all(host, commands(host, file.clone()));
    let wanted = all.iter().take(CALLS_MAX).take_while(|_| !held.have_come());
    let mut found: Vec<_> =
        wanted.filter_map(|called| called_by(called, standing, &file, store, held).err()).collect();
    if let Some(more) = all.len().checked_sub(CALLS_MAX).filter(|more| *more > 0) {
        let detail = format!("{host}, {scope}: installed, and {more} more commands are not called");
        found.push(Finding::warning(CHECK, detail, format!("have fewer of them in {file}")));
    }
    found
}

/// Calls the hook by one command that stands in `file`, and says why no note came back.
fn called_by(
    called: &Called,
    standing: &Standing,
    file: &Utf8Path,
    store: &Store,
    held: &Held,
) -> Result<(), Finding> {
    let &Standing { host, ref scope, .. } = standing;
    // Whatever is not the user's own may be anybody's.
    let whose = match scope {
        Scope::User => Whose::User,
        Scope::Project(_) => Whose::Project,
    };
    if let Some(why) = called.uncalled(whose) {
        let detail =
            format!("{host}, {scope}: installed, and not called: its command in {file} {why}");
        return Err(Finding::warning(CHECK, detail, instead_of_a_call(host, why)));
    }
    called.answers(store, held).map_err(|wrong| no_note(called, standing, file, &wrong))
}

/// Says why no note came back by a command that stands in `file`, and what to do.
fn no_note(called: &Called, standing: &Standing, file: &Utf8Path, wrong: &Wrong) -> Finding {
    let &Standing { host, ref scope, .. } = standing;
    let detail = match (wrong, &standing.reachable) {
        (Wrong::NotFound, None) if called.is_ours() => {
            format!("{host}, {scope}: no folder in PATH has graff-notes")
        }
        _ => format!("{host}, {scope}: `{}` {wrong}", called.shown()),
    };
    let advice = match wrong {
        Wrong::NotRun(_) => "check its rights".to_owned(),
        Wrong::NotTried(why) => why.advice(),
        Wrong::NoShell(_) if host == Host::Codex => {
            "let the variable SHELL name a shell that is here".to_owned()
        }
        Wrong::NoShell(shell) => format!("put {shell} into a folder of PATH"),
        _ if !called.is_ours() => format!("mend the command in {file}"),
        _ => of_program(host, standing.reachable.as_deref()),
    };
    let status = match wrong {
        Wrong::NotTried(why) => why.status(),
        _ => Status::Failure,
    };
    Finding { status, ..Finding::failure(CHECK, detail, advice) }
}

/// Returns the file that has the command by which the agent calls us, of the first of its settings.
fn file_of_command(host: Host, settings: &Utf8Path) -> Utf8PathBuf {
    match host {
        Host::Goose => settings.with_file_name(GOOSE_HOOKS),
        _ => settings.to_owned(),
    }
}

/// Returns how to learn of a command that is not called whether it works.
fn instead_of_a_call(host: Host, why: Uncalled) -> String {
    match why {
        Uncalled::OfProject => format!(
            "read that command before you let {host} run it; `graff-notes hooks status {host}` \
             says when it last called"
        ),
        Uncalled::NotPlain | Uncalled::NamesRoot => {
            format!("`graff-notes hooks status {host}` says when it last called")
        }
    }
}

/// Returns what to do where our own command gives no note back, and PATH finds `program`. Codex
/// looks where a login shell does.
fn of_program(host: Host, program: Option<&Utf8Path>) -> String {
    match (host, program) {
        (Host::Codex, _) => {
            "put the folder of a graff-notes that works into the PATH that your shell's \
                             profile sets, before all others"
                .to_owned()
        }
        (_, None) => "put the program into a folder of PATH".to_owned(),
        (_, Some(program)) => {
            format!("PATH finds {program}: let one that works stand before it, or in its place")
        }
    }
}

fn install(host: Host, scope: &Scope) -> String {
    format!("graff-notes hooks install {host}{}", flag(scope))
}

/// Returns what a command about these settings ends with.
const fn flag(scope: &Scope) -> &'static str {
    match scope {
        Scope::User => "",
        Scope::Project(_) => " --project",
    }
}
