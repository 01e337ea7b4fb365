//! The promise: what went wrong in other programs, by their public reports, goes right here.
//!
//! Shown on the inputs in fixtures/faults, through the built program; those of the log's bytes have
//! tests of their own. Each test is named for what it shows, and says which report it answers.

use std::{fs, process::Stdio};

use graff_notes::{
    note::NoteCap,
    prompt::{self, Block},
    session::SessionName,
};
use serde_json::Value;

use crate::support::world::{Ran, World};

fn fixture(name: &str) -> String {
    let path = format!("{}/fixtures/faults/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("a fixture")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

fn rows() -> Vec<Value> {
    fixture("splices.jsonl").lines().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

/// F094.
#[test]
fn a_session_of_any_name_is_refused_or_gets_one_file_in_the_store() {
    let names: Vec<String> = serde_json::from_str(&fixture("names.json")).expect("names");
    assert!(names.len() > 30);
    for name in names {
        if name.contains('\0') {
            continue; // no program can be called with it; names.rs has it
        }
        let world = World::new();
        let note = format!("a note of {name:?}");
        let ran = world.fed(&note, &["write", "--", &name]);
        if ran.has_status(2) {
            assert_eq!(world.files(), [""; 0], "{name:?}");
            continue;
        }
        ran.ends(0);
        let files = world.files();
        let logs: Vec<_> = files.iter().filter(|file| file.ends_with(".notes.jsonl")).collect();
        let [log] = logs[..] else { panic!("{name:?}: {files:?}") };
        assert!(log.starts_with(".graff/notes/") && log.matches('/').count() == 2, "{log}");
        assert!(files.iter().all(|file| file.starts_with(".graff")), "{name:?}: {files:?}");
        assert!(fs::symlink_metadata(world.root().join(log)).expect("a log").is_file());
        assert_eq!(world.run(&["show", "--", &name]).quietly().stdout, note.as_bytes());
    }
}

/// F159.
#[test]
fn only_the_bare_word_none_says_that_there_is_no_note() {
    let replies: Vec<(String, String)> =
        serde_json::from_str(&fixture("replies.json")).expect("replies");
    for (reply, what) in replies {
        let world = World::new();
        let file = |name: &str, text: &str| {
            fs::write(world.root().join(name), text).expect("a file");
        };
        file("t.jsonl", "{\"role\":\"user\",\"content\":\"fire the tiles at cone six\"}\n");
        file("PROMPT.md", "You fire kilns.\n");
        let args = [
            "rollover",
            "--transcript",
            "t.jsonl",
            "--system",
            "PROMPT.md",
            "--session",
            "kiln",
            "--ceiling-tokens",
            "1000",
            "--percent",
            "1",
            "--window-tokens",
            "1000",
            "--note-from",
            "stdin",
            "--json",
        ];
        let ran = world.fed(&reply, &args).ends(0);
        let expected = match what.as_str() {
            "none" => "opted_out",
            "short" => "too_short",
            _ => "stored",
        };
        assert_eq!(ran.json()["outcome"]["outcome"], expected, "{reply:?}: {ran}");
        let shown = world.run(&["show", "kiln"]);
        if expected == "stored" {
            assert_eq!(shown.quietly().stdout(), reply.trim());
        } else {
            shown.ends(3);
        }
    }
}

/// F160.
#[test]
fn a_note_over_the_cap_is_cut_between_characters_and_says_so() {
    let note = fixture("long_note.txt");
    let world = World::new();
    let wrote = world.fed(&note, &["write", "kiln"]).ends(0);
    let shown = world.run(&["show", "kiln"]).ends(0);
    let kept = shown.stdout();
    assert!(note.starts_with(kept) && kept.len() <= 4_000 && kept.len() > 3_980, "{}", kept.len());
    assert!(!note.is_char_boundary(4_000), "the cap lies within a character");
    let cut = format!("{}", note.len() - kept.len());
    assert!(wrote.stderr().contains(&cut), "{wrote}");
    let spliced = world.fed("You fire kilns.\n", &["splice", "kiln"]).ends(0);
    assert!(spliced.stdout().contains(&format!("last {cut} bytes")), "{spliced}");
}

/// F164, F165, F167, F169, F171, F172.
#[test]
fn a_note_of_any_signs_stands_in_the_prompt_once_and_can_be_taken_out() {
    for row in rows() {
        let (base, note) = (text(&row, "base"), text(&row, "note"));
        let world = World::new();
        world.fed(note, &["write", "kiln"]).quietly();
        let splice = |prompt: &[u8]| world.fed(prompt, &["splice", "kiln"]).quietly().stdout;
        let spliced = splice(base.as_bytes());
        let again = splice(&spliced);
        assert_eq!(again, spliced, "{row}: twice is once");
        assert_eq!(splice(&again), spliced, "{row}: three times is once");
        let found = memchr::memmem::find_iter(&spliced, note.as_bytes()).count();
        assert_eq!(found, 1, "{row}");
        let extracted = world.fed(&spliced, &["splice", "--extract"]).quietly().stdout;
        assert_eq!(extracted, note.as_bytes(), "{row}: whatever marks it holds");
        let stripped = world.fed(&spliced, &["splice", "--strip"]).quietly().stdout;
        assert_eq!(stripped, base.as_bytes(), "{row}");
        let prompt = String::from_utf8(spliced.clone()).expect("UTF-8");
        let constraints = prompt.find("- log each firing\n").expect("they are kept");
        assert!(constraints < prompt.find(note).expect("the note"), "{row}: it stands behind them");

        world.fed("SUBGOAL: another", &["write", "kiln"]).quietly();
        let replaced = splice(&spliced);
        let extracted = world.fed(&replaced, &["splice", "--extract"]).quietly().stdout;
        assert_eq!(extracted, b"SUBGOAL: another", "{row}: in the place of the first");
        assert_eq!(replaced, splice(base.as_bytes()), "{row}: and nothing of that is left");
    }
}

/// F171: what is made of the prompt hangs on these three alone, and not on the time.
#[test]
fn the_same_prompt_at_another_time_is_the_same_to_the_byte() {
    let world = World::new();
    world.fed("SUBGOAL: the cache holds", &["write", "kiln"]).quietly();
    let session = SessionName::parse("kiln").expect("a good name");
    let note = world.store().newest(&session).expect("a log").note.expect("a note");
    let block = Block::of(&session, &note, NoteCap::DEFAULT);
    let base = "You fire kilns.\n";
    let spliced = world.fed(base, &["splice", "kiln"]).quietly();
    assert_eq!(spliced.stdout(), prompt::splice(base, Some(&block)));
}

/// F174.
#[test]
fn a_note_of_another_session_is_in_no_prompt() {
    let world = World::new();
    world.fed("a note of the wheel", &["write", "wheel"]).quietly();
    let base = text(&rows()[0], "base").to_owned();
    let spliced = world.fed(&base, &["splice", "kiln"]).ends(0);
    assert_eq!(spliced.stdout(), base);
    world.run(&["show", "kiln"]).ends(3);
}

/// F111.
#[test]
fn a_hook_whose_folder_is_none_goes_on_and_makes_none() {
    for payload in fixture("hook_cwd.jsonl").lines() {
        let world = World::new();
        let ran = world.fed(payload, &["hook", "claude-code"]).ends(0);
        assert_eq!(ran.stdout(), "", "{payload}");
        let made: Vec<_> = world.files().into_iter().filter(|f| !f.starts_with(".graff")).collect();
        assert_eq!(made, [""; 0], "{payload}");
        assert!(!std::path::Path::new("/nowhere").exists());
    }
}

/// README's first command, with what README says that it prints.
#[test]
fn the_first_command_of_the_readme_says_what_the_readme_says() {
    let readme = fs::read_to_string(format!("{}/README.md", env!("CARGO_MANIFEST_DIR")));
    let readme = readme.expect("the README");
    let command = readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- "));
    let world = World::new();
    let args: Vec<_> = command
        .expect("the first command")
        .split(' ')
        .map(|word| match word.strip_prefix("fixtures/") {
            Some(file) => format!("{}/fixtures/{file}", env!("CARGO_MANIFEST_DIR")),
            None => word.to_owned(),
        })
        .collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let ran = Ran::of(world.command(&args).stdin(Stdio::null())).ends(0);
    let (_, said) = readme.split_once("```text\n").expect("what it says");
    let (said, rest) = said.split_once("```").expect("its end");
    assert_eq!(ran.stderr(), said);
    let (_, shown) = rest.split_once("```text\n").expect("what it prints");
    let (shown, _) = shown.split_once("```").expect("its end");
    // The README leaves out what is long, and the time of the note is another.
    for line in shown.lines().filter(|line| !line.contains('…') && !line.is_empty()) {
        assert!(ran.stdout().lines().any(|printed| printed == line), "{line}: {ran}");
    }
}
