//! Our hooks in the settings of existing agents: put in, found, and taken out again.
//!
//! Settings are a person's own file: they may hold comments, other hooks and odd indentation. So
//! they are never parsed and printed anew. What is put in is put between the bytes that are there,
//! and taken out by the inverse.
//!
//! This module refuses to know where a host keeps its settings.
//!
//! Invariants:
//! * `remove(install(s)) == s`, unless `s` is blank or had an empty place for hooks already.
//! * `install(install(s)) == install(s)`.
//! * What is no JSON is refused, and so are settings of another shape than the host reads.

mod edit;
mod hooks;
mod register;
mod scan;

pub use hooks::{Position, Refused, command, events, install, positions, remove, switched_off};
pub use register::Registration;
