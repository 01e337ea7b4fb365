//! Whether a command line in a host's settings calls our hook.
//!
//! Settings are a person's own: a line may set a variable, change the folder or go through another
//! program first. Whatever would run us is found, so that no event is answered twice. What cannot
//! be told, as where a shell puts the line together at run time, counts where it speaks of us.

use super::shell;
use crate::host::hook::Host;

/// The program's name, which the user's `PATH` resolves: an absolute path would change with each
/// build, and Codex CLI asks for trust anew whenever the line changes.
pub(super) const PROGRAM: &str = "graff-notes";

/// What the program is told to do.
const SUBCOMMAND: &str = "hook";

/// What makes of a call a trial that keeps nothing.
const TRIAL: &str = "--dry-run";

/// What makes of it none at all.
const NO_CALL: [&str; 4] = ["-h", "--help", "-V", "--version"];

/// Programs that run the command behind their own flags.
const RUN_ANOTHER: [&str; 12] = [
    "env", "exec", "command", "builtin", "nohup", "nice", "ionice", "timeout", "setsid", "stdbuf",
    "sudo", "doas",
];

/// Programs that run the line behind their flag `-c`.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];

/// The words of a shell before a command.
const BEFORE_A_COMMAND: [&str; 10] =
    ["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"];

/// Deeper nesting of one command in another is not looked into: nobody's settings have it.
const DEPTH_MAX: usize = 8;

/// A call of our hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The word that names the program.
    pub(super) program: String,
    /// Whether it only tries.
    pub(super) is_trial: bool,
}

impl Call {
    /// Returns the call of our hook for `host` that a command line comes to, if it does. One that
    /// answers comes before one that tries.
    pub(super) fn find(host: Host, line: &str) -> Option<Self> {
        let is_put_together = line.contains("$(") || line.contains('`');
        in_line(host, line, DEPTH_MAX).or_else(|| is_put_together.then(|| spoken_of(host, line))?)
    }

    /// Returns the call that our program is told by `arguments`.
    fn of(host: Host, program: &str, arguments: &[String]) -> Option<Self> {
        let mut words = arguments.iter().map(String::as_str);
        let mut behind_flag = false;
        let subcommand = words.by_ref().find(|word| {
            let is_value = std::mem::replace(&mut behind_flag, word.starts_with('-'));
            *word == SUBCOMMAND || !(behind_flag || is_value)
        });
        let is_for_host = subcommand == Some(SUBCOMMAND)
            && words.find_map(|word| word.parse().ok()) == Some(host)
            && !arguments.iter().any(|word| NO_CALL.contains(&word.as_str()));
        let is_trial = arguments.iter().any(|word| word == TRIAL);
        is_for_host.then(|| Self { program: program.to_owned(), is_trial })
    }
}

/// Returns the call in a line for a shell.
fn in_line(host: Host, line: &str, depth: usize) -> Option<Call> {
    let commands = shell::commands(line);
    let calls = commands.iter().filter_map(|words| in_command(host, words, depth));
    calls.min_by_key(|call| call.is_trial)
}

/// Returns the call that a simple command is, or leads to.
fn in_command(host: Host, words: &[String], depth: usize) -> Option<Call> {
    let depth = depth.checked_sub(1)?;
    let is_before = |word: &str| is_assignment(word) || BEFORE_A_COMMAND.contains(&word);
    let start = words.iter().position(|word| !is_before(word))?;
    let (program, arguments) = words.get(start..)?.split_first()?;
    match file_name(program) {
        PROGRAM => Call::of(host, program, arguments),
        "eval" => in_line(host, &arguments.join(" "), depth),
        shell if SHELLS.contains(&shell) => {
            let is_flag = |word: &String| {
                word.strip_prefix('-').is_some_and(|it| !it.starts_with('-') && it.contains('c'))
            };
            let flag = arguments.iter().position(is_flag)?;
            in_line(host, arguments.get(flag + 1)?, depth)
        }
        other if RUN_ANOTHER.contains(&other) => {
            let leads_on = |word: &String| {
                let name = file_name(word);
                name == PROGRAM || SHELLS.contains(&name) || RUN_ANOTHER.contains(&name)
            };
            let next = arguments.iter().position(leads_on)?;
            in_command(host, arguments.get(next..)?, depth)
        }
        _ => None,
    }
}

/// Returns the call that a line speaks of, wherever in it.
fn spoken_of(host: Host, line: &str) -> Option<Call> {
    let is_between = |c: char| c.is_whitespace() || "\"'`$();&|<>".contains(c);
    let words: Vec<_> =
        line.split(is_between).filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let calls = words.iter().enumerate().filter_map(|(at, word)| {
        let is_us = file_name(word) == PROGRAM;
        is_us.then(|| Call::of(host, word, words.get(at + 1..).unwrap_or_default()))?
    });
    calls.min_by_key(|call| call.is_trial)
}

fn file_name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// Whether a word sets a variable for the program behind it.
fn is_assignment(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name))
}
