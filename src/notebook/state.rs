//! What a notebook knows of its session between two calls.

use super::Tally;
use crate::{
    error::{Error, ErrorKind},
    log::{Body, Line},
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

    /// Takes over what the log knows: the greatest generation, and whether it had its attempt.
    pub(super) fn catch_up(&mut self, store: &Store, session: &SessionName) -> Result<(), Error> {
        let (mut attempted, mut open) = (None, None);
        let replayed = store.replay(session, &mut |entry| {
            let Line::Record(record) = entry.line else { return };
            self.generation =
                self.generation.max(record.generation_that_counts().unwrap_or_default());
            if record.latches() {
                attempted = attempted.max(Some(record.generation));
                open = matches!(record.body, Body::Attempt).then_some(record.generation);
            }
        });
        match replayed {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
            _ => {
                let current = |generation: &Generation| *generation == self.generation;
                (self.attempted, self.open) = (attempted.filter(current), open.filter(current));
                Ok(())
            }
        }
    }
}
