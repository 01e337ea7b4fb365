//! An export has every record and every fault, each where it stands, and is there whole or not at
//! all.

mod files;

use std::fs;

use serde_json::{Value, json};

use crate::support::world::World;

/// What stands before and behind each note.
const JUNK: &str = "junk\n";

fn world() -> World {
    let world = World::new();
    world.put(
        "s1",
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"gen\":1,\"text\":\"first\",\"created_at\":1000,\"seq\":1}}\n{JUNK}\
             {{\"v\":1,\"session\":\"s1\",\"gen\":2,\"created_at\":2000,\"seq\":2,\"kind\":\"attempt\"}}\n\n\
             {{\"v\":1,\"session\":\"s1\",\"gen\":2,\"text\":\"a ``` b\\n\",\"created_at\":3000,\"seq\":3,\
             \"kind\":\"mechanical\",\"cut\":7}}\n\
             {{\"v\":1,\"session\":\"s2\",\"text\":\"not ours\"}}\n{{\"v\":2}}\n{{\"v\":1,\"torn"
        ),
    );
    world.put("s3", "{\"v\":1,\"session\":\"s3\",\"text\":\"by another program\"}\n");
    world
}

const MARKDOWN: &str = "\
# s1

## note 1 · generation 1 · 1970-01-01T00:00:01Z

```text
first
```

> **damage** at line 2, byte 72: malformed JSON at byte 1 of the record

* attempt 2 · generation 2 · 1970-01-01T00:00:02Z

## mechanical 3 · generation 2 · 1970-01-01T00:00:03Z

> **mechanical**: put together by the program, not written by the agent

> **cut**: 7 bytes are missing at the end

````text
a ``` b
````

> **damage** at line 6, byte 256: a record of session \"s2\"

> **newer version** at line 7, byte 297: written by a newer version of the format

> **damage** at line 8, byte 305: the file ends in a torn record: cut off before its end

# s3

## note · generation 0

```text
by another program
```

";

#[test]
fn markdown_shows_everything_where_it_stands() {
    let world = world();
    assert_eq!(world.run(&["export"]).ends(5).stdout(), MARKDOWN);
    let (_, s3) = MARKDOWN.split_once("# s3").expect("the second session");
    assert_eq!(world.run(&["export", "s3"]).quietly().stdout(), format!("# s3{s3}"));
    let terminal = world.at_terminal(80, "", &["export", "s3"]).ends(0);
    assert_eq!(terminal.stdout(), format!("# s3{s3}").replace('\n', "\r\n"));
}

/// An entry for a record, with what is cut off, its line and its offset.
fn record(
    session: &str,
    seq: Option<u64>,
    generation: u64,
    kind: &str,
    at: u64,
    text: Option<&str>,
    [cut, line, offset]: [u64; 3],
) -> Value {
    json!({
        "export": 1, "session": session, "seq": seq, "gen": generation, "kind": kind,
        "created_at": at, "text": text, "cut": cut, "line": line, "offset": offset, "sealed": false
    })
}

#[test]
fn json_has_every_record_and_every_fault_in_the_order_of_the_log() {
    let world = world();
    let lines = world.run(&["export", "--format", "jsonl"]).ends(5).answers();
    let damage = |line: u64, offset: u64, reason: &str, detail: &str| {
        json!({
            "export": 1, "session": "s1", "kind": "damage", "line": line, "offset": offset,
            "reason": reason, "detail": detail
        })
    };
    let expected = [
        record("s1", Some(1), 1, "note", 1000, Some("first"), [0, 1, 0]),
        damage(2, 72, "malformed", "malformed JSON at byte 1 of the record"),
        record("s1", Some(2), 2, "attempt", 2000, None, [0, 3, 77]),
        record("s1", Some(3), 2, "mechanical", 3000, Some("a ``` b\n"), [7, 5, 152]),
        damage(6, 256, "foreign", "a record of session \"s2\""),
        {
            let detail = "written by a newer version of the format";
            let mut newer = damage(7, 297, "newer_version", detail);
            newer["kind"] = json!("newer_version");
            newer
        },
        damage(8, 305, "torn_tail", "the file ends in a torn record: cut off before its end"),
        record("s3", None, 0, "note", 0, Some("by another program"), [0, 1, 0]),
    ];
    assert_eq!(lines, expected);
    assert_eq!(world.run(&["export", "--json"]).ends(5).answers(), expected);
    let whole = world.run(&["export", "--format", "json"]).ends(5).json();
    assert_eq!(whole, json!({"export": 1, "entries": expected}));
    let none = world.run(&["export", "s3", "--format", "json", "--since", "now"]).quietly().json();
    assert_eq!(none, json!({"export": 1, "entries": []}));
}

#[test]
fn only_what_is_meant_is_exported_and_damage_between_stays() {
    let world = world();
    let lines = |args: &[&str]| {
        let ran = world.run(&[&["export", "--format", "jsonl"], args].concat());
        let place =
            |entry: &Value| format!("{}{}", entry["session"].as_str().unwrap(), entry["line"]);
        ran.answers().iter().map(place).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lines(&[]), "s11 s12 s13 s15 s16 s17 s18 s31");
    assert_eq!(lines(&["-n", "1"]), "s15 s16 s17 s18 s31");
    assert_eq!(lines(&["-n", "2", "s1"]), "s12 s13 s15 s16 s17 s18");
    assert_eq!(lines(&["--session-glob", "*3"]), "s31");
    assert_eq!(lines(&["--since", "1970-01-01T00:00:03Z"]), "s12 s15 s16 s17 s18");
    assert_eq!(lines(&["s3", "s1", "-n", "1"]), "s31 s15 s16 s17 s18");
}

#[test]
fn the_last_records_of_a_log_are_found_within_bounds_whatever_stands_between_them() {
    let world = World::new();
    let record =
        |seq: u64| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"{seq}\",\"seq\":{seq}}}\n");
    let junk = "x\n".repeat(150_000);
    world.put("s1", [record(1), junk.clone(), record(2), junk, record(3)].concat());
    let last = world.within_kib(24 * 1024, &["export", "--format", "jsonl", "-n", "1"]).ends(5);
    let lines: Vec<_> = last.stdout().lines().collect();
    assert_eq!(lines.len(), 150_001, "and the damage behind the record before it");
    assert!(lines.last().expect("a record").contains("\"seq\":3"), "{lines:?}");
}

#[test]
fn nobodys_words_are_markup_in_markdown() {
    let name = "<img src=x onerror=alert(1)> [a](b) *c* `d`";
    let world = World::new();
    let foreign = "{\"v\":1,\"session\":\"<script>\",\"text\":\"x\"}\n";
    world.run(&["write", name, "--text", "a note"]).quietly();
    let log = world.log(name);
    let record = fs::read_to_string(&log).expect("a log");
    fs::write(&log, foreign.to_owned() + &record).expect("another");
    let markdown = world.run(&["export"]).ends(5);
    let heading = r"# \<img src=x onerror=alert(1)\> \[a\](b) \*c\* \`d\`";
    assert!(markdown.stdout().starts_with(&format!("{heading}\n\n")), "{markdown}");
    assert!(markdown.stdout().contains(r#"a record of session "\<script\>""#), "{markdown}");
}

#[test]
fn a_session_that_is_named_twice_is_meant_once() {
    let world = world();
    for command in [&["export", "--format", "jsonl"][..], &["verify"], &["repair"]] {
        let [once, twice] =
            [&["s1"][..], &["s1", "s1"]].map(|named| world.run(&[command, named].concat()));
        assert!(!once.stdout().is_empty(), "{once}");
        assert_eq!(twice.stdout(), once.stdout(), "{command:?}");
    }
}

#[test]
fn a_dash_stands_for_stdout() {
    let world = world();
    let bare = world.run(&["export", "s3"]).quietly();
    for flags in [&["--output", "-"][..], &["-o", "-"], &["-o", "-", "--force"]] {
        let ran = world.run(&[&["export", "s3"], flags].concat()).quietly();
        assert_eq!(ran.stdout(), bare.stdout(), "{flags:?}");
    }
    assert_eq!(world.run(&["export", "s3", "-o", "-", "--json"]).quietly().json()["session"], "s3");
    assert!(!world.root().join("-").exists());
}

#[test]
fn without_text_an_export_says_how_much_there_is_and_what_it_is() {
    let world = world();
    let with = world.run(&["export", "--format", "jsonl"]).ends(5).answers();
    let without = world.run(&["export", "--format", "jsonl", "--without-text"]).ends(5).answers();
    for (mut with, mut without) in with.into_iter().zip(without) {
        let text = with.get_mut("text").map(Value::take);
        let bytes = text.as_ref().and_then(Value::as_str).map(str::len);
        assert!(without.get("text").is_none_or(Value::is_null), "{without}");
        let text_bytes = without.as_object_mut().expect("an object").remove("text_bytes");
        assert_eq!(text_bytes, bytes.map(Value::from));
        assert_eq!(without, with, "the rest is as it is");
    }
    world.put("s4", "{\"v\":1,\"session\":\"s4\",\"text\":\"four\",\"seq\":1}\n");
    let markdown = world.run(&["export", "s4", "--without-text"]).quietly();
    assert_eq!(markdown.stdout(), "# s4\n\n* note 1 · generation 0 · 4 bytes of text\n\n");
    let document = world.run(&["export", "s4", "--without-text", "--format", "json"]).quietly();
    let ran = world.fed(document.stdout(), &["import", "-", "--as", "s5"]).ends(2);
    assert!(ran.stderr().contains("has no text"), "{ran}");
}

#[test]
fn a_log_that_cannot_be_read_is_said_and_the_rest_exported() {
    let world = World::new();
    world.put("s2", "{\"v\":1,\"session\":\"s2\",\"text\":\"a note\"}\n");
    fs::create_dir(world.log("s1")).expect("a folder in its place");
    let ran = world.run(&["export", "--json"]).ends(1);
    assert_eq!(ran.json()["session"], "s2");
    assert_eq!(ran.said("error")["session"], "s1");
    let ran = world.run(&["export", "s2", "gone"]).ends(3);
    assert!(ran.stdout().contains("a note"), "{ran}");
}

#[test]
fn a_record_of_a_newer_version_is_no_damage_here_as_it_is_none_to_verify() {
    let world = World::new();
    let log = "{\"v\":1,\"session\":\"s1\",\"text\":\"a note\"}\n{\"v\":2,\"session\":\"s1\"}\n";
    world.put("s1", log);
    world.run(&["verify"]).ends(0);
    for format in ["json", "jsonl", "log"] {
        let document = match format {
            "log" => log.to_owned(),
            format => world.run(&["export", "--format", format]).quietly().stdout().to_owned(),
        };
        let ran = World::new().fed(document, &["import", "-"]).ends(0);
        assert_eq!(ran.stdout(), "s1\tadded\t1\t0\n", "{format}");
        let said = "graff-notes: left out 1 record of a newer version in -\n";
        assert_eq!(ran.stderr(), said, "{format}");
    }
    let markdown = world.run(&["export"]).quietly();
    assert!(markdown.stdout().contains("\n> **newer version** at line 2, byte "), "{markdown}");
}
