//! The specification: one module a promise.

mod properties;
mod support;

mod budget;
mod facts;
mod faults;
mod format;
mod gate;
mod hostile;
mod instruction;
mod names;
mod notebook;
mod processes;
mod program;
mod replay;
mod replies;
mod splice;
mod store;
mod threshold;
mod tidy;
mod transcripts;
mod turn;
mod usage;
