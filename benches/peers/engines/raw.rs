//! The bare system calls that move the same bytes.

use std::{
    fs::{self, File},
    sync::LazyLock,
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Engine, Notes, Use};
use crate::{raw, world};

pub(super) const RAW: Engine = Engine {
    name: "raw",
    promise: "the system calls alone, of the same bytes: `write` and `fdatasync`, and a `pread` of \
              the last 8 KiB; no lock, no check, nothing decoded; damage is looked for by a CRC of all \
              bytes",
    shared: true,
    open: |folder, of| Box::new(Raw::open(folder, of)),
};

static LINE: LazyLock<Vec<u8>> = LazyLock::new(|| world::line(&world::session("s1"), 1));

struct Raw {
    notes: Utf8PathBuf,
    of: Use,
    file: Option<(String, File)>,
    buffer: Vec<u8>,
}

impl Raw {
    fn open(folder: &Utf8Path, of: Use) -> Self {
        Self { notes: folder.join("notes"), of, file: None, buffer: Vec::new() }
    }

    fn path(&self, session: &str) -> Utf8PathBuf {
        self.notes.join(format!("{session}.jsonl"))
    }

    fn file(&mut self, session: &str) -> &File {
        let kept = self.file.take().filter(|(name, _)| name == session);
        let path = self.path(session);
        let open = || match self.of {
            Use::Reading => File::open(&path).expect("a file"),
            _ => raw::opened(&path),
        };
        let kept = kept.unwrap_or_else(|| (session.to_owned(), open()));
        &self.file.insert(kept).1
    }
}

impl Notes for Raw {
    fn append(&mut self, session: &str, number: u64) {
        if number == 1 {
            fs::create_dir_all(&self.notes).expect("a folder");
            raw::create(&self.path(session), &LINE);
        } else if self.of == Use::Unsynced {
            raw::append_unsynced(&self.path(session), &LINE);
        } else {
            raw::append(self.file(session), &LINE);
        }
    }

    fn newest(&mut self, session: &str) -> usize {
        let mut buffer = std::mem::take(&mut self.buffer);
        let length = raw::last(self.file(session), &mut buffer);
        self.buffer = buffer;
        length
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        self.buffer.resize(world::PIECE_BYTES, 0);
        raw::pieces(&self.path(session), &mut self.buffer, |_| ());
        None
    }

    fn list(&mut self) -> usize {
        raw::last_of_each(&self.notes, &mut self.buffer)
    }

    fn verify(&mut self, session: &str) -> bool {
        self.buffer.resize(world::PIECE_BYTES, 0);
        let (path, mut hasher) = (self.path(session), crc32fast::Hasher::new());
        raw::pieces(&path, &mut self.buffer, |piece| hasher.update(piece));
        std::hint::black_box(hasher.finalize());
        true
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        for session in sessions {
            world::fill_file(&self.path(session), &world::session(session), notes);
        }
    }
}
