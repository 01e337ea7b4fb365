//! The real disk, with something else done in the middle of each append.

use std::{fmt, io, sync::Arc};

use graff_notes::store::{
    Disk, Level,
    medium::{Access, FileId, Handle, Holder, Medium, Rights, Stamp, Status, TryLock},
};

type Meanwhile = Arc<dyn Fn() + Send + Sync>;

/// A disk whose appends to a file wait until something else was done; the lock is held then.
pub(crate) struct Watched {
    disk: Disk,
    meanwhile: Meanwhile,
}

struct WatchedHandle {
    handle: Box<dyn Handle>,
    /// What is done before an append to this file; nothing for the other files.
    meanwhile: Option<Meanwhile>,
}

impl Watched {
    pub(crate) fn new(disk: Disk, meanwhile: impl Fn() + Send + Sync + 'static) -> Self {
        Self { disk, meanwhile: Arc::new(meanwhile) }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.disk.fmt(f)
    }
}

impl fmt::Debug for WatchedHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(f)
    }
}

impl Medium for Watched {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        let handle = self.disk.open(name, access)?;
        let meanwhile = name.ends_with(".notes.jsonl").then(|| self.meanwhile.clone());
        Ok(Box::new(WatchedHandle { handle, meanwhile }))
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        self.disk.identity(name)
    }

    fn still_names(&self, name: &str) -> io::Result<FileId> {
        self.disk.still_names(name)
    }

    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        self.disk.stamp(name)
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        self.disk.make_folder(level)
    }

    fn sync_folder(&self, level: Level) -> io::Result<()> {
        self.disk.sync_folder(level)
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.disk.names(visit)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }
}

impl Handle for WatchedHandle {
    fn status(&self) -> io::Result<Status> {
        self.handle.status()
    }

    fn status_at_open(&self) -> io::Result<Status> {
        self.handle.status_at_open()
    }

    fn stamp(&self) -> io::Result<Option<Stamp>> {
        self.handle.stamp()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.handle.read_at(buffer, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        self.handle.append(bytes)
    }

    fn rewrite(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.handle.rewrite(bytes, offset)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.handle.cut(len)
    }

    fn access_list(&self) -> io::Result<Option<Vec<u8>>> {
        self.handle.access_list()
    }

    fn give(&self, rights: Rights, access_list: Option<&[u8]>) -> io::Result<()> {
        self.handle.give(rights, access_list)
    }

    fn sync(&self) -> io::Result<()> {
        self.handle.sync()
    }

    fn try_lock(&self) -> io::Result<TryLock> {
        self.handle.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.handle.unlock()
    }

    fn holder(&self) -> Option<Holder> {
        self.handle.holder()
    }
}
