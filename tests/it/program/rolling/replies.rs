//! Where a rollover's note comes from, and what becomes of the reply.

use serde_json::{Value, json};

use super::{FULL, NOTE, PROMPT, answer, kinds, roll, world};
use crate::support::world::Ran;

#[test]
fn a_commands_reply_is_the_note() {
    let world = world(FULL);
    let command = "command:cat >request; echo \"  SUBGOAL: $GRAFF_SESSION of $GRAFF_TRANSCRIPT \"";
    let rolled = answer(&world, &["--note-from", command]);
    let outcome = json!({"outcome": "stored", "figures": {"seq": 2, "generation": 0, "cut": 0}});
    assert_eq!(rolled["outcome"], outcome);
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "SUBGOAL: s1 of s1.jsonl");
    let request = std::fs::read_to_string(world.root().join("request")).expect("the request");
    let request: Value = serde_json::from_str(&request).expect("JSON");
    assert!(
        request["instruction"].as_str().is_some_and(|text| text.contains("single word `none`"))
    );
    assert_eq!(request["output_tokens_max"], json!(4_096));
    assert_eq!(request["tools"], json!([]));
    assert_eq!(kinds(&world), ["attempt", "note"]);
}

#[test]
fn the_reply_can_come_from_stdin() {
    let world = world(FULL);
    assert_eq!(answer(&world, &["--note-from", "stdin"])["outcome"]["outcome"], json!("stored"));
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), NOTE);
}

#[test]
fn a_generation_has_one_attempt_also_where_it_failed() {
    let world = world(FULL);
    let failed = answer(&world, &["--note-from", "command:echo half a note is no note; exit 3"]);
    let reason = "`echo ***` ended with exit status: 3";
    assert_eq!(failed["outcome"], json!({"outcome": "call_failed", "figures": {"reason": reason}}));
    assert_eq!(failed["prompt"], json!(PROMPT));
    for source in ["stdin", "command:echo a note that comes too late"] {
        let again = answer(&world, &["--note-from", source]);
        assert_eq!(again["note"]["decision"], json!("already_attempted"));
        assert_eq!(again["outcome"], Value::Null);
    }
    roll(&world, &["--note-from", "stdin", "--require-note"]).ends(6);
    assert_eq!(kinds(&world), ["attempt"]);
    let next = answer(&world, &["--note-from", "stdin", "--generation", "1"]);
    assert_eq!(next["outcome"]["outcome"], json!("stored"));
}

#[test]
fn what_may_be_a_secret_in_where_a_note_comes_from_is_told_to_nobody() {
    for source in [
        "command:API_KEY=sk-SECRET false",
        "command:ask-nobody --key sk-SECRET",
        "comand:ask-my-model --key sk-SECRET",
        "API_KEY=sk-SECRET ask-my-model",
        "https://user:sk-SECRET@api.example/v1/messages",
        "endpoint:https://user:sk-SECRET@api.example/v1/messages?key=sk-SECRET",
    ] {
        for json in [&[][..], &["--json"]] {
            let world = world(FULL);
            let flag = roll(&world, &[&["--note-from", source], json].concat());
            let args = ["rollover", "--transcript", "s1.jsonl", "--system", "PROMPT.md"];
            let args = [&args[..], &["--window-tokens", "10000"], json].concat();
            let variable = Ran::of(world.command(&args).env("GRAFF_NOTE_FROM", source));
            for ran in [flag, variable] {
                assert!(!format!("{ran}").contains("sk-SECRET"), "{source}: {ran}");
            }
        }
    }
}

#[test]
fn no_reply_is_waited_for_longer_than_is_said() {
    let world = world(FULL);
    let command = "command:sleep 600 | cat";
    let late = answer(&world, &["--note-from", command, "--note-timeout-seconds", "1"]);
    let reason = "`sleep ***` gave no answer within 1 s";
    assert_eq!(late["outcome"]["figures"]["reason"], json!(reason));
    assert_eq!(late["prompt"], json!(PROMPT));
}

#[test]
fn replies_that_are_no_notes_leave_none() {
    for (reply, outcome) in [
        ("printf None.", "opted_out"),
        ("echo too short", "too_short"),
        ("exec cat", "stored"),
        ("exec <&-; printf 'it did not want to hear the request'", "stored"),
        ("head -c 70000 /dev/zero | tr '\\0' x", "too_long"),
        ("printf 'caf\\351 is not UTF-8, as it is'", "call_failed"),
        ("kill -9 $$", "call_failed"),
        ("/not/there", "call_failed"),
    ] {
        let world = world(FULL);
        let command = format!("command:{reply}");
        let rolled = answer(&world, &["--note-from", &command]);
        assert_eq!(rolled["outcome"]["outcome"], json!(outcome), "{reply}: {rolled}");
    }
}

/// What stands in the first of it may look like a note, or like something that is no text: all of
/// it is what it is judged by.
#[test]
fn a_reply_that_is_longer_than_is_read_is_too_long_whatever_is_in_it() {
    let reason = "the reply is too long: it has more than 1048576 bytes";
    for reply in [
        "head -c 5000000 /dev/zero | tr '\\0' x",
        "echo; yes caf\u{e9} | head -c 1048577",
        "yes caf\u{e9} | head -c 1048577",
        "yes '\u{e9}' | head -c 1048577",
        "echo 'a note of more than a few letters'; yes '' | head -c 1048576",
    ] {
        let world = world(FULL);
        let rolled = answer(&world, &["--note-from", &format!("command:{reply}")]);
        let figures = json!({"outcome": "call_failed", "figures": {"reason": reason}});
        assert_eq!(rolled["outcome"], figures, "{reply}");
        assert_eq!(kinds(&world), ["attempt"]);
    }
    let world = world(FULL);
    let whole = "echo 'a note of more than a few letters'; yes '' | head -c 1048542";
    let rolled = answer(&world, &["--note-from", &format!("command:{whole}")]);
    assert_eq!(rolled["outcome"]["outcome"], json!("stored"), "1 MiB is taken: {rolled}");
}

#[test]
fn a_source_that_is_none_is_refused_with_those_that_are() {
    for source in ["", "command:", "command: ", "model", "Mechanical"] {
        let ran = roll(&world(FULL), &["--note-from", source]).ends(2);
        assert!(ran.stderr().contains("command:"), "{ran}");
        assert_eq!(ran.stdout(), "");
    }
}

#[test]
fn the_agent_is_said_to_be_asked_only_where_it_is() {
    let ran = roll(&world(FULL), &["--note-from", "stdin"]).ends(0);
    assert!(ran.stderr().contains("the agent is to be asked for its note"), "{ran}");
}
