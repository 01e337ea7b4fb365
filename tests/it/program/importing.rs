//! An import brings every record that comes, or none; what is here stays, and is never made to give
//! way.

mod begun;
mod midway;

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use crate::support::{logs, world::World};

fn line(session: &str, seq: u64, text: &str) -> String {
    format!(
        "{{\"v\":1,\"session\":\"{session}\",\"gen\":2,\"text\":\"{text}\",\"created_at\":{seq}000,\"seq\":{seq}}}\n"
    )
}

/// What a log says, whoever wrote it and wherever its lines stand.
fn records(world: &World, session: &str) -> Vec<Value> {
    let mut records = world.run(&["log", session, "--json"]).ends(0).answers();
    for record in &mut records {
        let record = record.as_object_mut().expect("an object");
        for place in ["line", "offset", "sealed"] {
            record.remove(place);
        }
    }
    records
}

/// A store with two sessions that have every kind of record.
fn full() -> World {
    let world = World::new();
    world.put(
        "s1",
        [
            &line("s1", 1, "a \\\"quoted\\\" \\u0000 \u{1f980}\\n")[..],
            "{\"v\":1,\"session\":\"s1\",\"gen\":3,\"created_at\":2000,\"seq\":2,\"kind\":\"attempt\"}\n",
            "{\"v\":1,\"session\":\"s1\",\"gen\":3,\"text\":\"m\",\"seq\":4,\"kind\":\"mechanical\",\"cut\":7}\n",
            "{\"v\":1,\"session\":\"s1\",\"gen\":4294967295,\"seq\":5,\"kind\":\"rollover\"}\n",
        ]
        .concat(),
    );
    world.put("a b", "{\"v\":1,\"session\":\"a b\",\"text\":\"by another program\"}\n");
    world
}

#[test]
fn what_export_wrote_comes_back_record_by_record() {
    let full = full();
    for format in ["json", "jsonl"] {
        let document = full.run(&["export", "--format", format]).quietly();
        let world = World::new();
        let ran = world.fed(document.stdout(), &["import", "-"]).quietly();
        assert_eq!(ran.stdout(), "a b\tadded\t1\t0\ns1\tadded\t4\t0\n");
        for session in ["s1", "a b"] {
            assert_eq!(records(&world, session), records(&full, session), "{format}");
        }
        world.run(&["verify"]).ends(0);
        let log = fs::metadata(world.log("s1")).expect("a log");
        assert_eq!(log.permissions().mode() & 0o777, 0o600);
        let again = world.fed(document.stdout(), &["import", "-"]).quietly();
        assert_eq!(again.stdout(), "a b\tnothing\t0\t1\ns1\tnothing\t0\t4\n");
    }
}

#[test]
fn a_log_whose_numbers_repeat_or_go_back_comes_back_as_it_was() {
    for fixture in ["dup_seq", "seq_back", "conflict"] {
        let world = World::new();
        world.put("kiln", logs::fixture(fixture));
        let verified = |world: &World, status| {
            let said = world.run(&["verify", "kiln", "--json"]).ends(status).json();
            let faults = said["faults"].as_array().expect("an array").clone().into_iter();
            let numbers =
                faults.filter(|f| f["reason"].as_str().expect("a word").starts_with("seq"));
            numbers.map(|fault| fault["reason"].clone()).collect::<Vec<_>>()
        };
        for format in ["json", "jsonl"] {
            let document = world.run(&["export", "--format", format]);
            let (again, status) = (World::new(), if fixture == "conflict" { 5 } else { 0 });
            again.fed(document.ends(status).stdout(), &["import", "-"]).ends(status);
            assert_eq!(records(&again, "kiln"), records(&world, "kiln"), "{fixture}");
            assert_eq!(verified(&again, 5), verified(&world, 5), "{fixture}");
        }
    }
}

#[test]
fn an_export_seals_nothing_that_leaves_no_room_for_others() {
    let entry = json!({"export": 1, "session": "s1", "kind": "note", "text": "a note"});
    for (member, number, sealed) in [
        ("seq", 1_u64 << 63, false),
        ("gen", 1 << 63, false),
        ("seq", u64::MAX, true),
        ("gen", u64::MAX, true),
    ] {
        let mut entry = entry.clone();
        entry[member] = number.into();
        entry["sealed"] = sealed.into();
        let world = World::new();
        let ran = world.fed(entry.to_string(), &["import", "-"]).ends(2);
        assert!(ran.stderr().contains("nothing vouches for "), "{ran}");
        assert!(!world.log("s1").exists(), "{entry}");
    }
    // As it comes out of a log in which somebody wrote such a line.
    let world = World::new();
    let seq = 1_u64 << 63;
    world.put("s1", format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"a\",\"seq\":{seq}}}\n"));
    let export = world.run(&["export", "s1", "--format", "jsonl"]).quietly();
    let ran = World::new().fed(export.stdout(), &["import", "-"]).ends(2);
    assert!(ran.stderr().contains("nothing vouches for seq 9223372036854775808"), "{ran}");
}

#[test]
fn logs_come_whatever_their_files_are_called() {
    let world = World::new();
    let note = "{\"v\":1,\"session\":\"my session\",\"gen\":3,\"text\":\"codegraff's\",\"created_at\":5}\n";
    world.put("s1", "");
    let raw = world.log("s1").with_file_name("my session.notes.jsonl");
    fs::write(&raw, note).expect("a file of codegraff");
    let ran = world.run(&["import", raw.as_str()]).quietly();
    assert_eq!(ran.stdout(), "my session\tadded\t1\t0\n");
    assert_eq!(world.run(&["show", "my session"]).quietly().stdout(), "codegraff's");
    assert_eq!(fs::read_to_string(&raw).expect("it stays"), note);
}

#[test]
fn the_bad_lines_of_a_log_are_left_out_and_that_is_said() {
    let world = World::new();
    let bytes = [
        "junk\n\n",
        &line("s1", 1, "one"),
        &line("s2", 2, "of another session"),
        "{\"v\":2}\n",
        &line("s1", 3, "three"),
        "{\"v\":1,\"sess",
    ];
    fs::write(world.root().join("log"), bytes.concat()).expect("a file");
    let ran = world.run(&["import", "log"]).ends(5);
    assert_eq!(ran.stdout(), "s1\tadded\t2\t0\n");
    let said = "graff-notes: left out 1 record of a newer version in log\n\
                graff-notes: left out of log: line 1 (malformed JSON at byte 1 of the record), \
                line 4 (a record of session \"s2\"), line 7 (cut off before its end)\n";
    assert_eq!(ran.stderr(), said);
    let many = ["junk\n".repeat(7), line("s1", 1, "one")].concat();
    let ran = World::new().fed(many, &["import", "-"]).ends(5);
    assert!(ran.stderr().ends_with("of the record) and 2 more lines\n"), "{ran}");
    let damaged = World::new();
    damaged.put("s1", bytes.concat());
    let export = damaged.run(&["export", "--format", "json"]).ends(5);
    let ran = world.fed(export.stdout(), &["import", "-", "--json"]).ends(5);
    let nothing =
        json!({"session": "s1", "mode": "write", "outcome": "nothing", "added": 0, "had": 2});
    assert_eq!(ran.json(), nothing);
    for left_out in
        ["left out 1 record of a newer version in -", "left out of -: line 1 (malformed"]
    {
        assert!(ran.stderr().contains(left_out), "{ran}");
    }
}

#[test]
fn a_log_here_only_ever_grows_and_stays_byte_for_byte() {
    let [one, two, three] = [1, 2, 3].map(|seq| line("s1", seq, "note"));
    for damage in ["", "junk\n", "{\"v\":1,\"torn", "\n"] {
        let world = World::new();
        let here = [&one[..], &two, damage].concat();
        world.put("s1", &here);
        let ran =
            world.fed([&one[..], &two, &three].concat(), &["import", "-", "--dry-run"]).quietly();
        assert_eq!(ran.stdout(), "s1\twould add\t1\t2\n");
        assert_eq!(fs::read_to_string(world.log("s1")).expect("a log"), here, "a dry run");
        world.fed([&one[..], &two, &three].concat(), &["import", "-"]).quietly();
        let now = fs::read_to_string(world.log("s1")).expect("a log");
        assert!(now.starts_with(&here), "{now}");
        assert_eq!(records(&world, "s1").len(), 3, "{now}");
        // A shorter one brings nothing and takes nothing away.
        let ran = world.fed(&one, &["import", "-"]).quietly();
        assert_eq!(ran.stdout(), "s1\tnothing\t0\t3\n");
        assert_eq!(fs::read_to_string(world.log("s1")).expect("a log"), now);
    }
}

#[test]
fn where_one_session_would_have_to_give_way_nothing_at_all_is_imported() {
    let world = World::new();
    let here = [line("s1", 1, "note"), line("s1", 2, "here")].concat();
    world.put("s1", &here);
    let before = world.files();
    for (theirs, which) in [
        (
            [line("s1", 1, "note"), line("s1", 2, "there"), line("s1", 3, "more")],
            "behind 1 record in common, those here are others than",
        ),
        (
            [line("s1", 9, "note"), line("s1", 10, "a"), line("s1", 11, "b")],
            "the first record here is another than",
        ),
    ] {
        fs::write(world.root().join("theirs"), theirs.concat()).expect("a file");
        fs::write(world.root().join("new"), line("s0", 1, "new")).expect("a file");
        let ran = world.run(&["import", "new", "theirs"]).ends(1);
        assert_eq!(ran.stdout(), "");
        let said = format!("graff-notes: could not import session s1: {which} what comes\n");
        assert!(ran.stderr().starts_with(&said), "{ran}");
        let mut after = world.files();
        after.retain(|file| !["theirs", "new"].contains(&file.as_str()));
        assert_eq!(after, before);
        assert_eq!(fs::read_to_string(world.log("s1")).expect("a log"), here);
        let ran = world.run(&["import", "theirs", "--as", "beside it", "--dry-run"]).quietly();
        assert_eq!(ran.stdout(), "beside it\twould add\t3\t0\n");
    }
}

#[test]
fn an_export_with_a_fault_is_refused_whole_with_the_place_of_the_fault() {
    let good = json!({"export": 1, "session": "s1", "kind": "note", "text": "a note", "gen": 0});
    let with = |member: &str, value: Value| {
        let mut entry = good.clone();
        entry[member] = value;
        format!("{good}\n{entry}\n")
    };
    for (document, why) in [
        (with("text", json!(" ")), "line 2 has a blank text"),
        (with("text", json!(null)), "line 2 has no text"),
        (with("kind", json!("rollover")), "line 2 has a text and is no note"),
        (with("kind", json!("remark")), "line 2 has the unknown kind \"remark\""),
        (with("session", json!("a/b")), "line 2 has the session \"a/b\": "),
        (with("export", json!(2)), "line 2 is of version 2, and only 1 is known"),
        (with("gen", json!(-1)), "line 2, byte 20: invalid value: "),
        (format!("{good}\njunk\n"), "line 2, byte 1: expected value\n"),
        (format!("{{\"export\":1,\"entries\":[{good},{{}}]}}"), "missing field"),
        (format!("{good}\n").replace("note", "note\u{0}"), "it is no export in JSON, and"),
        ("# s1\n\nMarkdown\n".to_owned(), "it is Markdown, as `export` writes it"),
        (with("text", json!("x".repeat(65_537))), "line 2 has a text of 65537 bytes, and 65536 is"),
        (
            [line("s1", 1, "one"), line("s1", 2, &"\u{e9}".repeat(35_000))].concat(),
            "line 2 has a text of 70000 bytes, and 65536 is the most",
        ),
        (format!("{{\"export\":1,\"entries\":[{good},"), "its JSON ends before it is complete"),
        (
            format!("{{\"export\":2,\"entries\":[{good}]}}"),
            "the export is of version 2, and only 1 is known",
        ),
        ("{\"export\":7,\"entries\":[]}".to_owned(), "the export is of version 7, and"),
        (
            line("feat/x", 1, "one"),
            "its records are of \"feat/x\", which cannot be a session here: the session name holds `/`",
        ),
    ] {
        let world = World::new();
        let ran = world.fed(&document, &["import", "-"]).ends(2);
        let said = format!("graff-notes: could not import -: {why}");
        assert!(ran.stderr().starts_with(&said), "{document}: {ran}");
        assert_eq!(world.files(), [""; 0], "{document}");
    }
}

#[test]
fn an_import_that_fails_ends_as_the_failure_whatever_it_left_out() {
    let world = World::new();
    fs::create_dir_all(world.root().join(".graff/notes/s1.notes.lock")).expect("a folder");
    let log = line("s1", 1, "a note") + "junk\n";
    let ran = world.fed(&log, &["import", "-"]).ends(1);
    assert!(ran.stderr().contains("left out of -: line 2"), "{ran}");
    assert!(!world.log("s1").exists());
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let world = World::new();
    fs::write(world.root().join("a"), line("s1", 1, "a")).expect("a file");
    fs::write(world.root().join("b"), line("s2", 1, "b")).expect("a file");
    for (args, status, why) in [
        (&["a", "a"][..], 2, "import a: session s1 is in a too"),
        (&["a", "b", "--as", "s3"], 2, "import 2 sessions as one"),
        (&["a", "--as", "a/b"], 2, "use \"a/b\" as a session"),
        (&["a", "--as", "--dry-run"], 2, "use \"--dry-run\" as a session: `import` has a flag"),
        (&["gone"], 1, "read the records from gone: "),
        (&["."], 2, "import .: it is a folder"),
    ] {
        let ran = world.run(&[&["import"], args].concat()).ends(status);
        assert!(ran.stderr().starts_with(&format!("graff-notes: could not {why}")), "{ran}");
    }
    // What `export` writes where there is nothing to, in JSON and in JSONL.
    for nothing in ["{\"export\":1,\"entries\":[]}", "", " \n\n"] {
        for args in [&["import", "-"][..], &["import", "-", "--as", "s3"]] {
            let ran = world.fed(nothing, args).ends(3);
            assert!(ran.stderr().contains("there is no record in it"), "{nothing:?}: {ran}");
        }
    }
    assert!(!world.root().join(".graff").exists());
}

#[test]
fn a_name_that_begins_with_a_dash_is_a_name_to_import_under() {
    let world = World::new();
    let ran = world.fed(line("s1", 1, "a"), &["import", "-", "--as", "-odd2"]).quietly();
    assert_eq!(ran.stdout(), "-odd2\tadded\t1\t0\n");
}

#[test]
fn whole_records_on_a_bad_line_are_said_to_be_for_a_repair() {
    let [one, two, three] = [1, 2, 3].map(|seq| line("s1", seq, "note"));
    for (log, came, left) in [
        (
            [one.trim_end(), &two, &three].concat(),
            1,
            "line 1 (another record begins on the same line, 2 records on it",
        ),
        (
            [&one, "{\"v\":1,\"sess", &two, &three].concat(),
            2,
            "line 2 (another record begins on the same line, 1 record on it",
        ),
    ] {
        let world = World::new();
        let ran = world.fed(&log, &["import", "-"]).ends(5);
        assert_eq!(ran.stdout(), format!("s1\tadded\t{came}\t0\n"), "{log}");
        assert!(ran.stderr().contains(&format!("{left} for `repair` to win back)")), "{ran}");
        // The log here, damage and all, has what its own copy has.
        world.put("s1", &log);
        let again = world.fed(&log, &["import", "-"]).ends(5);
        assert_eq!(again.stdout(), format!("s1\tnothing\t0\t{came}\n"), "{log}");
    }
    let world = World::new();
    let fused = [one.trim_end(), &two].concat();
    let ran = world.fed(&fused, &["import", "-"]).ends(2);
    assert!(ran.stderr().contains("`graff-notes repair` wins them back"), "{ran}");
    world.put("s1", fused);
    world.run(&["repair", "s1", "--write"]).ends(0);
    assert_eq!(records(&world, "s1").len(), 2);
}

#[test]
fn a_person_is_told_that_a_dry_run_wrote_nothing() {
    let world = World::new();
    fs::write(world.root().join("log"), line("s1", 1, "one")).expect("a file");
    let ran = world.at_terminal(100, "", &["import", "log", "--dry-run"]).ends(0);
    assert!(ran.stdout().contains("nothing was written"), "{ran}");
    assert!(!world.root().join(".graff").exists());
}

#[test]
fn a_folder_in_the_place_of_a_file_is_refused_with_what_to_name_instead() {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    let ran = world.run(&["import", ".graff/notes", "--dry-run"]).ends(2);
    let said = "graff-notes: could not import .graff/notes: it is a folder\n  name the files in it: \
                .graff/notes/*.notes.jsonl\n";
    assert_eq!(ran.stderr(), said);
}
