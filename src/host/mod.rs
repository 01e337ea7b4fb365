//! What existing agents write, as pure JSON in and values out.
//!
//! [`transcript`] reads the files in which the agents keep their sessions, and [`hook`] what they
//! say to a hook.

pub mod hook;
pub mod transcript;
