//! What existing agents write, as pure JSON in and values out.
//!
//! [`transcript`] reads the files in which the agents keep their sessions, and [`hook`] what they
//! say to a hook. [`settings`] puts a hook into their settings, and takes it out again.

pub mod hook;
pub mod settings;
pub mod transcript;
