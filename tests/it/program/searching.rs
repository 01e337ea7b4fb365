//! A text is found in whichever note of whichever session it stands, as one reading all of them
//! would find it.

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

/// A log with these notes, numbered from 1.
fn log(session: &str, notes: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| {
        let (seq, text) = (at + 1, json!(text));
        format!(
            "{{\"v\":1,\"session\":\"{session}\",\"gen\":{at},\"text\":{text},\
             \"created_at\":{seq}000,\"seq\":{seq}}}\n"
        )
    };
    notes.iter().enumerate().map(line).collect()
}

fn world(sessions: &[(&str, &[&str])]) -> World {
    let world = World::new();
    for (session, notes) in sessions {
        world.put(session, log(session, notes));
    }
    world
}

#[test]
fn what_is_found_stands_in_a_row_with_its_session_note_and_line() {
    let world = world(&[
        ("b", &["nothing", "first\nsrc/a.rs:88 drops\nlast"]),
        ("a", &["a.rs\ta.rs", "A.RS"]),
    ]);
    let rows = "a\t1\t1\tmatch\ta.rs\\ta.rs\nb\t2\t2\tmatch\tsrc/a.rs:88 drops\n";
    assert_eq!(world.run(&["search", "a.rs"]).quietly().stdout(), rows);
    let around = "a\t1\t1\tmatch\ta.rs\\ta.rs\nb\t2\t1\tcontext\tfirst\n\
                  b\t2\t2\tmatch\tsrc/a.rs:88 drops\nb\t2\t3\tcontext\tlast\n";
    assert_eq!(world.run(&["search", "a.rs", "-C", "1"]).quietly().stdout(), around);
    let found = world.run(&["search", "a.rs", "--session-glob", "b", "-C", "9", "--json"]);
    let answer = json!({
        "session": "b", "seq": 2, "gen": 1, "kind": "note", "created_at": 2000, "line": 2,
        "text": "src/a.rs:88 drops", "matches": [[4, 8]], "before": ["first"], "after": ["last"]
    });
    assert_eq!(found.quietly().json(), answer);
}

/// The rows that a search gives, as `session seq line`.
#[track_caller]
fn places(world: &World, args: &[&str]) -> Vec<String> {
    let ran = world.run(&[&["search"], args].concat());
    let place = |row: &str| row.split('\t').take(3).collect::<Vec<_>>().join(" ");
    ran.stdout().lines().map(place).collect()
}

#[test]
fn a_text_is_taken_letter_by_letter_and_an_expression_as_one() {
    let world = world(&[("s1", &["a.b", "axb", "A.B", "café", "CAFÉ", "x^", "-x", "tail\nx"])]);
    for (args, seqs) in [
        (&["a.b"][..], &["s1 1 1"][..]),
        (&["--regex", "a.b"], &["s1 1 1", "s1 2 1"]),
        (&["-i", "a.b"], &["s1 1 1", "s1 3 1"]),
        (&["-i", "--regex", "a.b"], &["s1 1 1", "s1 2 1", "s1 3 1"]),
        (&["-i", "café"], &["s1 4 1", "s1 5 1"]),
        (&["-e", r"^\w+é$"], &["s1 4 1"]),
        (&["x^"], &["s1 6 1"]),
        (&["-e", "^x"], &["s1 6 1", "s1 8 2"]),
        (&["-e", "^x$"], &["s1 8 2"]),
        (&["--", "-x"], &["s1 7 1"]),
        (&["-e", "q*", "-n", "2"], &["s1 1 1", "s1 2 1"]),
    ] {
        assert_eq!(places(&world, args), seqs, "{args:?}");
    }
}

#[test]
fn each_line_near_a_hit_is_shown_once() {
    let world = world(&[("s1", &["1 x\n2\n3 x\n4\n5\n6\n7\n8 x"])]);
    for (context, lines) in [
        ("0", "1 3 8"),
        ("1", "1 2 3 4 7 8"),
        ("2", "1 2 3 4 5 6 7 8"),
        ("18446744073709551615", "1 2 3 4 5 6 7 8"),
    ] {
        let ran = world.run(&["search", "x", "-C", context]).quietly();
        let seen: Vec<_> = ran.stdout().lines().filter_map(|row| row.split('\t').nth(2)).collect();
        assert_eq!(seen.join(" "), lines, "{context}");
    }
    let ran = world.run(&["search", "x", "-C", "1", "-n", "2", "--json"]).quietly();
    let around = |answer: &Value| json!([answer["before"], answer["line"], answer["after"]]);
    let answers: Vec<_> = ran.answers().iter().map(around).collect();
    assert_eq!(answers, [json!([[], 1, ["2"]]), json!([["2"], 3, ["4"]])]);
}

#[test]
fn sessions_come_in_their_order_and_no_more_lines_than_are_wanted() {
    let world = World::new();
    let names: Vec<_> = (0..200).map(|at| format!("s{at:03}")).collect();
    for (at, name) in names.iter().enumerate() {
        // The first are the slowest to search, so that the others overtake them.
        let long = "nothing here\n".repeat(if at < 4 { 4_000 } else { 1 });
        let notes = [&vec![&long[..]; at % 5][..], &["a needle", "more needles"]].concat();
        world.put(name, log(name, &notes));
    }
    let places_in =
        |(at, name): (usize, &String)| [1, 2].map(|more| format!("{name} {} 1", at % 5 + more));
    let all: Vec<_> = names.iter().enumerate().flat_map(places_in).collect();
    assert_eq!(places(&world, &["needle"]), all);
    for limit in [1, 7, 400, 401] {
        let limit = limit.to_string();
        let wanted = all.len().min(limit.parse().expect("a number"));
        assert_eq!(places(&world, &["needle", "-n", &limit]), all[..wanted], "{limit}");
    }
    assert_eq!(places(&world, &["needle", "--session-glob", "s19[89]"]), all[396..]);
    assert_eq!(places(&world, &["needle", "--until", "1970-01-01T00:00:01Z", "-n", "1"]), all[..1]);
}

#[test]
fn nothing_found_is_3_and_a_search_for_nothing_is_2() {
    let world = world(&[("s1", &["a note"])]);
    assert_eq!(world.run(&["search", "nought"]).ends(3).stderr(), "");
    assert_eq!(world.run(&["search", "nought", "--json"]).ends(3).stdout(), "");
    assert_eq!(World::new().run(&["search", "note"]).ends(3).stderr(), "");
    for args in [&["search", ""][..], &["search", "-e", "(a"], &["search", "-e", "\\9"]] {
        let ran = world.run(args).ends(2);
        assert!(ran.stderr().starts_with("graff-notes: could not search for "), "{ran}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_stops_nothing() {
    let world = world(&[("s1", &["a needle"]), ("s3", &["a needle"])]);
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    world.put("s1", format!("{log}a needle in no record\n{{\"v\":2}}\n{{\"v\":1,\"tex"));
    std::fs::create_dir(world.log("s2")).expect("a folder in its place");
    let ran = world.run(&["search", "needle"]).ends(0);
    assert_eq!(ran.stdout(), "s1\t1\t1\tmatch\ta needle\ns3\t1\t1\tmatch\ta needle\n");
    let lines: Vec<_> = ran.stderr().lines().collect();
    let folder = format!("graff-notes: could not open {}: it is a folder", world.log("s2"));
    assert!(lines[0].starts_with(&folder), "{ran}");
    assert_eq!(
        lines.last(),
        Some(
            &"graff-notes: did not search 3 lines that cannot be read; `graff-notes verify` shows more"
        )
    );
    world.run(&["search", "nought"]).ends(1);
}

#[test]
fn attempts_and_records_of_others_are_not_searched() {
    let world = World::new();
    world.put(
        "s1",
        "{\"v\":1,\"session\":\"s2\",\"text\":\"a needle\"}\n\
         {\"v\":1,\"session\":\"s1\",\"kind\":\"attempt\"}\n\
         {\"v\":1,\"session\":\"s1\",\"kind\":\"mechanical\",\"text\":\"a needle\"}\n",
    );
    assert_eq!(world.run(&["search", "needle"]).quietly().stdout(), "s1\t-\t1\tmatch\ta needle\n");
    world.run(&["search", "attempt"]).ends(3);
}

#[test]
fn a_person_sees_the_places_in_colour_below_the_name_of_the_note() {
    let world = world(&[("s1", &["1\n2\nthe needle\u{7}\n4\n5\n6\n7\nneedle"])]);
    let args = ["search", "needle", "-C", "1", "--time", "iso"];
    let plain = world.at_terminal(80, "", &[&args[..], &["--color", "never"]].concat()).ends(0);
    let expected = "s1 · note 1 · 1970-01-01T00:00:01Z\r\n     2- 2\r\n     3: the needle\\u{7}\r\n\
                    \u{20}    4- 4\r\n     ⋯\r\n     7- 7\r\n     8: needle\r\n\r\n";
    assert_eq!(plain.stdout(), expected);
    let coloured = world.at_terminal(80, "", &args).ends(0);
    assert!(coloured.stdout().contains("the \u{1b}[1m\u{1b}[31mneedle\u{1b}[0m"), "{coloured}");
}

#[test]
fn a_person_is_told_that_nothing_was_found() {
    let world = world(&[("s1", &["one"])]);
    let ran = world.at_terminal(80, "", &["search", "needle"]).ends(3);
    assert_eq!(
        ran.stdout(),
        "graff-notes: none of the notes that were searched has \"needle\"\r\n"
    );
    assert_eq!(world.run(&["search", "needle"]).ends(3).stderr(), "");
}

#[test]
fn a_text_of_two_lines_can_stand_in_no_line_and_is_refused() {
    let world = world(&[("s1", &["one\ntwo"])]);
    for args in [&["search", "one\ntwo"][..], &["search", "-i", "one\ntwo"]] {
        let ran = world.run(args).ends(2);
        let said = "could not search for \"one\\ntwo\": a line break can stand in no line";
        assert!(ran.stderr().contains(said), "{ran}");
    }
}

#[test]
fn what_is_found_early_waits_in_little_memory_for_what_is_due_first() {
    let world = World::new();
    let many = "x".repeat(60_000);
    for n in 1..=200 {
        let session = format!("s{n}");
        let line = format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"{many}\"}}\n");
        world.put(&session, line);
    }
    world.put("a-slow-one", "");
    let slow = std::fs::File::options().write(true).open(world.log("a-slow-one")).expect("a log");
    slow.set_len(512 << 20).expect("a hole takes no room");
    // Each match takes 16 bytes: together that is 192 MB.
    let program = world.command(&[]).get_program().to_owned();
    let mut shell = std::process::Command::new("bash");
    shell
        .args(["-c", "export MALLOC_ARENA_MAX=1; ulimit -v 110000; exec \"$0\" search x"])
        .arg(program);
    shell.env("GRAFF_ROOT", world.root()).stdin(std::process::Stdio::null());
    let ran =
        Ran::of(shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()));
    assert_eq!(ran.ends(0).stdout().lines().count(), 200);
}

#[test]
fn no_lines_are_nothing_to_ask_for() {
    let world = world(&[("s1", &["a needle"])]);
    let ran = world.run(&["search", "needle", "-n", "0"]).ends(2);
    assert!(ran.stderr().contains("invalid value '0'"), "{ran}");
}

/// Where a process may hold so much of its own, in KiB, it is ended by the system rather than that
/// it holds all of a long log.
#[cfg(target_os = "linux")]
#[test]
fn no_more_is_held_than_is_wanted() {
    let world = World::new();
    let line =
        "a needle, and what else there is to say in a kilobyte".to_owned() + &"-".repeat(950);
    let record =
        |seq| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"{line}\",\"seq\":{seq}}}\n");
    world.put("s1", (1..=30_000).map(record).collect::<String>());
    let ran = world.within_kib(24 * 1024, &["search", "needle", "-n", "3"]).quietly();
    assert_eq!(ran.stdout().lines().count(), 3);
}

/// The work is bounded in seconds of the processor's, which a busy machine does not use up: to go
/// through all lines of the note for each that is found takes many times as long.
#[cfg(target_os = "linux")]
#[test]
fn a_note_of_many_lines_is_gone_through_once() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    const SECONDS: u64 = 10;
    const LINES: usize = 30_000;
    let world = world(&[("s1", &[&"x\n".repeat(LINES)])]);
    for around in ["0", "2"] {
        let mut program = world.command(&["search", "x", "--json", "-C", around]);
        let limit = Rlimit { current: Some(SECONDS), maximum: Some(SECONDS) };
        let child = program.spawn().expect("it starts");
        prlimit(Some(Pid::from_child(&child)), Resource::Cpu, limit).expect("a limit");
        let ran = Ran::of_child(child).quietly();
        assert_eq!(ran.stdout().lines().count(), LINES);
    }
}
