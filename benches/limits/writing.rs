//! Appends: durable with files kept open, durable from nothing, the first, and without a sync.
//!
//! "Cold" opens the store as well, as a hook does.

use std::sync::Arc;

use camino::Utf8Path;
use criterion::Criterion;
use graff_notes::store::{Disk, Store};

use crate::{pair::compare, raw, unsynced::Unsynced, world};

pub(crate) fn operations(criterion: &mut Criterion) {
    kept(criterion);
    cold(criterion);
    first(criterion);
    unsynced(criterion);
}

fn kept(criterion: &mut Criterion) {
    let folder = world::folder();
    let (store, session) = (world::store(&folder), world::session("s1"));
    let log = store.log(&session);
    world::stored(log.append(&world::note(0)));
    let bare = world::path(&folder).join("bare");
    let (file, line, notes) = (raw::opened(&bare), world::line(&session, 1), world::notes());
    let mut number = 0;
    compare(
        criterion,
        "durable append, files kept open",
        1,
        || raw::append(&file, &line),
        || {
            number += 1;
            world::stored(log.append(&notes[number % 2]));
        },
    );
}

fn cold(criterion: &mut Criterion) {
    let store = |root: &Utf8Path| Store::at(root);
    appended_cold(criterion, "durable append, cold", store, raw::append_cold);
}

fn unsynced(criterion: &mut Criterion) {
    let store = |root: &Utf8Path| Store::on(root, Arc::new(Unsynced(Disk::at(root))));
    appended_cold(criterion, "append, sync off, cold", store, raw::append_unsynced);
}

fn appended_cold(
    criterion: &mut Criterion,
    name: &str,
    store: impl Fn(&Utf8Path) -> Store,
    raw: impl Fn(&Utf8Path, &[u8]),
) {
    let (folder, session) = (world::folder(), world::session("s1"));
    let root = world::path(&folder);
    world::stored(store(root).append(&session, &world::note(0)));
    let bare = root.join("bare");
    drop(raw::opened(&bare));
    let (line, notes, mut number) = (world::line(&session, 1), world::notes(), 0);
    compare(
        criterion,
        name,
        1,
        || raw(&bare, &line),
        || {
            number += 1;
            world::stored(store(root).append(&session, &notes[number % 2]));
        },
    );
}

fn first(criterion: &mut Criterion) {
    let folder = world::folder();
    let store = world::store(&folder);
    world::stored(store.append(&world::session("s0"), &world::note(0)));
    let (line, note) = (world::line(&world::session("s0"), 1), world::note(1));
    let (mut bare, mut ours) = (0, 0);
    compare(
        criterion,
        "first note of a session",
        1,
        || {
            bare += 1;
            raw::create(&store.notes_path().join(format!("bare{bare}")), &line);
        },
        || {
            ours += 1;
            let session = world::session(&format!("s{ours}"));
            world::stored(world::store(&folder).append(&session, &note));
        },
    );
}
