//! One attempt at a note, from the request to the reply.

use crate::{
    budget::Permit, gate::Outcome, prompt::NoteRequest, session::SessionName, units::Generation,
};

/// An attempt that is on record and whose reply is awaited.
///
/// It holds the permit of the model call. Dropping it gives the call up: the attempt stays on
/// record, so this generation gets no other.
#[derive(Debug)]
#[must_use = "an attempt that isn't settled has spent a call and stores nothing"]
pub struct Attempt {
    pub(super) session: SessionName,
    pub(super) generation: Generation,
    pub(super) request: NoteRequest,
    pub(super) permit: Permit,
}

/// What spending a ticket came to.
#[derive(Debug)]
#[must_use]
pub enum Spent {
    /// The attempt is on record: ask the model, then [`settle`](super::Notebook::settle).
    Ask(Attempt),
    /// There is nothing to ask; roll over without a new note.
    Left(Outcome),
}

/// What became of the model call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The text of a reply to the request.
    ///
    /// A refusal, a reply that ended in a tool call, and a note that was stopped by the output
    /// limit are [`Failed`](Self::Failed): [`Response`](crate::conversation::Response) knows which
    /// is what.
    Text(String),
    /// The call failed; why, in the host's words.
    Failed(String),
    /// The turn was cancelled meanwhile.
    Cancelled,
}

impl Attempt {
    /// Returns what to ask the model.
    #[must_use]
    pub const fn request(&self) -> &NoteRequest {
        &self.request
    }

    /// Returns the generation that the note will describe.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    /// Returns the permit of the call.
    pub const fn permit(&self) -> &Permit {
        &self.permit
    }
}
