//! SQLite, one database for all sessions.

use std::time::Duration;

use camino::Utf8Path;
use rusqlite::{Connection, OpenFlags, params};

use super::{Engine, Notes, Row, Use, each_note};

pub(super) const FULL: Engine = Engine {
    name: "SQLite FULL",
    promise: "one database in WAL mode, `synchronous=FULL`: a commit syncs the WAL, by `fsync` in \
              the SQLite that rusqlite brings; whoever closes the last connection writes the WAL \
              back and removes it",
    shared: true,
    open: |folder, of| Box::new(Sqlite::open(folder, of, "FULL")),
};

pub(super) const NORMAL: Engine = Engine {
    name: "SQLite NORMAL",
    promise: "one database in WAL mode, `synchronous=NORMAL`: **not durable**, the last commits can \
              be gone after a loss of power; the file stays whole",
    shared: true,
    open: |folder, of| Box::new(Sqlite::open(folder, of, "NORMAL")),
};

const APPEND: &str = "
    INSERT INTO notes (session, number, generation, text, created_at)
    SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3, ?4 FROM notes WHERE session = ?1";

const NEWEST: &str = "SELECT text FROM notes WHERE session = ?1 ORDER BY number DESC LIMIT 1";

const REPLAY: &str =
    "SELECT text, generation, created_at FROM notes WHERE session = ?1 ORDER BY number";

/// SQLite takes the other columns of the row that has the greatest number.
const LIST: &str = "SELECT session, text, max(number) FROM notes GROUP BY session";

struct Sqlite(Connection);

impl Sqlite {
    fn open(folder: &Utf8Path, of: Use, synchronous: &str) -> Self {
        let path = folder.join("notes.sqlite");
        let flags = match of {
            Use::Reading => OpenFlags::SQLITE_OPEN_READ_ONLY,
            _ => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let new = !path.exists();
        let connection = Connection::open_with_flags(path, flags).expect("a database");
        connection.busy_timeout(Duration::from_secs(60)).expect("a timeout");
        let synchronous = if of == Use::Unsynced { "OFF" } else { synchronous };
        connection.pragma_update(None, "synchronous", synchronous).expect("a pragma");
        if new {
            connection.pragma_update(None, "journal_mode", "WAL").expect("a pragma");
            let table = "CREATE TABLE notes (session TEXT, number INTEGER, generation INTEGER,
                         text TEXT, created_at INTEGER, PRIMARY KEY (session, number))";
            connection.execute(table, ()).expect("a table");
        }
        Self(connection)
    }
}

fn insert(connection: &Connection, session: &str, number: u64) {
    let row = Row::numbered(number);
    let mut append = connection.prepare_cached(APPEND).expect("a statement");
    let values = params![session, row.generation as i64, row.text, row.created_at as i64];
    append.execute(values).expect("an insert");
}

impl Notes for Sqlite {
    fn append(&mut self, session: &str, number: u64) {
        insert(&self.0, session, number);
    }

    fn newest(&mut self, session: &str) -> usize {
        let mut newest = self.0.prepare_cached(NEWEST).expect("a statement");
        newest.query_row([session], |row| row.get::<_, String>(0)).expect("a note").len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        let mut replay = self.0.prepare_cached(REPLAY).expect("a statement");
        let read = replay.query_map([session], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        Some(read.expect("a query").filter(Result::is_ok).count() as u64)
    }

    fn list(&mut self) -> usize {
        let mut list = self.0.prepare_cached(LIST).expect("a statement");
        let read =
            list.query_map((), |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        read.expect("a query").filter(Result::is_ok).count()
    }

    fn verify(&mut self, _: &str) -> bool {
        let said: String =
            self.0.query_row("PRAGMA quick_check", (), |row| row.get(0)).expect("a check");
        assert_eq!(said, "ok");
        true
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        let all = self.0.transaction().expect("a transaction");
        for (session, number) in each_note(sessions, notes) {
            insert(&all, session, number);
        }
        all.commit().expect("a commit");
    }
}
