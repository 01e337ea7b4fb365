//! The log as bytes: what a line says, how a file is replayed, what its tail is.
//!
//! Nothing here knows where the bytes come from; it turns bytes into records and a verdict. Each
//! line stands alone, so damage costs the line that it hit and no other. docs/format.md describes
//! the bytes completely.
//!
//! | to | use |
//! |---|---|
//! | judge one line | [`Line::read`] |
//! | write one line | [`Draft::write`], or [`Record::write`] for one that was read |
//! | read a file from its start, in pieces | [`Replay`] |
//! | read a file from its end, until enough was seen | [`Rewind`] |
//! | add up what a replay saw | [`Health`] |
//! | win records back from a bad line | [`win_back`] |

mod fault;
mod finding;
mod health;
mod json;
mod record;
mod replay;
mod rewind;
mod tail;
mod win_back;

pub use fault::{Fault, Field};
pub use finding::{Concern, Finding};
pub use health::{Health, LastNote, SetBack};
pub use record::{Body, Draft, Kind, LINE_BYTES_MAX, Line, Record};
pub use replay::{Entry, Replay};
pub use rewind::{Placed, Rewind};
pub use tail::{ABANDONED, Tail};
pub use win_back::win_back;
