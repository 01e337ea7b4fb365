//! What is not promised: that a log which another program brought is there after a loss of power
//! before that program, or anybody, has made its entry in the folder durable. A log without a
//! numbered record is not trusted so far, and synced with its folder by the next append; of one
//! that holds our own records, as a copy or a backup does, an append cannot tell that it was
//! brought; nor of a store that was brought as a whole, with the file that says of ours that its
//! folders are durable.

use graff_notes::{
    Error,
    store::{Level, RepairMode, Store, medium::Medium as _},
};

use super::two_notes;
use crate::support::{
    faulty::{Disk, FaultyMedium, IGNORE, Image},
    notes::{LOG, add, import, line, note, records, s1, session, store_on},
};

type Sync = fn(&FaultyMedium);

/// A disk on which a program that syncs nothing has put a log of ours into a store of ours.
fn brought(log: &[u8]) -> FaultyMedium {
    let medium = FaultyMedium::holding(&Image::new());
    add(&store_on(medium.clone()), "before");
    store_on(medium.clone()).forget(&s1()).expect("it is there");
    medium.change(|disk| disk.make_undurably(LOG, log));
    medium
}

#[test]
fn a_note_behind_numbered_ones_that_were_brought_and_not_synced_goes_with_their_log() {
    let medium = brought(&two_notes());
    assert_eq!(add(&store_on(medium.clone()), "three"), 3);
    assert_eq!(medium.least().get(LOG), None, "what an append does not look for");
}

#[test]
fn whatever_syncs_the_folder_makes_it_as_durable_as_any_log() {
    let syncs: [(&str, &[u8], Sync); 3] = [
        ("sync", b"", |medium| medium.sync_folder(Level::Notes).expect("a good disk")),
        ("a repair", b"junk\n", |medium| {
            let _ = store(medium).repair(&s1(), RepairMode::Write).expect("a good disk");
        }),
        ("an import", b"", |medium| {
            let three = [two_notes(), line(3, "imported")].concat();
            import(&store(medium), &three).map(drop).expect("a good disk");
        }),
    ];
    for (name, junk, sync) in syncs {
        let medium = brought(&[&two_notes()[..], junk].concat());
        sync(&medium);
        add(&store(&medium), "behind them");
        let found = records(&store_on(FaultyMedium::holding(&medium.least())));
        assert!(found.starts_with(&["one".to_owned(), "two".to_owned()]), "{name}: {found:?}");
        assert_eq!(found.last().map(String::as_str), Some("behind them"), "{name}");
    }
}

#[test]
fn a_store_that_was_brought_as_a_whole_goes_with_what_was_written_since_until_it_is_synced() {
    type Write = fn(&Store) -> Result<(), Error>;
    let writes: [(&str, &str, Write); 4] = [
        ("an append", LOG, |s| s.append(&s1(), &note("three")).map(drop)),
        ("a repair", LOG, |s| s.repair(&s1(), RepairMode::Write).map(drop)),
        ("an import", LOG, |s| import(s, &[two_notes(), line(3, "three")].concat()).map(drop)),
        ("another session", "s2.notes.jsonl", |s| s.append(&session("s2"), &note("one")).map(drop)),
    ];
    for (name, log, write) in writes {
        let medium = FaultyMedium::new(Disk::default());
        medium.change(|disk| {
            disk.make_undurably(IGNORE, b"*\n");
            disk.make_undurably(LOG, &[&two_notes()[..], b"junk\n"].concat());
        });
        write(&store(&medium)).unwrap_or_else(|e| panic!("{name}: {}", e.with_causes()));
        assert_eq!(medium.least(), Image::new(), "{name}");
        for level in [Level::Root, Level::Graff, Level::Notes] {
            medium.sync_folder(level).expect("a good disk");
        }
        let written = medium.live().remove(log);
        assert_eq!(medium.least().remove(log), written, "{name}: behind a sync");
        assert!(written.is_some(), "{name}");
    }
}

#[test]
fn an_append_syncs_the_folder_of_a_log_without_a_number() {
    let theirs = b"{\"v\":1,\"session\":\"s1\",\"text\":\"theirs\"}\n";
    let medium = brought(theirs);
    add(&store(&medium), "ours");
    assert_eq!(records(&store_on(FaultyMedium::holding(&medium.least()))), ["theirs", "ours"]);
}

fn store(medium: &FaultyMedium) -> Store {
    store_on(medium.clone())
}
