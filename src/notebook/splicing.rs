//! The note on its way into a prompt.

use crate::{error::Error, note::Note, store::Doubt};

/// A prompt, with the session's newest note in it where there is one.
#[derive(Debug)]
#[must_use]
pub struct Spliced {
    /// The prompt: the base byte for byte, but for the block.
    pub prompt: String,
    /// The note that is in it.
    pub note: Option<Note>,
    /// What may have been a newer note, and cannot be read.
    pub doubt: Option<Doubt>,
    /// Why the log could not be read; the prompt is the base then.
    pub trouble: Option<Error>,
}

impl Spliced {
    pub(super) fn bare(base: &str) -> Self {
        Self { prompt: base.to_owned(), note: None, doubt: None, trouble: None }
    }
}
