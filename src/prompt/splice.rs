//! Putting a block into a prompt, and taking it out again.
//!
//! ```text
//! base[..p]  LF LF  block  base[p..]        p: see Place
//! ```
//!
//! Taking out removes exactly what was put in: the block and the two line breaks before it.

use std::borrow::Cow;

use super::{block::Block, fence, place::Place};

/// How a prompt stands to the block that it should carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Check {
    /// It carries this very block, at its place, and no other.
    Current,
    /// It carries no block.
    Absent,
    /// It carries one block: another one, or this one at another place.
    Stale,
    /// It carries several.
    Stacked {
        /// How many.
        blocks: usize,
    },
}

/// Returns the prompt with the block in place of any that it has; without a block, `base` itself.
///
/// # Examples
///
/// ```
/// use graff_notes::{
///     note::{Author, Note, NoteCap},
///     prompt::{self, Block},
///     session::SessionName,
///     units::{Bytes, Generation, Timestamp},
/// };
///
/// let note = Note {
///     seq: None,
///     generation: Generation::new(3),
///     created_at: Timestamp::new(1_764_000_000_000),
///     author: Author::Agent,
///     text: "SUBGOAL: make retry_test green".to_owned(),
///     cut: Bytes::ZERO,
///     sealed: true,
/// };
/// let session = SessionName::parse("s1")?;
/// let block = Block::of(&session, &note, NoteCap::DEFAULT);
///
/// let base = "You are an agent.\n";
/// let prompt = prompt::splice(base, Some(&block));
/// assert!(prompt.starts_with(base));
/// assert_eq!(prompt::extract(&prompt), Some(note.text.as_str()));
/// assert_eq!(prompt::strip(&prompt), base);
/// # Ok::<(), graff_notes::session::NameRefused>(())
/// ```
#[must_use]
pub fn splice(base: &str, block: Option<&Block<'_>>) -> String {
    block.map_or_else(|| base.to_owned(), |block| Place::of(base).splice(block))
}

/// Writes the prompt with the block in place of any that it has over what `out` holds.
///
/// Where `base` has no block and the buffer is large enough, nothing is allocated.
pub fn splice_into(base: &str, block: &Block<'_>, out: &mut String) {
    Place::of(base).splice_into(block, out);
}

/// Returns the note that a prompt carries, byte for byte.
///
/// Of several blocks the one of the highest rank counts, which is the one put in last.
#[must_use]
pub fn extract(prompt: &str) -> Option<&str> {
    fence::find_note(prompt).and_then(|note| prompt.get(note))
}

/// Returns the prompt without any block; borrowed where it has none.
#[must_use]
pub fn strip(prompt: &str) -> Cow<'_, str> {
    fence::strip(prompt).text
}

/// Returns how `prompt` stands to `block`.
pub fn check(prompt: &str, block: &Block<'_>) -> Check {
    match fence::strip(prompt).blocks {
        0 => Check::Absent,
        1 if splice(prompt, Some(block)) == prompt => Check::Current,
        1 => Check::Stale,
        blocks => Check::Stacked { blocks },
    }
}
