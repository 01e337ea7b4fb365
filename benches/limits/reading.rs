//! Reads: the newest note, a whole log, and the newest of many sessions.

use std::thread;

use criterion::Criterion;
use graff_notes::{log::Line, session::SessionName, store::Store};

use crate::{
    pair::compare,
    raw,
    world::{self, LONG_LOG_NOTES, PIECE_BYTES, SESSIONS},
};

pub(crate) fn operations(criterion: &mut Criterion) {
    newest(criterion, "newest, cold, 1 note", 1);
    newest(criterion, "newest, cold, 100,000 notes", 100_000);
    newest_kept(criterion);
    long_log(criterion);
    sessions(criterion);
}

fn newest(criterion: &mut Criterion, name: &str, notes: u64) {
    let folder = world::folder();
    let (store, session) = (world::store(&folder), world::session("s1"));
    world::fill(&store, &session, notes);
    let (path, mut buffer) = (store.log_path(&session), Vec::new());
    compare(
        criterion,
        name,
        16,
        || raw::last_cold(&path, &mut buffer),
        || world::store(&folder).newest(&session).expect("a note"),
    );
}

fn newest_kept(criterion: &mut Criterion) {
    let folder = world::folder();
    let (store, session) = (world::store(&folder), world::session("s1"));
    world::fill(&store, &session, 10);
    let (log, mut buffer) = (store.log(&session), Vec::new());
    let file = std::fs::File::open(store.log_path(&session)).expect("a log");
    compare(
        criterion,
        "newest, files kept open, nothing new",
        64,
        || raw::last(&file, &mut buffer),
        || log.newest().expect("a note"),
    );
}

fn long_log(criterion: &mut Criterion) {
    let folder = world::folder();
    let (store, session) = (world::store(&folder), world::session("s1"));
    world::fill(&store, &session, LONG_LOG_NOTES);
    let (path, mut buffer) = (store.log_path(&session), vec![0; PIECE_BYTES]);
    compare(
        criterion,
        "replay, 100 MB",
        1,
        || raw::pieces(&path, &mut buffer, |_| ()),
        || {
            let mut notes = 0_u64;
            let tail = store.replay(&session, &mut |entry| {
                notes += u64::from(matches!(entry.line, Line::Record(_)));
            });
            assert_eq!(notes, LONG_LOG_NOTES);
            tail
        },
    );
    compare(
        criterion,
        "verify, 100 MB (raw: read and hash)",
        1,
        || {
            let mut hasher = crc32fast::Hasher::new();
            raw::pieces(&path, &mut buffer, |piece| hasher.update(piece));
            hasher.finalize()
        },
        || store.verify(&session).expect("a log"),
    );
}

fn sessions(criterion: &mut Criterion) {
    let folder = world::folder();
    let store = world::store(&folder);
    for number in 0..SESSIONS {
        world::fill(&store, &world::session(&format!("s{number}")), 1);
    }
    let (notes, mut buffer) = (store.notes_path(), Vec::new());
    for threads in [1, 2] {
        compare(
            criterion,
            &format!("newest of 10,000 sessions, threads: {threads}"),
            1,
            || raw::last_of_each(&notes, &mut buffer),
            || newest_of_each(&store, threads),
        );
    }
}

fn newest_of_each(store: &Store, threads: usize) -> usize {
    let listed = store.sessions().expect("a folder").names;
    let newest = |part: &[SessionName]| {
        part.iter().filter(|session| store.newest(session).expect("a note").note.is_some()).count()
    };
    let found = thread::scope(|scope| {
        let parts = listed.chunks(listed.len().div_ceil(threads));
        let workers: Vec<_> = parts.map(|part| scope.spawn(move || newest(part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a count")).sum()
    });
    assert_eq!(found, SESSIONS);
    found
}
