//! What `verify` and `repair` answer of a log: its figures, and each damaged line.

use serde_json::{Value, json};

use super::{fields, world};

/// The first fields of an answer of `verify`, in their order.
const FIELDS: [&str; 11] = [
    "session",
    "path",
    "notes",
    "attempts",
    "bad_lines",
    "foreign",
    "newer_version",
    "blank_lines",
    "unsealed",
    "torn_tail",
    "final_newline_missing",
];

#[test]
fn verify_tells_the_figures_and_every_fault() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    let foreign = "{\"v\":1,\"session\":\"s2\",\"text\":\"not ours\"}\n";
    let newer = "{\"v\":2,\"session\":\"s1\",\"text\":\"not known\"}\n";
    world.put("s1", format!("junk\n\n{log}{foreign}{newer}{{\"v\":1"));
    let ran = world.run(&["verify", "s1", "--json"]).ends(5);
    let after = "junk\n\n".len() + log.len();
    let torn = after + foreign.len() + newer.len();
    let mut answer = ran.json();
    for sort in ["faults", "remarks"] {
        for finding in answer[sort].as_array_mut().expect("findings") {
            assert!(finding["detail"].take().is_string(), "{finding}");
        }
    }
    let third: usize = log.split_inclusive('\n').take(2).map(str::len).sum();
    let expected = json!({
        "session": "s1", "path": world.log("s1"), "notes": 2, "attempts": 1, "bad_lines": 1,
        "foreign": 1, "newer_version": 1, "blank_lines": 1, "unsealed": 4, "torn_tail": true,
        "final_newline_missing": false,
        "newest": {"seq": 3, "gen": 3, "created_at": 951_782_399_999_u64, "kind": "mechanical"},
        "faults": [
            {"line": 1, "offset": 0, "reason": "malformed", "detail": null},
            {"line": 7, "offset": after, "reason": "foreign", "detail": null},
            {"line": 9, "offset": torn, "reason": "torn_tail", "detail": null},
        ],
        "faults_left_out": 0,
        "remarks": [
            {"line": 5, "offset": "junk\n\n".len() + third, "reason": "generation_repeated",
             "detail": null},
            {"line": 8, "offset": after + foreign.len(), "reason": "newer_version", "detail": null},
        ],
        "remarks_left_out": 0,
        "rejected_path": null,
        "ok": false
    });
    assert_eq!(answer, expected);
    assert_eq!(fields(ran.stdout())[..11], FIELDS);
}

#[test]
fn verify_says_of_each_finding_whether_a_repair_would_take_it_out() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    let again = log.lines().next().expect("a record");
    let foreign = "{\"v\":1,\"session\":\"s2\",\"text\":\"not ours\"}\n";
    let newer = "{\"v\":2,\"session\":\"s1\",\"text\":\"not known\"}\n";
    world.put("s1", format!("junk\n{log}{foreign}{newer}{again}\n{{\"v\":1,{again}\n{{\"v\":1"));
    let said = world.run(&["verify", "s1", "--json"]).ends(5).json();
    let lines = |faults: &Value, wanted: &dyn Fn(&str) -> bool| -> Vec<_> {
        let faults = faults.as_array().expect("an array").iter();
        let wanted = faults.filter(|fault| wanted(fault["detail"].as_str().expect("words")));
        wanted.map(|fault| fault["line"].clone()).collect()
    };
    let taken_out = lines(&said["faults"], &|words| words.contains("; repair takes it out"));
    assert_eq!(lines(&said["faults"], &|words| words.ends_with("; repair keeps it")), [6, 8]);
    assert_eq!(taken_out, [1, 9, 10]);
    let repair = world.run(&["repair", "s1", "--json"]).ends(5).json();
    assert_eq!(lines(&repair["lines"], &|_| true), taken_out);
}

#[test]
fn verify_has_a_row_for_the_session_and_for_each_finding() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", format!("{log}junk\n"));
    let ran = world.run(&["verify"]).ends(5);
    let rows: Vec<Vec<_>> = ran.stdout().lines().map(|row| row.split('\t').collect()).collect();
    let summary = "2 notes, 1 attempt, 1 rollover, 1 bad line, 4 records without a checksum";
    assert_eq!(rows[0], ["s1", "damaged", summary]);
    assert_eq!(rows[1][..5], ["s1", "fault", "5", &log.len().to_string(), "malformed"]);
    assert_eq!(rows[2][..5], ["s1", "remark", "3", "146", "generation_repeated"]);
    assert_eq!(rows.len(), 3);
}

#[test]
fn repair_tells_what_it_takes_out_and_what_it_wins_back() {
    let world = world();
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    let behind =
        "{\"v\":1,\"ses{\"v\":1,\"session\":\"s1\",\"gen\":4,\"text\":\"behind a stub\"}\n";
    world.put("s1", format!("{log}{behind}junk"));
    let answer = |mode, rejected: Value| {
        json!({
            "session": "s1", "mode": mode, "clean": false, "kept": 4, "won_back": 1, "dropped": 2,
            "final_newline_supplied": false, "faults_left": 0, "rejected_path": rejected,
            "lines": [
                {"line": 5, "offset": log.len(), "length": behind.len(), "reason": "run_together",
                 "won_back": 1, "detail": null},
                {"line": 6, "offset": log.len() + behind.len(), "length": 4, "reason": "torn_tail",
                 "won_back": 0, "detail": null},
            ],
            "lines_left_out": 0
        })
    };
    let without_details = |mut answer: Value| {
        for line in answer["lines"].as_array_mut().expect("lines") {
            assert!(line["detail"].take().is_string());
        }
        answer
    };
    let dry = world.run(&["repair", "s1", "--json"]).ends(5).json();
    assert_eq!(without_details(dry), answer("dry_run", Value::Null));
    let rows = world.run(&["repair", "s1"]).ends(5);
    assert!(rows.stdout().starts_with(&format!(
        "s1\t5\t{}\t{}\trun_together\t1\t",
        log.len(),
        behind.len()
    )));
    let rejected = world.log("s1").with_file_name("s1.notes.rejected");
    let done = world.run(&["repair", "s1", "--write", "--json"]).quietly().json();
    assert_eq!(without_details(done), answer("write", json!(rejected)));
    assert!(rejected.exists());
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "behind a stub");
    let clean = world.run(&["repair", "s1", "--json"]).quietly().json();
    assert_eq!((&clean["clean"], &clean["kept"]), (&json!(true), &json!(5)));
}
