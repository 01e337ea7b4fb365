//! A line of a log as an export has it.

use std::borrow::Cow;

use graff_notes::{
    log::{self, Line, Tail},
    session::SessionName,
    units::Bytes,
};
use serde::Serialize;

use crate::command::record::RecordAnswer;

/// The version of exports, which each entry carries; another one is not guessed at.
pub(crate) const VERSION: u64 = 1;

/// The kind of an entry that stands for what is no readable record.
pub(crate) const DAMAGE: &str = "damage";

/// The kind of an entry that stands for a record of a newer version, which is no damage.
pub(crate) const NEWER: &str = "newer_version";

/// A record, or what stands where one may have been.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Entry<'a> {
    Record(RecordAnswer<'a>),
    /// What stands in a log and is no record of its session.
    Damage(Unread<'a>),
    /// A record that a newer version of the format can read.
    Newer(Unread<'a>),
}

/// What an export has no record for.
#[derive(Debug, Serialize)]
pub(super) struct Unread<'a> {
    session: Cow<'a, str>,
    kind: &'static str,
    pub(super) line: u64,
    pub(super) offset: Bytes,
    reason: &'static str,
    pub(super) detail: String,
}

/// An entry in JSON.
#[derive(Serialize)]
struct Exported<'a> {
    export: u64,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
}

impl<'a> Entry<'a> {
    /// Returns the entry for a line; a blank one has none.
    pub(super) fn of(line: &'a log::Entry<'_>, session: &'a SessionName) -> Option<Self> {
        let damage = |reason, detail| {
            Self::Damage(Unread::of(session, DAMAGE, (line.number, line.offset), reason, detail))
        };
        match &line.line {
            Line::Blank => None,
            Line::Record(record) => {
                Some(Self::Record(RecordAnswer::of(line, record).named(session)))
            }
            Line::Bad(fault) => Some(damage(fault.reason(), fault.to_string())),
            Line::Newer => {
                let detail = "written by a newer version of the format".to_owned();
                let place = (line.number, line.offset);
                Some(Self::Newer(Unread::of(session, NEWER, place, NEWER, detail)))
            }
            Line::Foreign { session } => {
                Some(damage("foreign", format!("a record of session {session:?}")))
            }
        }
    }

    /// Returns the entry for a torn tail, which is the `line`th line.
    pub(super) fn of_tail(tail: Tail, session: &'a SessionName, line: u64) -> Option<Self> {
        let Tail::Torn { offset, fault, .. } = tail else { return None };
        let detail = format!("the file ends in a torn record: {fault}");
        Some(Self::Damage(Unread::of(session, DAMAGE, (line, offset), "torn_tail", detail)))
    }

    /// Returns the same, without the text of a note.
    pub(super) fn without_text(self) -> Self {
        match self {
            Self::Record(record) => Self::Record(record.without_text()),
            Self::Damage(_) | Self::Newer(_) => self,
        }
    }

    /// Returns it in JSON, on one line.
    pub(super) fn json(&self) -> String {
        // Strings, numbers and field names always make JSON.
        serde_json::to_string(&Exported { export: VERSION, entry: self }).unwrap_or_default()
    }
}

impl<'a> Unread<'a> {
    fn of(
        session: &'a SessionName,
        kind: &'static str,
        (line, offset): (u64, Bytes),
        reason: &'static str,
        detail: String,
    ) -> Self {
        let session = Cow::Borrowed(session.as_str());
        Self { session, kind, line, offset, reason, detail }
    }
}
