//! The promise: an import brings all that is missing or nothing, as it was, says only what is so,
//! and seals no figure that nothing vouches for.

use graff_notes::{
    Error, ErrorKind,
    store::{Import, RepairMode, Store, medium::Medium},
};

use super::{holding, two_notes};
use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, OpKind, When},
    notes::{LOG, import, line, records, s1, store_on},
};

type Act<'a> = &'a dyn Fn(&Store) -> Result<(), Error>;

fn theirs(fields: &str) -> Vec<u8> {
    format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"theirs\",{fields}}}\n").into_bytes()
}

#[test]
fn a_new_log_that_was_taken_away_before_its_rename_is_no_success() {
    let three = [two_notes(), line(3, "three")].concat();
    let damaged = [&two_notes()[..], b"junk\n"].concat();
    let acts: [(&[u8], Act<'_>); 2] = [
        (&two_notes(), &|store| import(store, &three).map(drop)),
        (&damaged, &|store| store.repair(&s1(), RepairMode::Write).map(drop)),
    ];
    for (log, act) in acts {
        let medium = holding(log);
        let other = medium.clone();
        let take_away = move || other.remove("s1.notes.repaired").expect("it is there");
        medium.plan(When::Next(OpKind::Rename, LOG), Fault::After(Box::new(take_away)));
        assert!(act(&store_on(medium.clone())).is_err(), "nothing took the log's place");
        assert_eq!(medium.live()[LOG], log);
    }
}

#[test]
fn a_number_that_nothing_vouches_for_is_not_sealed() {
    let greatest = (1_u64 << 53) - 1;
    let rows = [
        (theirs(&format!("\"seq\":{greatest}")), None),
        (
            theirs(&format!("\"seq\":{}", greatest + 1)),
            Some(
                "record 3: nothing vouches for seq 9007199254740992, which leaves room for no others",
            ),
        ),
        (
            theirs(&format!("\"seq\":{}", u64::MAX)),
            Some(
                "record 3: nothing vouches for seq 18446744073709551615, which leaves room for no \
                 others",
            ),
        ),
        (line(u64::MAX, "sealed"), None),
        (theirs("\"gen\":4294967295"), None),
        (
            theirs("\"gen\":4294967296"),
            Some(
                "record 3: nothing vouches for generation 4294967296, which leaves room for no others",
            ),
        ),
        (theirs("\"created_at\":5"), None),
    ];
    for (third, why) in rows {
        for here in [Disk::default(), holding(&two_notes()).disk()] {
            is_sealed_or_refused(here, &third, why);
        }
    }
}

/// Imports two notes and a third record, where the two are there or not.
#[track_caller]
fn is_sealed_or_refused(here: Disk, third: &[u8], why: Option<&str>) {
    let medium = FaultyMedium::new(here);
    let before = medium.live().remove(LOG);
    let store = store_on(medium.clone());
    let imported = import(&store, &[&two_notes(), third].concat());
    let Some(why) = why else {
        assert!(matches!(imported, Ok(Import::Added { .. })), "{imported:?}");
        assert_eq!(records(&store).len(), 3);
        let health = store.verify(&s1()).expect("a log");
        assert!(health.is_ok() && health.unsealed == 0, "{health:?}");
        return;
    };
    let e = imported.expect_err("it is refused");
    assert_eq!(e.kind(), ErrorKind::InvalidInput);
    assert_eq!(e.with_causes(), format!("import into /r/.graff/notes/{LOG}: {why}"));
    assert_eq!(medium.live().remove(LOG), before);
}

#[test]
fn a_log_whose_numbers_repeat_or_go_back_comes_as_it_is_and_is_called_what_it_is() {
    for (third, reason) in [(line(2, "again"), "seq_repeated"), (line(1, "back"), "seq_backward")] {
        let theirs = [two_notes(), third].concat();
        for here in [Disk::default(), holding(&two_notes()).disk()] {
            let medium = FaultyMedium::new(here);
            let store = store_on(medium.clone());
            let imported = import(&store, &theirs);
            assert!(matches!(imported, Ok(Import::Added { .. })), "{imported:?}");
            assert_eq!(medium.live()[LOG], theirs);
            let health = store.verify(&s1()).expect("a log");
            let reasons: Vec<_> = health.faults.iter().map(|f| f.concern.reason()).collect();
            assert_eq!(reasons, [reason]);
            assert!(matches!(import(&store, &theirs), Ok(Import::Nothing { had: 3 })));
        }
    }
}

#[test]
fn a_text_that_is_too_long_for_a_note_is_refused_on_this_path_too() {
    for (bytes, is_taken) in [(65_536, true), (65_537, false)] {
        let medium = holding(&two_notes());
        let before = medium.live()[LOG].clone();
        let text = "x".repeat(bytes);
        let third = format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"{text}\"}}\n").into_bytes();
        let imported = import(&store_on(medium.clone()), &[two_notes(), third].concat());
        assert_eq!(imported.is_ok(), is_taken, "{bytes} bytes");
        let Err(e) = imported else { continue };
        assert_eq!(e.kind(), ErrorKind::InvalidInput);
        let why = "record 3: its text has 65537 bytes, and 65536 is the most";
        assert!(e.with_causes().contains(why), "{}", e.with_causes());
        assert_eq!(medium.live()[LOG], before);
    }
}
