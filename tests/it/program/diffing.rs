//! What changed between two notes: words for a person, lines for a script, pieces for a program.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::world::World;

/// A session with these notes, numbered from 1.
fn world(notes: &[&str]) -> World {
    let world = World::new();
    let line = |(at, text): (usize, &&str)| {
        let (seq, text) = (at + 1, json!(text));
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"gen\":{at},\"text\":{text},\
             \"created_at\":{seq}000,\"seq\":{seq}}}\n"
        )
    };
    world.put("s1", notes.iter().enumerate().map(line).collect::<String>());
    world
}

/// Puts together the pieces of all sorts but one.
fn without(op: &str, changes: &Value) -> String {
    let pieces = changes.as_array().expect("pieces").iter();
    let kept = pieces.filter(|piece| piece["op"] != op);
    kept.map(|piece| piece["text"].as_str().expect("a text")).collect()
}

#[test]
fn the_pieces_make_up_both_notes_byte_for_byte() {
    let notes = [
        "one two three",
        "one 2 three",
        "one  two\tthree\n",
        "three two one",
        "\n\n one\n",
        "é 🜚 \u{1b}[31m\r\n\0",
        "src/a.rs:88 drops the CR\nnext: read_line\n\nsrc/b.rs",
        "src/a.rs:90 drops the CR\nsrc/b.rs\nnext: read_line",
    ];
    let world = world(&notes);
    for from in 1..=notes.len() {
        for to in 1..=notes.len() {
            let seqs = ["--from", &from.to_string(), "--to", &to.to_string()];
            let answer =
                world.run(&[&["diff", "s1", "--json"][..], &seqs].concat()).quietly().json();
            assert_eq!(without("insert", &answer["changes"]), notes[from - 1], "{seqs:?}");
            assert_eq!(without("delete", &answer["changes"]), notes[to - 1], "{seqs:?}");
            assert_eq!(answer["changed"], from != to, "{seqs:?}");
        }
    }
}

#[test]
fn words_side_by_side_are_one_piece() {
    let world = world(&["fix the lexer then rest", "fix our parser then rest"]);
    let answer = world.run(&["diff", "s1", "--json"]).quietly().json();
    let changes = json!([
        {"op": "equal", "text": "fix "},
        {"op": "delete", "text": "the lexer"},
        {"op": "insert", "text": "our parser"},
        {"op": "equal", "text": " then rest"},
    ]);
    let brief =
        |seq: u64| json!({"seq": seq, "gen": seq - 1, "created_at": seq * 1000, "kind": "note"});
    let expected = json!({
        "session": "s1", "from": brief(1), "to": brief(2), "changed": true, "changes": changes
    });
    assert_eq!(answer, expected);
}

#[test]
fn the_last_two_are_compared_unless_others_are_named() {
    let world = world(&["a", "b", "c", "d"]);
    for (args, from, to) in [
        (&[][..], 3, 4),
        (&["--from", "1"], 1, 4),
        (&["--to", "3"], 2, 3),
        (&["--from", "4", "--to", "1"], 4, 1),
        (&["--from", "2", "--to", "2"], 2, 2),
    ] {
        let answer = world.run(&[&["diff", "s1", "--json"], args].concat()).quietly().json();
        assert_eq!((&answer["from"]["seq"], &answer["to"]["seq"]), (&json!(from), &json!(to)));
    }
}

#[test]
fn a_note_that_is_not_there_is_said_to_be_missing() {
    for (notes, args, said) in [
        (&["a"][..], &[][..], "two notes of session s1: there is no note before the other"),
        (&["a"], &["--to", "1"], "two notes of session s1: there is no note before the other"),
        (&[], &[], "two notes of session s1: there is no note"),
        (&["a", "b"], &["--from", "3"], "note 3 of session s1: no note has this number"),
        (
            &["a", "b"],
            &["--from", "1", "--to", "9"],
            "note 9 of session s1: no note has this number",
        ),
    ] {
        let ran = world(notes).run(&[&["diff", "s1"], args].concat()).ends(3);
        assert!(
            ran.stderr().starts_with(&format!("graff-notes: could not compare {said}\n")),
            "{ran}"
        );
    }
    World::new().run(&["diff", "s1"]).ends(3);
}

#[test]
fn a_script_gets_lines_as_other_tools_have_them() {
    let lines = |changed| format!("1\n2\n3\n4\n{changed}\n6\n7\n8\n9");
    let world = world(&[&lines("five"), &lines("FIVE\n5½")]);
    let expected = "--- note 1\t1970-01-01T00:00:01Z\n+++ note 2\t1970-01-01T00:00:02Z\n\
                    @@ -2,7 +2,8 @@\n 2\n 3\n 4\n-five\n+FIVE\n+5½\n 6\n 7\n 8\n";
    assert_eq!(world.run(&["diff", "s1"]).quietly().stdout(), expected);
    assert_eq!(world.run(&["diff", "s1", "--from", "1", "--to", "1"]).quietly().stdout(), "");
    let coloured = world.run(&["diff", "s1", "--color", "always"]).quietly();
    assert!(coloured.stdout().contains("\u{1b}[31m-five\n\u{1b}[0m"), "{coloured}");
}

#[test]
fn a_person_sees_words_and_a_few_lines_around_them() {
    let lines = |word| format!("1\n2\n3\n4\n5 {word} end\u{1b}[2J\n6\n7\n8\n9\n10");
    let world = world(&[&lines("old"), &lines("new and good")]);
    let shown =
        |args: &[&str]| world.at_terminal(80, "", &[&["diff", "s1"], args].concat()).ends(0);
    let expected = "--- note 1 · 1970-01-01T00:00:01Z\r\n+++ note 2 · 1970-01-01T00:00:02Z\r\n\
                    ⋯\r\n2\r\n3\r\n4\r\n5 [-old-]{+new and good+} end\\u{1b}[2J\r\n6\r\n7\r\n8\r\n⋯\r\n";
    assert_eq!(shown(&["--color", "never", "--time", "iso"]).stdout(), expected);
    let coloured = shown(&[]);
    assert!(coloured.stdout().contains("\u{1b}[9m\u{1b}[31mold\u{1b}[0m"), "{coloured}");
    assert!(!coloured.stdout().contains("[-old"), "{coloured}");
    let same = shown(&["--from", "1", "--to", "1", "--time", "iso"]);
    assert!(same.stdout().starts_with("no change: note 1 · 1970-01-01T00:00:01Z, and "), "{same}");
}

#[test]
fn a_newer_note_that_may_be_damaged_is_spoken_of() {
    let world = world(&["a", "b"]);
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    let at = log.len();
    let behind = |what: &str| format!("{what} stands behind this one, at byte {at}; ");
    for (left, words) in [
        ("junk\n", behind("a damaged line")),
        ("{\"v\":1,\"sess", behind("a record that was never finished")),
        ("junk\n{\"v\":1,\"sess", behind("a damaged line")),
    ] {
        world.put("s1", format!("{log}{left}"));
        let ran = world.run(&["diff", "s1"]).ends(0);
        let whole = format!("a newer note of session s1 may be damaged: {words}");
        assert!(ran.stderr().contains(&whole), "{left:?}: {ran}");
        assert_eq!(ran.stderr(), world.run(&["show", "s1"]).ends(0).stderr(), "{left:?}");
        world.run(&["diff", "s1", "--from", "1", "--to", "2"]).quietly();
    }
}

#[test]
fn what_may_have_been_a_note_between_the_two_is_spoken_of() {
    let whole = world(&["a", "b", "c"]);
    let log = std::fs::read_to_string(whole.log("s1")).expect("a log");
    let lines: Vec<&str> = log.lines().collect();
    let spoilt = |spoil: &[usize]| {
        let world = World::new();
        let line = |(at, line): (usize, &&str)| {
            if spoil.contains(&at) { "junk\n".to_owned() } else { format!("{line}\n") }
        };
        world.put("s1", lines.iter().enumerate().map(line).collect::<String>());
        world
    };

    let ran = spoilt(&[1]).run(&["diff", "s1"]).ends(0);
    assert!(ran.stdout().starts_with("--- note 1\t"), "{ran}");
    let warned = "another note of session s1 may have stood between these two: a damaged line";
    assert!(ran.stderr().contains(warned), "{ran}");
    spoilt(&[1]).run(&["diff", "s1", "--from", "1", "--to", "3"]).quietly();
    spoilt(&[0]).run(&["diff", "s1"]).quietly();

    for spoil in [&[0, 1][..], &[0, 1, 2]] {
        let ran = spoilt(spoil).run(&["diff", "s1"]).ends(5);
        assert!(ran.stderr().contains("compare two notes of session s1: its log has"), "{ran}");
    }
}

/// Applies a diff as `patch` does, which knows a line by its LF.
fn patched(old: &str, diff: &str) -> String {
    let mut old = old.split_inclusive('\n');
    let (mut new, mut at, mut is_kept) = (String::new(), 0, false);
    for line in diff.split_inclusive('\n').skip(2) {
        let (sign, rest) = line.split_at(1);
        if sign == "@" {
            let place = rest.split(' ').nth(1).expect("a place").trim_start_matches('-');
            let (first, count) = place.split_once(',').unwrap_or((place, "1"));
            let first: usize = first.parse().expect("a line");
            let before = if count == "0" { first } else { first - 1 };
            new.extend(old.by_ref().take(before - at));
            at = before;
        } else if sign == "\\" {
            new.truncate(new.len() - usize::from(is_kept)); // the LF behind it is the diff's
        } else {
            if sign != "+" {
                let theirs = old.next().expect("a line of the old note");
                assert_eq!(theirs.trim_end_matches('\n'), rest.trim_end_matches('\n'));
                at += 1;
            }
            is_kept = sign != "-";
            new.push_str(if is_kept { rest } else { "" });
        }
    }
    new.extend(old);
    new
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_a_script_gets_makes_the_new_note_of_the_old_whatever_ends_their_lines(
        old in "a[ab\r\n]{0,12}", new in "a[ab\r\n]{0,12}", more in "([ab]\n){0,9}",
    ) {
        let [old, new] = [old, new].map(|text| text.clone() + &more + &text);
        let diff = world(&[&old, &new]).run(&["diff", "s1"]).quietly();
        prop_assert_eq!(patched(&old, diff.stdout()), new, "{}", diff);
    }
}

#[test]
fn a_lone_cr_ends_no_line() {
    let diff = world(&["one\ntwo\r", "one\nthree"]).run(&["diff", "s1"]).quietly();
    let (_, hunk) = diff.stdout().split_once("@@\n").expect("a hunk");
    let no_lf = "\n\\ No newline at end of file\n";
    assert_eq!(hunk, format!(" one\n-two\r{no_lf}+three{no_lf}"));
}
