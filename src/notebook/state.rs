//! What a notebook knows of its session between two calls.

use super::Tally;
use crate::{
    error::{Error, ErrorKind},
    log::Body,
    session::SessionName,
    store::Store,
    units::Generation,
};

/// What a notebook knows of its session between two calls.
#[derive(Debug)]
pub(super) struct State {
    pub(super) generation: Generation,
    pub(super) attempted: Option<Generation>,
    /// The generation whose attempt an earlier process left without an answer.
    pub(super) open: Option<Generation>,
    pub(super) tally: Tally,
}

impl State {
    pub(super) fn at(generation: Generation) -> Self {
        Self { generation, attempted: None, open: None, tally: Tally::default() }
    }

    /// Takes over what the log knows: the generation that it stands at, and whether that had its
    /// attempt.
    pub(super) fn catch_up(&mut self, store: &Store, session: &SessionName) -> Result<(), Error> {
        let (mut attempted, mut last) = (None, None);
        let read = store.recent(session, &mut |record| {
            self.generation =
                self.generation.max(record.generation_that_counts().unwrap_or_default());
            if record.latches() {
                attempted = attempted.max(Some(record.generation));
                let is_open = matches!(record.body, Body::Attempt);
                last.get_or_insert(is_open.then_some(record.generation));
            }
        });
        match read {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
            _ => {
                let current = |generation: &Generation| *generation == self.generation;
                self.attempted = attempted.filter(current);
                self.open = last.flatten().filter(current);
                Ok(())
            }
        }
    }
}
