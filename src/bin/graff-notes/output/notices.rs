//! stderr: failures, warnings, and what only a person at a terminal wants to know.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
};

use serde::Serialize;

use super::text::one_line;
use crate::{args::Common, exit::Exit, failure::Failure};

/// Where everything goes that is no answer. What can't be written there is lost: there is nowhere
/// else to say so.
#[derive(Debug)]
pub(crate) struct Notices {
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// One object a line.
    Json,
    /// Words, and hints too.
    Terminal,
    /// Words, and only trouble.
    Plain,
}

/// What stands on a line of JSON, under the name of its sort.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Said<'a> {
    Error(&'a Failure),
    Warning { message: String },
}

impl Notices {
    pub(crate) fn new(common: &Common) -> Self {
        let form = match common.json {
            true => Form::Json,
            false if io::stderr().is_terminal() => Form::Terminal,
            false => Form::Plain,
        };
        Self { form }
    }

    /// Returns the notices of a command line that could not be read but asks for JSON.
    pub(crate) const fn json() -> Self {
        Self { form: Form::Json }
    }

    /// Returns notices in words, of trouble only.
    pub(crate) const fn plain() -> Self {
        Self { form: Form::Plain }
    }

    /// Returns the notices of a command line that asks for no command.
    pub(crate) const fn words() -> Self {
        Self { form: Form::Plain }
    }

    /// Reports a failure, and returns the status that it ends the program with.
    pub(crate) fn failure(&self, failure: &Failure) -> Exit {
        match (&self.form, failure.advice()) {
            (Form::Json, _) => say_json(&Said::Error(failure)),
            (_, Some(advice)) => {
                let (failure, advice) = (failure.to_string(), one_line(advice));
                say(&format_args!("graff-notes: {}\n  {advice}", one_line(&failure)));
            }
            (_, None) => say_words(failure),
        }
        failure.exit()
    }

    /// Says what is wrong, though the command goes on.
    pub(crate) fn warn(&self, what: impl fmt::Display) {
        match self.form {
            Form::Json => say_json(&Said::Warning { message: what.to_string() }),
            Form::Terminal | Form::Plain => say_words(&what),
        }
    }

    /// Returns whether a person reads them, at a terminal.
    pub(crate) fn is_for_a_person(&self) -> bool {
        matches!(self.form, Form::Terminal)
    }

    /// Tells a person at a terminal what goes on.
    pub(crate) fn hint(&self, what: impl fmt::Display) {
        if matches!(self.form, Form::Terminal) {
            say_words(&what);
        }
    }

    /// Accounts for what was decided, in rows of what, answer and figures.
    pub(crate) fn account(rows: &[[String; 3]]) {
        let width = |column| rows.iter().filter_map(|row| row.get(column)).map(String::len).max();
        let [first, second] = [0, 1].map(|column| width(column).unwrap_or(0));
        for [what, answer, figures] in rows {
            let row = format!("{what:first$}  {answer:second$}  {figures}");
            say(&one_line(row.trim_end()));
        }
    }

    /// Asks a person a question, without ending the line.
    pub(crate) fn ask(question: impl fmt::Display) {
        let _ = write!(io::stderr(), "{} ", one_line(&question.to_string()));
    }
}

fn say_json(said: &Said<'_>) {
    // Strings, numbers and field names always make JSON.
    say(&serde_json::to_string(said).unwrap_or_default());
}

/// Says something on one line, whatever stands in the names and paths in it.
fn say_words(what: &dyn fmt::Display) {
    say(&format_args!("graff-notes: {}", one_line(&what.to_string())));
}

fn say(what: &dyn fmt::Display) {
    // In one write, so that the lines of processes that share a stderr stay whole.
    let _ = io::stderr().write_all(format!("{what}\n").as_bytes());
}
