//! The promise: a text that is there already is called stored only once it is durable, whatever
//! became of the sync of whoever wrote it.

use graff_notes::{ErrorKind, store::RepairMode};

use rustix::io::Errno;

use super::{
    play::{Play, Step, story},
    two_notes,
};
use crate::support::{
    faulty::{Fault, FaultyMedium, OpKind, When, images},
    notes::{LOG, note, s1, store_on},
};

/// Writes the newest text once more, and checks that every image has it then.
#[track_caller]
fn the_newest_text_again_is_durable(medium: &FaultyMedium, said: &str) {
    let store = store_on(medium.clone());
    let Some(newest) = store.newest(&s1()).ok().and_then(|newest| newest.note) else { return };
    let _ = store.append(&s1(), &note(&newest.text)).expect(said);
    images(&medium.disk(), LOG, &mut |image| {
        let store = store_on(FaultyMedium::holding(image));
        // What a failed sync lost before it may share its line.
        let _ = store.repair(&s1(), RepairMode::Write);
        let found = store.newest(&s1()).ok().and_then(|newest| newest.note).map(|note| note.text);
        assert_eq!(found.as_deref(), Some(&newest.text[..]), "{said}: {image:?}");
    });
}

#[test]
fn after_a_kill_at_any_moment() {
    let failing = || Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO));
    let unlucky = story("behind a failed sync", Some(two_notes()), &["one", "two"]).then([
        failing(),
        Step::Append("three"),
        failing(),
        Step::AppendKept("four"),
    ]);
    let new = story("a new store", None, &[]).then([Step::Append("one"), Step::Append("two")]);
    for story in [unlucky, new] {
        for k in 1..=Play::of(&story, None).medium.trace().len() {
            let medium = Play::of(&story, Some(k)).medium.after_kill();
            let said = format!("{}: killed after operation {k}", story.name);
            the_newest_text_again_is_durable(&medium, &said);
        }
    }
}

#[test]
fn after_an_append_whose_fate_is_uncertain() {
    let medium = Play::of(&story("two notes", Some(two_notes()), &["one", "two"]), None).medium;
    for kind in [OpKind::Sync, OpKind::Cut] {
        medium.plan(When::Next(kind, LOG), Fault::Fail(Errno::IO));
    }
    let seal = medium.clone();
    let fails_to_seal = move || seal.plan(When::Next(OpKind::Append, LOG), Fault::Fail(Errno::IO));
    medium.plan(When::Next(OpKind::Append, LOG), Fault::After(Box::new(fails_to_seal)));
    let failed = store_on(medium.clone()).append(&s1(), &note("three")).expect_err("no luck");
    assert_eq!(failed.kind(), ErrorKind::Uncertain);
    the_newest_text_again_is_durable(&medium, "uncertain");
}

#[test]
fn and_a_sync_that_fails_again_calls_nothing_stored() {
    let medium = Play::of(&story("two notes", Some(two_notes()), &["one", "two"]), None).medium;
    medium.plan(When::Next(OpKind::Sync, LOG), Fault::Fail(Errno::IO));
    let again = store_on(medium.clone()).append(&s1(), &note("two"));
    assert_eq!(again.map_err(|e| e.kind()), Err(ErrorKind::Io));
    the_newest_text_again_is_durable(&medium, "once more");
}
