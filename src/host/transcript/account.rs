//! What has been read so far: the same for every form.

use serde_json::Value;

use crate::{
    facts::{Facts, Outcome},
    units::{Bytes, Tokens},
    usage::{Report, Unusable},
};

use super::{
    arguments::Arguments,
    calls::{Calls, relative},
};

/// What a transcript has said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) window: Option<Tokens>,
    pub(super) compactions: u64,
    pub(super) pressure: Bytes,
    pub(super) facts: Facts,
    calls: Calls,
    /// The `usage` object of the last response, as JSON; empty where it is unknown.
    usage: String,
}

impl Account {
    /// Takes up the name of the session, the last one said.
    pub(super) fn name_session(&mut self, id: &str) {
        keep(&mut self.session, id);
    }

    /// Takes up the folder that the session was started in, the first one said.
    pub(super) fn start_in(&mut self, cwd: &str) {
        if self.cwd.is_none() {
            keep(&mut self.cwd, cwd);
        }
    }

    /// Adds a message to the live history.
    pub(super) const fn weigh(&mut self, weight: Bytes) {
        self.pressure = self.pressure.saturating_add(weight);
    }

    /// Takes up a response, and what the provider reported with it as JSON.
    pub(super) fn answered(&mut self, usage: Option<&str>) {
        self.usage.clear();
        self.usage.push_str(usage.unwrap_or_default());
    }

    /// Takes up a rewriting of the history by a summary, after which `live` is left of it.
    pub(super) fn compacted(&mut self, live: Bytes) {
        self.compactions = self.compactions.saturating_add(1);
        self.pressure = live;
        self.usage.clear();
    }

    /// Takes up a record that could not be read: it may have been a response.
    pub(super) fn lost_a_record(&mut self) {
        self.usage.clear();
    }

    /// Takes up a tool call.
    pub(super) fn called(&mut self, id: &str, name: &str, arguments: Arguments<'_>) {
        self.calls.begin(&mut self.facts, self.cwd.as_deref(), (id, name), arguments);
    }

    /// Takes up how a tool call ended.
    pub(super) fn ended(&mut self, id: &str, outcome: Outcome) {
        self.calls.end(&mut self.facts, id, outcome);
    }

    /// The path as seen from the session's folder.
    pub(super) fn relative(&self, path: &str) -> String {
        relative(path, self.cwd.as_deref())
    }

    /// What the provider reported with the last response.
    pub(super) fn report(&self) -> Result<Report, Unusable> {
        let usage = serde_json::from_str::<Value>(&self.usage);
        usage.map_err(|_| Unusable::NotReported).and_then(|usage| Report::from_json(&usage))
    }
}

/// Keeps `text` where it says anything, up to the length of the longest path.
fn keep(kept: &mut Option<String>, text: &str) {
    const BYTES_MAX: usize = 4_096;
    if !text.is_empty() && text.len() <= BYTES_MAX && kept.as_deref() != Some(text) {
        kept.replace(text.to_owned());
    }
}
