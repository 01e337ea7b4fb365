//! Our hooks in the settings of existing agents: put in, found, and taken out again.
//!
//! Settings are a person's own file: they may hold comments, other hooks and odd indentation. So
//! they are never parsed and printed anew. What is put in is put between the bytes that are there,
//! and taken out by the inverse.
//!
//! This module refuses to know where a host keeps its settings.
//!
//! Invariants:
//! * `remove(install(s)) == s`, unless `s` is blank, or had an empty place for hooks or some of
//!   ours already.
//! * `install(install(s)) == install(s)`.
//! * No event is answered twice by us: any line that would call us counts as a hook of ours, unless
//!   its matcher keeps a part of the event from it. Taken out is only what was put in, to the
//!   letter.
//! * What is no JSON is refused, and so are settings of another shape than the host reads.

mod call;
mod edit;
mod found;
mod hooks;
mod matcher;
mod register;
mod scan;
mod shell;
mod tree;
mod unread;

pub use found::{Found, Sort, events, found, switched_off};
pub use hooks::{install, remove};
pub use register::{Registration, command_of};
pub use tree::Refused;
pub use unread::{Extra, Unread, unread};
