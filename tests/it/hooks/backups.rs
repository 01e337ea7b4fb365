//! The promise: what a person had in a file, and what differs from ours there, stays beside it once
//! it is changed, and each text is told for what it is.
//!
//! Shown by the built program in a home of its own.

use std::fs;

use serde_json::json;

use super::installs::{SETTINGS, backup, desk, hooks, put, text};

#[test]
fn what_a_killed_run_had_taken_out_is_rescued_under_a_name_that_no_run_takes_for_a_copy() {
    let of_model = |model: &str| SETTINGS.replace("opus", model);
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", SETTINGS);
    let left = |model: &str| {
        put(&desk, ".claude/settings.json.graff-notes-swap.1", &of_model(model));
    };
    let first = format!("{path}.rescued-by-graff-notes");
    let second = format!("{first}.2");

    hooks(&desk, &["install", "claude-code"]).quietly();
    fs::write(&path, text(&path).replace("opus", "fable")).expect("written");
    left("sonnet");
    let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly().json();
    assert_eq!(text(first.as_str().into()), of_model("sonnet"));
    assert_eq!(ran["rescued"], json!([first]), "{ran}");
    assert_eq!((&ran["backups"], &ran["older_backups"]), (&json!([backup(&path)]), &json!([])));

    left("haiku");
    let ran = hooks(&desk, &["install", "claude-code"]).quietly();
    assert!(ran.stdout().contains(&format!("rescued\t{second}\n")), "{ran}");
    let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly().json();
    assert_eq!((&ran["backups"], &ran["rescued"]), (&json!([]), &json!([])), "{ran}");
    assert_eq!(ran["older_backups"], json!([backup(&path)]), "{ran}");
    assert_eq!(text(second.as_str().into()), of_model("haiku"));
}

#[test]
fn a_file_that_was_made_from_nothing_goes_though_a_copy_of_an_earlier_one_stays() {
    let desk = desk();
    let path = desk.home().join(".claude/settings.json");
    hooks(&desk, &["install", "claude-code"]).quietly();
    let edited = text(&path).replacen("\"timeout\": 10", "\"timeout\": 30", 1);
    fs::write(&path, &edited).expect("written");
    for _ in 0..2 {
        hooks(&desk, &["remove", "claude-code"]).quietly();
        assert!(!path.exists(), "{}", text(&path));
        assert_eq!(text(&backup(&path)), edited);
        hooks(&desk, &["install", "claude-code"]).quietly();
    }
}
