//! What is set for those that an agent calls: its hooks, whose project may be another one than that of
//! the folder where they are started, and the tools of `mcp`.

use camino::Utf8Path;
use graff_notes::note::NoteCap;

use super::{Given, read_at};
use crate::output::Notices;

/// What is set at a root.
#[derive(Debug)]
pub(crate) struct ForAgents(Vec<Given>);

impl ForAgents {
    /// Reads what is set at `root`. Where that can't be used it is said, and what the user has set holds,
    /// as far as that can be used: a note is worth more than a figure.
    pub(crate) fn at(root: &Utf8Path, notices: &Notices) -> Self {
        let given = read_at(Some(root)).or_else(|failure| {
            notices.warn(failure);
            read_at(None)
        });
        Self(given.unwrap_or_default())
    }

    /// Returns the window of the model, in tokens.
    pub(crate) fn window_tokens(&self) -> Option<u64> {
        self.number("window-tokens")
    }

    /// Returns the share of the window at which a note is due, in percent.
    pub(crate) fn percent(&self) -> Option<u64> {
        self.number("percent")
    }

    /// Returns the most model calls of a session.
    pub(crate) fn calls_cap(&self) -> Option<u64> {
        self.number("calls-cap")
    }

    /// Returns the longest note that is kept.
    pub(crate) fn note_cap(&self) -> NoteCap {
        let bytes = self.number("cap-bytes").and_then(|bytes| usize::try_from(bytes).ok());
        bytes.and_then(NoteCap::new).unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|given| given.setting.name == name)?.value.parse().ok()
    }
}
