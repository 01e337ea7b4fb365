//! LMDB by heed, one environment for all sessions.

use camino::Utf8Path;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, RoTxn, WithTls, types::Bytes};

use super::{Engine, Notes, Row, Use, each_note, key, number, prefix};

pub(super) const LMDB: Engine = Engine {
    name: "LMDB",
    promise: "one environment, default flags: a commit syncs; a writer that dies leaves its lock to \
              be found by the next one; the map's size is a limit set beforehand",
    shared: true,
    open: |folder, of| Box::new(Lmdb::open(folder, of)),
};

/// More than any row needs.
const MAP_BYTES: usize = 4 << 30;

struct Lmdb {
    env: Env,
    table: Database<Bytes, Bytes>,
}

impl Lmdb {
    fn open(folder: &Utf8Path, of: Use) -> Self {
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_BYTES);
        let flags = match of {
            Use::Reading => EnvFlags::READ_ONLY,
            Use::Unsynced => EnvFlags::NO_SYNC,
            Use::Durable | Use::Shared => EnvFlags::empty(),
        };
        // SAFETY: the files are this run's own, and nobody else changes them.
        let env = unsafe { options.flags(flags).open(folder) }.expect("an environment");
        let table = if of == Use::Reading {
            let reading = env.read_txn().expect("a transaction");
            env.open_database(&reading, None).expect("a table").expect("it is there")
        } else {
            let mut all = env.write_txn().expect("a transaction");
            let table = env.create_database(&mut all, None).expect("a table");
            all.commit().expect("a commit");
            table
        };
        Self { env, table }
    }

    fn written<'a>(&self, notes: impl IntoIterator<Item = (&'a str, u64)>) {
        let mut all = self.env.write_txn().expect("a transaction");
        for (session, note) in notes {
            let newest =
                self.table.rev_prefix_iter(&all, &prefix(session)).expect("a range").next();
            let newest = newest.map_or(0, |entry| number(entry.expect("an entry").0));
            let row = Row::numbered(note).to_json();
            self.table.put(&mut all, &key(session, newest + 1), &row).expect("an insert");
        }
        all.commit().expect("a commit");
    }

    fn reading(&self) -> RoTxn<'_, WithTls> {
        self.env.read_txn().expect("a transaction")
    }
}

/// The greatest key that the session of this one can have.
fn last_key(key: &[u8]) -> Vec<u8> {
    let session = &key[..key.len() - size_of::<u64>()];
    [session, &u64::MAX.to_be_bytes()].concat()
}

impl Notes for Lmdb {
    fn append(&mut self, session: &str, number: u64) {
        self.written([(session, number)]);
    }

    fn newest(&mut self, session: &str) -> usize {
        let reading = self.reading();
        let mut notes = self.table.rev_prefix_iter(&reading, &prefix(session)).expect("a range");
        let newest = notes.next().expect("a note").expect("an entry");
        Row::from_json(newest.1).text.len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        let reading = self.reading();
        let notes = self.table.prefix_iter(&reading, &prefix(session)).expect("a range");
        let rows = notes.map(|entry| Row::from_json(entry.expect("an entry").1));
        Some(rows.count() as u64)
    }

    fn list(&mut self) -> usize {
        let reading = self.reading();
        let (mut sessions, mut after) = (0, b"s".to_vec());
        while let Some((first, _)) =
            self.table.get_greater_than_or_equal_to(&reading, &after).expect("a look")
        {
            after = last_key(first);
            let newest = self.table.get_lower_than_or_equal_to(&reading, &after).expect("a look");
            let (_, row) = newest.expect("a note");
            sessions += usize::from(!Row::from_json(row).text.is_empty());
        }
        sessions
    }

    fn verify(&mut self, _: &str) -> bool {
        false
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        self.written(each_note(sessions, notes));
    }
}
