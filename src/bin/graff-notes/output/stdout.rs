//! stdout: the answer.

use std::{
    env,
    io::{self, BufWriter, IsTerminal, Write},
    mem,
};

use anstyle::Style;
use clap::ColorChoice;
use serde::Serialize;

use super::{pager::Sink, shown, shown_json};
use crate::{
    args::Common,
    failure::{Failure, Stop},
};

/// How wide a terminal is taken to be where the system doesn't tell, in columns.
const WIDTH_DEFAULT: usize = 80;

/// Where the answer goes.
#[derive(Debug)]
pub(crate) struct Output {
    form: Form,
    /// Whether characters of an answer could steer what stdout is.
    is_terminal: bool,
    colour: bool,
    paging: Paging,
    out: BufWriter<Sink>,
}

/// For whom the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A program: one object a line.
    Json,
    /// A script: tab-separated, nothing cut.
    Plain,
    /// A person.
    Terminal,
}

/// Whether a long answer may go through a pager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paging {
    Allowed,
    Unwanted,
}

impl Output {
    pub(crate) fn new(common: &Common) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let form = match common.json {
            true => Form::Json,
            false if is_terminal => Form::Terminal,
            false => Form::Plain,
        };
        let colour = match common.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            // Looks at NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM.
            ColorChoice::Auto => {
                anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never
            }
        };
        let paging = if common.no_pager { Paging::Unwanted } else { Paging::Allowed };
        Self { form, is_terminal, colour, paging, out: BufWriter::new(Sink::stdout()) }
    }

    /// Begins an answer that may be long: a person reads it in a pager, until it is
    /// [closed](Self::close).
    pub(crate) fn page(&mut self) {
        if self.form == Form::Terminal && self.paging == Paging::Allowed {
            self.out = BufWriter::new(Sink::PagerToCome);
        }
    }

    /// Returns whether a pager is at work, which has the terminal for itself then.
    pub(crate) fn is_in_pager(&self) -> bool {
        matches!(self.out.get_ref(), Sink::Pager(_))
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Returns whether characters of an answer could steer what it is written to.
    pub(crate) fn is_a_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns whether styles are shown.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.out.write_all(bytes).map_err(|e| stopped(&e))
    }

    /// Writes what was given to us: byte for byte, but to a terminal without what could steer it.
    pub(crate) fn given(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        match self.form {
            Form::Terminal => self.bytes(shown(&String::from_utf8_lossy(bytes)).as_bytes()),
            Form::Plain | Form::Json => self.bytes(bytes),
        }
    }

    /// Writes a line of text.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Stop> {
        self.bytes(line.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Writes one object on a line.
    pub(crate) fn json(&mut self, answer: &impl Serialize) -> Result<(), Stop> {
        if self.is_terminal {
            let json = serde_json::to_string(answer).map_err(|e| stopped(&e.into()))?;
            self.bytes(shown_json(&json).as_bytes())?;
        } else {
            serde_json::to_writer(&mut self.out, answer).map_err(|e| stopped(&e.into()))?;
        }
        self.bytes(b"\n")
    }

    /// Writes text in a style, where there is colour.
    pub(crate) fn styled(&mut self, style: Style, text: &str) -> Result<(), Stop> {
        if self.colour && !style.is_plain() {
            write!(self.out, "{style}{text}{style:#}").map_err(|e| stopped(&e))
        } else {
            self.bytes(text.as_bytes())
        }
    }

    /// Hands everything on that is still held back.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush().map_err(|e| stopped(&e))
    }

    /// Returns an error where a person has left the pager: for work that says nothing for long.
    /// Where they interrupted us in it, it waits until they leave it, and the interrupt ends us.
    pub(crate) fn heard(&mut self) -> Result<(), Stop> {
        if self.out.get_mut().is_left() { Err(Stop::ReaderGone) } else { Ok(()) }
    }

    /// Ends the answer, and returns once a person has read it.
    pub(crate) fn close(&mut self) -> Result<(), Stop> {
        let flushed = self.flush();
        // What could not be handed on is not to be tried again.
        let out = mem::replace(&mut self.out, BufWriter::new(Sink::stdout()));
        drop(out.into_parts());
        flushed
    }

    /// Returns how wide the terminal is, in columns.
    pub(crate) fn width() -> usize {
        let told = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let asked = || rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col);
        told.or_else(|| asked().map(usize::from)).filter(|w| *w > 0).unwrap_or(WIDTH_DEFAULT)
    }
}

fn stopped(cause: &io::Error) -> Stop {
    if cause.kind() == io::ErrorKind::BrokenPipe {
        return Stop::ReaderGone;
    }
    Stop::Failed(Failure::system("write the answer to stdout", cause))
}
