//! A disk in memory that fails, and loses its power, when and how a test says.
//!
//! It keeps what programs see apart from what is durable. Any operation, named by its index or its
//! kind, can fail with any errno, fail although it was done, take only a part of a write, bring
//! only a part of a read, be left out with a success reported, or be held up until something else
//! was done; and from any operation on, the disk can stand still, as it does when the power goes.
//!
//! What it doesn't model, and the store doesn't claim to survive:
//! * a disk that reports a sync as done and did nothing, unless a test asks for it to show that
//!   such a thing is noticed by the tests;
//! * bytes that rot after they were synced: checksums find most of it, and nothing brings it back;
//! * a rename that is half done: file systems make it whole or not at all;
//! * programs that write without the lock at the very moment of an undo or a repair.

mod disk;
mod handle;
mod images;
mod plan;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graff_notes::store::Level;
use graff_notes::store::medium::{Access, FileId, Handle, Medium, Stamp, Status};
use rustix::io::Errno;

pub(crate) use disk::{Disk, THEIRS};
use disk::{Inode, Renaming};
use handle::FaultyHandle;
pub(crate) use images::{IGNORE, Image, images, least};
pub(crate) use plan::{Fault, Op, OpKind, When};

/// No real device has this number.
const DEVICE: u64 = 0xFA01_7FA0;

/// The disk, and who has it open.
#[derive(Clone, Debug)]
pub(crate) struct FaultyMedium {
    world: Arc<Mutex<World>>,
}

#[derive(Debug, Default)]
struct World {
    disk: Disk,
    locks: HashMap<Inode, u64>,
    handles: u64,
    trace: Vec<Op>,
    bytes_read: usize,
    faults: Vec<(When, Fault)>,
    frozen_from: Option<usize>,
}

impl FaultyMedium {
    pub(crate) fn new(disk: Disk) -> Self {
        Self { world: Arc::new(Mutex::new(World { disk, ..World::default() })) }
    }

    /// The disk of a machine that comes up again with `image` on it.
    pub(crate) fn holding(image: &Image) -> Self {
        Self::new(Disk::holding(image))
    }

    /// The same disk after its process was killed: nothing is locked, nothing fails any more.
    pub(crate) fn after_kill(&self) -> Self {
        Self::new(self.disk())
    }

    pub(crate) fn disk(&self) -> Disk {
        self.world().disk.clone()
    }

    /// What programs read now.
    pub(crate) fn live(&self) -> BTreeMap<String, Vec<u8>> {
        let world = self.world();
        let files = &world.disk.files;
        let names = world.disk.names.iter();
        names.map(|(name, inode)| (name.clone(), files[*inode].live.clone())).collect()
    }

    /// What is durable for certain.
    pub(crate) fn least(&self) -> Image {
        least(&self.world().disk)
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Disk)) {
        change(&mut self.world().disk);
    }

    /// Plans a fault.
    pub(crate) fn plan(&self, when: When, fault: Fault) {
        self.world().faults.push((when, fault));
    }

    /// Stands still from the operation with this index on.
    pub(crate) fn freeze_at(&self, index: usize) {
        self.world().frozen_from = Some(index);
    }

    pub(crate) fn is_frozen(&self) -> bool {
        let world = self.world();
        world.frozen_from.is_some_and(|from| world.trace.len() > from)
    }

    /// The operations so far.
    pub(crate) fn trace(&self) -> Vec<Op> {
        self.world().trace.clone()
    }

    /// How many bytes were read so far.
    pub(crate) fn bytes_read(&self) -> usize {
        self.world().bytes_read
    }

    /// The faults that were planned and have not happened.
    pub(crate) fn outstanding(&self) -> usize {
        self.world().faults.len()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an operation, with the fault that is planned for it; where it is left out, it reports
    /// `instead`.
    fn run<T>(
        &self,
        kind: OpKind,
        on: &str,
        act: impl FnOnce(&mut World, Option<usize>) -> io::Result<T>,
        instead: Option<T>,
    ) -> io::Result<T> {
        let fault = {
            let mut world = self.world();
            let index = world.trace.len();
            world.trace.push(Op { kind, on: on.to_owned() });
            if world.frozen_from.is_some_and(|from| index >= from) {
                return Err(Errno::IO.into());
            }
            let hit = world.faults.iter().position(|(when, _)| when.is(index, kind, on));
            hit.map(|hit| world.faults.remove(hit).1)
        };
        match fault {
            None => act(&mut self.world(), None),
            Some(Fault::Fail(errno)) => Err(errno.into()),
            Some(Fault::FailThoughDone(errno)) => {
                let done = act(&mut self.world(), None); // a handle is let go of when nobody waits
                done.and_then(|_| Err(errno.into()))
            }
            Some(Fault::Short(taken)) => act(&mut self.world(), Some(taken)),
            Some(Fault::Drop) => instead.ok_or_else(|| Errno::IO.into()),
            Some(Fault::After(first)) => {
                first();
                act(&mut self.world(), None)
            }
        }
    }

    fn handle(&self, world: &mut World, name: &str, inode: Inode) -> Box<dyn Handle> {
        world.handles += 1;
        Box::new(FaultyHandle {
            medium: self.clone(),
            name: name.to_owned(),
            inode,
            number: world.handles,
            at_open: world.status(inode),
            stamp: world.stamp(inode),
        })
    }
}

impl World {
    fn inode(&self, name: &str) -> io::Result<Inode> {
        self.disk.names.get(name).copied().ok_or_else(|| Errno::NOENT.into())
    }

    fn status(&self, inode: Inode) -> Status {
        let file = &self.disk.files[inode];
        let links = self.disk.names.values().filter(|named| **named == inode).count() as u64;
        Status { id: id(inode), len: file.live.len() as u64, links, rights: file.rights }
    }

    /// Every change bears a time of its own, so a stamp tells at once.
    fn stamp(&self, inode: Inode) -> Stamp {
        let Status { id, len, .. } = self.status(inode);
        let changed = self.disk.files[inode].changed.into();
        Stamp { id, len, modified: changed, changed }
    }
}

impl Medium for FaultyMedium {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        let kind = if access.makes() { OpKind::Create } else { OpKind::Open };
        let act = |world: &mut World, _| {
            let inode = match (world.inode(name), access) {
                (Ok(_), access) if access.makes() => return Err(Errno::EXIST.into()),
                (Ok(inode), _) => inode,
                (Err(_), access) if access.makes() && world.disk.notes.is_there => {
                    world.disk.create(name)
                }
                (Err(e), _) => return Err(e),
            };
            Ok(self.handle(world, name, inode))
        };
        self.run(kind, name, act, None)
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        let act = |world: &mut World, _| Ok(id(world.inode(name)?));
        self.run(OpKind::Identity, name, act, None)
    }

    fn still_names(&self, name: &str) -> io::Result<FileId> {
        self.identity(name)
    }

    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        let act = |world: &mut World, _| Ok(Some(world.stamp(world.inode(name)?)));
        self.run(OpKind::Stamp, name, act, None)
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        let act = |world: &mut World, _| {
            if level == Level::Notes && !world.disk.graff.is_there {
                return Err(Errno::NOENT.into());
            }
            match world.disk.folder(level) {
                Some(folder) if !folder.is_there => folder.is_there = true,
                _ => return Err(Errno::EXIST.into()),
            }
            Ok(())
        };
        self.run(OpKind::MakeFolder, &format!("{level:?}"), act, Some(()))
    }

    fn sync_folder(&self, level: Level) -> io::Result<()> {
        let act = |world: &mut World, _| {
            world.disk.sync_folder(level);
            Ok(())
        };
        self.run(OpKind::SyncFolder, &format!("{level:?}"), act, Some(()))
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        let act = |world: &mut World, _| {
            if !world.disk.notes.is_there {
                return Err(Errno::NOENT.into());
            }
            world.disk.names.keys().for_each(|name| visit(name));
            Ok(())
        };
        self.run(OpKind::Names, "Notes", act, Some(()))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let act = |world: &mut World, _| {
            let inode = world.inode(from)?;
            world.disk.rename(Renaming::Rename { from: from.to_owned(), to: to.to_owned(), inode });
            Ok(())
        };
        self.run(OpKind::Rename, to, act, Some(()))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let act = |world: &mut World, _| {
            world.inode(name)?;
            world.disk.rename(Renaming::Remove(name.to_owned()));
            Ok(())
        };
        self.run(OpKind::Remove, name, act, Some(()))
    }
}

fn id(inode: Inode) -> FileId {
    FileId { device: DEVICE, inode: inode as u64 }
}
