//! What all notes add up to is what one adds up who reads every log.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

/// Milliseconds of an hour and of a day.
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
/// 2026-08-01T00:00:00Z.
const AUGUST: u64 = 1_785_542_400_000;

/// A line of the log of `session`; `rest` are the fields that tell one record from another.
fn line(session: &str, generation: u64, created_at: u64, rest: &str) -> String {
    format!(
        "{{\"v\":1,\"session\":\"{session}\",\"gen\":{generation},\"created_at\":{created_at}{rest}}}\n"
    )
}

fn note(session: &str, generation: u64, created_at: u64, bytes: usize) -> String {
    let text = "x".repeat(bytes);
    line(session, generation, created_at, &format!(",\"text\":\"{text}\""))
}

fn attempt(session: &str, generation: u64, created_at: u64) -> String {
    line(session, generation, created_at, ",\"kind\":\"attempt\"")
}

#[test]
fn every_figure_is_told() {
    let world = World::new();
    let s1 = [
        attempt("s1", 1, AUGUST),
        note("s1", 1, AUGUST + HOUR, 10),
        attempt("s1", 2, AUGUST + DAY),
        line("s1", 2, AUGUST + DAY, ",\"kind\":\"mechanical\",\"text\":\"made by the program\""),
        line("s1", 3, AUGUST + DAY, ",\"kind\":\"rollover\""),
        line("s1", 3, AUGUST + 2 * DAY, ",\"text\":\"cut\",\"cut\":70"),
        "junk\n\n{\"v\":1,\"torn".to_owned(),
    ]
    .concat();
    let s2 = [note("s2", 0, 0, 600), line("s1", 0, 1, ",\"text\":\"not ours\"")].concat();
    world.put("s1", &s1);
    world.put("s2", &s2);
    let answer = world.run(&["stats", "--json"]).quietly().json();
    let bar = |from: u64, notes: u64| json!({"from": from, "notes": notes});
    let expected = json!({
        "sessions": 2, "unreadable_sessions": 0, "notes": 4, "mechanical": 1, "attempts": 2,
        "attempts_without_note": 1, "rollovers": 1, "unreadable_lines": 3, "cut_notes": 1,
        "cut_bytes": 70, "log_bytes": s1.len() + s2.len(),
        "note_bytes": {"total": 632, "least": 3, "median": 10, "greatest": 600},
        "first": AUGUST + HOUR, "last": AUGUST + 2 * DAY, "step": "day",
        "by_time": [bar(AUGUST, 1), bar(AUGUST + DAY, 1), bar(AUGUST + 2 * DAY, 1)],
        "by_size": [bar(0, 3), bar(256, 0), bar(512, 1)],
    });
    assert_eq!(answer, expected);
    let rows = world.run(&["stats"]).quietly();
    let names: Vec<_> = rows.stdout().lines().filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(names.len(), 24, "{rows}");
    assert!(rows.stdout().contains("attempts_without_note\t1\n"), "{rows}");
    assert!(rows.stdout().contains("last\t2026-08-03T00:00:00Z\nstep\tday\n"), "{rows}");
    assert!(rows.stdout().ends_with("by_size\t0\t3\nby_size\t256\t0\nby_size\t512\t1\n"), "{rows}");
}

#[test]
fn an_attempt_left_a_note_if_its_generation_got_one_of_the_agent_after_it() {
    for (log, without) in [
        (vec![attempt("s1", 1, 1)], 1),
        (vec![attempt("s1", 1, 1), note("s1", 1, 2, 20)], 0),
        (vec![attempt("s1", 1, 1), note("s1", 2, 2, 20)], 1),
        (vec![note("s1", 1, 1, 20), attempt("s1", 1, 2)], 1),
        (vec![attempt("s1", 1, 1), attempt("s1", 2, 2), note("s1", 1, 3, 20)], 1),
        (vec![attempt("s1", 1, 1), attempt("s1", 1, 2), note("s1", 1, 3, 20)], 0),
    ] {
        let world = World::new();
        world.put("s1", log.concat());
        let answer = world.run(&["stats", "--json"]).quietly().json();
        assert_eq!(answer["attempts_without_note"], without, "{}", log.concat());
    }
}

#[test]
fn a_period_leaves_no_attempt_without_the_note_that_came_just_outside_of_it() {
    let world = World::new();
    let log = [
        attempt("s1", 1, AUGUST),
        note("s1", 1, AUGUST + 60_000, 20),
        attempt("s1", 2, AUGUST + 2 * 60_000),
        attempt("s1", 3, AUGUST + 3 * 60_000),
        note("s1", 3, AUGUST + 4 * 60_000, 20),
    ];
    world.put("s1", log.concat());
    for (period, attempts, without) in [
        (["--until", "2026-08-01T00:00:30Z"], 1, 0),
        (["--until", "2026-08-01T00:02:30Z"], 2, 1),
        (["--until", "2026-08-01T00:03:30Z"], 3, 1),
        (["--since", "2026-08-01T00:00:30Z"], 2, 1),
        (["--since", "2026-08-01T00:02:30Z"], 1, 0),
        (["--since", "2026-08-01T00:03:30Z"], 0, 0),
    ] {
        let answer = world.run(&[&["stats", "--json"], &period[..]].concat()).quietly().json();
        let figures = (&answer["attempts"], &answer["attempts_without_note"]);
        assert_eq!(figures, (&attempts.into(), &without.into()), "{period:?}");
    }
}

#[test]
fn bars_are_as_long_as_fits_a_screen_and_none_is_left_out_between() {
    for (days, step, bars) in [
        (0, "hour", 1),
        (1, "hour", 25),
        (2, "day", 3),
        (30, "day", 31),
        (31, "week", 6),
        (300, "month", 10),
        (3_650, "year", 11),
        (36_500, "year", 2),
    ] {
        let world = World::new();
        world.put("s1", note("s1", 0, AUGUST, 20) + &note("s1", 1, AUGUST + days * DAY, 20));
        let answer = world.run(&["stats", "--json"]).quietly().json();
        let by_time = answer["by_time"].as_array().expect("bars");
        assert_eq!((&answer["step"], by_time.len()), (&json!(step), bars), "{days}");
        let notes: u64 = by_time.iter().filter_map(|bar| bar["notes"].as_u64()).sum();
        assert_eq!(notes, 2, "{days}");
    }
}

#[test]
fn a_day_begins_where_the_machine_stands_if_local_times_are_asked_for() {
    let world = World::new();
    let late = note("s1", 0, AUGUST + 23 * HOUR, 20);
    world.put("s1", late + &note("s1", 1, AUGUST + 9 * DAY, 20));
    let first = |args: &[&str]| {
        let ran = Ran::of(world.command(args).env("TZ", "AAA-2")).quietly();
        let row = ran.stdout().lines().find(|row| row.starts_with("by_time")).map(str::to_owned);
        row.expect("a bar")
    };
    assert_eq!(first(&["stats"]), "by_time\t2026-08-01\t1");
    assert_eq!(first(&["stats", "--time", "local"]), "by_time\t2026-08-02\t1");
}

#[test]
fn times_beyond_any_calendar_are_counted_and_not_drawn() {
    let world = World::new();
    world.put("s1", note("s1", 0, u64::MAX, 20) + &note("s1", 1, AUGUST, 20));
    let answer = world.run(&["stats", "--json"]).quietly().json();
    assert_eq!(answer["notes"], 2);
    assert_eq!(answer["by_time"], json!([{"from": AUGUST, "notes": 1}]));
}

#[test]
fn only_what_is_meant_is_counted() {
    let world = World::new();
    for (session, at) in [("fix-a", 0), ("fix-b", 1), ("plan", 2)] {
        world.put(session, note(session, 0, AUGUST + at * DAY, 20));
    }
    let notes = |args: &[&str]| {
        let answer = world.run(&[&["stats", "--json"], args].concat()).quietly().json();
        [&answer["sessions"], &answer["notes"]].map(|figure| figure.as_u64().expect("a figure"))
    };
    assert_eq!(notes(&[]), [3, 3]);
    assert_eq!(notes(&["--session-glob", "fix-*"]), [2, 2]);
    assert_eq!(notes(&["--since", "2026-08-02T00:00:00Z"]), [3, 2]);
    assert_eq!(notes(&["--session-glob", "nothing"]), [0, 0]);
    let nothing = World::new().run(&["stats", "--json"]).quietly().json();
    assert_eq!((&nothing["notes"], &nothing["first"]), (&json!(0), &Value::Null));
}

#[test]
fn a_log_that_cannot_be_read_is_said_and_counted() {
    let world = World::new();
    world.put("s1", note("s1", 0, AUGUST, 20));
    std::fs::create_dir(world.log("s2")).expect("a folder in its place");
    let ran = world.run(&["stats", "--json"]).ends(1);
    let answer = ran.json();
    let counted = [&answer["sessions"], &answer["unreadable_sessions"], &answer["notes"]];
    assert_eq!(counted, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(ran.said("error")["session"], "s2");
}

#[test]
fn a_person_sees_bars() {
    let world = World::new();
    let mut log = String::new();
    for (day, notes) in [(0, 300), (1, 0), (2, 1), (3, 100)] {
        for generation in 0..notes {
            write!(log, "{}", note("s1", generation, AUGUST + day * DAY + HOUR, 20))
                .expect("a line");
        }
    }
    world.put("s1", log);
    let args = ["stats", "--time", "iso", "--color", "never"];
    let shown = world.at_terminal(30, "", &args).ends(0);
    let bars = "\r\nnotes by day\r\n  2026-08-01 300 █████████████\r\n  2026-08-02   0 \r\n\
                \u{20} 2026-08-03   1 ▏\r\n  2026-08-04 100 ████▍\r\n\r\nnotes by size\r\n\
                \u{20} from 0 B 401 ███████████████\r\n";
    assert!(shown.stdout().ends_with(bars), "{shown}");
    assert!(shown.stdout().contains("notes        401, 0 mechanical (…"), "{shown}");
}
