//! The document that an export writes, and where it goes.

use camino::Utf8Path;
use clap::ValueEnum;
use graff_notes::session::SessionName;
use serde::Serialize;

use super::{
    entry::{Entry, VERSION},
    markdown,
};
use crate::{
    failure::{Failure, Stop, heard_or_not},
    output::{Clock, IfThere, NewFile, Output, shown, shown_json},
};

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    /// For reading
    Markdown,
    /// One object
    Json,
    /// One object a line
    Jsonl,
}

/// A document under way.
#[derive(Debug)]
pub(super) struct Sheet {
    format: Format,
    clock: Clock,
    target: Target,
    /// The session of the last entry.
    session: Option<SessionName>,
    /// How many sessions it has entries of.
    sessions: u64,
}

/// Where a document goes.
#[derive(Debug)]
pub(super) enum Target {
    Stdout,
    File(NewFile),
}

impl Sheet {
    pub(super) const fn new(format: Format, clock: Clock, target: Target) -> Self {
        Self { format, clock, target, session: None, sessions: 0 }
    }

    /// Adds an entry; those of a session come one behind the other.
    pub(super) fn entry(
        &mut self,
        out: &mut Output,
        session: &SessionName,
        entry: &Entry<'_>,
    ) -> Result<(), Stop> {
        let is_first = self.sessions == 0;
        let is_new = self.session.as_ref() != Some(session);
        if is_new {
            self.session = Some(session.clone());
            self.sessions += 1;
        }
        let text = match self.format {
            Format::Jsonl => entry.json() + "\n",
            Format::Json if is_first => opening() + &entry.json(),
            Format::Json => ",".to_owned() + &entry.json(),
            Format::Markdown if is_new => {
                let session = markdown::escaped(session.as_str());
                format!("# {session}\n\n{}", markdown::entry(entry, &self.clock))
            }
            Format::Markdown => markdown::entry(entry, &self.clock),
        };
        self.target.text(out, self.format, &text)
    }

    /// Returns whether it is written to a file, and shown nowhere.
    pub(super) const fn is_a_file(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// Ends it, and returns how many sessions it has entries of.
    pub(super) fn end(mut self, out: &mut Output) -> Result<u64, Stop> {
        if self.format == Format::Json {
            let opening = if self.sessions == 0 { opening() } else { String::new() };
            self.target.text(out, self.format, &(opening + "]}\n"))?;
        }
        if let Target::File(file) = self.target {
            file.finish()?;
        }
        Ok(self.sessions)
    }
}

fn opening() -> String {
    format!("{{\"export\":{VERSION},\"entries\":[")
}

impl Target {
    pub(super) fn of(path: Option<&Utf8Path>, if_there: IfThere) -> Result<Self, Failure> {
        path.map_or(Ok(Self::Stdout), |path| NewFile::begin(path, if_there).map(Self::File))
    }

    /// Writes a text. Where nobody reads stdout any more the export goes on: what it meets, its
    /// status tells.
    fn text(&mut self, out: &mut Output, format: Format, text: &str) -> Result<(), Stop> {
        match self {
            Self::File(file) => Ok(file.bytes(text.as_bytes())?),
            Self::Stdout if out.is_a_terminal() => {
                let text = match format {
                    Format::Markdown => shown(text),
                    Format::Json | Format::Jsonl => shown_json(text),
                };
                heard_or_not(out.bytes(text.as_bytes()))
            }
            Self::Stdout => heard_or_not(out.bytes(text.as_bytes())),
        }
    }
}
