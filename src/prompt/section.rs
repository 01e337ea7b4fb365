//! The note as a section of the summary, where a host's summariser takes further instructions.
//!
//! It costs no call of its own: the model that writes the summary writes the note too.

use super::instruction::PARTS;
use crate::note::NoteCap;

const OPENING: &str = "<note_to_self>";
const CLOSING: &str = "</note_to_self>";

/// Returns what to ask the summariser, in words that are instructions and nothing else.
#[must_use]
pub fn section_request(cap: NoteCap) -> String {
    let bytes = cap.get();
    format!(
        "\
For the summary only: end it with one more section, the agent's note to itself, between a line \
{OPENING} and a line {CLOSING}. Unlike the summary it is kept word for word.
Write these four parts in it, in this order:
{PARTS}
Be terse, and add nothing that one tool call would find again. At most {bytes} bytes are kept. \
When nothing is in flight, write the single word `none` between the two lines."
    )
}

/// Returns the note that a summary has in it as a section of its own, white space around it left
/// out; `None` where it has none, or the section was cut short.
///
/// Of several the last one counts: a model that thinks aloud first drafts it there.
///
/// # Examples
///
/// ```
/// use graff_notes::prompt::section_of;
///
/// let summary = "<summary>\n1. Task: …\n<note_to_self>\nNext: a.rs:7\n</note_to_self>\n</summary>";
/// assert_eq!(section_of(summary), Some("Next: a.rs:7"));
/// assert_eq!(section_of("<summary>\n<note_to_self>\nNext: a."), None);
/// ```
#[must_use]
pub fn section_of(summary: &str) -> Option<&str> {
    let (before, _) = summary.rsplit_once(CLOSING)?;
    let (_, note) = before.rsplit_once(OPENING)?;
    Some(note.trim())
}
