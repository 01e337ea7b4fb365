//! The JSON lines that people write.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, BufWriter, Write as _},
};

use camino::Utf8PathBuf;

use super::{Engine, Notes, Row, Use};

pub(super) const NAIVE: Engine = Engine {
    name: "naive JSONL",
    promise: "a file a session, `write` and `fdatasync`; no lock, no check, no sync of the folder; \
              two writers can part each other's lines, and a torn line is joined to the next one; \
              the newest note is found by parsing all",
    shared: true,
    open: |folder, of| Box::new(Naive { folder: folder.to_owned(), of, file: None }),
};

struct Naive {
    folder: Utf8PathBuf,
    of: Use,
    file: Option<(String, File)>,
}

impl Naive {
    fn path(&self, session: &str) -> Utf8PathBuf {
        self.folder.join(format!("{session}.jsonl"))
    }

    fn rows(&self, session: &str) -> impl Iterator<Item = Row> + use<> {
        let file = File::open(self.path(session)).expect("a file");
        BufReader::new(file).lines().map(|line| Row::from_json(line.expect("a line").as_bytes()))
    }

    fn appended_to(&self, session: &str) -> File {
        let options = File::options().append(true).create(true).open(self.path(session));
        options.expect("a file")
    }
}

impl Notes for Naive {
    fn append(&mut self, session: &str, number: u64) {
        let kept = self.file.take().filter(|(name, _)| name == session);
        let (name, mut file) =
            kept.unwrap_or_else(|| (session.to_owned(), self.appended_to(session)));
        let mut line = Row::numbered(number).to_json();
        line.push(b'\n');
        file.write_all(&line).expect("a write");
        if self.of != Use::Unsynced {
            file.sync_data().expect("a sync");
        }
        self.file = Some((name, file));
    }

    fn newest(&mut self, session: &str) -> usize {
        self.rows(session).last().expect("a note").text.len()
    }

    fn replay(&mut self, session: &str) -> Option<u64> {
        Some(self.rows(session).count() as u64)
    }

    fn list(&mut self) -> usize {
        let entries = fs::read_dir(&self.folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let sessions =
            names.filter_map(|name| Some(name.to_str()?.strip_suffix(".jsonl")?.to_owned()));
        sessions.filter(|session| self.rows(session).last().is_some()).count()
    }

    fn verify(&mut self, _: &str) -> bool {
        false
    }

    fn fill(&mut self, sessions: &[String], notes: u64) {
        for session in sessions {
            let mut file = BufWriter::new(self.appended_to(session));
            for number in 1..=notes {
                file.write_all(&Row::numbered(number).to_json()).expect("a write");
                file.write_all(b"\n").expect("a write");
            }
            file.flush().expect("the rest");
        }
    }
}
