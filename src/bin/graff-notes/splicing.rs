//! A prompt in bytes, and the note that goes into it: what `splice` and `rollover` share.
//!
//! Whatever goes wrong there is a prompt: an agent that has lost its note still needs it.

use graff_notes::{
    ErrorKind,
    note::{Note, NoteCap},
    prompt::{self, Block},
    session::SessionName,
    store::{Doubt, DoubtCause, Newest, Store},
    units::{Bytes, Generation, Seq},
};
use serde::Serialize;

use crate::{context::explain, disguise::Disguised, doubt, failure::Failure, output::Notices};

/// A session's newest note, as far as it goes into prompts.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) session: SessionName,
    pub(crate) doubt: Option<Doubt>,
    note: Option<Note>,
    cap: NoteCap,
}

/// A prompt, with the note in it where that could be.
#[derive(Debug)]
pub(crate) struct Spliced {
    pub(crate) prompt: Vec<u8>,
    /// The note that is in it.
    pub(crate) carried: Option<Carried>,
    /// Why none is in it, though there may be one.
    pub(crate) trouble: Option<Failure>,
}

/// The note that a prompt carries, as the answers have it.
#[derive(Debug, Serialize)]
pub(crate) struct Carried {
    seq: Option<Seq>,
    r#gen: Generation,
    left_out: Bytes,
}

impl Source {
    /// Reads a session's newest note; a session without a log has none.
    pub(crate) fn read(store: &Store, session: SessionName, cap: NoteCap) -> Result<Self, Failure> {
        let Newest { note, doubt } = match store.newest(&session) {
            Err(e) if e.kind() == ErrorKind::NotFound => Newest::default(),
            read => read.map_err(|e| explain(e, store, &session))?,
        };
        Ok(Self { session, doubt, note, cap })
    }

    pub(crate) fn block(&self) -> Option<Block<'_>> {
        self.note.as_ref().map(|note| Block::of(&self.session, note, self.cap))
    }

    /// Returns the prompt with the note, and warns where it may not be the newest, or not all of
    /// it.
    pub(crate) fn splice(&self, base: Vec<u8>, notices: &Notices) -> Spliced {
        let (Some(block), Some(note)) = (self.block(), &self.note) else {
            let trouble = self.without_a_note("splice a note of", notices);
            return Spliced { trouble, ..Spliced::bare(base) };
        };
        let base = match self.disguise(base) {
            Ok(base) => base,
            Err(base) => {
                return Spliced::without(base, unreadable("splice a note into the prompt"));
            }
        };
        let carried = Carried { seq: note.seq, r#gen: note.generation, left_out: block.left_out() };
        self.warn(&carried, notices);
        let prompt = base.reveal(&prompt::splice(base.text(), Some(&block)));
        Spliced { prompt, carried: Some(carried), trouble: None }
    }

    /// Returns the failure to do `what` where there is no note, though there may be one. A record
    /// that was never finished is none that anybody was told of, so a log with nothing before it is
    /// an empty one, with a word.
    pub(crate) fn without_a_note(&self, what: &str, notices: &Notices) -> Option<Failure> {
        let doubt = self.doubt?;
        if doubt.cause == DoubtCause::Torn {
            notices.warn(doubt::empty(&self.session, doubt));
            return None;
        }
        Some(doubt::failure(what, &self.session, doubt))
    }

    /// Returns the text that the prompt is, such that the note can be told apart from it; gives the
    /// prompt back where that can't be.
    pub(crate) fn disguise(&self, base: Vec<u8>) -> Result<Disguised, Vec<u8>> {
        Disguised::of(base, self.note.as_ref().map_or("", |note| &note.text))
    }

    fn warn(&self, carried: &Carried, notices: &Notices) {
        if let Some(doubt) = self.doubt {
            notices.warn(doubt::warning(&self.session, doubt));
        }
        if carried.left_out > Bytes::ZERO {
            let (bytes, cap) = (carried.left_out, self.cap.get());
            notices.warn(format_args!("left out {bytes} bytes of the note: over the cap of {cap}"));
        }
    }
}

impl Spliced {
    /// Returns the prompt as it is.
    pub(crate) const fn bare(base: Vec<u8>) -> Self {
        Self { prompt: base, carried: None, trouble: None }
    }

    /// Returns the prompt as it is, since something kept the note out.
    pub(crate) fn without(base: Vec<u8>, trouble: Failure) -> Self {
        Self { trouble: Some(trouble), ..Self::bare(base) }
    }
}

/// Returns the failure of a prompt that can't be taken for text by any means.
pub(crate) fn unreadable(to: &str) -> Failure {
    Failure::input(format_args!("{to}: it is not UTF-8, and too odd to be worked around"))
}
