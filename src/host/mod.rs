//! What existing agents write, as pure JSON in and values out.
//!
//! [`transcript`] reads the files in which the agents keep their sessions.

pub mod transcript;
