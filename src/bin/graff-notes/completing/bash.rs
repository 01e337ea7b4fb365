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
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn io::Write,
    ) -> io::Result<()> {
        let (index, quotes) = asked().unwrap_or((0, Quotes::None));
        for candidate in engine::complete(cmd, meant(args), index, current_dir)? {
            let text = candidate.get_value().to_str();
            if let Some(quoted) = text.and_then(|text| quotes.quoted(text)) {
                writeln!(buf, "{quoted}")?;
            }
        }
        Ok(())
    }
}

/// Returns which word is to be completed, and in which quotes it stands so far; `None` where it
/// isn't bash that asks.
fn asked() -> Option<(usize, Quotes)> {
    let index = env::var(INDEX).ok()?.parse().ok()?;
    Some((index, Quotes::of(&env::var(QUOTE).unwrap_or_default())))
}

/// Returns the words that a shell hands us as they are meant: without their quotes, which the other
/// shells have taken off already.
pub(super) fn meant(words: Vec<OsString>) -> Vec<OsString> {
    let Some((index, quotes)) = asked() else { return words };
    let meant = |(at, word): (usize, OsString)| match word.to_str() {
        Some(text) if at == index => quotes.unquoted(text).into(),
        Some(text) => whole(text).into(),
        None => word,
    };
    words.into_iter().enumerate().map(meant).collect()
}

/// Returns what a word stands for whose quotes are closed, wherever in it they stand.
fn whole(word: &str) -> String {
    let (mut text, mut chars) = (String::with_capacity(word.len()), word.chars().peekable());
    let mut within = Quotes::None;
    while let Some(char) = chars.next() {
        match (within, char, chars.peek()) {
            (_, '\\', Some(next)) if within.escapes(*next) => text.extend(chars.next()),
            (Quotes::None, '\'', _) => within = Quotes::Single,
            (Quotes::None, '"', _) => within = Quotes::Double,
            (Quotes::Single, '\'', _) | (Quotes::Double, '"', _) => within = Quotes::None,
            _ => text.push(char),
        }
    }
    text
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
