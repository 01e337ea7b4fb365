//! What a line of the log can be, without a word about its JSON.
//!
//! [`Line::read`] and [`Draft::write`] are the only way from bytes to these types and back. A
//! record that is handed out has passed every check; whatever has not is a [`Fault`].

use std::borrow::Cow;

use super::{Fault, json};
use crate::{
    note::{Author, Note, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

/// The longest line, in bytes, its LF not counted; a longer one is no record.
///
/// The longest record that this crate writes is well below: see `json/write.rs`.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;

/// The greatest number that is believed of a record without a seal.
///
/// It is the greatest that every JSON parser can hold, and more than a disk has room for records.
const SEQ_UNSEALED_MAX: Seq = Seq::new((1 << 53) - 1);

/// The greatest generation that is believed of a record without a seal.
///
/// Source: codegraff PR 460, which keeps it in 32 bits.
const GENERATION_UNSEALED_MAX: Generation = Generation::new(u32::MAX as u64);

/// What a line is, for the log of one session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// A good record of this session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

impl<'a> Line<'a> {
    /// Returns what one line, given without its LF, is in the log of `session`.
    ///
    /// A CR before the LF, a byte-order mark, and NUL bytes or white space before the record are
    /// looked past.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::{log::{Fault, Line}, session::SessionName};
    ///
    /// let session = SessionName::parse("s1").unwrap();
    /// let whole = br#"{"v":1,"session":"s1","gen":3,"text":"fix a.rs:7 first"}"#;
    /// let Line::Record(record) = Line::read(whole, &session) else { panic!("a good record") };
    /// assert_eq!(record.generation.get(), 3);
    ///
    /// let torn = br#"{"v":1,"session":"s1","gen":3,"te"#;
    /// assert_eq!(Line::read(torn, &session), Line::Bad(Fault::Unfinished));
    /// ```
    #[must_use]
    pub fn read(line: &'a [u8], session: &SessionName) -> Self {
        json::read(line, session)
    }
}

impl Record<'_> {
    /// Appends the whole line that says the same, sealed and with its LF, to `out`.
    ///
    /// A record that another program wrote with as little as it could may come out too long to be
    /// read again.
    pub fn write(&self, session: &SessionName, out: &mut Vec<u8>) {
        json::line_again(self, session, out);
    }

    /// Returns the kind of the record.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match &self.body {
            Body::Note { author, .. } => Kind::of(*author),
            Body::Attempt => Kind::Attempt,
            Body::Rollover => Kind::Rollover,
        }
    }

    /// Returns the note that it is, or `None` for the other kinds.
    #[must_use]
    pub fn into_note(self) -> Option<Note> {
        let Body::Note { text, author, cut } = self.body else { return None };
        Some(Note {
            seq: self.seq,
            generation: self.generation,
            created_at: self.created_at,
            author,
            text: text.into_owned(),
            cut,
            sealed: self.sealed,
        })
    }

    /// Returns whether it is a note, by whomever.
    #[must_use]
    pub const fn is_note(&self) -> bool {
        matches!(self.body, Body::Note { .. })
    }

    /// Returns its number where the order of numbers is concerned: that of an unsealed record
    /// counts only where it leaves room for others behind it.
    ///
    /// So one line that another program wrote, or a person, cannot use the numbers up.
    #[must_use]
    pub fn seq_that_counts(&self) -> Option<Seq> {
        self.seq.filter(|seq| self.sealed || *seq <= SEQ_UNSEALED_MAX)
    }

    /// Returns its generation where the greatest one on record is concerned: that of an unsealed
    /// record counts only where it leaves room for others behind it.
    ///
    /// So one line that another program wrote, or a person, cannot use the generations up.
    #[must_use]
    pub fn generation_that_counts(&self) -> Option<Generation> {
        let counts = self.sealed || self.generation <= GENERATION_UNSEALED_MAX;
        counts.then_some(self.generation)
    }

    /// Returns whether it takes its generation's one attempt: a note by the agent does, or an
    /// attempt at one; what the program put together without a model doesn't.
    #[must_use]
    pub const fn latches(&self) -> bool {
        matches!(self.body, Body::Attempt | Body::Note { author: Author::Agent, .. })
    }
}

impl Kind {
    /// Returns the kind of a note by `author`.
    #[must_use]
    pub const fn of(author: Author) -> Self {
        match author {
            Author::Agent => Self::Note,
            Author::Mechanical => Self::Mechanical,
        }
    }

    /// Returns the word for it; on disk the word of a note is left out.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Mechanical => "mechanical",
            Self::Attempt => "attempt",
            Self::Rollover => "rollover",
        }
    }
}

impl Draft {
    /// Appends the whole line, sealed and with its LF, to `out`.
    pub fn write(&self, session: &SessionName, seq: Seq, out: &mut Vec<u8>) {
        json::line(self, session, seq, out);
    }
}
