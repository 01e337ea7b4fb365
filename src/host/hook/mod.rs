//! What the hooks of existing agents are told and answer, as pure bytes in and bytes out.
//!
//! ```text
//! stdin ─ Framing ─ read ─ Call ─ task ─┬─ Splice, Show     the newest note, once a history
//!                                       ├─ AskAgent         LastRequest, then the gate
//!                                       ├─ TakeReply        LastInput: is it the answer to ours?
//!                                       ├─ Salvage, …       a mechanical note before a compaction
//!                                       └─ Nothing
//!                            Answer ─ print ─ stdout
//! ```
//!
//! What each host understands was seen with the real agents; docs/hosts has a page for each. This
//! module refuses to know files, clocks and the store: the program reads and writes, and keeps a
//! [`State`] from one hook to the next.
//!
//! Invariants:
//! * A compaction is never blocked or delayed, and no turn is kept from ending twice.
//! * Nothing is printed but one of the forms that the host takes.
//! * What is not known, in a payload or an event, asks for nothing.

mod answer;
mod client;
mod count;
mod event;
mod exchange;
mod framing;
mod lineage;
mod outgoing;
mod payload;
mod progress;
mod state;
mod tail;

pub use answer::Answer;
pub use client::{Host, NoSuchHost};
pub use count::{Counted, Counter};
pub use event::{Agent, Call, Event, Start, Stop, Task, Trigger};
pub use exchange::LastInput;
pub use framing::{Framed, Framing};
pub use lineage::{first_record, forked_from, named_by_transcript};
pub use outgoing::{Message, behind_summary};
pub use payload::{Unread, read};
pub use progress::Moment;
pub use state::{Asked, Given, Parent, Seen, State};
pub use tail::{LastRequest, Tail};
