//! Appends: durable with files kept open, durable from nothing, the first, and without a sync.

use std::{io, sync::Arc};

use criterion::Criterion;
use graff_notes::store::{
    Disk, Level, Store,
    medium::{Access, FileId, Handle, Medium, Status, TryLock},
};

use crate::{pair::compare, raw, world};

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
    let (file, line, mut number) = (raw::opened(&bare), world::line(&session, 1), 0);
    compare(
        criterion,
        "durable append, files kept open",
        1,
        || raw::append(&file, &line),
        || {
            number += 1;
            world::stored(log.append(&world::note(number)));
        },
    );
}

fn cold(criterion: &mut Criterion) {
    let folder = world::folder();
    appended_cold(criterion, "durable append, cold", &world::store(&folder), |path, line| {
        raw::append_cold(path, line);
    });
}

fn unsynced(criterion: &mut Criterion) {
    let folder = world::folder();
    let disk = Unsynced(Disk::at(world::path(&folder)));
    let store = Store::on(world::path(&folder), Arc::new(disk));
    appended_cold(criterion, "append, sync off, cold", &store, |path, line| {
        raw::append_unsynced(path, line);
    });
}

fn appended_cold(
    criterion: &mut Criterion,
    name: &str,
    store: &Store,
    raw: impl Fn(&camino::Utf8Path, &[u8]),
) {
    let session = world::session("s1");
    world::stored(store.append(&session, &world::note(0)));
    let bare = store.root().join("bare");
    drop(raw::opened(&bare));
    let (line, mut number) = (world::line(&session, 1), 0);
    compare(
        criterion,
        name,
        1,
        || raw(&bare, &line),
        || {
            number += 1;
            world::stored(store.append(&session, &world::note(number)));
        },
    );
}

fn first(criterion: &mut Criterion) {
    let folder = world::folder();
    let store = world::store(&folder);
    world::stored(store.append(&world::session("s0"), &world::note(0)));
    let line = world::line(&world::session("s0"), 1);
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
            world::stored(store.append(&session, &world::note(1)));
        },
    );
}

/// A disk that syncs nothing.
#[derive(Debug)]
struct Unsynced(Disk);

#[derive(Debug)]
struct UnsyncedFile(Box<dyn Handle>);

impl Medium for Unsynced {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(UnsyncedFile(self.0.open(name, access)?)))
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        self.0.identity(name)
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        self.0.make_folder(level)
    }

    fn sync_folder(&self, _: Level) -> io::Result<()> {
        Ok(())
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.0.names(visit)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }
}

impl Handle for UnsyncedFile {
    fn status(&self) -> io::Result<Status> {
        self.0.status()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn rewrite(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.rewrite(bytes, offset)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.0.cut(len)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<TryLock> {
        self.0.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }

    fn holder(&self) -> Option<String> {
        self.0.holder()
    }
}
