//! The only place that knows the JSON of a record.
//!
//! ```text
//! {"v":1,"session":"s1","gen":3,"text":"…","created_at":1786017600000,"seq":8,"crc":"5d41402a"}LF
//! └──────────────────── what the checksum covers ─────────────────────────┘└───── the seal ────┘
//! ```
//!
//! There is one judge, `read`. Before it stands `plain`, which knows lines exactly as `write` makes
//! them and nothing else: what it accepts, the judge would read the same, and what it does not
//! accept goes to the judge. Both apply the rules of this file and of `seal`.

mod members;
mod plain;
mod read;
mod seal;
mod syntax;
mod write;

use std::borrow::Cow;

pub(super) use read::read;
pub(super) use seal::Seal;
pub(super) use write::{line, line_again};

use super::{Body, Fault, Field, Kind};
use crate::{note::Author, units::Bytes};

/// The version of the format that this crate writes, and the highest that it reads.
const VERSION: u64 = 1;

/// How a record begins that this crate or codegraff wrote. It never stands inside a string, where
/// its quotes would be escaped.
pub(super) const RECORD_OPENING: &[u8] = br#"{"v":"#;

/// Returns the kind that `word` stands for on disk.
fn kind(word: &str) -> Option<Kind> {
    [Kind::Mechanical, Kind::Attempt, Kind::Rollover].into_iter().find(|k| k.as_str() == word)
}

/// Returns what a record of `kind` says with this text, or why it cannot be one.
fn body(kind: Kind, text: Option<Cow<'_, str>>, cut: u64) -> Result<Body<'_>, Fault> {
    let author = match (kind, &text) {
        (Kind::Note, _) => Author::Agent,
        (Kind::Mechanical, _) => Author::Mechanical,
        (Kind::Attempt, None) => return Ok(Body::Attempt),
        (Kind::Rollover, None) => return Ok(Body::Rollover),
        (Kind::Attempt | Kind::Rollover, Some(_)) => return Err(Fault::UnexpectedText(kind)),
    };
    let text = text.ok_or(Fault::Missing(Field::Text))?;
    if text.trim().is_empty() {
        return Err(Fault::BlankText);
    }
    Ok(Body::Note { text, author, cut: Bytes::new(cut) })
}
