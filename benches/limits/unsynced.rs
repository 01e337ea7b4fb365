//! A store without durability, to see what everything but the sync costs.

use std::io;

use graff_notes::store::{
    Disk, Level,
    medium::{Access, FileId, Handle, Holder, Medium, Rights, Stamp, Status, TryLock},
};

/// A disk that syncs nothing.
#[derive(Debug)]
pub(crate) struct Unsynced(pub(crate) Disk);

#[derive(Debug)]
struct UnsyncedFile(Box<dyn Handle>);

impl Medium for Unsynced {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(UnsyncedFile(self.0.open(name, access)?)))
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        self.0.identity(name)
    }

    fn still_names(&self, name: &str) -> io::Result<FileId> {
        self.0.still_names(name)
    }

    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        self.0.stamp(name)
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

    fn status_at_open(&self) -> io::Result<Status> {
        self.0.status_at_open()
    }

    fn stamp(&self) -> io::Result<Option<Stamp>> {
        self.0.stamp()
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

    fn access_list(&self) -> io::Result<Option<Vec<u8>>> {
        self.0.access_list()
    }

    fn give(&self, rights: Rights, access_list: Option<&[u8]>) -> io::Result<()> {
        self.0.give(rights, access_list)
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

    fn holder(&self) -> Option<Holder> {
        self.0.holder()
    }
}
