//! redb, one database for all sessions.

use camino::Utf8Path;
use redb::{
    Builder, ConcurrencyMode, Database, Durability, ReadOnlyDatabase, ReadTransaction,
    ReadableDatabase as _, ReadableTable as _, TableDefinition,
};

use super::{Engine, Notes, Row, Use, each_note};

pub(super) const REDB: Engine = Engine {
    name: "redb",
    promise: "one database, `Durability::Immediate`: a commit syncs; several processes by \
              `ConcurrencyMode::MultiWriter`, which only the two rows of eight processes use; \
              closing it syncs, whatever was asked for",
    shared: true,
    open: |folder, of| Box::new(Redb::open(folder, of)),
};

const NOTES: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("notes");

struct Redb {
    handle: Handle,
    durability: Durability,
}

enum Handle {
    Writing(Database),
    Reading(ReadOnlyDatabase),
}

impl Redb {
    fn open(folder: &Utf8Path, of: Use) -> Self {
        let path = folder.join("notes.redb");
        let mut builder = Builder::new();
        if of == Use::Shared {
            builder.set_concurrency_mode(ConcurrencyMode::MultiWriter);
        }
        let handle = match of {
            Use::Reading => Handle::Reading(builder.open_read_only(path).expect("a database")),
            _ => Handle::Writing(builder.create(path).expect("a database")),
        };
        let durability = if of == Use::Unsynced { Durability::None } else { Durability::Immediate };
        Self { handle, durability }
    }

    fn written<'a>(&self, notes: impl IntoIterator<Item = (&'a str, u64)>) {
        let Handle::Writing(database) = &self.handle else { unreachable!("opened to read") };
        let mut all = database.begin_write().expect("a transaction");
        all.set_durability(self.durability).expect("a durability");
        {
            let mut table = all.open_table(NOTES).expect("a table");
            for (session, number) in notes {
                let mut notes = table.range((session, 0)..=(session, u64::MAX)).expect("a range");
                let newest = notes.next_back();
                let newest = newest.map_or(0, |entry| entry.expect("an entry").0.value().1);
                drop(notes);
                let row = Row::numbered(number).to_json();
                table.insert((session, newest + 1), &row[..]).expect("an insert");
            }
        }
        all.commit().expect("a commit");
    }

    fn reading(&self) -> ReadTransaction {
        match &self.handle {
            Handle::Writing(database) => database.begin_read(),
            Handle::Reading(database) => database.begin_read(),
        }
        .expect("a transaction")
    }
}

impl Notes for Redb {
    fn append(&mut self, session: &str, number: u64) {
        self.written([(session, number)]);
    }

    fn newest(&mut self, session: &str) -> usize {
        let table = self.reading().open_table(NOTES).expect("a table");
        let mut notes = table.range((session, 0)..=(session, u64::MAX)).expect("a range");
        let newest = notes.next_back().expect("a note").expect("an entry");
        Row::from_json(newest.1.value()).text.len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        let table = self.reading().open_table(NOTES).expect("a table");
        let notes = table.range((session, 0)..=(session, u64::MAX)).expect("a range");
        let rows = notes.map(|entry| Row::from_json(entry.expect("an entry").1.value()));
        Some(rows.count() as u64)
    }

    fn list(&mut self) -> usize {
        let table = self.reading().open_table(NOTES).expect("a table");
        let (mut sessions, mut after) = (0, (String::new(), 0));
        loop {
            let mut rest = table.range((&*after.0, after.1)..).expect("a range");
            let Some(first) = rest.next() else { return sessions };
            let session = first.expect("an entry").0.value().0.to_owned();
            let mut notes = table.range((&*session, 0)..=(&*session, u64::MAX)).expect("a range");
            let newest = notes.next_back().expect("a note").expect("an entry");
            sessions += usize::from(!Row::from_json(newest.1.value()).text.is_empty());
            after = (session + "\0", 0);
        }
    }

    fn verify(&mut self, _: &str) -> bool {
        match &mut self.handle {
            Handle::Writing(database) => assert!(database.check_integrity().expect("a check")),
            Handle::Reading(_) => return false,
        }
        true
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        self.written(each_note(sessions, notes));
    }
}
