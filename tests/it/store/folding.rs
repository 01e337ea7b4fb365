//! The promise: where the file system takes two sessions' files for one, neither reads the other's
//! notes, and forgetting the one does not take the other's away.

use std::io;

use graff_notes::{
    ErrorKind,
    log::Line,
    session::SessionName,
    store::{
        Level, Store,
        medium::{Access, FileId, Handle, Medium, Stamp},
    },
};

use crate::support::{
    faulty::{Disk, FaultyMedium},
    notes::{note, session, store_on, stored},
};

/// A disk on which letters that differ by case alone are the same, as on macOS and Windows.
#[derive(Clone, Debug)]
struct Folding(FaultyMedium);

impl Medium for Folding {
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn Handle>> {
        self.0.open(&name.to_lowercase(), access)
    }

    fn identity(&self, name: &str) -> io::Result<FileId> {
        self.0.identity(&name.to_lowercase())
    }

    fn still_names(&self, name: &str) -> io::Result<FileId> {
        self.0.still_names(&name.to_lowercase())
    }

    fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        self.0.stamp(&name.to_lowercase())
    }

    fn make_folder(&self, level: Level) -> io::Result<()> {
        self.0.make_folder(level)
    }

    fn sync_folder(&self, level: Level) -> io::Result<()> {
        self.0.sync_folder(level)
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.0.names(visit)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(&from.to_lowercase(), &to.to_lowercase())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(&name.to_lowercase())
    }
}

/// The texts of a session's notes.
fn notes(store: &Store, session: &SessionName) -> Vec<String> {
    let mut found = Vec::new();
    let replayed = store.replay(session, &mut |entry| {
        if let Line::Record(record) = entry.line {
            found.extend(record.into_note().map(|note| note.text));
        }
    });
    replayed.map(|_| found).expect("a log")
}

#[test]
fn a_session_is_not_forgotten_together_with_another_that_has_the_same_file() {
    let store = store_on(Folding(FaultyMedium::new(Disk::default())));
    let (lower, upper) = (session("fix-it"), session("Fix-It"));
    stored(store.append(&lower, &note("of the lower")));
    stored(store.append(&upper, &note("of the upper")));
    for (forgotten, other) in [(&lower, &upper), (&upper, &lower)] {
        let e = store.forget(forgotten).expect_err("the file is another's too");
        assert_eq!(e.kind(), ErrorKind::InvalidInput);
        let path = store.log_path(forgotten);
        let said = format!(
            "forget {path}: session \"{other}\" is kept in the same file, since the file system \
             folds case"
        );
        assert_eq!(e.with_causes(), said);
        assert_eq!(e.advice(), "remove the file by hand if both are to go");
        assert_eq!(notes(&store, &lower), ["of the lower"]);
        assert_eq!(notes(&store, &upper), ["of the upper"]);
    }
}

#[test]
fn a_stray_line_of_a_session_with_a_file_of_its_own_keeps_nothing_from_being_forgotten() {
    let medium = FaultyMedium::new(Disk::default());
    let store = store_on(medium.clone());
    let (lower, upper) = (session("fix-it"), session("Fix-It"));
    stored(store.append(&lower, &note("of the lower")));
    stored(store.append(&upper, &note("of the upper")));
    let stray = medium.live().remove("Fix-It.notes.jsonl").expect("a log");
    medium.change(|disk| disk.append_durably("fix-it.notes.jsonl", &stray));
    store.forget(&lower).expect("it can be told apart");
    assert_eq!(notes(&store, &upper), ["of the upper"]);
    assert_eq!(store.sessions().expect("a folder").names, [upper]);
}
