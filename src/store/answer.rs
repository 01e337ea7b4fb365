//! The ways of appending, and what each of them comes to.

use super::{recent::Sought, writer::Writer};
use crate::{
    error::Error,
    log::{Body, Draft},
    note::{Author, Fitted},
    units::{Generation, Seq, Timestamp},
};

/// What became of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Appended {
    /// It is on disk under this number.
    Stored(Seq),
    /// The newest note has the same text and generation, and is on disk; nothing was written.
    Unchanged(Option<Seq>),
}

/// Whether an attempt was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Latched {
    /// It is on disk under this number: the one attempt of its generation.
    Latched(Seq),
    /// The generation has a note or an attempt already; nothing was written.
    Taken,
}

/// What became of a note that was made without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Salvaged {
    /// It is on disk under this number.
    Stored(Seq),
    /// The generation has a note already, by whomever; nothing was written.
    AlreadyNoted,
}

/// Appends a draft; a note only where the newest one is another.
pub(super) fn append(writer: Writer<'_>, draft: &Draft) -> Result<Appended, Error> {
    let Draft::Note { text, generation, .. } = draft else {
        return writer.append(draft).map(Appended::Stored);
    };
    writer.append_unless_newest(draft, |newest| {
        newest.generation == *generation
            && matches!(&newest.body, Body::Note { text: stored, .. } if stored == text.as_str())
    })
}

/// Appends a mechanical note, unless its generation has a note.
pub(super) fn salvage(
    writer: Writer<'_>,
    Fitted { text, cut }: Fitted,
    generation: Generation,
    now: Timestamp,
) -> Result<Salvaged, Error> {
    let author = Author::Mechanical;
    let draft = Draft::Note { text, author, cut, generation, created_at: now };
    let stored = writer.append_unless(&draft, generation, Sought::Note)?;
    Ok(stored.map_or(Salvaged::AlreadyNoted, Salvaged::Stored))
}

/// Appends the attempt of a generation that has had none.
pub(super) fn latch(
    writer: Writer<'_>,
    generation: Generation,
    now: Timestamp,
) -> Result<Latched, Error> {
    let attempt = Draft::Attempt { generation, created_at: now };
    let latched = writer.append_unless(&attempt, generation, Sought::Latch)?;
    Ok(latched.map_or(Latched::Taken, Latched::Latched))
}
