//! The promise: what made the hooks of other programs fail, give nothing, or store a note under a
//! name that they had made up, gets from ours what is right.
//!
//! Shown on the payloads that were reported, in one session that has a note.

use std::{collections::BTreeSet, fs};

use camino::Utf8Path;
use graff_notes::{host::hook::Host, prompt::extract};

use super::desk::Desk;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks/reported");
const NOTE: &str = "Subgoal: make retry_test green; src/retry.rs:41";

/// What a hook says to a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    TheNote,
    Nothing,
}

use Says::{Nothing, TheNote};

/// A payload and what is said to it, in this order in one session.
const PAYLOADS: [(&str, Says); 13] = [
    ("empty", Nothing),
    ("unterminated", Nothing),
    ("mangled", Nothing),
    ("no-session", Nothing),
    ("null-session", Nothing),
    ("traversal-session", Nothing),
    ("unknown-event", Nothing),
    ("stop-active", Nothing),
    ("resume-new-id-1", Nothing), // of a session that nobody knows yet
    ("resume-new-id-2", TheNote), // it goes on in the transcript of one that has a note
    ("precompact-auto", Nothing), // the agent's note is there already
    ("claude-compact", TheNote),
    ("codex-clear", Nothing), // otherwise than was reported: who empties a history wants it empty
];

/// A payload, about a session that works in this folder.
fn payload(name: &str, cwd: &Utf8Path) -> Vec<u8> {
    let bytes = fs::read(format!("{FOLDER}/{name}.json")).expect("a payload");
    match String::from_utf8(bytes) {
        Ok(text) => {
            // A step out of the folder of the notes must lead to where the test looks.
            let text = text.replace("../../../../tmp/", "../../../");
            text.replace("@CWD@", cwd.as_str()).into_bytes()
        }
        Err(e) => e.into_bytes(), // it says no folder
    }
}

#[test]
fn each_payload_that_others_tripped_over_is_answered_rightly() {
    for host in [Host::ClaudeCode, Host::Codex] {
        let desk = Desk::of(host);
        desk.writes("s1", NOTE);
        // With Codex a session that is resumed has its name still.
        let renames = host == Host::ClaudeCode;
        for (name, says) in PAYLOADS {
            if name.starts_with("resume-new-id") && !renames {
                continue;
            }
            let ran = desk.fed(payload(name, &desk.project()));
            let said = if ran.stdout().is_empty() { None } else { Some(ran.json()) };
            let context =
                said.as_ref().map(|said| &said["hookSpecificOutput"]["additionalContext"]);
            let note = context.and_then(|it| it.as_str()).and_then(extract);
            assert_eq!(note, (says == TheNote).then_some(NOTE), "{host}, {name}: {ran}");
            assert_eq!(said.is_some(), says == TheNote, "{host}, {name}: {ran}");
            assert!(ran.stderr().lines().count() <= 2, "{host}, {name}: {ran}");
        }
        let logs = desk.files().into_iter().filter(|path| path.ends_with(".notes.jsonl"));
        let logs: BTreeSet<_> = logs.collect();
        let expected = if renames { &["s1", "s9"][..] } else { &["s1"] };
        let path = |name: &&str| format!("project/.graff/notes/{name}.notes.jsonl");
        let expected: BTreeSet<_> = expected.iter().map(path).collect();
        assert_eq!(logs, expected, "{host}: no name is made up");
        assert!(!desk.files().iter().any(|path| path.contains("graff-pwned")), "{host}");
    }
}

#[test]
fn every_payload_is_tried() {
    let files = fs::read_dir(FOLDER).expect("a folder").flatten();
    let files: BTreeSet<_> = files.map(|file| file.file_name()).collect();
    let tried = PAYLOADS.map(|(name, _)| format!("{name}.json").into());
    assert_eq!(files, BTreeSet::from(tried));
}
