//! What a shell is told while a person types our command line.
//!
//! The script that `completions` prints has the shell call the program for what can come next, so
//! that it knows the sessions of the folder, too.

mod bash;

use std::{env, ffi::OsString, io};

use camino::Utf8PathBuf;
use clap::{Arg, ValueHint};
use clap_complete::{
    CompleteEnv, Shell,
    engine::{ArgValueCandidates, CompletionCandidate},
    env::{Elvish, Fish, Powershell, Shells, Zsh},
};
use graff_notes::{host::hook::Host, session::SessionName, store::Store};

use crate::{args, root};
use bash::Bash;

/// The variable by which a shell says that it wants to know what can come next.
const VARIABLE: &str = "GRAFF_COMPLETE";

/// What each script puts before the words of the command line that is typed. No command line of
/// ours begins with it, so a variable that is set for all programs takes over none.
const ASKED: &str = "--";

/// The shells that can ask.
const SHELLS: Shells<'_> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// What the shells know us by.
const PROGRAM: &str = "graff-notes";

/// In a file that zsh loads the first time, this is the first time; later the function is called.
const ZSH_FIRST_CALL: &str = "\
if [ \"$funcstack[1]\" = _graff-notes ]; then _clap_dynamic_completer_graff_notes; fi\n";

/// The words as they are typed, which zsh's script hands us.
const ZSH_TYPED: &str = "\"${words[@]}\"";

/// The words as they are meant: without their quotes, of which the last may not be closed yet.
const ZSH_MEANT: &str = "\"${(@Q)words[1,CURRENT-1]}\" \"${${(Q)words[CURRENT]}#[\\\"\\']}\"";

/// The word that is typed, which fish's script hands us.
const FISH_TYPED: &str = "(commandline --current-token)";

/// The word that is meant.
const FISH_MEANT: &str = "(commandline --current-token | string unescape)";

/// Answers a shell that wants to know what can come next, and ends; returns where none does.
pub(crate) fn answer_a_shell() {
    let mut args = env::args_os().skip(1);
    if args.next().is_some_and(|first| first == ASKED) && args.next().is_some() {
        CompleteEnv::with_factory(described).var(VARIABLE).shells(SHELLS).complete();
    }
}

/// Returns the script that has a shell ask us; `None` where the shell cannot.
pub(crate) fn script(shell: Shell) -> Option<io::Result<Vec<u8>>> {
    let name = shell.to_string();
    let asking = SHELLS.completer(&name)?;
    let mut script = Vec::new();
    if let Err(e) = asking.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script) {
        return Some(Err(e));
    }
    let script = String::from_utf8_lossy(&script);
    let script = match shell {
        Shell::Zsh => script.replace(ZSH_TYPED, ZSH_MEANT) + ZSH_FIRST_CALL,
        Shell::Fish => script.replace(FISH_TYPED, FISH_MEANT),
        _ => script.into_owned(),
    };
    Some(Ok(script.into_bytes()))
}

/// Returns the command line, with what its values can be.
fn described() -> clap::Command {
    candidates_below(args::described())
}

fn candidates_below(command: clap::Command) -> clap::Command {
    command.mut_args(with_candidates).mut_subcommands(candidates_below)
}

fn with_candidates(arg: Arg) -> Arg {
    let name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    match (arg.get_id().as_str(), name.as_deref()) {
        ("session" | "sessions", _) => arg.add(ArgValueCandidates::new(sessions)),
        ("host", _) => arg.add(ArgValueCandidates::new(hosts)),
        ("command", _) => arg.add(ArgValueCandidates::new(commands)),
        (_, Some("FILE")) => arg.value_hint(ValueHint::FilePath),
        (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    }
}

/// Returns the command line that is typed, word by word, without quotes.
fn typed() -> impl Iterator<Item = OsString> {
    bash::meant(env::args_os().skip_while(|arg| arg != ASKED).skip(1).collect()).into_iter()
}

fn hosts() -> Vec<CompletionCandidate> {
    Host::ALL.iter().map(|host| CompletionCandidate::new(host.as_str())).collect()
}

/// Returns the commands that a page of the manual can be about: those below the ones that are
/// typed already.
fn commands() -> Vec<CompletionCandidate> {
    let words: Vec<_> = typed().skip_while(|word| word != "man").skip(1).collect();
    let whole = words.split_last().map_or(&[][..], |(_, whole)| whole);
    let program = args::described();
    let lowest = whole
        .iter()
        .fold(&program, |command, word| command.find_subcommand(word).unwrap_or(command));
    lowest.get_subcommands().map(|command| CompletionCandidate::new(command.get_name())).collect()
}

/// Returns the sessions of the store that the command line is about. A name that begins like a flag
/// is one behind `--` only, which stands in for all of them before that.
fn sessions() -> Vec<CompletionCandidate> {
    let flags_are_over = typed().filter(|arg| arg == "--").count() > 0;
    let named = root_of(typed().filter_map(|arg| arg.into_string().ok()));
    let found = root::find(named.as_deref()).ok().map(|root| Store::at(root.path));
    let sessions = found.and_then(|store| store.sessions().ok()).unwrap_or_default();
    let (odd, plain): (Vec<_>, Vec<_>) =
        sessions.names.iter().map(SessionName::as_str).partition(|name| name.starts_with('-'));
    let odd = if odd.is_empty() || flags_are_over { odd } else { vec!["--"] };
    plain.into_iter().chain(odd).map(CompletionCandidate::new).collect()
}

/// Returns what `--root` says on a command line that is not whole yet. For bash, the `=` behind it
/// is a word.
fn root_of(args: impl Iterator<Item = String>) -> Option<Utf8PathBuf> {
    let mut args = args.skip_while(|arg| arg != "--root" && !arg.starts_with("--root="));
    let flag = args.next()?;
    let path =
        flag.strip_prefix("--root=").map(str::to_owned).or_else(|| args.find(|arg| arg != "="))?;
    Some(Utf8PathBuf::from(path))
}
