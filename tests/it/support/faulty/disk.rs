//! What the disk holds: as programs see it now, and as it may be after a loss of power.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use graff_notes::store::{Level, medium::Rights};

/// A file by its number; its name is only a way to it.
pub(crate) type Inode = usize;

/// Folders, names and files, each with what of it is durable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    pub(super) graff: Folder,
    pub(super) notes: Folder,
    /// The names in the notes folder.
    pub(super) names: BTreeMap<String, Inode>,
    pub(super) durable_names: BTreeMap<String, Inode>,
    /// What happened to names since the folder was last synced.
    pub(super) renamings: Vec<Renaming>,
    pub(super) files: Vec<File>,
}

/// A folder in its parent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Folder {
    pub(super) is_there: bool,
    pub(super) is_durable: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Renaming {
    Create(String, Inode),
    Rename { from: String, to: String, inode: Inode },
    Remove(String),
}

/// Whose the files are that are there at the beginning; what is made later is root's.
pub(crate) const THEIRS: Rights = Rights { owner: 1000, group: 100, mode: 0o640 };

/// A file's bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// What programs read.
    pub(super) live: Vec<u8>,
    /// What the last good sync made durable.
    pub(super) settled: Vec<u8>,
    /// Where in `settled` a failed sync lost the bytes: no later sync brings them to the disk.
    pub(super) lost: Vec<Range<usize>>,
    /// What was done since the last good sync.
    pub(super) pending: Vec<Change>,
    /// Whose it is.
    pub(super) rights: Rights,
    /// When `live` last changed.
    pub(super) changed: u64,
    /// Where in `live` a failed sync lost the bytes.
    lost_live: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    Write {
        at: usize,
        bytes: Vec<u8>,
    },
    /// The same bytes once more where they stand, and what of the file was lost before.
    Rewrite {
        at: usize,
        bytes: Vec<u8>,
        lost: Vec<Range<usize>>,
    },
    Cut(usize),
}

impl Renaming {
    pub(super) fn apply(&self, names: &mut BTreeMap<String, Inode>) {
        match self {
            Self::Create(name, inode) => {
                names.insert(name.clone(), *inode);
            }
            Self::Rename { from, to, inode } => {
                names.remove(from);
                names.insert(to.clone(), *inode);
            }
            Self::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

impl Disk {
    /// A disk on which everything is durable.
    pub(crate) fn holding(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let mut disk = Self::default();
        disk.graff = Folder { is_there: true, is_durable: true };
        disk.notes = disk.graff;
        for (name, bytes) in files {
            disk.names.insert(name.clone(), disk.files.len());
            disk.files.push(File::durable(bytes.clone()));
        }
        disk.durable_names = disk.names.clone();
        disk
    }

    pub(super) fn folder(&mut self, level: Level) -> Option<&mut Folder> {
        match level {
            Level::Root => None,
            Level::Graff => Some(&mut self.graff),
            Level::Notes => Some(&mut self.notes),
        }
    }

    pub(super) fn rename(&mut self, renaming: Renaming) {
        renaming.apply(&mut self.names);
        self.renamings.push(renaming);
    }

    pub(super) fn create(&mut self, name: &str) -> Inode {
        let inode = self.files.len();
        self.files.push(File::default());
        self.rename(Renaming::Create(name.to_owned(), inode));
        inode
    }

    /// Makes the entries in a folder durable.
    pub(super) fn sync_folder(&mut self, level: Level) {
        match level {
            Level::Root => self.graff.is_durable = self.graff.is_there,
            Level::Graff => self.notes.is_durable = self.notes.is_there,
            Level::Notes => {
                self.durable_names = self.names.clone();
                self.renamings.clear();
            }
        }
    }

    /// Appends without a lock and without a trace of how.
    pub(crate) fn append_durably(&mut self, name: &str, bytes: &[u8]) {
        let file = &mut self.files[self.names[name]];
        file.append(bytes);
        file.sync();
    }

    /// Puts another file in the place of one, as a program does that knows no lock.
    pub(crate) fn replace(&mut self, name: &str, bytes: &[u8]) {
        self.create(name);
        self.append_durably(name, bytes);
    }

    /// Makes the folders and a file in them as a program does that syncs nothing.
    pub(crate) fn make_undurably(&mut self, name: &str, bytes: &[u8]) {
        self.graff.is_there = true;
        self.notes.is_there = true;
        let inode = self.create(name);
        self.files[inode].append(bytes);
    }

    /// Appends as a process does that dies before its sync.
    pub(crate) fn append_undurably(&mut self, name: &str, bytes: &[u8]) {
        self.files[self.names[name]].append(bytes);
    }

    /// Cuts a file without a lock.
    pub(crate) fn cut_durably(&mut self, name: &str, len: usize) {
        let file = &mut self.files[self.names[name]];
        file.cut(len);
        file.sync();
    }

    /// Whose a file is.
    pub(crate) fn rights(&self, name: &str) -> Rights {
        self.files[self.names[name]].rights
    }

    /// Whether a failed sync lost bytes of a file that programs still see.
    pub(crate) fn has_lost(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|inode| !self.files[*inode].lost_live.is_empty())
    }

    /// Takes the folders away from under everybody, as `rm -rf .graff` does.
    pub(crate) fn remove_folders(&mut self) {
        let files = std::mem::take(&mut self.files);
        *self = Self { files, ..Self::default() };
    }
}

impl File {
    fn durable(bytes: Vec<u8>) -> Self {
        Self { live: bytes.clone(), settled: bytes, rights: THEIRS, ..Self::default() }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.changed = tick();
        self.pending.push(Change::Write { at: self.live.len(), bytes: bytes.to_vec() });
        self.live.extend_from_slice(bytes);
    }

    pub(super) fn rewrite(&mut self, at: usize, bytes: &[u8]) {
        self.changed = tick();
        let end = at + bytes.len();
        assert_eq!(self.live.get(at..end), Some(bytes), "what stands there already");
        let lost = std::mem::take(&mut self.lost_live);
        let beside =
            |lost: &Range<usize>| [lost.start..lost.end.min(at), lost.start.max(end)..lost.end];
        self.lost_live = lost.iter().flat_map(beside).filter(|part| !part.is_empty()).collect();
        self.pending.push(Change::Rewrite { at, bytes: bytes.to_vec(), lost });
    }

    pub(super) fn cut(&mut self, len: usize) {
        self.changed = tick();
        self.pending.push(Change::Cut(len));
        self.live.resize(len, 0);
        self.lost_live.retain(|range| range.start < len);
    }

    pub(super) fn sync(&mut self) {
        self.settled.clone_from(&self.live);
        self.lost.clone_from(&self.lost_live);
        self.pending.clear();
    }

    /// A sync that fails: the system takes what was not durable for written, and forgets it.
    pub(super) fn fail_sync(&mut self) {
        let len = self.live.len();
        for change in &self.pending {
            match change {
                Change::Write { at, bytes } => self.lost_live.push(*at..at + bytes.len()),
                // What was durable before stays so, since the same bytes were to replace it.
                Change::Rewrite { lost, .. } => self.lost_live.extend(lost.iter().cloned()),
                Change::Cut(_) => {}
            }
        }
        self.lost_live.retain(|range| range.start < len);
    }
}

/// A clock that never shows the same time twice.
fn tick() -> u64 {
    static CLOCK: AtomicU64 = AtomicU64::new(1);
    CLOCK.fetch_add(1, Ordering::Relaxed)
}
