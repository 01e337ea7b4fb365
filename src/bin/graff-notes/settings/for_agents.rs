//! What is set for those that an agent calls: its hooks, whose project may be another one than that
//! of the folder where they are started, and the tools of `mcp`.

use std::env;

use camino::Utf8Path;
use graff_notes::{
    budget::RunPool,
    host::hook::Host,
    note::NoteCap,
    units::{Calls, Tokens},
};

use super::{Given, read_at};
use crate::output::Notices;

/// What is set at a root.
#[derive(Debug)]
pub(crate) struct ForAgents(Vec<Given>);

impl ForAgents {
    /// Reads what is set at `root`. What of it can't be used is said, and the rest holds: a note is
    /// worth more than a figure.
    pub(crate) fn at(root: &Utf8Path, notices: &Notices) -> Self {
        let in_force = read_at(Some(root));
        in_force.say_dropped(notices);
        Self(in_force.given)
    }

    /// Returns the model's window: what is asked for here, what the user has set, what the user
    /// says to the host, what the transcript says, or what the host's models have.
    ///
    /// Of a host that nobody knows the models may be those with the smallest window.
    pub(crate) fn window(
        &self,
        host: Option<Host>,
        asked: Option<u64>,
        said: Option<Tokens>,
    ) -> Tokens {
        let to_host = || {
            let value = env::var(host?.window_variable()?).ok()?;
            value.trim().parse().ok().filter(|tokens| *tokens > 0) // else the host ignores it too
        };
        let here = asked.or_else(|| self.number("window-tokens"));
        let window = here.or_else(to_host).map(Tokens::new).or(said);
        window.unwrap_or_else(|| host.unwrap_or(Host::ClaudeCode).window_default())
    }

    /// Returns the share of the window at which a note is due, in percent.
    pub(crate) fn percent(&self) -> Option<u64> {
        self.number("percent")
    }

    /// Returns the pool of the session's model calls: as many as are asked for here, or as the user
    /// has set.
    pub(crate) fn pool(&self, asked: Option<u64>) -> RunPool {
        let cap = asked.or_else(|| self.number("calls-cap")).unwrap_or_default();
        RunPool::builder().cap(Calls::new(cap)).build()
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
