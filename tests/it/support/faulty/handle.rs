//! An open file of the disk in memory.

use std::io;

use graff_notes::store::medium::{Handle, Rights, Stamp, Status, TryLock};

use super::{FaultyMedium, OpKind, World, disk::Inode};

#[derive(Debug)]
pub(super) struct FaultyHandle {
    pub(super) medium: FaultyMedium,
    pub(super) name: String,
    pub(super) inode: Inode,
    pub(super) number: u64,
    pub(super) at_open: Status,
    pub(super) stamp: Stamp,
}

impl FaultyHandle {
    fn run<T>(
        &self,
        kind: OpKind,
        act: impl FnOnce(&mut World, Option<usize>) -> io::Result<T>,
        instead: Option<T>,
    ) -> io::Result<T> {
        self.medium.run(kind, &self.name, act, instead)
    }
}

impl Handle for FaultyHandle {
    fn status(&self) -> io::Result<Status> {
        let act = |world: &mut World, _| Ok(world.status(self.inode));
        self.run(OpKind::Status, act, None)
    }

    fn status_at_open(&self) -> io::Result<Status> {
        self.run(OpKind::Status, |_, _| Ok(self.at_open), None)
    }

    fn stamp(&self) -> io::Result<Option<Stamp>> {
        self.run(OpKind::Stamp, |_, _| Ok(Some(self.stamp)), None)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let act = |world: &mut World, short: Option<usize>| {
            let live = &world.disk.files[self.inode].live;
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(live.len());
            let most = short.map_or(buffer.len(), |short| short.max(1)); // none would be the end
            let read = buffer.len().min(live.len() - from).min(most);
            buffer[..read].copy_from_slice(&live[from..from + read]);
            world.bytes_read += read;
            Ok(read)
        };
        self.run(OpKind::Read, act, None)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        let act = |world: &mut World, short: Option<usize>| {
            let taken = short.map_or(bytes.len(), |short| short.min(bytes.len() - 1));
            world.disk.files[self.inode].append(&bytes[..taken]);
            Ok(taken)
        };
        self.run(OpKind::Append, act, Some(bytes.len()))
    }

    fn rewrite(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let act = |world: &mut World, _| {
            let at = usize::try_from(offset).expect("it fits in memory");
            world.disk.files[self.inode].rewrite(at, bytes);
            Ok(())
        };
        self.run(OpKind::Rewrite, act, Some(()))
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        let act = |world: &mut World, _| {
            world.disk.files[self.inode].cut(usize::try_from(len).expect("it fits in memory"));
            Ok(())
        };
        self.run(OpKind::Cut, act, Some(()))
    }

    fn give(&self, rights: Rights, _: Option<&[u8]>) -> io::Result<()> {
        let act = |world: &mut World, _| {
            world.disk.files[self.inode].rights = rights;
            Ok(())
        };
        self.run(OpKind::Give, act, Some(()))
    }

    fn sync(&self) -> io::Result<()> {
        let act = |world: &mut World, _| {
            world.disk.files[self.inode].sync();
            Ok(())
        };
        let synced = self.run(OpKind::Sync, act, Some(()));
        if synced.as_ref().is_err_and(|e| e.kind() != io::ErrorKind::Interrupted)
            && !self.medium.is_frozen()
        {
            self.medium.world().disk.files[self.inode].fail_sync();
        }
        synced
    }

    fn try_lock(&self) -> io::Result<TryLock> {
        let act = |world: &mut World, _| {
            let holder = *world.locks.entry(self.inode).or_insert(self.number);
            Ok(if holder == self.number { TryLock::Locked } else { TryLock::Held })
        };
        self.run(OpKind::TryLock, act, Some(TryLock::Locked))
    }

    fn unlock(&self) -> io::Result<()> {
        let act = |world: &mut World, _| {
            if world.locks.get(&self.inode) == Some(&self.number) {
                world.locks.remove(&self.inode);
            }
            Ok(())
        };
        self.run(OpKind::Unlock, act, Some(()))
    }
}

impl Drop for FaultyHandle {
    fn drop(&mut self) {
        let mut world = self.medium.world();
        if world.locks.get(&self.inode) == Some(&self.number) {
            world.locks.remove(&self.inode);
        }
    }
}
