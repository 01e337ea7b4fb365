//! What is measured: the work of a host, of a hook, and of somebody who looks.

use camino::Utf8Path;

use crate::{
    engines::{Engine, Use},
    processes::{self, Sessions},
    world::{LONG_LOG_NOTES, SESSIONS},
};

/// What an engine does in each round, once what it needs is there.
pub(crate) type Work = Box<dyn FnMut()>;

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// How many times it is done before it is measured.
    pub(crate) beforehand: usize,
    pub(crate) rounds: usize,
    /// How many times it is done in a round.
    pub(crate) batch: u32,
    /// Nothing, where the engine has no such thing.
    pub(crate) prepare: fn(&Engine, &Utf8Path) -> Option<Work>,
}

/// After some 250 notes SQLite begins to write over its WAL, and no longer pays for a file that
/// grows; that is how it goes on for as long as it is kept open.
const UNTIL_LOGS_ARE_WRITTEN_OVER: usize = 400;

pub(crate) static ALL: [Operation; 12] = [
    Operation {
        name: "durable append, files kept open",
        beforehand: UNTIL_LOGS_ARE_WRITTEN_OVER,
        rounds: 300,
        batch: 1,
        prepare: kept,
    },
    Operation {
        name: "durable append, cold",
        beforehand: 1,
        rounds: 100,
        batch: 1,
        prepare: |engine, folder| appended_cold(engine, folder, Use::Durable),
    },
    Operation {
        name: "first note of a session, cold",
        beforehand: 1,
        rounds: 100,
        batch: 1,
        prepare: first,
    },
    Operation {
        name: "append, sync off, cold",
        beforehand: 1,
        rounds: 100,
        batch: 1,
        prepare: |engine, folder| appended_cold(engine, folder, Use::Unsynced),
    },
    Operation {
        name: "newest, cold, 1 note",
        beforehand: 1,
        rounds: 200,
        batch: 4,
        prepare: |engine, folder| newest_cold(engine, folder, 1),
    },
    Operation {
        name: "newest, cold, 100,000 notes",
        beforehand: 1,
        rounds: 24,
        batch: 4,
        prepare: |engine, folder| newest_cold(engine, folder, 100_000),
    },
    Operation {
        name: "newest, files kept open, nothing new",
        beforehand: 1,
        rounds: 200,
        batch: 64,
        prepare: newest_kept,
    },
    Operation { name: "replay, 100 MB", beforehand: 1, rounds: 12, batch: 1, prepare: replay },
    Operation {
        name: "look for damage, 100 MB",
        beforehand: 1,
        rounds: 12,
        batch: 1,
        prepare: verify,
    },
    Operation { name: "list 10,000 sessions", beforehand: 1, rounds: 12, batch: 1, prepare: list },
    Operation {
        name: "8 processes, one session, durable",
        beforehand: 1,
        rounds: 10,
        batch: 1,
        prepare: |engine, folder| processes::append(engine, folder, Sessions::One),
    },
    Operation {
        name: "8 processes, a session each, durable",
        beforehand: 1,
        rounds: 10,
        batch: 1,
        prepare: |engine, folder| processes::append(engine, folder, Sessions::OneEach),
    },
];

fn kept(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    let (mut notes, mut number) = ((engine.open)(folder, Use::Durable), 1);
    notes.append("s1", number);
    Some(Box::new(move || {
        number += 1;
        notes.append("s1", number);
    }))
}

fn appended_cold(engine: &Engine, folder: &Utf8Path, of: Use) -> Option<Work> {
    (engine.open)(folder, of).append("s1", 1);
    let (open, folder, mut number) = (engine.open, folder.to_owned(), 1);
    Some(Box::new(move || {
        number += 1;
        open(&folder, of).append("s1", number);
    }))
}

fn first(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    (engine.open)(folder, Use::Durable).append("s0", 1);
    let (open, folder, mut session) = (engine.open, folder.to_owned(), 0);
    Some(Box::new(move || {
        session += 1;
        open(&folder, Use::Durable).append(&format!("s{session}"), 1);
    }))
}

fn filled(engine: &Engine, folder: &Utf8Path, notes: u64) {
    (engine.open)(folder, Use::Unsynced).fill(&["s1".to_owned()], notes);
}

fn newest_cold(engine: &Engine, folder: &Utf8Path, notes: u64) -> Option<Work> {
    filled(engine, folder, notes);
    let (open, folder) = (engine.open, folder.to_owned());
    Some(Box::new(move || assert!(open(&folder, Use::Reading).newest("s1") > 0)))
}

fn newest_kept(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    filled(engine, folder, 10);
    let mut notes = (engine.open)(folder, Use::Reading);
    Some(Box::new(move || assert!(notes.newest("s1") > 0)))
}

fn replay(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    filled(engine, folder, LONG_LOG_NOTES);
    let mut notes = (engine.open)(folder, Use::Reading);
    Some(Box::new(move || assert!(notes.replay("s1").is_none_or(|read| read == LONG_LOG_NOTES))))
}

fn verify(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    filled(engine, folder, LONG_LOG_NOTES);
    let mut notes = (engine.open)(folder, Use::Durable);
    notes.verify("s1").then(|| -> Work { Box::new(move || assert!(notes.verify("s1"))) })
}

fn list(engine: &Engine, folder: &Utf8Path) -> Option<Work> {
    let sessions: Vec<_> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    (engine.open)(folder, Use::Unsynced).fill(&sessions, 1);
    let mut notes = (engine.open)(folder, Use::Reading);
    Some(Box::new(move || assert_eq!(notes.list(), SESSIONS)))
}
