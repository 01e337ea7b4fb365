//! What a person at a terminal sees: relative times, colour, and no character that could steer the
//! terminal.

use crate::support::world::World;

fn world() -> World {
    let world = World::new();
    world.fed("goal\ttabs\u{1b}[2J\u{7}\u{202e}\nsecond é line", &["write", "s1"]).quietly();
    world
}

#[test]
fn a_note_is_shown_under_a_header_with_its_control_characters_escaped() {
    let shown = world().at_terminal(80, "", &["show", "s1", "--color", "never"]).ends(0);
    let expected = "s1 · note 1 · generation 0 · just now · 32 bytes\r\n\
                    goal\ttabs\\u{1b}[2J\\u{7}\\u{202e}\r\nsecond é line\r\n";
    assert_eq!(shown.stdout(), expected);
}

#[test]
fn tables_are_aligned_and_named_and_fit() {
    let world = world();
    let list = world.at_terminal(80, "", &["list", "--color", "never"]).ends(0);
    let lines: Vec<_> = list.stdout().lines().collect();
    assert!(lines[0].starts_with("session  notes  gen"), "{list}");
    assert!(lines[1].starts_with("s1           1    0  just now"), "{list}");
    world.run(&["write", "s1", "--text", &"word ".repeat(100)]).quietly();
    for columns in [60, 80, 200] {
        let log = world.at_terminal(columns, "", &["log", "s1", "--color", "never"]).ends(0);
        let widest = log.stdout().lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "{columns}: {log}");
        assert!(log.stdout().contains('…'), "{log}");
    }
}

#[test]
fn forgetting_asks_and_takes_only_yes_for_yes() {
    let world = world();
    for (typed, status) in [("\n", 1), ("n\n", 1), ("yeah\n", 1), ("\u{4}", 1), ("yes\n", 0)] {
        let ran = world.at_terminal(80, typed, &["forget", "s1"]).ends(status);
        assert!(ran.stdout().contains("Forget session s1 (1 note, the newest "), "{ran}");
        assert_eq!(world.log("s1").exists(), status != 0, "{typed:?}");
        let kept = "graff-notes: session s1 is kept: the answer was not yes\r\n";
        assert_eq!(ran.stdout().contains(kept), status != 0, "{ran}");
        assert!(!ran.stdout().contains("could not"), "{ran}");
    }
}

#[test]
fn several_sessions_are_forgotten_after_one_question_and_none_where_one_is_missing() {
    let world = world();
    for name in ["s2", "s3"] {
        world.fed("a note", &["write", name]).quietly();
    }
    let all_there = || ["s1", "s2", "s3"].iter().all(|name| world.log(name).exists());
    let ran = world.at_terminal(120, "n\n", &["forget", "s2", "s3"]).ends(1);
    let asked =
        "Forget 2 sessions: s2 (1 note, the newest just now), s3 (1 note, the newest just now)?";
    assert_eq!(ran.stdout().matches("[y/N]").count(), 1, "{ran}");
    assert!(ran.stdout().contains(asked), "{ran}");
    assert!(ran.stdout().contains("the 2 sessions are kept"), "{ran}");
    for args in [&["forget", "s2", "nobody", "s3"][..], &["forget", "s2", "nobody", "--yes"]] {
        let ran = world.at_terminal(120, "y\n", args).ends(3);
        assert!(ran.stdout().contains("could not find session nobody"), "{ran}");
        assert!(all_there(), "{args:?}");
    }
    let ran = world.at_terminal(120, "y\n", &["forget", "s3", "s2", "s3"]).ends(0);
    for name in ["s2", "s3"] {
        assert!(ran.stdout().contains(&format!("session {name} is forgotten")), "{ran}");
        assert!(!world.log(name).exists());
    }
    assert!(world.log("s1").exists());
    // A question can be read as one.
    let many: Vec<_> = (10..30).map(|number| format!("m{number}")).collect();
    for name in &many {
        world.fed("a note", &["write", name]).quietly();
    }
    let args: Vec<_> = ["forget"].into_iter().chain(many.iter().map(String::as_str)).collect();
    let ran = world.at_terminal(120, "n\n", &args).ends(1);
    assert!(ran.stdout().contains("Forget 20 sessions: m10 (1 note, "), "{ran}");
    assert!(ran.stdout().contains("m17 (1 note, the newest just now) and 12 more? [y/N]"), "{ran}");
}

#[test]
fn forgetting_says_what_goes_and_then_what_is_gone() {
    let world = world();
    std::fs::write(world.log("s1").with_extension("rejected"), "junk\n").expect("a file");
    let ran = world.at_terminal(80, "no\n", &["forget", "s1"]).ends(1);
    assert!(ran.stdout().contains("just now, and what repairs took out of it)? [y/N]"), "{ran}");
    let ran = world.at_terminal(120, "", &["forget", "s1", "--yes"]).ends(0);
    let gone = "session s1 is forgotten: removed s1.notes.jsonl, s1.notes.rejected\r\n";
    assert_eq!(ran.stdout(), gone);
    let notes = world.root().join(".graff/notes");
    for left in ["notes.repairing", "hooks.json", "hooks.new"] {
        std::fs::write(notes.join(format!("s1.{left}")), "").expect("a file");
        let ran = world.at_terminal(120, "y\n", &["forget", "s1"]).ends(0);
        assert!(ran.stdout().contains("Forget session s1 (no log)? [y/N]"), "{ran}");
        let gone = format!("session s1 is forgotten: removed s1.{left}\r\n");
        assert!(ran.stdout().ends_with(&gone), "{ran}");
    }
}

#[test]
fn nobody_is_asked_about_a_session_that_is_not_there() {
    let world = world();
    for args in [&["forget", "s2"][..], &["forget", "s2", "--yes"]] {
        let ran = world.at_terminal(80, "n\n", args).ends(3);
        assert!(ran.stdout().contains("could not find session s2: it has no log"), "{ran}");
        assert!(!ran.stdout().contains("[y/N]"), "{ran}");
    }
    world.run(&["forget", "s2"]).ends(3);
}

#[test]
fn a_new_session_is_said_to_be_new_and_which_one_may_have_been_meant() {
    let world = World::new();
    let says = |name: &str| {
        let ran = world.at_terminal(120, "", &["write", name, "--text", name]).ends(0);
        ran.stdout().lines().filter(|line| line.contains("new session")).collect::<String>()
    };
    assert_eq!(says("task-1"), "graff-notes: task-1 is a new session");
    assert_eq!(says("task-1"), "");
    assert_eq!(says("task-2"), "graff-notes: task-2 is a new session; did you mean task-1?");
    assert_eq!(says("taks-2"), "graff-notes: taks-2 is a new session; did you mean task-2?");
    assert_eq!(says("b"), "graff-notes: b is a new session");
    assert_eq!(says("a"), "graff-notes: a is a new session");
    world.run(&["write", "task-3", "--text", "a note"]).quietly();
}

#[test]
fn a_prompt_that_stays_without_a_note_is_said_to() {
    let world = world();
    let ran = world.at_terminal(120, "base\n\u{4}", &["splice", "s2"]).ends(0);
    let said = "graff-notes: session s2 has no note, so that the prompt is left without one\r\n";
    assert!(ran.stdout().contains(said), "{ran}");
    assert!(ran.stdout().ends_with("base\r\n"), "{ran}");
    assert_eq!(world.fed("base\n", &["splice", "s2"]).quietly().stdout(), "base\n");
}

#[test]
fn what_zero_stands_for_is_said_and_a_script_is_given_the_zero() {
    let world = World::new();
    let shown = world.at_terminal(120, "", &["config", "show", "--color", "never"]).ends(0);
    let row = shown.stdout().lines().find(|row| row.starts_with("calls-cap"));
    assert!(row.is_some_and(|row| row.contains(" 0 (no limit)  ")), "{shown}");
    let piped = world.run(&["config", "show"]).quietly();
    assert!(piped.stdout().contains("\ncalls-cap\t0\tdefault\t-\n"), "{piped}");
}

#[test]
fn a_repair_says_what_it_would_do_and_then_what_it_did() {
    let world = World::new();
    let good = "{\"v\":1,\"session\":\"s1\",\"text\":\"a\"}\n";
    let rejected = world.log("s1").with_extension("rejected");
    for (log, would, did) in [
        (
            format!("{good}junk\n{good}"),
            "would take out 1 line and keep 2 lines; `graff-notes repair --write s1` does it",
            format!("took out 1 line and kept 2 lines; what was taken out is in {rejected}"),
        ),
        (
            good.trim_end().to_owned(),
            "would end the last line and keep 1 line; `graff-notes repair --write s1` does it",
            format!(
                "ended the last line and kept 1 line; what earlier repairs took out is in {rejected}"
            ),
        ),
    ] {
        world.put("s1", log);
        let ran = world.at_terminal(200, "", &["repair", "s1"]).ends(5);
        assert!(ran.stdout().contains(would), "{ran}");
        let ran = world.at_terminal(200, "", &["repair", "s1", "--write"]).ends(0);
        assert!(ran.stdout().contains(&did), "{ran}");
        let ran = world.at_terminal(200, "", &["repair", "s1", "--write"]).ends(0);
        assert!(ran.stdout().contains("session s1 needs no repair"), "{ran}");
    }
}

#[test]
fn a_note_can_be_typed() {
    let world = World::new();
    let ran = world.at_terminal(80, "typed in\n\u{4}", &["write", "s1"]).ends(0);
    assert!(ran.stdout().contains("type the note, then Ctrl-D"), "{ran}");
    assert!(ran.stdout().ends_with("record 1 of generation 0 is on disk\r\n"), "{ran}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "typed in\n");
}

#[test]
fn a_prompt_is_shown_with_its_control_characters_escaped_and_kept_in_a_pipe() {
    let world = world();
    let raw = "goal\ttabs\u{1b}[2J\u{7}\u{202e}";
    let escaped = "goal\ttabs\\u{1b}[2J\\u{7}\\u{202e}";
    let shows_no_raw = |ran: &crate::support::world::Ran| {
        assert!(ran.stdout().contains(escaped), "{ran}");
        assert!(!ran.stdout().contains(raw), "{ran}");
    };
    let spliced = world.at_terminal(80, "base\n\u{4}", &["splice", "s1"]).ends(0);
    shows_no_raw(&spliced);
    let piped = world.fed("base\n", &["splice", "s1"]).quietly();
    assert!(piped.stdout().contains(raw), "{piped}");
    let typed = format!("{}\u{4}", piped.stdout());
    shows_no_raw(&world.at_terminal(80, &typed, &["splice", "--extract"]).ends(0));
    std::fs::write(world.root().join("s1.jsonl"), "").expect("a transcript");
    std::fs::write(world.root().join("PROMPT.md"), "base\n").expect("a prompt");
    let rollover = ["rollover", "--transcript", "s1.jsonl", "--system", "PROMPT.md"];
    shows_no_raw(&world.at_terminal(80, "", &rollover).ends(0));
}

#[test]
fn a_row_in_a_pipe_has_a_notes_control_characters_but_those_that_would_end_its_cell() {
    let world = World::new();
    world.fed("\u{1b}[2J\u{7}\u{9b}\u{202e}\tb\\n\rc\nd", &["write", "s1"]).quietly();
    let first = "\u{1b}[2J\u{7}\u{9b}\u{202e}\\tb\\\\n\\rc";
    for (args, told) in [
        (&["log", "s1"][..], &*format!("\t{first}\\nd\n")),
        (&["search", "[2J"], &format!("\t{first}\n")),
    ] {
        let ran = world.run(args).quietly();
        assert!(ran.stdout().ends_with(told), "{args:?}: {ran}");
        let shown = world.at_terminal(200, "", &[args, &["--color", "never"]].concat()).ends(0);
        assert!(shown.stdout().contains("\\u{1b}[2J\\u{7}\\u{9b}\\u{202e}"), "{shown}");
    }
}

#[test]
fn a_name_that_stands_in_a_damaged_log_is_shown_as_its_escape_too() {
    let world = World::new();
    world.put("s1", "{\"v\":1,\"session\":\"abc\u{202e}\u{9b}def\",\"text\":\"a\"}\n");
    let ran = world.at_terminal(80, "", &["verify", "s1"]).ends(5);
    assert!(!ran.stdout().contains(['\u{202e}', '\u{9b}']), "{ran}");
    assert!(ran.stdout().contains("abc"), "{ran}");
}

#[test]
fn a_name_that_turns_the_direction_of_writing_is_shown_as_its_escape() {
    let world = World::new();
    world.fed("a note", &["write", "abc\u{202e}def"]).quietly();
    for args in [
        &["show", "abc\u{202e}def"][..],
        &["list"],
        &["verify"],
        &["search", "note"],
        &["diff", "abc\u{202e}def", "--from", "1", "--to", "1"],
        &["forget", "abc\u{202e}def", "--yes"],
    ] {
        let ran = world.at_terminal(80, "", args).ends(0);
        assert!(!ran.stdout().contains('\u{202e}'), "{args:?}: {ran}");
    }
}

/// How many columns a line takes until a word of it, where each character takes as many as told.
#[track_caller]
fn column_of(line: &str, word: &str, width: impl Fn(char) -> usize) -> usize {
    let (before, _) = line.split_once(word).unwrap_or_else(|| panic!("{word} in {line}"));
    before.chars().map(width).sum()
}

#[test]
fn columns_are_counted_as_a_terminal_shows_them() {
    let world = World::new();
    let width = |c: char| match c {
        '会' | '議' | '🦀' => 2,
        '\u{301}' => 0,
        _ => 1,
    };
    for session in ["plain", "会議", "cafe\u{301}", "🦀"] {
        world.fed("会議🦀e\u{301}".repeat(40), &["write", session]).quietly();
    }
    let list = world.at_terminal(80, "", &["list", "--color", "never"]).ends(0);
    let columns: Vec<_> =
        list.stdout().lines().skip(1).map(|line| column_of(line, "just now", width)).collect();
    assert_eq!(columns.len(), 4, "{list}");
    assert!(columns.iter().all(|column| *column == columns[0]), "{columns:?}: {list}");
    for columns in 60..64 {
        let log = world.at_terminal(columns, "", &["log", "会議", "--color", "never"]).ends(0);
        let row = log.stdout().lines().nth(1).expect("a row");
        let taken = column_of(row, "…", width) + 1;
        let columns = usize::from(columns);
        // A wide character that would stand half outside is left out whole.
        assert!((columns - 1..=columns).contains(&taken), "{taken} of {columns}: {row}");
    }
}

#[test]
fn what_nobody_would_see_is_shown_as_its_escape() {
    let world = World::new();
    for (name, shown) in [
        ("\u{200b}", "\\u{200b}"),
        ("\u{200d}", "\\u{200d}"),
        ("\u{301}", "\\u{301}"),
        ("\u{3164}", "\\u{3164}"),
        ("fix\u{2060}er", "fix\\u{2060}er"),
        ("fix\u{200c}it", "fix\\u{200c}it"),
        ("fix\u{fe0f}up", "fix\\u{fe0f}up"),
        ("fix\u{e0041}", "fix\\u{e0041}"),
        ("two\u{2028}lines", "two\\u{2028}lines"),
        // These are seen.
        ("cafe\u{301}", "cafe\u{301}"),
        ("👩\u{200d}🔬", "👩\u{200d}🔬"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
    ] {
        world.fed("a note", &["write", name]).quietly();
        let list = world.at_terminal(80, "", &["list", "--session-glob", name]).ends(0);
        let row = list.stdout().lines().nth(1).unwrap_or_default();
        assert!(row.contains(&format!("{shown}\u{1b}[0m ")), "{shown}: {row:?}");
        let piped = world.run(&["list", "--session-glob", name]).quietly();
        assert!(piped.stdout().starts_with(&format!("{name}\t")), "{piped}");
    }
}

#[test]
fn whoever_follows_is_told_that_it_waits_and_how_that_ends() {
    let world = World::new();
    let said_where_nobody_reads_stdout = |follow: &str| {
        let program = world.command(&[]);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("\"$0\" {follow} | :")]).arg(program.get_program());
        shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.current_dir(world.root());
        World::typing(80, "", shell)
    };
    for (follow, of) in [("follow", ""), ("follow s1", " of session s1")] {
        let folder = world.store().notes_path();
        let said =
            format!("graff-notes: waiting for new notes{of} in {folder}; Ctrl-C ends it\r\n");
        assert_eq!(said_where_nobody_reads_stdout(follow).stdout(), said);
    }
}
