//! What the disk in memory can do to what was not synced, since the other tests hang on it: it
//! loses, cuts, reorders and brings back, each thing by itself; what was synced, it keeps.

use std::{collections::BTreeSet, io};

use graff_notes::store::{
    Level,
    medium::{Access, Medium},
};

use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, Image, OpKind, When, images},
    notes::LOG,
};

/// What `LOG` may hold after a loss of power, and an empty text where it is lost itself.
fn possible(medium: &FaultyMedium) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    images(&medium.disk(), LOG, &mut |image| {
        let log = image.get(LOG).map(Vec::as_slice).unwrap_or_default();
        found.insert(String::from_utf8_lossy(log).replace('\0', "0"));
    });
    found
}

fn holding(log: &str) -> FaultyMedium {
    FaultyMedium::holding(&Image::from([(LOG.to_owned(), log.as_bytes().to_vec())]))
}

fn append(medium: &FaultyMedium, bytes: &str) -> io::Result<usize> {
    medium.open(LOG, Access::Append)?.append(bytes.as_bytes())
}

#[test]
fn of_two_writes_the_second_may_be_there_without_the_first() {
    let medium = holding("-");
    append(&medium, "ab").and_then(|_| append(&medium, "cd")).expect("they are taken");
    let found = possible(&medium);
    for image in ["-", "-a", "-ab", "-abc", "-abcd", "-00cd", "-ab00", "-ab0d", "-0000"] {
        assert!(found.contains(image), "{image}: {found:?}");
    }
    let is_of =
        |image: &String| image.bytes().zip(*b"-abcd").all(|(is, was)| is == was || is == b'0');
    assert!(found.iter().all(|image| image.len() <= 5 && is_of(image)), "{found:?}");
    assert!(found.iter().all(|image| image.starts_with('-')), "what was synced stays: {found:?}");
    medium.open(LOG, Access::Append).and_then(|log| log.sync()).expect("a sync");
    assert_eq!(possible(&medium), BTreeSet::from(["-abcd".to_owned()]));
}

#[test]
fn of_two_entries_in_a_folder_the_second_may_be_there_without_the_first_and_none_for_certain() {
    let medium = holding("old");
    let draft = medium.open("draft", Access::Create).expect("it is made");
    draft.append(b"new").expect("it is taken");
    medium.rename("draft", LOG).expect("it is renamed");
    drop(medium.open("other", Access::Create).expect("it is made"));
    medium.remove("other").expect("it is removed");
    drop(medium.open("third", Access::Create).expect("it is made"));
    let mut found = BTreeSet::new();
    images(&medium.disk(), LOG, &mut |image| {
        let log = String::from_utf8_lossy(&image[LOG]).replace('\0', "0");
        found.insert((log, image.contains_key("other"), image.contains_key("third")));
    });
    for log in ["old", "", "n", "new", "000"] {
        for (other, third) in [(false, false), (false, true), (true, false), (true, true)] {
            let image = (log.to_owned(), other, third);
            assert!(found.contains(&image), "{image:?}: {found:?}");
        }
    }
    medium.sync_folder(Level::Notes).and_then(|()| draft.sync()).expect("a sync");
    assert_eq!(possible(&medium), BTreeSet::from(["new".to_owned()]));
}

#[test]
fn an_operation_fails_is_left_out_is_held_up_or_is_done_in_part_as_planned() {
    let medium = holding("-");
    let other = medium.clone();
    let first = move || other.change(|disk: &mut Disk| disk.append_durably(LOG, b"first "));
    let faults = [
        Fault::Fail(rustix::io::Errno::IO),
        Fault::Drop,
        Fault::Short(2),
        Fault::After(Box::new(first)),
        Fault::FailThoughDone(rustix::io::Errno::IO),
    ];
    let mut said = Vec::new();
    for (fault, bytes) in faults.into_iter().zip(["failed", "dropped", "short", "delayed", " done"])
    {
        medium.plan(When::Next(OpKind::Append, LOG), fault);
        said.push(append(&medium, bytes).ok());
    }
    assert_eq!(said, [None, Some(7), Some(2), Some(7), None]);
    assert_eq!(medium.live()[LOG], b"-shfirst delayed done");
    medium.freeze_at(medium.trace().len());
    assert!(append(&medium, "too late").is_err());
    assert_eq!(medium.live()[LOG], b"-shfirst delayed done");
}
