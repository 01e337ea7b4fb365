//! The command line as it is typed, before it is read: what has to be known for that, and of one
//! that cannot be read.

use std::{env, ffi::OsString};

use clap::{Args, ColorChoice, ValueEnum};

use crate::args::Common;

/// Returns the words of the command line, `help write` being another way to say `write --help`.
pub(crate) fn words() -> Vec<OsString> {
    let mut words: Vec<_> = env::args_os().collect();
    if let Some((place, word)) = first_word()
        && word == "help"
    {
        words.remove(place);
        words.push("--help".into());
    }
    words
}

/// Returns the words that can be flags.
pub(crate) fn flags() -> impl Iterator<Item = OsString> {
    env::args_os().skip(1).take_while(|arg| arg != "--")
}

/// Returns what `--color` says: help and what is wrong with a command line heed it too.
pub(crate) fn color() -> ColorChoice {
    let flag = flags().skip_while(|arg| !arg.to_string_lossy().starts_with("--color")).take(2);
    let flag: Vec<_> = flag.map(|word| word.to_string_lossy().into_owned()).collect();
    let said = match flag.as_slice() {
        [flag, next] if flag == "--color" => next,
        [flag, ..] => flag.strip_prefix("--color=").unwrap_or_default(),
        [] => return ColorChoice::Auto,
    };
    ColorChoice::from_str(said, false).unwrap_or_default()
}

/// Returns whether an agent calls: then no command line is refused.
pub(crate) fn is_a_hook() -> bool {
    first_word().is_some_and(|(_, word)| word == "hook")
}

/// Returns the first word of the command line that is no flag, and its place there.
pub(crate) fn first_word() -> Option<(usize, String)> {
    let mut args = env::args_os().enumerate().skip(1);
    loop {
        let (place, arg) = args.next()?;
        match arg.to_string_lossy() {
            flag if takes_a_word(&flag) => drop(args.next()),
            flag if flag.starts_with('-') => {}
            word => return Some((place, word.into_owned())),
        }
    }
}

/// Returns whether a word is a flag of every command that has its value in the next word.
fn takes_a_word(flag: &str) -> bool {
    let Some(long) = flag.strip_prefix("--") else { return false };
    let common = Common::augment_args(clap::Command::new(env!("CARGO_PKG_NAME")));
    common
        .get_arguments()
        .any(|arg| arg.get_long() == Some(long) && arg.get_action().takes_values())
}
