//! The answers of every command in JSON: names, types and order of the fields, and the same
//! answers as rows.

mod damage;

use serde_json::{Value, json};

use crate::support::world::World;

/// The names of an answer's fields, in their order.
#[track_caller]
fn fields(line: &str) -> Vec<String> {
    let answer: serde_json::Map<String, Value> = serde_json::from_str(line).expect("an object");
    // The order is that of the text, which the parsed map has lost.
    let mut names: Vec<_> = answer.keys().cloned().collect();
    names.sort_by_key(|name| line.find(&format!("\"{name}\":")));
    names
}

fn world() -> World {
    World::with_every_kind()
}

#[test]
fn write_tells_what_is_on_disk() {
    let world = world();
    let ran = world.fed("new", &["write", "s1", "--json"]).quietly();
    let stored = json!({"session": "s1", "seq": 5, "gen": 4, "outcome": "stored", "cut": 0});
    assert_eq!(ran.json(), stored);
    assert_eq!(fields(ran.stdout()), ["session", "seq", "gen", "outcome", "cut"]);
    assert_eq!(world.fed("new", &["write", "s1"]).quietly().stdout(), "5\t4\tunchanged\n");
    assert_eq!(world.run(&["write", "s1", "--text", "new2"]).quietly().stdout(), "6\t4\tstored\n");
}

#[test]
fn write_takes_the_text_as_given_from_wherever_it_comes() {
    let world = World::new();
    let text = "\u{feff} - tab\there\r\n\0 \u{1b}[31m 🜚 \u{10ffff}\n\n";
    std::fs::write(world.root().join("note"), text).expect("a file");
    for (from, args) in
        [("stdin", &["write", "s1"][..]), ("file", &["write", "s1", "--file", "note"])]
    {
        world.fed(text, args).quietly();
        assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), text, "{from}");
    }
    world.run(&["write", "--text", "--not a flag", "--", "-s1"]).quietly();
    assert_eq!(world.run(&["show", "--", "-s1"]).quietly().stdout(), "--not a flag");
}

#[test]
fn a_generation_that_is_given_is_kept_and_else_the_greatest_on_record_goes_on() {
    let world = World::new();
    for (args, row) in [
        (&["--text", "a"][..], "1\t0\tstored\n"),
        (&["--text", "b", "--generation", "7"], "2\t7\tstored\n"),
        (&["--text", "c", "--generation", "5"], "3\t5\tstored\n"),
        (&["--text", "d"], "4\t7\tstored\n"),
        (&["--text", "d", "--generation", "4294967295"], "5\t4294967295\tstored\n"),
    ] {
        assert_eq!(world.run(&[&["write", "s1"], args].concat()).quietly().stdout(), row);
    }
}

#[test]
fn a_generation_that_leaves_room_for_no_others_is_refused() {
    let world = World::new();
    std::fs::write(world.root().join("t.jsonl"), "{\"role\":\"user\",\"content\":\"go on\"}\n")
        .expect("a transcript");
    std::fs::write(world.root().join("prompt"), "base\n").expect("a prompt");
    let write = ["write", "s1", "--text", "a"];
    let rollover = ["rollover", "--transcript", "t.jsonl", "--system", "prompt", "--session", "s1"];
    for args in [&write[..], &rollover] {
        let last = world.run(&[args, &["--generation", "18446744073709551615"]].concat()).ends(2);
        let said = "graff-notes: could not go by generation 18446744073709551615: it leaves room \
                    for no others\n";
        assert_eq!(last.stderr(), said);
        assert_eq!(last.stdout(), if args == write { "" } else { "base\n" });
        assert!(!world.log("s1").exists(), "{args:?}");
    }
    let wide = world.run(&[&write[..], &["--generation", "4294967296"]].concat()).ends(0);
    assert_eq!(wide.stdout(), "1\t4294967296\tstored\n");
    let said = "graff-notes: codegraff reads generation 4294967296 as 0: it keeps 32 bits of it\n";
    assert_eq!(wide.stderr(), said);
    let export = world.run(&["export", "s1", "--format", "jsonl"]).quietly();
    World::new().fed(export.stdout(), &["import", "-"]).quietly();
}

#[test]
fn a_generation_is_named_by_the_same_flag_everywhere() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a", "--gen", "7"]).quietly();
    for flag in ["--gen", "--generation"] {
        assert_eq!(world.run(&["show", "s1", flag, "7"]).quietly().stdout(), "a");
        world.run(&["decide", flag, "7"]).quietly();
        for command in ["write", "show", "decide", "rollover", "ask"] {
            let help = world.run(&[command, "--help"]).quietly();
            assert!(help.stdout().contains(flag), "{command} {flag}");
        }
    }
}

#[test]
fn show_tells_all_that_is_known_of_a_note() {
    let world = world();
    let ran = world.run(&["show", "s1", "--json"]).quietly();
    let newest = json!({
        "session": "s1", "seq": 3, "gen": 3, "kind": "mechanical", "created_at": 951_782_399_999_u64,
        "text": "a\tb\\\nc", "cut": 7, "sealed": false, "doubt": null
    });
    assert_eq!(ran.json(), newest);
    assert_eq!(world.run(&["show", "s1", "--gen", "3", "--json"]).quietly().json(), newest);
    for which in [&["--seq", "1"][..], &["--previous"]] {
        assert_eq!(world.run(&[&["show", "s1"], which].concat()).quietly().stdout(), "first");
    }
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", format!("{log}{{\"v\":1,\"ses"));
    let ran = world.run(&["show", "s1", "--json"]).ends(0);
    assert_eq!(ran.json()["doubt"], json!({"cause": "torn", "offset": log.len()}));
    assert!(ran.said("warning")["message"].as_str().is_some_and(|said| said.contains("finished")));
}

#[test]
fn log_tells_every_record() {
    let world = world();
    let ran = world.run(&["log", "s1", "--json"]).quietly();
    let answers = ran.answers();
    assert_eq!(answers.len(), 4);
    let third = json!({
        "seq": 3, "gen": 3, "kind": "mechanical", "created_at": 951_782_399_999_u64,
        "text": "a\tb\\\nc", "cut": 7, "line": 3, "offset": 146, "sealed": false
    });
    assert_eq!(answers[2], third);
    assert_eq!(answers[1]["text"], Value::Null);
    let order = ["seq", "gen", "kind", "created_at", "text", "cut", "line", "offset", "sealed"];
    assert!(ran.stdout().lines().all(|line| fields(line) == order), "{ran}");
    let rows = "1\t3\tnote\t1970-01-01T00:00:01Z\t5\tfirst\n\
                2\t3\tattempt\t1970-01-01T00:00:02Z\t-\t-\n\
                3\t3\tmechanical\t2000-02-28T23:59:59Z\t6\ta\\tb\\\\\\nc\n\
                4\t4\trollover\t1970-01-01T00:00:04Z\t-\t-\n";
    assert_eq!(world.run(&["log", "s1"]).quietly().stdout(), rows);
}

#[test]
fn log_says_what_it_leaves_out() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    let foreign = "{\"v\":1,\"session\":\"s2\",\"text\":\"not ours\"}\n";
    world.put("s1", format!("{log}junk\n\n{foreign}{{\"v\":1"));
    let ran = world.run(&["log", "s1"]).ends(0);
    assert_eq!(ran.stdout().lines().count(), 4);
    assert!(!ran.stdout().contains("not ours"));
    assert!(ran.stderr().starts_with("graff-notes: left out 3 lines of session s1"), "{ran}");
}

#[test]
fn list_tells_every_session_also_what_cannot_be_read() {
    let world = world();
    world.put("bad one", "junk\n");
    world.put("empty", "");
    std::fs::create_dir(world.log("gone")).expect("a folder in its place");
    let odd = world.log("s1").with_file_name("raw name.notes.jsonl");
    std::fs::write(&odd, "").expect("a file of another program");
    let ran = world.run(&["list", "--json"]).ends(1);
    let seen: Vec<_> = ran
        .answers()
        .iter()
        .map(|answer| json!([answer["session"], answer["notes"], answer["health"]]))
        .collect();
    let expected = [
        json!(["bad one", 0, "damaged"]),
        json!(["empty", 0, "ok"]),
        json!(["gone", null, "unreadable"]),
        json!(["s1", 2, "ok"]),
        json!([null, null, "unrecognised"]),
    ];
    assert_eq!(seen, expected);
    let order = [
        "session",
        "path",
        "notes",
        "attempts",
        "generation",
        "newest",
        "first_line",
        "size_bytes",
        "health",
    ];
    assert!(ran.stdout().lines().all(|line| fields(line) == order), "{ran}");
    assert_eq!(
        ran.said("warning")["message"],
        format!("could not open {}: it is a folder, not a plain file", world.log("gone"))
    );
    let rows = world.run(&["list"]).ends(1);
    let size = std::fs::metadata(world.log("s1")).expect("a log").len();
    let row = format!("s1\t2\t3\t2000-02-28T23:59:59Z\t{size}\tok\t{}", world.log("s1"));
    assert_eq!(rows.stdout().lines().nth(3), Some(&row[..]));
    assert_eq!(rows.stdout().lines().count(), 5);
}

#[test]
fn forget_says_so() {
    let world = world();
    let ran = world.run(&["forget", "s1", "--yes", "--json"]).quietly();
    assert_eq!(
        ran.json(),
        json!({"session": "s1", "forgotten": true, "removed": [world.log("s1")]})
    );
}

#[test]
fn completions_and_manual_can_be_had_in_json_too() {
    let world = World::new();
    let ran = world.run(&["completions", "bash", "--json"]).quietly();
    let plain = world.run(&["completions", "bash"]).quietly();
    assert_eq!(ran.json(), json!({"shell": "bash", "script": plain.stdout()}));
    let ran = world.run(&["man", "write", "--json"]).quietly();
    let plain = world.run(&["man", "write"]).quietly();
    let page = json!({"page": "graff-notes-write", "text": plain.stdout(), "path": null});
    assert_eq!(ran.json(), page);
}

#[test]
fn an_error_is_one_object_on_stderr_and_leaves_stdout_empty() {
    let world = World::new();
    for (args, status, kind) in [
        (&["show", "s1"][..], 3, "not_found"),
        (&["verify"], 3, "not_found"),
        (&["write", "a/b", "--text", "x"], 2, "invalid_input"),
        (&["write", "s1", "--text", ""], 2, "invalid_input"),
        (&["write", "s1", "--file", "."], 1, "io"),
        (&["rite"], 2, "usage"),
        (&["write"], 2, "usage"),
        (&["list", "--root", "/not/there"], 2, "invalid_input"),
    ] {
        let ran = world.run(&[args, &["--json"]].concat()).ends(status);
        assert_eq!(ran.stdout(), "", "{args:?}");
        let error = ran.said("error");
        assert_eq!((&error["kind"], &error["exit"]), (&json!(kind), &json!(status)), "{args:?}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with("could not "), "{args:?}: {message}");
    }
}
