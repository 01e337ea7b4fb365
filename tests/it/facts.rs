//! Promise: what a host knows of a session makes a note that names itself mechanical, keeps to its
//! cap, and gives every kind of fact its place. Shown on one session, word for word; then at every
//! cap, and over sampled facts.

use graff_notes::{
    facts::{Command, Facts, FileAction, Outcome, TodoItem, TodoState, TouchedFile},
    note::NoteCap,
    units::Bytes,
};
use proptest::prelude::*;

const HEADINGS: [&str; 5] = [
    "Last user request:",
    "Open to-do items:",
    "Last commands, newest first:",
    "Files touched, newest first:",
    "Last statement of the agent:",
];

#[test]
fn a_note_says_what_is_known_the_most_important_first_and_the_newest_first() {
    let expected = "\
Mechanical note: made by a program from the record of the session, not written by the agent.

Last user request:
- now document add in README.md

Open to-do items:
- in progress: write docs
- pending: release

Last commands, newest first:
- still running: make serve
- denied: Write /opt/outside.txt
- timed out: sleep 5
- exit 1: ./test.sh
- failed: Edit calc.py
- worked: cat calc.py
- outcome unknown: git push

Files touched, newest first:
- deleted: old.py
- edited, then read: calc.py
- written: CHANGES.md
- read: README.md

Last statement of the agent:
- done: add is fixed";
    assert_eq!(note(&a_session(), NoteCap::DEFAULT), expected);
}

#[test]
fn facts_that_say_nothing_make_no_note() {
    let mut facts = Facts::new();
    facts.set_request("  \n");
    facts.set_statement("");
    facts.set_todos([todo(" ", TodoState::Pending)]);
    assert_eq!(facts.mechanical_note(NoteCap::DEFAULT), None);
}

#[test]
fn every_cap_is_kept_and_every_note_is_labelled() {
    let facts = a_long_session();
    let whole = NoteCap::new(NoteCap::BYTES_MAX).unwrap();
    let whole = facts.mechanical_note(whole).unwrap();
    assert_eq!(whole.cut, Bytes::ZERO);
    for bytes in (NoteCap::BYTES_MIN..700).chain((700..6_000).step_by(53)) {
        let fitted = facts.mechanical_note(NoteCap::new(bytes).unwrap()).unwrap();
        let text = fitted.text.as_str();
        assert!(text.len() <= bytes, "{} bytes at a cap of {bytes}", text.len());
        assert!(text.starts_with("Mechanical note:"), "{text:?} at a cap of {bytes}");
        let cut = whole.text.as_str().len() - text.len();
        assert_eq!(fitted.cut, Bytes::new(cut as u64), "at a cap of {bytes}");
    }
}

#[test]
fn a_note_uses_the_room_that_its_cap_gives() {
    for bytes in [500, 1_000, 2_000, 4_000] {
        let text = note(&a_long_session(), NoteCap::new(bytes).unwrap());
        assert!(text.len() > bytes - 60, "{} of {bytes} bytes: {text}", text.len());
    }
}

#[test]
fn no_fact_is_so_long_that_another_kind_loses_its_place() {
    let text = note(&a_long_session(), NoteCap::DEFAULT);
    for heading in HEADINGS {
        assert!(text.contains(heading), "no {heading} in {text}");
    }
    for (kind, least) in [("exit 1: ", 18), ("edited: ", 18), ("pending: ", 18)] {
        let lines = text.lines().filter(|line| line.contains(kind)).count();
        assert!(lines >= least, "{lines} lines of {kind:?} in {text}");
    }
}

#[test]
fn the_least_important_sections_give_way_first() {
    let facts = a_session();
    let mut shown_before = 0;
    for bytes in NoteCap::BYTES_MIN..=1_000 {
        let text = note(&facts, NoteCap::new(bytes).unwrap());
        let shown = HEADINGS.iter().take_while(|heading| text.contains(**heading)).count();
        let all = HEADINGS.iter().filter(|heading| text.contains(**heading)).count();
        assert_eq!(shown, all, "a section stands without the one before it: {text}");
        // The long label takes the room of a section once, when it first fits beside another.
        assert!(shown + 1 >= shown_before, "{shown} sections after {shown_before} at {bytes}");
        shown_before = shown_before.max(shown);
    }
    assert_eq!(shown_before, HEADINGS.len());
}

#[test]
fn the_oldest_commands_are_left_out_first() {
    let mut facts = Facts::new();
    for n in 0..10 {
        facts.run(&format!("command {n} {}", "x".repeat(100)), Outcome::Worked);
    }
    let text = note(&facts, NoteCap::new(300).unwrap());
    assert!(text.contains("command 9") && !text.contains("command 0"), "{text}");
}

#[test]
fn a_path_keeps_its_end_and_a_command_its_start() {
    let mut facts = Facts::new();
    facts.touch(&format!("/{}last.rs", "deep/".repeat(100)), FileAction::Read);
    facts.run(&format!("first {}", "word ".repeat(100)), Outcome::Worked);
    let text = note(&facts, NoteCap::new(300).unwrap());
    assert!(text.contains("\n- worked: first word") && text.contains("word…\n"), "{text}");
    assert!(text.contains("\n- read: …") && text.ends_with("/last.rs"), "{text}");
}

#[test]
fn each_fact_is_one_line_with_its_control_characters_escaped() {
    let mut facts = Facts::new();
    facts.run("printf 'a\tb'\r\n\u{1b}[31m\0 \u{2028}\u{85}", Outcome::Worked);
    let text = note(&facts, NoteCap::DEFAULT);
    let line = r"- worked: printf 'a\tb'\r\n\u{1b}[31m\u{0} \u{2028}\u{85}";
    // Spaces and separators at the end are trimmed: the last two do not survive.
    assert!(text.ends_with(line.strip_suffix(r" \u{2028}\u{85}").unwrap()), "{text}");
    facts.run("a\u{2028}b\u{85}c", Outcome::Worked);
    assert!(note(&facts, NoteCap::DEFAULT).contains(r"worked: a\u{2028}b\u{85}c"));
}

#[test]
fn a_command_is_settled_by_its_name_until_newer_ones_push_it_out() {
    let mut facts = Facts::new();
    let first = facts.run("first", Outcome::Running);
    let second = facts.run("second", Outcome::Running);
    facts.settle(first, Outcome::Worked);
    facts.settle(second, Outcome::Failed { exit: Some(2) });
    let known: Vec<_> = facts.commands().cloned().collect();
    let second = Command { text: "second".to_owned(), outcome: Outcome::Failed { exit: Some(2) } };
    let first_ended = Command { text: "first".to_owned(), outcome: Outcome::Worked };
    assert_eq!(known, [second, first_ended]);

    for n in 0..Facts::COMMANDS_MAX {
        facts.run(&format!("later {n}"), Outcome::Unknown);
    }
    facts.settle(first, Outcome::Denied);
    assert!(facts.commands().all(|command| command.outcome == Outcome::Unknown));
    assert_eq!(facts.commands().count(), Facts::COMMANDS_MAX);
}

#[test]
fn a_command_of_other_facts_settles_nothing() {
    let mut others = Facts::new();
    let strange = (0..5).map(|_| others.run("x", Outcome::Running)).last().unwrap();
    let mut facts = Facts::new();
    facts.settle(strange, Outcome::Worked);
    assert_eq!(facts.commands().count(), 0);
}

#[test]
fn a_file_stands_once_with_its_last_action_and_the_change_before_a_mere_reading() {
    let mut facts = Facts::new();
    let touches = [
        ("a", FileAction::Read),
        ("b", FileAction::Written),
        ("a", FileAction::Edited),
        ("b", FileAction::Read),
        ("b", FileAction::Read),
        ("c", FileAction::Edited),
        ("c", FileAction::Deleted),
    ];
    for (path, action) in touches {
        facts.touch(path, action);
    }
    let file = |path: &str, action, changed| TouchedFile { path: path.to_owned(), action, changed };
    let expected = [
        file("c", FileAction::Deleted, None),
        file("b", FileAction::Read, Some(FileAction::Written)),
        file("a", FileAction::Edited, None),
    ];
    assert_eq!(facts.files().cloned().collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_kept_is_bounded_whatever_is_recorded() {
    let long = "é".repeat(100_000);
    let mut facts = Facts::new();
    facts.set_request(&long);
    facts.set_statement(&long);
    facts.set_todos((0..1_000).map(|_| todo(&long, TodoState::Pending)));
    for n in 0..1_000 {
        facts.run(&long, Outcome::Worked);
        facts.touch(&format!("{long}{n}"), FileAction::Read);
    }
    let texts = [facts.request().unwrap(), facts.statement().unwrap()];
    assert!(texts.iter().all(|text| text.len() == Facts::TEXT_BYTES_MAX));
    assert_eq!(facts.todos().len(), Facts::TODOS_MAX);
    assert_eq!(facts.commands().count(), Facts::COMMANDS_MAX);
    assert_eq!(facts.files().count(), Facts::FILES_MAX);
    let items = facts.todos().iter().map(|item| &item.text);
    let items = items.chain(facts.commands().map(|command| &command.text));
    for item in items.chain(facts.files().map(|file| &file.path)) {
        assert!(item.len() <= Facts::ITEM_BYTES_MAX);
    }
}

proptest! {
    #[test]
    fn any_facts_make_a_labelled_note_within_any_cap(
        request in "(?s).{0,80}",
        commands in prop::collection::vec(("(?s).{0,60}", any::<i64>()), 0..25),
        paths in prop::collection::vec("(?s).{0,60}", 0..45),
        bytes in NoteCap::BYTES_MIN..3_000,
    ) {
        let mut facts = Facts::new();
        facts.set_request(&request);
        for (text, exit) in &commands {
            facts.run(text, Outcome::Failed { exit: Some(*exit) });
        }
        for path in &paths {
            facts.touch(path, FileAction::Edited);
        }
        let cap = NoteCap::new(bytes).unwrap();
        let made = facts.mechanical_note(cap);
        prop_assert_eq!(&made, &facts.clone().mechanical_note(cap), "the same facts, the same note");
        if let Some(fitted) = made {
            let text = fitted.text.as_str();
            prop_assert!(text.len() <= bytes);
            prop_assert!(text.starts_with("Mechanical note:"));
            prop_assert!(!text.chars().any(|c| c != '\n' && c.is_control()));
            let known = |line: &str| {
                line.is_empty() || line.starts_with("- ") || HEADINGS.contains(&line)
            };
            prop_assert!(text.lines().skip(1).all(known), "a fact on more than one line: {}", text);
        }
    }
}

fn a_session() -> Facts {
    let mut facts = Facts::new();
    facts.set_request("fix the failing test");
    facts.set_request("now document add in README.md\n");
    facts.set_statement("done: add is fixed");
    facts.set_todos([
        todo("write docs", TodoState::InProgress),
        todo("release", TodoState::Pending),
    ]);
    facts.touch("README.md", FileAction::Read);
    facts.touch("CHANGES.md", FileAction::Written);
    facts.touch("calc.py", FileAction::Edited);
    facts.touch("calc.py", FileAction::Read);
    facts.touch("old.py", FileAction::Deleted);
    facts.run("git push", Outcome::Unknown);
    facts.run("cat calc.py", Outcome::Worked);
    facts.run("Edit calc.py", Outcome::Failed { exit: None });
    facts.run("./test.sh", Outcome::Failed { exit: Some(1) });
    facts.run("sleep 5", Outcome::TimedOut);
    facts.run("Write /opt/outside.txt", Outcome::Denied);
    facts.run("make serve", Outcome::Running);
    facts
}

/// Every kind of fact at its greatest number, each of them long.
fn a_long_session() -> Facts {
    let mut facts = Facts::new();
    facts.set_request(&"please ".repeat(500));
    facts.set_statement(&"I did. ".repeat(500));
    facts.set_todos((0..40).map(|n| todo(&format!("item {n} ä").repeat(20), TodoState::Pending)));
    for n in 0..20 {
        facts.run(&format!("command {n} ").repeat(30), Outcome::Failed { exit: Some(1) });
    }
    for n in 0..40 {
        facts.touch(&format!("a/long/path/ö/{}{n}.rs", "x/".repeat(40)), FileAction::Edited);
    }
    facts
}

fn todo(text: &str, state: TodoState) -> TodoItem {
    TodoItem { text: text.to_owned(), state }
}

/// The note that the facts make, empty where they make none.
fn note(facts: &Facts, cap: NoteCap) -> String {
    let fitted = facts.mechanical_note(cap);
    fitted.map(|fitted| fitted.text.as_str().to_owned()).unwrap_or_default()
}
