//! How often each decision and outcome came about.

use std::collections::BTreeMap;

use serde::Serialize;

/// The decisions and outcomes of one notebook so far, counted by the names that JSON uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The gate's verdicts: `fire`, or the refusal.
    pub decisions: BTreeMap<&'static str, u64>,
    /// What became of those that fired, and of notes made without a model.
    pub outcomes: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(super) fn decided(&mut self, name: &'static str) {
        add_one(&mut self.decisions, name);
    }

    pub(super) fn came_to(&mut self, name: &'static str) {
        add_one(&mut self.outcomes, name);
    }
}

fn add_one(counts: &mut BTreeMap<&'static str, u64>, name: &'static str) {
    let count = counts.entry(name).or_default();
    *count = count.saturating_add(1);
}
