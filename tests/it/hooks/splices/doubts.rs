//! Where a newer note may have been there, that is said in the program's own words, and once.

use std::{fs::File, io::Write};

use graff_notes::{host::hook::Host, session::SessionName};
use serde_json::json;

use super::{Compacted, NOTE, desk};
use crate::hooks::desk::Desk;

const SESSION: &str = "my session";

/// A session whose log has `behind` behind its note.
fn doubted(behind: &str) -> (Desk, usize) {
    let desk = desk(Host::Codex);
    desk.writes(SESSION, NOTE);
    let log = desk.store().log_path(&SessionName::parse(SESSION).expect("a name"));
    let mut log = File::options().append(true).open(log).expect("a log");
    let length = log.metadata().expect("its length").len();
    log.write_all(behind.as_bytes()).expect("written");
    (desk, usize::try_from(length).expect("it is short"))
}

#[test]
fn it_is_said_once_a_call_in_the_words_of_every_command() {
    for (behind, may, what) in [
        ("junk\n", "may be damaged", "a damaged line"),
        ("{\"half", "may be damaged", "a record that was never finished"),
        (
            "{\"v\":2,\"session\":\"my session\"}\n",
            "may be there, unreadable to this version",
            "a record of a newer version of this program",
        ),
    ] {
        let (desk, at) = doubted(behind);
        desk.says(SESSION, &[Compacted("first")]);
        let ran = desk.calls(SESSION, "SessionStart", json!({"source": "compact"}));
        let said = format!(
            "graff-notes: a newer note of session {SESSION} {may}: {what} stands behind this one, \
             at byte {at}; `graff-notes verify 'my session'` shows more\n"
        );
        assert_eq!(ran.stderr(), said);
    }
}

#[test]
fn where_there_is_no_note_at_all_none_is_said_to_stand_before_the_damage() {
    let desk = Desk::of(Host::Codex);
    let session = SessionName::parse(SESSION).expect("a name");
    let log = desk.store().log_path(&session);
    std::fs::create_dir_all(log.parent().expect("a folder")).expect("the folder");
    std::fs::write(log, "junk\n").expect("a log");
    let ran = desk.calls(SESSION, "SessionStart", json!({"source": "resume"}));
    let said = format!(
        "graff-notes: session {SESSION} has no note: its log has a damaged line at byte 0; \
         `graff-notes verify 'my session'` shows more\n"
    );
    assert_eq!(ran.stderr(), said);
}
