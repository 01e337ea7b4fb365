//! The only part of the library that touches the world: files, locks and the time that a lock is
//! waited for.
//!
//! ```text
//! <root>/.graff/notes/            0700
//!     .gitignore                  "*": nothing here is committed; its owner may remove it for good
//!     .gitignore.new.<n>.<n>      that file before it takes its name
//!     <session>.notes.jsonl       the log: one record a line, only ever appended to
//!     <session>.notes.lock        locked by whoever appends; never removed, always empty
//!     <session>.notes.rejected    what a repair took out
//!     <session>.hooks.json        what hooks tell the next ones; lost, it costs no note
//!     <session>.hooks.new         that file before it takes the place of the one before
//!     <session>.notes.repaired    a log that a repair or an import is writing
//!     <session>.notes.repairing   a mark, as long as that log is on its way to replace the old one
//! ```
//!
//! A folder that root makes for another user is called `.graff.new.<n>.<n>` or `notes.new.<n>.<n>`
//! before it takes its name.
//!
//! Every write takes the lock first, then opens the log by its path, looks at its tail, and appends
//! one record in one write. Reading never writes, and takes no lock but where a log ends in the
//! middle of a line: then for as long as it takes to open the log. A log is only replaced by a
//! repair or an import, on demand, and then by its rename.
//!
//! docs/durability.md says what survives what, and how that is shown.
//!
//! What it refuses to know: what a line says (that is [`log`](crate::log)'s), and when a note is
//! due (that is [`gate`](crate::gate)'s).

mod answer;
mod aside;
#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod disk;
mod file;
mod folder;
mod follower;
mod front;
mod import;
#[cfg(unix)]
mod kernel;
mod layout;
mod lock;
mod look;
mod mark;
pub mod medium;
#[cfg(unix)]
mod owner;
mod reader;
mod recent;
mod repair;
mod replace;
#[cfg(unix)]
mod root;
mod session_log;
mod sessions;
#[cfg(feature = "host")]
mod side;
mod sift;
mod snapshot;
mod system;
mod undo;
mod writer;

pub use answer::{Appended, Latched, Salvaged};
#[cfg(unix)]
pub use disk::Disk;
pub use follower::Follower;
pub use front::Store;
pub use import::{Import, ImportMode};
pub use layout::Level;
pub use lock::{HOOK_PATIENCE, PATIENCE};
pub use reader::{Doubt, DoubtCause, Newest};
pub use repair::{DROPPED_NAMED_MAX, Dropped, FinalNewline, Repair, RepairMode};
pub use session_log::Log;
pub use sessions::Sessions;
