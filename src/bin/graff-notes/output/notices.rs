//! stderr: failures, warnings, and what only a person at a terminal wants to know.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use serde::Serialize;

use super::text::{one_line, shown_json};
use crate::{args::Common, exit::Exit, failure::Failure};

/// Where everything goes that is no answer. What can't be written there is lost: there is nowhere
/// else to say so.
#[derive(Clone, Debug)]
pub(crate) struct Notices {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// One object a line.
    Json,
    /// Words, and hints too.
    Terminal,
    /// Words, and only trouble.
    Plain,
    /// The same, as far as stderr takes them at once: whoever started us waits for our end, and
    /// may not read before it.
    AtOnce,
}

/// How much a pipe that takes anything takes whole, in bytes.
///
/// Source: `PIPE_BUF` of POSIX, at the least.
const TAKEN_WHOLE: usize = 512;

/// What stands on a line of JSON, under the name of its sort.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Said<'a> {
    Error(&'a Failure),
    Warning {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        advice: Option<&'a str>,
    },
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

    /// Returns notices in words, of trouble only, which are lost rather than waited for.
    pub(crate) const fn at_once() -> Self {
        Self { form: Form::AtOnce }
    }

    /// Returns the notices of a command line that asks for no command.
    pub(crate) const fn words() -> Self {
        Self { form: Form::Plain }
    }

    /// Says why a command line is refused, as far as stderr takes it at once.
    pub(crate) fn refusal_at_once(why: impl fmt::Display) {
        say_at_once(why.to_string().trim_end());
    }

    /// Reports a failure, and returns the status that it ends the program with.
    pub(crate) fn failure(&self, failure: &Failure) -> Exit {
        match &self.form {
            Form::Json => say_json(&Said::Error(failure)),
            Form::Terminal | Form::Plain => say(&words(failure, failure.advice())),
            Form::AtOnce => say_at_once(&words(failure, failure.advice())),
        }
        failure.exit()
    }

    /// Says what is wrong, though the command goes on.
    pub(crate) fn warn(&self, what: impl fmt::Display) {
        self.warning(what, None);
    }

    /// Says what is wrong, though the command goes on, and what can be done about it.
    pub(crate) fn warn_and_advise(&self, what: impl fmt::Display, advice: impl AsRef<str>) {
        self.warning(what, Some(advice.as_ref()));
    }

    /// Says what failed, though the command goes on.
    pub(crate) fn warn_of(&self, failure: &Failure) {
        self.warning(failure, failure.advice());
    }

    fn warning(&self, what: impl fmt::Display, advice: Option<&str>) {
        match self.form {
            Form::Json => say_json(&Said::Warning { message: what.to_string(), advice }),
            Form::Terminal | Form::Plain => say(&words(what, advice)),
            Form::AtOnce => say_at_once(&words(what, advice)),
        }
    }

    /// Returns whether a person reads them, at a terminal.
    pub(crate) fn is_for_a_person(&self) -> bool {
        matches!(self.form, Form::Terminal)
    }

    /// Tells a person at a terminal what goes on.
    pub(crate) fn hint(&self, what: impl fmt::Display) {
        if matches!(self.form, Form::Terminal) {
            say(&words(what, None));
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
    let json = serde_json::to_string(said).unwrap_or_default();
    say(&shown_json(&json)); // a person may look at it, and a program reads the same value
}

/// Returns something on one line, whatever stands in the names and paths in it; advice on a second.
fn words(what: impl fmt::Display, advice: Option<&str>) -> String {
    let mut words = format!("graff-notes: {}", one_line(&what.to_string()));
    if let Some(advice) = advice {
        words.push_str("\n  ");
        words.push_str(&one_line(advice));
    }
    words
}

fn say(what: &dyn fmt::Display) {
    // In one write, so that the lines of processes that share a stderr stay whole.
    let _ = io::stderr().write_all(format!("{what}\n").as_bytes());
}

/// Says as much as can be said without waiting: for whoever reads stderr, or for a thread of ours
/// that does wait there.
fn say_at_once(what: &str) {
    let (stderr, said) = (io::stderr(), format!("{what}\n"));
    let mut rest = said.as_bytes();
    while !rest.is_empty() && takes_more(&stderr) {
        let piece = rest.get(..TAKEN_WHOLE).unwrap_or(rest);
        match rustix::io::write(&stderr, piece) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Returns whether stderr takes [so much](TAKEN_WHOLE) now.
fn takes_more(stderr: &io::Stderr) -> bool {
    let mut fds = [PollFd::new(stderr, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok() && fds.iter().all(|fd| fd.revents().contains(PollFlags::OUT))
}
