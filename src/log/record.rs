//! One line of the log: the only file that knows its JSON.

use std::borrow::Cow;

use crate::{
    note::{Author, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

/// A good record of this session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The generation that it belongs to; absent on disk reads as 0.
    pub generation: Generation,
    /// When it was written; absent on disk reads as 0.
    pub created_at: Timestamp,
    /// Its number; absent on records of other programs.
    pub seq: Option<Seq>,
    /// What it says.
    pub body: Body<'a>,
    /// Whether it carries a checksum (that matched; one that doesn't is a fault).
    pub sealed: bool,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// A note.
    Note {
        /// Its text, borrowed from the line where nothing in it was escaped.
        text: Cow<'a, str>,
        /// Who wrote it.
        author: Author,
        /// How much the cap cut off.
        cut: Bytes,
    },
    /// An attempt at a note was begun.
    Attempt,
    /// The history was rewritten; the record's generation is the new one.
    Rollover,
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A note by the agent.
    Note,
    /// A note by the program.
    Mechanical,
    /// An attempt at a note.
    Attempt,
    /// A rewriting of the history.
    Rollover,
}

/// A record to be written; the log gives it its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draft {
    /// A note.
    Note {
        /// Its text.
        text: NoteText,
        /// Who wrote it.
        author: Author,
        /// How much the cap cut off.
        cut: Bytes,
        /// The generation that it describes.
        generation: Generation,
        /// When it is written.
        created_at: Timestamp,
    },
    /// An attempt at a note.
    Attempt {
        /// The generation that the attempt belongs to.
        generation: Generation,
        /// When it is written.
        created_at: Timestamp,
    },
    /// A rewriting of the history.
    Rollover {
        /// The new generation.
        generation: Generation,
        /// When it is written.
        created_at: Timestamp,
    },
}

/// What a line is, for the log of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// White space only.
    Blank,
    /// A good record of this session.
    Record(Record<'a>),
    /// A good record of another session.
    Foreign {
        /// That session's name, as the line has it.
        session: Cow<'a, str>,
    },
    /// A record that a newer version of the format wrote: kept, never guessed at.
    Newer,
    /// Anything else.
    Bad(Fault),
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It is no JSON object.
    NotAnObject,
}

impl<'a> Line<'a> {
    /// Reads one line, without its LF, of the log of `session`.
    #[must_use]
    pub fn read(line: &'a [u8], session: &SessionName) -> Self {
        todo!("{line:?} {session}")
    }
}

impl Draft {
    /// Appends the whole line, LF included, to `out`.
    pub fn write(&self, session: &SessionName, seq: Seq, out: &mut Vec<u8>) {
        todo!("{session} {seq} {out:?}")
    }
}

impl Record<'_> {
    /// Returns the kind of the record.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.body {
            Body::Note { author: Author::Agent, .. } => Kind::Note,
            Body::Note { author: Author::Mechanical, .. } => Kind::Mechanical,
            Body::Attempt => Kind::Attempt,
            Body::Rollover => Kind::Rollover,
        }
    }
}
