//! The promise: what was acknowledged is there, whole and in order, after a crash at any moment;
//! what was reported as failed never appears; and nothing torn is read as a note.
//!
//! Shown by enumeration: each story is played once for each operation that changes the disk, and
//! the power goes right after that operation. Every image that the disk may hold then is read,
//! appended to, and read again. In a second round the process is killed at that operation instead,
//! another one goes on with what the system still has in memory, and then the power goes.
//!
//! In two cases what was good before shares its line, after the crash, with the remains of another
//! append, and only a repair makes it readable again; the tests say which: a record of others that
//! never had its LF, and a failed sync whose process was killed before it could take the bytes
//! back. And one thing is lost: the log itself, where another program brought it and synced nothing
//! (`brought`).

use rustix::io::Errno;

mod begun_again;
mod brought;
mod lies;
mod losses;
mod play;
mod same_again;
mod word;

use crate::support::{
    faulty::{Fault, OpKind},
    ledger::Remains,
    notes::line,
};
use play::{Step, story, survives_a_crash_at_any_moment};

fn two_notes() -> Vec<u8> {
    [line(1, "one"), line(2, "two")].concat()
}

const TORN: &[u8] = br#"{"v":1,"session":"s1","gen":0,"text":"to"#;

#[test]
fn while_a_store_is_made() {
    survives_a_crash_at_any_moment(&story("a new store", None, &[]).then([
        Step::Append("one"),
        Step::Append("two"),
        Step::Append("three"),
    ]));
}

#[test]
fn while_notes_are_appended_by_one_that_keeps_its_files_open() {
    survives_a_crash_at_any_moment(&story("files kept open", None, &[]).then([
        Step::AppendKept("one"),
        Step::AppendKept("two"),
        Step::Latch(1),
        Step::AppendKept("three"),
    ]));
}

#[test]
fn while_two_writers_take_turns() {
    survives_a_crash_at_any_moment(
        &story("two writers in turn", Some(two_notes()), &["one", "two"]).then([
            Step::AppendKept("three"),
            Step::Append("four"),
            Step::AppendKept("five"),
            Step::Append("six"),
        ]),
    );
}

#[test]
fn while_notes_are_made_without_a_model() {
    survives_a_crash_at_any_moment(&story("notes without a model", None, &[]).then([
        Step::Salvage(0, "the first of all"),
        Step::Latch(1),
        Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
        Step::Salvage(1, "never stored"),
        Step::Salvage(1, "the attempt came to nothing"),
        Step::Append("one"),
    ]));
}

#[test]
fn while_a_note_follows_a_torn_tail() {
    survives_a_crash_at_any_moment(
        &story("behind a torn tail", Some([&two_notes(), TORN].concat()), &["one", "two"]).then([
            Step::Append("three: ☃\n\t\"3\""),
            Step::Foreign(TORN.to_vec()),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_a_note_follows_a_whole_record_without_its_lf() {
    let mut log = two_notes();
    log.pop();
    let mut story = story("behind a record without its LF", Some(log), &["one", "two"])
        .then([Step::Append("three"), Step::AppendKept("four")]);
    story.remains = Remains::Repairable;
    survives_a_crash_at_any_moment(&story);
}

#[test]
fn while_a_note_follows_what_another_program_made_and_did_not_sync() {
    const THEIRS: &[u8] = b"{\"v\":1,\"session\":\"s1\",\"text\":\"theirs\",\"created_at\":5}\n";
    survives_a_crash_at_any_moment(&story("behind another program's record", None, &[]).then([
        Step::Made("theirs", THEIRS.to_vec()),
        Step::Append("one"),
        Step::AppendKept("two"),
    ]));
}

#[test]
fn while_a_log_is_repaired() {
    let stub_then_whole = [TORN, &line(3, "three")].concat();
    let log = [&two_notes()[..], b"junk\n", &stub_then_whole, b"\n", TORN].concat();
    survives_a_crash_at_any_moment(&story("a repair", Some(log), &["one", "two"]).then([
        Step::Repair(vec!["one", "two", "three"]),
        Step::Append("four"),
        Step::Foreign(b"more junk\n".to_vec()),
        Step::Repair(vec!["one", "two", "three", "four"]),
        Step::AppendKept("five"),
    ]));
}

#[test]
fn while_the_records_of_another_log_come() {
    let theirs = || [line(1, "one"), line(2, "two"), line(3, "three"), line(4, "four")].concat();
    let all = vec!["one", "two", "three", "four"];
    for (name, start, reads_as) in [
        ("import: a new log", None, &[][..]),
        ("import: a longer log", Some(two_notes()), &["one", "two"]),
        (
            "import: behind a torn tail",
            Some([two_notes(), b"{\"v\":1,\"torn".to_vec()].concat()),
            &["one", "two"],
        ),
    ] {
        survives_a_crash_at_any_moment(
            &story(name, start, reads_as)
                .then([Step::Import(theirs(), all.clone()), Step::Append("five")]),
        );
    }
}

#[test]
fn while_a_session_is_forgotten() {
    survives_a_crash_at_any_moment(
        &story("a session forgotten", Some([&two_notes(), TORN].concat()), &["one", "two"]).then([
            Step::Repair(vec!["one", "two"]),
            Step::Forget,
            Step::Append("three"),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_an_append_follows_a_failed_sync() {
    survives_a_crash_at_any_moment(
        &story("behind a failed sync", Some(two_notes()), &["one", "two"]).then([
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::Append("never stored"),
            Step::AppendKept("three"),
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::AppendKept("never stored either"),
            Step::AppendKept("four"),
        ]),
    );
}

#[test]
fn while_an_append_follows_a_short_write() {
    let shorts: [fn() -> Fault; 3] =
        [|| Fault::Short(1), || Fault::Short(40), || Fault::Short(usize::MAX)];
    let steps = shorts
        .into_iter()
        .flat_map(|short| [Step::Plan(OpKind::Append, short), Step::Append("never stored")]);
    survives_a_crash_at_any_moment(
        &story("behind short writes", Some(two_notes()), &["one", "two"])
            .then(steps)
            .then([Step::Append("three")]),
    );
}

#[test]
fn while_an_append_follows_one_whose_fate_is_uncertain() {
    survives_a_crash_at_any_moment(
        &story("behind an uncertain append", Some(two_notes()), &["one", "two"]).then([
            Step::Plan(OpKind::Sync, || Fault::Fail(Errno::IO)),
            Step::Plan(OpKind::Cut, || Fault::Fail(Errno::IO)),
            Step::Append("perhaps"),
            Step::AppendKept("three"),
            Step::Append("four"),
        ]),
    );
}

#[test]
fn while_a_removed_store_is_made_anew() {
    survives_a_crash_at_any_moment(&story("a store made anew", None, &[]).then([
        Step::AppendKept("one"),
        Step::RemoveFolders,
        Step::AppendKept("two"),
        Step::Append("three"),
    ]));
}
