//! `mcp`: the notes as tools of an MCP server on stdin and stdout, for a model that wants to write
//! or look by itself.
//!
//! stdout carries protocol messages and nothing else; what is to be said besides goes to stderr.
//! Nothing is kept from one call to the next, and no file is held open: a store that was removed
//! meanwhile is made anew by the next note, or the call fails.
//!
//! The protocol is the official SDK's, on a runtime of one thread that no other command starts. The
//! lines are ours, since they promise more than its own: docs/design.md says what.

mod active;
mod caller;
mod face;
mod line;
mod rpc;
mod sdk;
mod server;
mod tools;
mod whose;

pub(crate) use face::Mcp;
