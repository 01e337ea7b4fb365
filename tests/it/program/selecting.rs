//! Which sessions and records are meant, by name, time and number, and how their times are shown.

use std::{
    fs::{self, File, FileTimes},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::support::world::{Ran, World};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// 2026-08-01T00:00:00Z.
const AUGUST: u64 = 1_785_542_400_000;

/// Sessions by name, with a note at each of the times.
fn world(sessions: &[(&str, &[u64])]) -> World {
    let world = World::new();
    for (session, times) in sessions {
        let line = |(at, time): (usize, &u64)| {
            let seq = at + 1;
            format!(
                "{{\"v\":1,\"session\":\"{session}\",\"gen\":0,\"text\":\"note {seq}\",\
                 \"created_at\":{time},\"seq\":{seq}}}\n"
            )
        };
        world.put(session, times.iter().enumerate().map(line).collect::<String>());
    }
    world
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    u64::try_from(since.as_millis()).expect("milliseconds")
}

/// The first column of the rows of an answer, two hours to the east of Greenwich.
#[track_caller]
fn firsts(world: &World, args: &[&str]) -> String {
    let ran = Ran::of(world.command(args).env("TZ", "AAA-2")).quietly();
    let firsts: Vec<_> = ran.stdout().lines().filter_map(|row| row.split('\t').next()).collect();
    firsts.join(" ")
}

#[test]
fn a_period_holds_both_of_its_ends() {
    let noon = AUGUST + DAY / 2;
    let world = world(&[("s1", &[noon - 1, noon, noon + 1_000, noon + 60_000, noon + DAY])]);
    for (period, seqs) in [
        (&[][..], "1 2 3 4 5"),
        (&["--since", "2026-08-01T12:00:00Z"], "2 3 4 5"),
        (&["--until", "2026-08-01T12:00:00Z"], "1 2"),
        (&["--since", "2026-08-01 14:00"], "2 3 4 5"),
        (&["--until", "2026-08-01 14:00"], "1 2 3"),
        (&["--until", "2026-08-01T14:00:01"], "1 2 3"),
        (&["--since", "2026-08-02"], "5"),
        (&["--until", "2026-08-01"], "1 2 3 4"),
        (&["--since", "2026-08-01", "--until", "2026-08-01"], "1 2 3 4"),
        (&["--since", "2026-08-02T00:00:00+02:00"], "5"),
        (&["--since", "2026-08-01", "-n", "2"], "4 5"),
        (&["-n", "0"], ""),
        (&["-n", "9"], "1 2 3 4 5"),
    ] {
        assert_eq!(firsts(&world, &[&["log", "s1"], period].concat()), seqs, "{period:?}");
    }
}

#[test]
fn a_day_is_that_of_the_machines_time_zone() {
    // 00:30 of the second of August there, and still the first in Greenwich.
    let world = world(&[("s1", &[AUGUST + DAY - 90 * 60_000])]);
    assert_eq!(firsts(&world, &["log", "s1", "--since", "2026-08-02"]), "1");
    assert_eq!(firsts(&world, &["log", "s1", "--until", "2026-08-01"]), "");
}

#[test]
fn how_long_ago_is_counted_from_now() {
    let now = now();
    let world = world(&[("s1", &[now - 40 * DAY, now - 3 * DAY, now - 90 * 60_000, now - 30_000])]);
    for (since, seqs) in [
        ("2h", "3 4"),
        ("1 hour ago", "4"),
        ("1h 40min", "3 4"),
        ("4 days ago", "2 3 4"),
        ("4d", "2 3 4"),
        ("6 weeks", "1 2 3 4"),
        ("P4D", "2 3 4"),
        ("now", ""),
    ] {
        assert_eq!(firsts(&world, &["log", "s1", "--since", since]), seqs, "{since}");
    }
    assert_eq!(firsts(&world, &["log", "s1", "--until", "2 days ago"]), "1 2");
}

#[test]
fn today_and_yesterday_are_days() {
    let world = world(&[("s1", &[now() - 3 * DAY, now() + 3 * DAY])]);
    for (period, seqs) in [
        (["--since", "yesterday"], "2"),
        (["--since", "today"], "2"),
        (["--until", "yesterday"], "1"),
        (["--until", "today"], "1"),
    ] {
        assert_eq!(firsts(&world, &[&["log", "s1"][..], &period].concat()), seqs, "{period:?}");
    }
}

#[test]
fn a_time_that_is_none_is_refused_with_what_would_be_one() {
    let world = world(&[("s1", &[1])]);
    for time in ["", "tomorrow", "12", "2026-13-01", "2026-08-01T25:00", "noon", "5 parsecs"] {
        let ran = world.run(&["log", "s1", "--since", time]).ends(2);
        assert!(ran.stderr().contains("write a day (2026-08-01, today, yesterday)"), "{ran}");
    }
}

#[test]
fn a_record_without_a_time_belongs_to_no_period() {
    let world = World::new();
    world.put("s1", "{\"v\":1,\"session\":\"s1\",\"text\":\"by another program\"}\n");
    assert_eq!(firsts(&world, &["log", "s1"]), "-");
    assert_eq!(firsts(&world, &["log", "s1", "--since", "1970-01-01T00:00:00Z"]), "");
    assert_eq!(firsts(&world, &["log", "s1", "--until", "now"]), "");
}

#[test]
fn sessions_are_chosen_by_name_by_their_newest_note_and_by_how_new_it_is() {
    let world = world(&[
        ("fix-a", &[AUGUST, AUGUST + 3 * DAY]),
        ("fix-b", &[AUGUST + DAY]),
        ("plan", &[AUGUST + 2 * DAY]),
    ]);
    world.put("empty", "");
    for (args, names) in [
        (&[][..], "empty fix-a fix-b plan"),
        (&["--session-glob", "fix-*"], "fix-a fix-b"),
        (&["--session-glob", "*[an]"], "fix-a plan"),
        (&["--session-glob", "fix"], ""),
        (&["--since", "2026-08-03"], "fix-a plan"),
        (&["--until", "2026-08-02T12:00:00Z"], "fix-b"),
        (&["-n", "2"], "fix-a plan"),
        (&["-n", "1", "--session-glob", "*-b"], "fix-b"),
    ] {
        assert_eq!(firsts(&world, &[&["list"], args].concat()), names, "{args:?}");
    }
    world.run(&["list", "--session-glob", "[a"]).ends(2);
    std::fs::create_dir(world.log("unreadable")).expect("a folder in a log's place");
    for args in [&["-n", "1"][..], &["--since", "2026-08-03"], &["-n", "0"]] {
        world.run(&[&["list"], args].concat()).ends(1);
    }
    world.run(&["list", "--session-glob", "fix-*"]).ends(0);
}

#[test]
fn what_is_checked_can_be_chosen_by_name() {
    let world = world(&[("fix-a", &[AUGUST]), ("fix-b", &[AUGUST]), ("plan", &[AUGUST])]);
    assert_eq!(firsts(&world, &["verify", "--session-glob", "fix-*"]), "fix-a fix-b");
    assert_eq!(firsts(&world, &["verify", "plan", "fix-a", "--session-glob", "fix-*"]), "fix-a");
    world.run(&["verify", "--session-glob", "nobody"]).ends(3);
}

#[test]
fn a_file_that_another_program_named_is_passed_over_with_a_word() {
    let world = world(&[("s1", &[AUGUST])]);
    let odd = world.log("s1").with_file_name("raw name.notes.jsonl");
    std::fs::write(&odd, "{\"v\":1,\"session\":\"raw name\",\"text\":\"a note\"}\n")
        .expect("a file of another program");
    let said = format!(
        "graff-notes: passed over raw name.notes.jsonl, which another program named\n  \
         `graff-notes import '{odd}'` takes in its records; then move the file away\n"
    );
    for args in [
        &["verify"][..],
        &["export"],
        &["search", "note"],
        &["stats"],
        &["list", "-n", "1"],
        &["list", "--session-glob", "s*"],
    ] {
        let ran = world.run(args).ends(0);
        assert_eq!(ran.stderr(), said, "{args:?}");
        let json = world.run(&[args, &["--json"]].concat()).ends(0);
        let warning = json.said("warning");
        assert!(warning["advice"].as_str().is_some_and(|it| it.contains("import")), "{json}");
    }
    for args in [&["verify", "s1"][..], &["export", "s1"], &["list"]] {
        world.run(args).quietly();
    }
}

#[test]
fn times_are_shown_in_the_style_that_is_asked_for() {
    let world = world(&[("s1", &[AUGUST + 1_500])]);
    let shown = |args: &[&str]| Ran::of(world.command(args).env("TZ", "AAA-2")).quietly();
    for (style, time) in [("iso", "2026-08-01T00:00:01Z"), ("local", "2026-08-01 02:00:01 +02:00")]
    {
        for command in [&["log", "s1", "--time", style][..], &["list", "--time", style]] {
            assert_eq!(shown(command).stdout().split('\t').nth(3), Some(time), "{command:?}");
        }
    }
    let relative = shown(&["log", "s1", "--time", "relative"]);
    assert!(relative.stdout().split('\t').nth(3).is_some_and(|time| time.contains(' ')));
    let terminal = world.at_terminal(80, "", &["list", "--time", "iso", "--color", "never"]);
    assert!(terminal.ends(0).stdout().contains("2026-08-01T00:00:01Z"));
}

#[test]
fn every_command_that_shows_times_shows_them_as_asked_on_a_terminal_or_as_is_set() {
    let second = AUGUST + 1_500;
    let world = world(&[("s1", &[second, second])]);
    let last_call = world.root().join(".local/state/graff-notes/codex");
    fs::create_dir_all(last_call.parent().expect("a folder")).expect("the folder is made");
    fs::write(&last_call, "Stop").expect("written");
    let called = UNIX_EPOCH + Duration::from_millis(second);
    let file = File::options().write(true).open(&last_call).expect("the file");
    file.set_times(FileTimes::new().set_modified(called)).expect("set");
    for command in [
        &["list"][..],
        &["log", "s1"],
        &["show", "s1"],
        &["diff", "s1"],
        &["search", "note"],
        &["stats"],
        &["export", "s1"],
        &["forget", "s1"],
        &["hooks", "status", "codex"],
    ] {
        for (style, time) in [
            ("iso", "2026-08-01T00:00:01Z"),
            ("local", "2026-08-01 02:00:01 +02:00"),
            ("relative", " days ago"),
        ] {
            let shown = |args: &[&str], variables: &[(&str, &str)]| {
                let mut ours = world.command(&[command, args].concat());
                ours.env("TZ", "AAA-2").env("HOME", world.root()).env_remove("XDG_STATE_HOME");
                ours.envs(variables.iter().copied());
                let ran = World::typing(200, "n\n", ours);
                assert!(ran.stdout().contains(time), "{command:?} {style}: {ran}");
            };
            shown(&["--time", style], &[]);
            shown(&[], &[("GRAFF_TIME", style)]);
        }
    }
}

#[test]
fn a_glob_may_begin_with_a_dash() {
    let world = world(&[("-odd1", &[1]), ("even", &[2])]);
    assert_eq!(firsts(&world, &["list", "--session-glob", "-odd*"]), "-odd1");
    assert_eq!(firsts(&world, &["list", "--session-glob=-odd*"]), "-odd1");
}

#[test]
fn a_time_that_ends_before_it_begins_is_refused() {
    let world = world(&[("s1", &[AUGUST])]);
    let backwards = ["--since", "today", "--until", "yesterday"];
    for command in [&["list"][..], &["log", "s1"], &["search", "x"], &["stats"], &["export"]] {
        let ran = world.run(&[command, &backwards].concat()).ends(2);
        assert!(ran.stderr().contains("the time from --since to --until is empty"), "{ran}");
    }
    let ran = world.run(&[&["list", "--json"], &backwards[..]].concat()).ends(2);
    assert_eq!(ran.said("error")["kind"], "usage");
    world.run(&["list", "--since", "today", "--until", "today"]).quietly();
}
