//! The promise: an agent that holds a conversation makes the calls that its decisions say, and no
//! others: what the model is sent, in which order, is what the rules of a turn's boundary ask for.
//!
//! Shown by running the example agent, over HTTP, against an endpoint on the loopback that plays
//! each case from a script and records every request.

#[path = "../../examples/agent_loop/mod.rs"]
#[expect(clippy::module_inception, reason = "the example's own module has the example's name")]
mod agent_loop;

mod cases;
mod program;
mod rescues;
mod steering;
mod world;
