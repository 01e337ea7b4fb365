//! How bash asks, and what it is told.
//!
//! bash puts what it is told on the command line as it stands, and runs that: so each answer is
//! quoted, and none is taken for a pattern on the way. What stands in a name is never run.

use std::{env, ffi::OsString, io, path::Path};

use clap::Command;
use clap_complete::{engine, env::EnvCompleter};

/// The variable by which bash says which word is to be completed.
const INDEX: &str = "GRAFF_COMPLETE_INDEX";

/// What stands for itself in a word of bash, besides letters and digits.
const PLAIN: &str = "-._/:=@%+,";

/// In bash 3, which macOS has, words aren't split at `=` and `:`, and there is no `compopt`.
const SCRIPT: &str = r#"_graff_notes() {
    local words=("${COMP_WORDS[@]}") answer
    if [[ ${BASH_VERSINFO[0]} -ge 4 ]]; then
        words[COMP_CWORD]=$2
    fi
    COMPREPLY=()
    while IFS= read -r answer; do
        if [[ -n $answer ]]; then
            COMPREPLY+=("$answer")
        fi
    done <<<"$(VARIABLE=bash INDEX=$COMP_CWORD COMPLETER -- "${words[@]}" 2>/dev/null)"
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o nosort -F _graff_notes BIN 2>/dev/null ||
    complete -o bashdefault -F _graff_notes BIN
"#;

/// The shell bash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn io::Write,
    ) -> io::Result<()> {
        let script = SCRIPT.replace("VARIABLE", var).replace("INDEX", INDEX);
        let script = script.replace("COMPLETER", completer).replace("BIN", bin);
        buf.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        mut args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn io::Write,
    ) -> io::Result<()> {
        let index = env::var(INDEX).ok().and_then(|index| index.parse::<usize>().ok());
        let index = index.unwrap_or_default();
        if let Some(word) = args.get_mut(index)
            && let Some(text) = word.to_str()
        {
            *word = unquoted(text).into();
        }
        for candidate in engine::complete(cmd, args, index, current_dir)? {
            if let Some(quoted) = candidate.get_value().to_str().and_then(quoted) {
                writeln!(buf, "{quoted}")?;
            }
        }
        Ok(())
    }
}

/// Returns a word that bash takes for `text`, outside of quotes and within double ones; `None`
/// where there is no such word on one line.
fn quoted(text: &str) -> Option<String> {
    let mut word = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            return None;
        }
        if !char.is_alphanumeric() && !PLAIN.contains(char) {
            word.push('\\');
        }
        word.push(char);
    }
    Some(word)
}

/// Returns what a word stands for that [`quoted`] made, or the beginning of one.
fn unquoted(word: &str) -> String {
    let (mut text, mut chars) = (String::with_capacity(word.len()), word.chars());
    while let Some(char) = chars.next() {
        text.extend(if char == '\\' { chars.next() } else { Some(char) });
    }
    text
}
