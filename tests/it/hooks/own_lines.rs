//! The promise: `hooks status`, `install` and `remove` agree on a line that a person wrote: it
//! counts if it answers, it is named where it stands, and it is nobody's to take out but the
//! person's.
//!
//! Shown by the built program in a home of its own.

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::{
    desk::Desk,
    installs::{backup, desk, hooks, put, text},
};

/// A home with this line on two lines of Claude Code's settings, on the event `Stop`.
fn home_with(line: &str) -> (Desk, Utf8PathBuf, String) {
    let desk = desk();
    let handler = json!({"type": "command", "command": line});
    let settings = format!("{{\"hooks\": {{\n  \"Stop\": [{{\"hooks\": [{handler}]}}]}}}}\n");
    let path = put(&desk, ".claude/settings.json", &settings);
    (desk, path, settings)
}

#[track_caller]
fn status(desk: &Desk) -> Value {
    hooks(desk, &["status", "claude-code", "--json"]).quietly().json()
}

const MISSING: [&str; 5] =
    ["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "SessionEnd"];

#[test]
fn a_trial_is_said_to_be_one_counts_nowhere_and_stays() {
    let (desk, path, settings) = home_with("graff-notes hook claude-code --dry-run");
    let before = status(&desk);
    assert_eq!(
        (&before["installed"], &before["trials"]),
        (&json!({"state": "no"}), &json!(["Stop"]))
    );
    let shown = hooks(&desk, &["status", "claude-code"]).quietly();
    assert!(shown.stdout().contains("\tno, a trial on Stop\t"), "{shown}");

    let ran = hooks(&desk, &["install", "claude-code"]).quietly();
    let named = format!("a trial\t{path}, line 2 (Stop)\n");
    assert!(ran.stdout().contains(&named), "{ran}");
    assert!(
        ran.stdout().contains("--dry-run is a trial: it keeps nothing and doesn't count"),
        "{ran}"
    );
    assert!(text(&path).contains("\"graff-notes hook claude-code\", \"timeout\": 10}]}]"), "{ran}");
    let after = status(&desk);
    assert_eq!(
        (&after["installed"], &after["trials"]),
        (&json!({"state": "yes"}), &json!(["Stop"]))
    );

    let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly().json();
    assert_eq!(ran["trials"], json!([{"path": path, "line": 2, "event": "Stop"}]), "{ran}");
    assert!(
        ran["next"].as_str().is_some_and(|it| it.contains("stay: take them out by hand")),
        "{ran}"
    );
    assert_eq!(text(&path), settings);
    assert!(!backup(&path).exists());
    assert_eq!(status(&desk)["installed"], json!({"state": "no"}));
}

#[test]
fn a_line_of_ones_own_that_answers_counts_and_stays() {
    for line in [
        "cd x && graff-notes hook claude-code",
        "env X=y graff-notes hook claude-code",
        "sh -c 'graff-notes hook claude-code'",
        "graff-notes hook claude-code --percent 60",
    ] {
        let (desk, path, settings) = home_with(line);
        let without = json!({"state": "partly", "missing": MISSING, "narrow": []});
        assert_eq!(status(&desk)["installed"], without, "{line}");

        let ran = hooks(&desk, &["install", "claude-code"]).quietly();
        assert!(ran.stdout().contains(&format!("your line\t{path}, line 2 (Stop)\n")), "{ran}");
        assert!(ran.stdout().contains("no second one was put in"), "{ran}");
        assert_eq!(text(&path).matches("graff-notes hook").count(), 6, "{line}: {}", text(&path));
        assert_eq!(status(&desk)["installed"], json!({"state": "yes"}), "{line}");

        let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly().json();
        let own = json!([{"path": path, "line": 2, "event": "Stop"}]);
        assert_eq!((&ran["own_lines"], &ran["trials"]), (&own, &json!([])), "{line}: {ran}");
        assert_eq!(text(&path), settings, "{line}");
        assert_eq!(status(&desk)["installed"], without, "{line}");
        let again = hooks(&desk, &["remove", "claude-code"]).quietly();
        assert!(again.stdout().starts_with("as it was\t"), "{again}");
        assert!(again.stdout().contains(&format!("your line\t{path}, line 2 (Stop)\n")), "{again}");
    }
}

#[test]
fn a_line_of_ours_that_a_person_changed_is_theirs() {
    let desk = desk();
    hooks(&desk, &["install", "claude-code"]).quietly();
    let path = desk.home().join(".claude/settings.json");
    let ours = "\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"graff-notes hook claude-code";
    let changed = text(&path).replacen(ours, &format!("{ours} --percent 60"), 1);
    std::fs::write(&path, &changed).expect("written");
    let ran = hooks(&desk, &["remove", "claude-code"]).quietly();
    let left = text(&path);
    assert_eq!(left.matches("graff-notes hook").count(), 1, "{left}");
    assert!(left.contains("--percent 60"), "{left}");
    assert!(ran.stdout().contains(&format!("your line\t{path}, line 3 (Stop)\n")), "{ran}");
}

/// Settings in which two events have a line of the user's own for a part of them.
const NARROW: &str = r#"{"hooks": {
  "SessionStart": [{"matcher": "startup", "hooks": [
    {"type": "command", "command": "/usr/local/bin/graff-notes hook claude-code"}]}],
  "PreCompact": [{"matcher": "manual", "hooks": [
    {"type": "command", "command": "/usr/local/bin/graff-notes hook claude-code"}]}]
}}
"#;

#[test]
fn a_line_for_a_part_of_an_event_does_not_count_and_gets_one_for_all_of_it_beside_it() {
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", NARROW);
    let parts = json!([
        {"line": 3, "event": "SessionStart", "matcher": "startup"},
        {"line": 5, "event": "PreCompact", "matcher": "manual"},
    ]);
    assert_eq!(status(&desk)["installed"]["narrow"], parts);
    let shown = hooks(&desk, &["status", "claude-code"]).quietly();
    assert!(shown.stdout().contains("; line 3 answers SessionStart only for `startup`"), "{shown}");

    let ran = hooks(&desk, &["install", "claude-code"]).quietly();
    assert!(
        ran.stdout().contains(&format!("a part only\t{path}, line 3 (SessionStart)\n")),
        "{ran}"
    );
    assert!(!ran.stdout().contains("your line\t"), "{ran}");
    assert_eq!(text(&path).matches("\"graff-notes hook claude-code\"").count(), 6, "{ran}");
    assert_eq!(status(&desk)["installed"], json!({"state": "yes"}));
    assert!(hooks(&desk, &["install", "claude-code"]).quietly().stdout().starts_with("as it was"));

    hooks(&desk, &["remove", "claude-code"]).quietly();
    assert_eq!(text(&path), NARROW);
}

#[test]
fn a_line_that_names_a_program_which_is_not_there_is_named_where_it_stands() {
    let desk = desk();
    hooks(&desk, &["install", "claude-code"]).quietly();
    let path = desk.home().join(".claude/settings.json");
    let installed = text(&path);
    for event in ["Stop", "SessionStart"] {
        let broken: Vec<_> = installed
            .lines()
            .map(|line| {
                let is_meant = line.contains(&format!("\"{event}\""));
                let other = if is_meant { "\"/gone/graff-notes" } else { "\"graff-notes" };
                line.replace("\"graff-notes", other)
            })
            .collect();
        let at = 1 + broken.iter().position(|line| line.contains("/gone/")).expect("a line");
        std::fs::write(&path, broken.join("\n")).expect("written");
        let lost = json!([{"line": at, "event": event, "program": "/gone/graff-notes"}]);
        assert_eq!(status(&desk)["lost"], lost);
        let said = format!("line {at} names /gone/graff-notes, which cannot be run");
        let shown = hooks(&desk, &["status", "claude-code"]).ends(0);
        assert!(shown.stdout().contains(&format!("\tyes, but {said}\t")), "{shown}");
        let next = hooks(&desk, &["install", "claude-code"]).quietly();
        assert!(next.stdout().contains(&format!("In {path} {said}: mend that.")), "{next}");
    }
}
