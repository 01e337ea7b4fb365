//! fjall, one database for all sessions.

use camino::Utf8Path;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Engine, Notes, Row, Use, key, number, prefix};

pub(super) const FJALL: Engine = Engine {
    name: "fjall",
    promise: "one database, `PersistMode::SyncData` behind each insert; one process at a time, \
              so each of the eight with a session of its own has a database of its own; closing it \
              syncs, whatever was asked for",
    shared: false,
    open: |folder, of| Box::new(Fjall::open(folder, of)),
};

struct Fjall {
    database: Database,
    notes: Keyspace,
    of: Use,
}

impl Fjall {
    fn open(folder: &Utf8Path, of: Use) -> Self {
        let database = Database::builder(folder.join("fjall")).open().expect("a database");
        let notes = database.keyspace("notes", KeyspaceCreateOptions::default).expect("a keyspace");
        Self { database, notes, of }
    }

    fn insert(&self, session: &str, note: u64) {
        let newest = self.notes.prefix(prefix(session)).next_back();
        let newest = newest.map_or(0, |entry| number(&entry.key().expect("a key")));
        let row = Row::numbered(note).to_json();
        self.notes.insert(key(session, newest + 1), row).expect("an insert");
    }
}

impl Notes for Fjall {
    fn append(&mut self, session: &str, number: u64) {
        self.insert(session, number);
        if self.of != Use::Unsynced {
            self.database.persist(PersistMode::SyncData).expect("a sync");
        }
    }

    fn newest(&mut self, session: &str) -> usize {
        let newest = self.notes.prefix(prefix(session)).next_back().expect("a note");
        Row::from_json(&newest.value().expect("a value")).text.len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        let notes = self.notes.prefix(prefix(session));
        let rows = notes.map(|entry| Row::from_json(&entry.value().expect("a value")));
        Some(rows.count() as u64)
    }

    fn list(&mut self) -> usize {
        let (mut sessions, mut after) = (0, Vec::new());
        while let Some(first) = self.notes.range(after..).next() {
            let first = first.key().expect("a key");
            let session = str::from_utf8(&first[..first.len() - 9]).expect("ours").to_owned();
            sessions += usize::from(self.newest(&session) > 0);
            after = [session.as_bytes(), b"\x01"].concat();
        }
        sessions
    }

    fn verify(&mut self, _: &str) -> bool {
        false
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        for session in sessions {
            (1..=notes).for_each(|number| self.insert(session, number));
        }
    }
}
