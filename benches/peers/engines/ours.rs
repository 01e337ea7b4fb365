//! This crate.

use std::sync::{Arc, LazyLock};

use graff_notes::{
    log::{Draft, Line},
    store::{Disk, Log, Store},
};

use super::{Engine, Notes, Use};
use crate::{unsynced::Unsynced, world};

pub(super) const OURS: Engine = Engine {
    name: "graff-notes",
    promise: "a log a session; each append takes the session's lock, looks at the tail and the \
              checksum, writes once, and ends with `fdatasync`; reads check checksum and session",
    shared: true,
    open: |folder, of| {
        let store = match of {
            Use::Unsynced => Store::on(folder, Arc::new(Unsynced(Disk::at(folder)))),
            Use::Durable | Use::Shared | Use::Reading => Store::at(folder),
        };
        Box::new(Ours { store, log: None })
    },
};

/// Two notes in turn, as for the others.
static DRAFTS: LazyLock<[Draft; 2]> = LazyLock::new(|| {
    let first = u64::from(std::process::id()) << 24;
    [first, first + 1].map(world::note)
});

struct Ours {
    store: Store,
    log: Option<Log>,
}

impl Ours {
    fn log(&mut self, session: &str) -> &Log {
        let kept = self.log.take().filter(|log| log.session().as_str() == session);
        self.log.insert(kept.unwrap_or_else(|| self.store.log(&world::session(session))))
    }
}

impl Notes for Ours {
    fn append(&mut self, session: &str, number: u64) {
        world::stored(self.log(session).append(&DRAFTS[usize::from(number % 2 == 1)]));
    }

    fn newest(&mut self, session: &str) -> usize {
        self.log(session).newest().expect("a log").note.expect("a note").text.len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        let mut notes = 0;
        let mut count = |entry: graff_notes::log::Entry<'_>| {
            notes += u64::from(matches!(entry.line, Line::Record(_)));
        };
        self.store.replay(&world::session(session), &mut count).expect("a log");
        Some(notes)
    }

    fn list(&mut self) -> usize {
        let names = self.store.sessions().expect("a folder").names;
        let newest = |name| self.store.newest(name).expect("a log").note;
        names.iter().filter_map(newest).count()
    }

    fn verify(&mut self, session: &str) -> bool {
        let health = self.store.verify(&world::session(session)).expect("a log");
        assert!(health.is_ok(), "{health:?}");
        true
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        for session in sessions {
            world::fill(&self.store, &world::session(session), notes);
        }
    }
}
