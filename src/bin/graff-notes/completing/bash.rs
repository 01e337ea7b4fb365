//! How bash asks, and what it is told.
//!
//! bash puts what it is told on the command line as it stands, and runs that: so each answer is
//! quoted, and none is taken for a pattern on the way. What stands in a name is never run.

use std::{env, ffi::OsString, io, path::Path};

use clap::Command;
use clap_complete::{engine, env::EnvCompleter};

/// The variable by which bash says which word is to be completed.
const INDEX: &str = "GRAFF_COMPLETE_INDEX";

/// The variable by which bash says in which quotes that word stands so far.
const QUOTE: &str = "GRAFF_COMPLETE_QUOTE";

/// What stands for itself in a word of bash, besides letters and digits.
const PLAIN: &str = "-._/:=@%+,";

/// In bash 3, which macOS has, words aren't split at `=` and `:`, and there is no `compopt`.
const SCRIPT: &str = r#"_graff_notes() {
    local words=("${COMP_WORDS[@]}") quote=${COMP_WORDS[COMP_CWORD]:0:1} answer
    if [[ ${BASH_VERSINFO[0]} -ge 4 ]]; then
        words[COMP_CWORD]=$2
    fi
    COMPREPLY=()
    while IFS= read -r answer; do
        if [[ -n $answer ]]; then
            COMPREPLY+=("$answer")
        fi
    done <<<"$(VARIABLE=bash INDEX=$COMP_CWORD QUOTE=$quote COMPLETER -- "${words[@]}" 2>/dev/null)"
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
        let script =
            SCRIPT.replace("VARIABLE", var).replace("INDEX", INDEX).replace("QUOTE", QUOTE);
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
        let quotes = Quotes::of(&env::var(QUOTE).unwrap_or_default());
        if let Some(word) = args.get_mut(index)
            && let Some(text) = word.to_str()
        {
            *word = quotes.unquoted(text).into();
        }
        for candidate in engine::complete(cmd, args, index, current_dir)? {
            let text = candidate.get_value().to_str();
            if let Some(quoted) = text.and_then(|text| quotes.quoted(text)) {
                writeln!(buf, "{quoted}")?;
            }
        }
        Ok(())
    }
}

/// In which quotes a word stands, which bash closes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

impl Quotes {
    /// Returns the quotes that a word begins with.
    fn of(begins: &str) -> Self {
        match begins {
            "'" => Self::Single,
            "\"" => Self::Double,
            _ => Self::None,
        }
    }

    /// Returns what stands for `text` within these quotes; `None` where nothing does on one line.
    fn quoted(self, text: &str) -> Option<String> {
        let mut word = String::with_capacity(text.len());
        for char in text.chars() {
            match (self, char) {
                (_, char) if char.is_control() => return None,
                // Bash looks for what stands behind a ! in its history.
                (Self::Single, '\'') | (Self::Double, '!') => return None,
                (Self::Double, char) if self.escapes(char) => word.push('\\'),
                (Self::None, char) if !char.is_alphanumeric() && !PLAIN.contains(char) => {
                    word.push('\\');
                }
                _ => {}
            }
            word.push(char);
        }
        Some(word)
    }

    /// Returns what a word stands for that is typed within these quotes, or the beginning of one.
    fn unquoted(self, word: &str) -> String {
        let (mut text, mut chars) = (String::with_capacity(word.len()), word.chars().peekable());
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('\\', Some(next)) if self.escapes(*next) => text.extend(chars.next()),
                ('\\', None) if self == Self::None => {} // it is for what is not typed yet
                (char, _) => text.push(char),
            }
        }
        text
    }

    /// Returns whether a backslash before a character stands for it alone.
    fn escapes(self, char: char) -> bool {
        match self {
            Self::None => true,
            Self::Single => false,
            Self::Double => matches!(char, '\\' | '"' | '$' | '`'),
        }
    }
}
