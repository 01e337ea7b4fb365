//! The log as bytes: what a line says, how a file is replayed, what its tail is.
//!
//! Nothing here knows where the bytes come from; it turns bytes into records and a verdict.

mod record;
mod replay;
mod tail;

pub use record::{Body, Draft, Fault, Kind, Line, Record};
pub use replay::{Entry, LINE_BYTES_MAX, Replay};
pub use tail::Tail;
