//! The promise: what a person had in a file, and what differs from ours there, stays beside it once
//! it is changed, and each text is told for what it is.
//!
//! Shown by the built program in a home of its own.

use std::{fs, os::unix::fs::symlink};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::Host;
use serde_json::json;

use super::installs::{FILES, SETTINGS, backup, desk, home, hooks, put, text};

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

#[test]
fn a_copy_that_a_removal_makes_is_told_though_the_settings_are_again_as_they_were() {
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", SETTINGS);
    hooks(&desk, &["install", "claude-code"]).quietly();
    let changed = text(&path).replacen("\"timeout\": 10", "\"timeout\": 30", 1);
    fs::write(&path, &changed).expect("written");
    let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly();
    assert_eq!(text(&path), SETTINGS);
    assert!(!backup(&path).exists(), "it is back where it was");
    let copy = format!("{}.2", backup(&path));
    assert_eq!(text(Utf8Path::new(&copy)), changed, "the timeout is nowhere else");
    assert_eq!(ran.json()["backups"], json!([copy]), "{ran}");
}

#[test]
fn of_several_copies_the_newest_is_told_and_which_are_older() {
    let of_model = |model: &str| SETTINGS.replace("opus", model);
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", SETTINGS);
    let copy = |number: u32| match number {
        1 => backup(&path),
        number => Utf8PathBuf::from(format!("{}.{number}", backup(&path))),
    };
    hooks(&desk, &["install", "claude-code"]).quietly();
    for model in ["sonnet", "haiku"] {
        fs::write(&path, of_model(model)).expect("written");
        hooks(&desk, &["install", "claude-code"]).quietly();
    }
    let with_hooks = text(&path);
    fs::write(&path, with_hooks.replace("haiku", "fable")).expect("written");
    let ran = hooks(&desk, &["remove", "claude-code"]).quietly();
    assert_eq!(text(&path), of_model("fable"));
    for (what, number) in [("older copy", 1), ("older copy", 2), ("before that", 3)] {
        assert!(ran.stdout().contains(&format!("{what}\t{}\n", copy(number))), "{ran}");
    }
    assert!(ran.stdout().ends_with(" look into them before you delete any.\n"), "{ran}");

    // A number that has become free is taken again: the newest is the one that was made last.
    fs::remove_file(copy(1)).expect("it is there");
    hooks(&desk, &["install", "claude-code"]).quietly();
    fs::write(&path, text(&path).replace("fable", "opus")).expect("written");
    let ran = hooks(&desk, &["remove", "claude-code", "--json"]).quietly().json();
    assert_eq!(ran["backups"], json!([copy(1)]), "{ran}");
    assert_eq!(ran["older_backups"], json!([copy(2), copy(3)]), "{ran}");
}

#[test]
fn a_run_that_changes_nothing_leaves_no_copy() {
    let (theirs, mut refused) = (SETTINGS.replace("opus", "sonnet"), 0);
    for (host, name) in FILES {
        for action in ["install", "remove"] {
            let desk = desk();
            let path = desk.home().join(name);
            hooks(&desk, &["install", host.as_str()]).quietly();
            // Something of the person's is in it that a copy has to keep, and no name is free for
            // the text that takes its place.
            let edited = match (action, host) {
                ("install", Host::ClaudeCode | Host::Codex | Host::Gemini) => theirs.clone(),
                _ => text(&path).replacen("\"timeout\": 10", "\"timeout\": 30", 1) + "\n ",
            };
            fs::write(&path, edited).expect("written");
            for number in 1..=100 {
                let taken = format!("{path}.graff-notes-swap.{number}");
                fs::create_dir(taken).expect("the folder is made");
            }
            let before = home(&desk);
            let ran = hooks(&desk, &[action, host.as_str()]).ends(1);
            assert!(ran.stderr().contains("100 files that other runs left"), "{host}: {ran}");
            assert_eq!(home(&desk), before, "{host}, {action}");
            refused += 1;
        }
    }
    assert_eq!(refused, 10);
}

#[test]
fn a_plugin_that_was_edited_is_replaced_or_removed_only_beside_a_copy() {
    for (host, name) in &FILES[3..] {
        for action in ["install", "remove"] {
            let desk = desk();
            hooks(&desk, &["install", host.as_str()]).quietly();
            let path = desk.home().join(name);
            let edited = text(&path) + "\n ";
            fs::write(&path, &edited).expect("written");
            let ran = hooks(&desk, &[action, host.as_str()]).quietly();
            assert!(ran.stdout().contains(&format!("before that\t{}", backup(&path))), "{ran}");
            assert_eq!(text(&backup(&path)), edited, "{host}, {action}");
            assert_eq!(path.exists(), action == "install", "{host}");
        }
    }
}

#[test]
fn what_has_the_name_of_the_kept_text_already_is_neither_written_to_nor_removed() {
    for (host, name) in &FILES[..3] {
        let desk = desk();
        let path = put(&desk, name, SETTINGS);
        let victim = put(&desk, "victim", "precious");
        symlink(&victim, backup(&path)).expect("a link");
        for ours in ["new.1", "swap.1"] {
            symlink(&victim, format!("{path}.graff-notes-{ours}")).expect("a link");
        }
        hooks(&desk, &["install", host.as_str()]).quietly();
        assert_ne!(text(&path), SETTINGS, "{host}");
        hooks(&desk, &["remove", host.as_str()]).quietly();
        assert_eq!((text(&path), text(&victim)), (SETTINGS.to_owned(), "precious".to_owned()));

        fs::remove_file(backup(&path)).expect("the link is there");
        fs::write(backup(&path), "precious").expect("written");
        let ran = hooks(&desk, &["install", host.as_str()]).quietly();
        let second = format!("{}.2", backup(&path));
        assert!(ran.stdout().contains(&format!("before that\t{second}")), "{ran}");
        assert_eq!(text(Utf8Path::new(&second)), SETTINGS, "beside what has the name");
        hooks(&desk, &["remove", host.as_str()]).quietly();
        assert!(!Utf8Path::new(&second).exists(), "{host}: it is back where it was");
        assert_eq!((text(&path), text(&backup(&path))), (SETTINGS.to_owned(), "precious".into()));
    }
}
