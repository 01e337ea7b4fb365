//! `rollover`: from a transcript and a prompt to the prompt of the next context, whatever happens.

mod replies;

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

const PROMPT: &str = "# Agent\n\n## HARD CONSTRAINTS\n- never push\n\n## Tools\n";
const NOTE: &str = "SUBGOAL: make retry_test green; src/retry.rs:41 next";

/// Over the threshold of a window of 10,000, and with facts to make a note of.
const FULL: &str = "\
{\"role\":\"user\",\"content\":\"make the retry test green\"}
{\"role\":\"assistant\",\"content\":\"on it\",\"usage\":{\"input_tokens\":8000,\"output_tokens\":9}}
{\"role\":\"user\",\"content\":\"and keep the API\"}
{\"role\":\"assistant\",\"content\":\"I keep it\",\"usage\":{\"input_tokens\":9000,\"output_tokens\":9}}
";

fn world(transcript: &str) -> World {
    let world = World::new();
    std::fs::write(world.root().join("s1.jsonl"), transcript).expect("a transcript");
    std::fs::write(world.root().join("PROMPT.md"), PROMPT).expect("a prompt");
    world
}

/// Rolls over in a window of 10,000 tokens.
#[track_caller]
fn roll(world: &World, args: &[&str]) -> Ran {
    let rollover = ["rollover", "--transcript", "s1.jsonl", "--system", "PROMPT.md"];
    world.fed(NOTE, &[&rollover[..], &["--window-tokens", "10000"], args].concat())
}

#[track_caller]
fn answer(world: &World, args: &[&str]) -> Value {
    let ran = roll(world, &[args, &["--json"]].concat()).ends(0);
    ran.json()
}

/// The kinds of the records of the session's log.
fn kinds(world: &World) -> Vec<String> {
    let log = world.run(&["log", "s1", "--json"]);
    log.answers().iter().map(|record| record["kind"].as_str().expect("a kind").into()).collect()
}

#[test]
fn without_a_model_a_mechanical_note_goes_in_and_once_only() {
    let world = world(FULL);
    let ran = roll(&world, &[]).ends(0);
    assert!(
        ran.stdout().starts_with("# Agent\n\n## HARD CONSTRAINTS\n- never push\n\n==="),
        "{ran}"
    );
    assert!(ran.stdout().ends_with("===\n\n## Tools\n"), "{ran}");
    let note = world.run(&["show", "s1"]).quietly();
    assert!(note.stdout().starts_with("Mechanical note: "), "{note}");
    assert!(note.stdout().contains("and keep the API"), "{note}");
    assert!(ran.stdout().contains(note.stdout()), "{ran}");
    assert_eq!(roll(&world, &[]).ends(0).stdout, ran.stdout, "a second time changes nothing");
    assert_eq!(kinds(&world), ["mechanical"]);
}

#[test]
fn stderr_says_what_was_decided_and_on_which_figures() {
    let ran = roll(&world(FULL), &["--calls-cap", "40", "--calls-used", "20"]).ends(0);
    let expected = "\
transcript  plain    4 records, 0 compactions
session              generation 0 of \"s1\"
threshold   9000     percent binds: percent 9000, ceiling 272000, window less output reserve 10000
reading     9000     tokens, measured
handoff     yes      9000 tokens, reached 9000
note        fire     a note is to be made of what the transcript holds
budget      20 left  of 40 calls 20 are used; 8 held back, 0 pending: a note needs 9 left
outcome     stored   record 1 of generation 0 is on disk
";
    assert_eq!(ran.stderr(), expected);
}

#[test]
fn below_the_threshold_nothing_is_written_and_a_note_on_record_still_goes_in() {
    let below = FULL.replace("9000", "8999");
    let world = world(&below);
    let ran = roll(&world, &["--note-from", "command:exit 1"]).ends(0);
    assert_eq!(ran.stdout(), PROMPT);
    assert!(ran.stderr().ends_with("  nothing to do: the history need not roll over\n"), "{ran}");
    assert!(!world.root().join(".graff").exists());
    world.fed("from before", &["write", "s1"]).quietly();
    assert!(roll(&world, &[]).ends(0).stdout().contains("\nfrom before\n"));
}

#[test]
fn a_note_that_cannot_be_afforded_is_made_without_a_model() {
    let world = world(FULL);
    let calls = ["--calls-cap", "8", "--calls-used", "1", "--pending-calls", "1"];
    let args = [&calls[..], &["--note-from", "command:echo never asked; touch asked"]].concat();
    let rolled = answer(&world, &args);
    let figures = json!({"remaining": 7, "reserve": 6, "cost": 2});
    assert_eq!(rolled["note"], json!({"decision": "budget", "figures": figures}));
    assert_eq!(rolled["outcome"]["outcome"], json!("stored"));
    assert_eq!(kinds(&world), ["mechanical"]);
    assert!(!world.root().join("asked").exists());
}

#[test]
fn a_rollover_can_be_put_on_record() {
    let world = world(FULL);
    for generation in 0..3 {
        let rolled = answer(&world, &["--note-from", "stdin", "--rolled-over"]);
        assert_eq!(rolled["generation"], json!(generation));
        assert_eq!(rolled["outcome"]["outcome"], json!("stored"), "{rolled}");
    }
    let of_one = ["attempt", "note", "rollover"];
    assert_eq!(kinds(&world), [of_one, of_one, of_one].concat());
}

#[test]
fn the_answer_in_json_has_it_all() {
    let world = world(&format!("{FULL}not a record\n"));
    let ran = roll(&world, &["--json", "--calls-cap", "40"]).ends(0);
    assert_eq!(ran.stderr(), "");
    let mut rolled = ran.json();
    let prompt = rolled["prompt"].take();
    assert!(prompt.as_str().is_some_and(|prompt| prompt.contains("Mechanical note")), "{prompt}");
    assert!(rolled["note"]["figures"].take().is_object());
    let expected = json!({
        "session": "s1", "generation": 0,
        "transcript": {"path": "s1.jsonl", "form": "plain", "window_tokens": null,
                       "compactions": 0, "records": 5, "bad_records": 1},
        "threshold": {"tokens": 9_000, "binding": "percent"},
        "reading": {"source": "measured", "tokens": 9_000},
        "handoff": true,
        "note": {"decision": "fire", "figures": null},
        "budget": {"cap": 40, "used": 0, "remaining": 40, "reserve": 8, "pending": 0,
                   "least_remaining_for_note": 9},
        "outcome": {"outcome": "stored", "figures": {"seq": 1, "generation": 0, "cut": 0}},
        "spliced": {"seq": 1, "gen": 0, "left_out": 0},
        "doubt": null,
        "prompt": null,
    });
    assert_eq!(rolled, expected);
}

#[test]
fn whatever_goes_wrong_the_prompt_comes_out() {
    let world = world(FULL);
    std::fs::write(world.root().join("odd"), "{\"a\":1}\n").expect("no transcript");
    std::fs::create_dir_all(world.log("folder")).expect("a folder in a log's place");
    for (args, status) in [
        (&["--transcript", "not-there", "--system", "PROMPT.md"][..], 1),
        (&["--transcript", "odd", "--system", "PROMPT.md"], 1),
        (&["--transcript", ".", "--system", "PROMPT.md"], 1),
        (&["--transcript", "s1.jsonl", "--system", "PROMPT.md", "--percent", "0"], 2),
        (&["--transcript", "s1.jsonl", "--system", "PROMPT.md", "--root", "/not/there"], 2),
        (&["--transcript", "s1.jsonl", "--system", "PROMPT.md", "--session", "folder"], 1),
    ] {
        let ran = world.run(&[&["rollover"], args].concat()).ends(status);
        assert_eq!(ran.stdout(), PROMPT, "{args:?}");
        assert!(ran.stderr().starts_with("graff-notes: could not "), "{ran}");
        let ran = world.run(&[&["rollover", "--json"], args].concat()).ends(status);
        assert_eq!(ran.json()["prompt"], json!(PROMPT), "{args:?}");
        assert_eq!(ran.said("error")["exit"], json!(status), "{args:?}");
    }
    let ran = world.run(&["rollover", "--transcript", "s1.jsonl", "--system", "gone"]).ends(1);
    assert_eq!(ran.stdout(), "");
}

#[test]
fn a_name_that_cannot_be_stored_under_is_the_gates_refusal() {
    let world = world(FULL);
    for (name, decision) in [("../../etc/passwd", "bad_session_name"), ("", "no_session")] {
        let ran = roll(&world, &["--session", name, "--json"]).ends(0);
        assert_eq!(ran.json()["note"], json!({"decision": decision, "figures": {}}));
        assert_eq!(ran.json()["prompt"], json!(PROMPT));
        assert!(
            ran.said("warning")["message"]
                .as_str()
                .is_some_and(|said| said.contains("keeps no note"))
        );
        roll(&world, &["--session", name, "--require-note"]).ends(6);
    }
    assert!(!world.root().join(".graff").exists());
}

#[test]
fn decide_answers_the_same_from_the_transcript_and_writes_nothing() {
    let world = world(FULL);
    let figures = ["--transcript", "s1.jsonl", "--window-tokens", "10000", "--json"];
    let decided = world.run(&[&["decide"], &figures[..]].concat()).quietly().json();
    assert!(!world.root().join(".graff").exists());
    let rolled = answer(&world, &[]);
    for part in ["threshold", "reading", "handoff", "note", "budget"] {
        assert_eq!(decided[part], rolled[part], "{part}");
    }
    world.run(&["decide", "--transcript", "s1.jsonl", "--used-tokens", "1"]).ends(2);
}

#[test]
fn transcripts_of_real_agents_are_told_apart_by_what_is_in_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transcripts");
    for (file, form, generation, tokens, handoff) in [
        ("claude-over-90-percent.jsonl", "claude_code", 0, 186_000, true),
        ("claude-compacted.jsonl", "claude_code", 1, 14_000, false),
        ("codex-over-90-percent.jsonl", "codex", 0, 178_000, true),
        ("codex-compacted.jsonl", "codex", 1, 14_000, false),
    ] {
        let world = world("");
        let transcript = format!("{folder}/{file}");
        let args = ["rollover", "--json", "--transcript", &transcript, "--system", "PROMPT.md"];
        let args = [&args[..], &["--window-tokens", "190000", "--ceiling-tokens", "0"]].concat();
        let rolled = world.run(&args).quietly().json();
        assert_eq!(rolled["transcript"]["form"], json!(form), "{file}");
        assert_eq!(rolled["generation"], json!(generation), "{file}");
        assert_eq!(rolled["reading"], json!({"source": "measured", "tokens": tokens}), "{file}");
        assert_eq!(rolled["handoff"], json!(handoff), "{file}");
        let prompt = rolled["prompt"].as_str().expect("a prompt");
        assert_eq!(prompt.contains("Mechanical note: "), handoff, "{file}: {prompt}");
        assert_eq!(world.root().join(".graff").exists(), handoff, "{file}");
    }
}

#[test]
fn an_empty_transcript_is_one_that_has_just_begun() {
    let ran = roll(&world(""), &[]).ends(0);
    assert_eq!(ran.stdout(), PROMPT);
}

#[test]
fn the_prompt_can_come_from_stdin_but_not_together_with_the_note() {
    let world = world(FULL);
    let rollover = ["rollover", "--transcript", "s1.jsonl", "--system", "-"];
    let ran = world.fed("\u{feff}base", &rollover).ends(0);
    assert_eq!(ran.stdout(), "\u{feff}base");
    let ran = world.fed("base", &[&rollover[..], &["--note-from", "stdin"]].concat()).ends(2);
    assert_eq!(
        ran.stderr(),
        "graff-notes: could not read both the prompt and the note from stdin\n"
    );
}

#[test]
fn a_transcript_that_cannot_be_read_costs_the_prompt_no_note_that_is_on_record() {
    let world = world(FULL);
    world.fed(NOTE, &["write", "s1"]).quietly();
    for transcript in ["not-there", "."] {
        let args = ["rollover", "--transcript", transcript, "--system", "PROMPT.md"];
        let ran = world.run(&[&args[..], &["--session", "s1"]].concat()).ends(1);
        assert!(ran.stdout().contains(&format!("\n{NOTE}\n")), "{ran}");
        let ran = world.run(&[&args[..], &["--session", "s1", "--json"]].concat()).ends(1);
        assert_eq!(ran.json()["note"], json!({"seq": 1, "gen": 0, "left_out": 0}));
        assert_eq!(world.run(&args).ends(1).stdout(), PROMPT, "whose note, nobody knows");
    }
}

#[test]
fn what_keeps_the_note_out_as_well_is_said_too() {
    let world = world(FULL);
    std::fs::create_dir_all(world.log("folder")).expect("a folder in a log's place");
    world.put("damaged", "junk\n");
    let args = ["rollover", "--system", "PROMPT.md", "--session"];
    for (session, said) in [
        ("folder", "folder.notes.jsonl: it is a folder, not a plain file\n  move it away; "),
        ("damaged", "could not splice a note of session damaged: its log has a damaged line"),
        ("../s1", "session name"),
    ] {
        let ran = world.run(&[&args[..], &[session, "--transcript", "not-there"]].concat()).ends(1);
        assert_eq!(ran.stdout(), PROMPT);
        let (warned, failed) = ran.stderr().rsplit_once("graff-notes: ").expect("a failure");
        assert!(warned.contains(said), "{ran}");
        assert!(failed.starts_with("could not read the transcript from not-there"), "{ran}");
    }
    let ran = world.run(&[&args[..], &["folder", "--transcript", "s1.jsonl"]].concat()).ends(1);
    assert_eq!(ran.stderr().matches("graff-notes: ").count(), 1, "once is enough: {ran}");
}

#[test]
fn a_rollover_is_put_on_record_also_where_no_note_was_due() {
    let world = world(&FULL.replace("9000", "8999"));
    roll(&world, &["--rolled-over"]).ends(0);
    assert_eq!(kinds(&world), ["rollover"]);
    assert_eq!(answer(&world, &[])["generation"], json!(1));
}
