//! Gemini's chat files: a log of changes to a list of messages, not the list itself.
//!
//! A message that comes again replaces the one before it, and `$set.messages` the whole list. Such
//! a list comes at each start and holds neither usage nor how tools ended, so these are taken from
//! the messages that stand alone. It is a compaction only where it opens with a summary that was
//! not there before. Neither the window nor the session's folder is stated.

mod reader;
mod record;

pub(super) use reader::Gemini;
pub(in crate::host) use reader::summary;
