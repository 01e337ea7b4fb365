//! What a log may read as, given what was promised about each record.

use graff_notes::store::{RepairMode, Store};

use super::{
    faulty::{Disk, FaultyMedium, Image, images, least},
    notes::{LOG, add, records, s1, store_on},
};

/// Whether a record is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Presence {
    /// It was acknowledged.
    Must,
    /// It was under way, or its fate was called uncertain.
    May,
}

/// What an interrupted append may leave behind on the line of a good record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remains {
    Nothing,
    /// Something that a repair takes out.
    Repairable,
}

/// The records that a log holds, in one way or another. What is not in it must not be there: it
/// was never written, or reported as failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ledger(Vec<Vec<(String, Presence)>>);

impl Ledger {
    pub(crate) fn of(records: &[&str]) -> Self {
        Self(vec![records.iter().map(|r| ((*r).to_owned(), Presence::Must)).collect()])
    }

    /// Either this or `other`.
    pub(crate) fn or(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    pub(crate) fn push(&mut self, record: &str, presence: Presence) {
        for way in &mut self.0 {
            way.push((record.to_owned(), presence));
        }
    }

    /// Gives the last record another presence, or none.
    pub(crate) fn settle_last(&mut self, presence: Option<Presence>) {
        for way in &mut self.0 {
            let (record, _) = way.pop().expect("a record was pushed");
            way.extend(presence.map(|presence| (record, presence)));
        }
    }

    pub(crate) fn allows(&self, found: &[String]) -> bool {
        self.0.iter().any(|way| {
            let mut found = found.iter().peekable();
            way.iter().all(|(record, presence)| {
                found.next_if_eq(&record).is_some() || *presence == Presence::May
            }) && found.next().is_none()
        })
    }

    /// Checks every image of `disk` that `is_new`: reads it, appends, and reads what is durable
    /// then.
    #[track_caller]
    pub(crate) fn check_images(
        &self,
        disk: &Disk,
        remains: Remains,
        said: &str,
        is_new: &mut dyn FnMut(&Image) -> bool,
    ) {
        images(disk, LOG, &mut |image| {
            if is_new(image) {
                self.check(image, remains, said);
            }
        });
    }

    #[track_caller]
    fn check(&self, image: &Image, remains: Remains, said: &str) {
        let said = |what: &str| {
            let log = image.get(LOG).map(|log| log.escape_ascii().to_string());
            let names: Vec<_> = image.keys().collect();
            format!("{said}: {what}\nledger {self:?}\nlog {log:?}\nfiles {names:?}")
        };
        let medium = FaultyMedium::holding(image);
        let store = store_on(medium.clone());
        let mut found = records(&store);
        if remains == Remains::Repairable && !self.allows(&found) {
            store.repair(&s1(), RepairMode::Write).expect("a repair");
            found = records(&store);
        }
        assert!(self.allows(&found), "{}", said(&format!("reads {found:?}")));
        assert_eq!(newest(&store), last_note(&found), "{}", said("the newest note"));

        add(&store, "after the crash");
        let store = store_on(FaultyMedium::holding(&least(&medium.disk())));
        found.push("after the crash".to_owned());
        assert_eq!(records(&store), found, "{}", said("after an append"));
    }
}

fn newest(store: &Store) -> Option<String> {
    store.newest(&s1()).ok().and_then(|newest| newest.note).map(|note| note.text)
}

fn last_note(records: &[String]) -> Option<String> {
    records.iter().rfind(|record| !record.starts_with("attempt ")).cloned()
}
