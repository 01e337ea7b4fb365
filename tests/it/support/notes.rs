//! Notes in stores, as short as tests need them.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    Error,
    log::{Body, Draft, Line},
    note::{Author, Fitted, NoteCap, NoteText},
    session::SessionName,
    store::{Appended, Import, ImportMode, Store, medium::Medium},
    units::{Generation, Seq, Timestamp},
};

/// The file that holds the records of [`s1`].
pub(crate) const LOG: &str = "s1.notes.jsonl";

/// A folder of the test's own, and the store in it.
pub(crate) struct Home {
    _folder: tempfile::TempDir,
    pub(crate) root: Utf8PathBuf,
    pub(crate) store: Store,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = Utf8Path::from_path(folder.path()).expect("a path in UTF-8");
        let root = root.canonicalize_utf8().expect("it is there");
        let store = Store::at(&root);
        Self { _folder: folder, root, store }
    }

    /// The log of [`s1`], read past the store.
    #[track_caller]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.store.log_path(&s1())).expect("a readable log")
    }

    /// Puts `bytes` in place of the log of [`s1`].
    #[track_caller]
    pub(crate) fn put(&self, bytes: impl AsRef<[u8]>) {
        let path = self.store.log_path(&s1());
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a written log");
    }

    /// Puts `bytes` where no log of [`s1`] is.
    #[track_caller]
    pub(crate) fn put_if_missing(&self, bytes: &[u8]) {
        if !self.store.log_path(&s1()).exists() {
            self.put(bytes);
        }
    }

    /// Waits until the log of [`s1`] has been left alone for so long that a look at its path can be
    /// enough: nobody can set the time of a file's last change.
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub(crate) fn rest(&self) {
        use std::{os::unix::fs::MetadataExt as _, time::Duration};
        let log = std::fs::metadata(self.store.log_path(&s1())).expect("a log");
        let since = |seconds: i64| Duration::from_secs(u64::try_from(seconds).expect("after 1970"));
        let enough = since(log.ctime().max(log.mtime())) + Duration::from_millis(3_010);
        let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970");
        std::thread::sleep(enough.saturating_sub(now));
    }

    /// Returns whether the file system is one that a look at a log's path is enough on.
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub(crate) fn is_truthful(&self) -> bool {
        let kind = rustix::fs::statfs(self.root.as_std_path()).expect("a file system").f_type;
        [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994].contains(&kind)
    }

    /// The names in the notes folder, sorted.
    #[track_caller]
    pub(crate) fn names(&self) -> Vec<String> {
        let folder = self.root.join(".graff/notes");
        let entries = std::fs::read_dir(folder).expect("a folder");
        let name = |e: std::io::Result<std::fs::DirEntry>| {
            e.expect("an entry").file_name().into_string().expect("UTF-8")
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort_unstable();
        names
    }
}

/// The session that most tests write to.
pub(crate) fn s1() -> SessionName {
    session("s1")
}

#[track_caller]
pub(crate) fn session(name: &str) -> SessionName {
    SessionName::parse(name).expect("a good name")
}

/// A store on a medium of the test's making.
pub(crate) fn store_on(medium: impl Medium + 'static) -> Store {
    Store::on("/r", Arc::new(medium))
}

/// An agent's note of generation 0.
pub(crate) fn note(text: &str) -> Draft {
    note_of(0, text)
}

#[track_caller]
pub(crate) fn note_of(generation: u64, text: &str) -> Draft {
    let Fitted { text, cut } = fitted(text);
    Draft::Note {
        text,
        author: Author::Agent,
        cut,
        generation: Generation::new(generation),
        created_at: now(),
    }
}

/// A text as it is kept.
#[track_caller]
pub(crate) fn fitted(text: &str) -> Fitted {
    NoteText::fit(text, NoteCap::default()).expect("a text")
}

pub(crate) fn now() -> Timestamp {
    Timestamp::new(1_786_017_600_000)
}

/// Appends a note and returns the number that it got.
#[track_caller]
pub(crate) fn add(store: &Store, text: &str) -> u64 {
    stored(store.append(&s1(), &note(text)))
}

#[track_caller]
pub(crate) fn stored(appended: Result<Appended, Error>) -> u64 {
    match appended {
        Ok(Appended::Stored(seq)) => seq.get(),
        other => panic!("not stored: {other:?}"),
    }
}

/// Imports the good records among `lines`.
pub(crate) fn import(store: &Store, lines: &[u8]) -> Result<Import, Error> {
    let session = s1();
    let lines = lines.split(|byte| *byte == b'\n').map(|line| Line::read(line, &session));
    let records: Vec<_> = lines
        .filter_map(|line| if let Line::Record(record) = line { Some(record) } else { None })
        .collect();
    store.import(&session, &records, ImportMode::Write)
}

/// What a log holds, oldest first: the texts of notes, and `attempt 3` for the attempts.
#[track_caller]
pub(crate) fn records(store: &Store) -> Vec<String> {
    let mut found = Vec::new();
    let replayed = store.replay(&s1(), &mut |entry| {
        if let Line::Record(record) = entry.line {
            found.push(match record.body {
                Body::Note { text, .. } => text.into_owned(),
                Body::Attempt => format!("attempt {}", record.generation),
                Body::Rollover => format!("rollover {}", record.generation),
            });
        }
    });
    match replayed {
        Ok(_) => found,
        Err(e) if e.kind() == graff_notes::ErrorKind::NotFound => found,
        Err(e) => panic!("{e}: {:?}", std::error::Error::source(&e)),
    }
}

/// The line of a note as the store writes it.
pub(crate) fn line(seq: u64, text: &str) -> Vec<u8> {
    let mut line = Vec::new();
    note(text).write(&s1(), Seq::new(seq), &mut line);
    line
}
