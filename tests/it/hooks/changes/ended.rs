//! The promise: whoever ends a run of ours at whatever step, and whether by a signal or a loss of
//! power: the settings are as they were or as they should be, and the next run clears up.
//!
//! Shown under strace, which ends a run at each of its steps, and by the order of its steps.

use std::fs;

use camino::Utf8Path;

use super::{super::installs::home, SETTINGS, beside, desk, done, files, installed, traced};
use crate::support::world::Ran;

/// The calls by which a run changes anything.
const STEPS: [&str; 7] = ["flock", "fchmod", "write", "fsync", "renameat2", "unlink", "rmdir"];

#[test]
fn a_run_that_is_ended_at_any_step_costs_nothing_and_the_next_one_clears_up() {
    let installed = installed();
    let before = files(&[("settings.json", SETTINGS)]);
    let both = [("settings.json", &*installed), ("settings.json.before-graff-notes", SETTINGS)];
    let after = files(&both);
    let mut kills = 0;
    for (action, begin, end) in [("install", &before, &after), ("remove", &after, &before)] {
        for step in STEPS {
            for at in 1.. {
                let (desk, settings) = desk();
                if action == "remove" {
                    done(&desk, &["install", "claude-code"]);
                }
                assert_eq!(&beside(&settings), begin);
                let kill = format!("inject={step}:signal=SIGKILL:when={at}");
                let args = ["-o", "/dev/null", "-e", &kill];
                let Some(mut ran) = traced(&desk, &args, &[action, "claude-code"]) else { return };
                if ran.output().expect("it starts").status.success() {
                    break;
                }
                kills += 1;
                let said = format!("{action}, ended at {step} {at}");
                let found = beside(&settings);
                let text = &found["settings.json"];
                assert!(text == SETTINGS || *text == installed, "{said}: {text}");
                let backup = found.get("settings.json.before-graff-notes");
                assert!(backup.is_none_or(|text| text == SETTINGS), "{said}: {backup:?}");
                assert!(*text == SETTINGS || backup.is_some(), "{said}: no way back");
                done(&desk, &[action, "claude-code"]);
                assert_eq!(&beside(&settings), end, "{said}");
            }
        }
    }
    assert!(kills > 15, "{kills} steps are not all of them");
}

#[test]
fn a_removal_of_a_whole_file_that_is_ended_at_any_step_is_ended_by_the_next() {
    for host in ["claude-code", "goose"] {
        for step in STEPS {
            for at in 1.. {
                let (desk, settings) = desk();
                fs::remove_file(&settings).expect("they were there");
                done(&desk, &["install", host]);
                let kill = format!("inject={step}:signal=SIGKILL:when={at}");
                let args = ["-o", "/dev/null", "-e", &kill];
                let Some(mut ran) = traced(&desk, &args, &["remove", host]) else { return };
                if ran.output().expect("it starts").status.success() {
                    break;
                }
                done(&desk, &["remove", host]);
                let left = home(&desk);
                assert!(left.is_empty(), "{host}, {step} {at}: {left:?}");
            }
        }
    }
}

#[test]
fn a_text_is_on_disk_before_it_has_a_name_and_the_name_before_anything_builds_on_it() {
    let (desk, settings) = desk();
    for (action, expected) in [
        (
            "install",
            &[
                "fsync draft",
                "renameat2 draft backup",
                "fsync folder",
                "fsync draft",
                "renameat2 draft swap",
                "renameat2 swap settings",
                "unlink swap",
                "fsync folder",
            ][..],
        ),
        (
            "remove",
            &[
                "fsync draft",
                "renameat2 draft swap",
                "renameat2 swap settings",
                "unlink swap",
                "fsync folder",
                "unlink backup",
            ],
        ),
    ] {
        let out = desk.path().join("trace");
        let strace =
            ["-y", "-o", out.as_str(), "-e", "trace=fsync,fdatasync,renameat2,rename,unlink"];
        let Some(mut ran) = traced(&desk, &strace, &[action, "claude-code"]) else { return };
        Ran::of(&mut ran).quietly();
        let trace = fs::read_to_string(&out).expect("a trace");
        let calls: Vec<_> = trace.lines().filter_map(|line| call(line, &settings)).collect();
        assert_eq!(calls, expected, "{action}: {trace}");
    }
}

/// What a line of strace says is done to which files beside the settings.
fn call(line: &str, settings: &Utf8Path) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let (name, arguments) = rest.trim_start().split_once('(')?;
    let folder = settings.parent().expect("a folder").as_str();
    let on =
        arguments.split(['<', '>', '"']).filter(|it| it.starts_with(folder)).map(|path| match path
            .strip_prefix(settings.as_str())
        {
            Some("") => " settings",
            Some(".before-graff-notes") => " backup",
            Some(draft) if draft.starts_with(".graff-notes-new.") => " draft",
            Some(swap) if swap.starts_with(".graff-notes-swap.") => " swap",
            _ if path == folder => " folder",
            _ => " something else",
        });
    let said = on.fold(name.to_owned(), |said, on| said + on);
    Some(said).filter(|said| said != name) // that was elsewhere
}

#[test]
fn a_copy_that_may_not_be_there_after_a_loss_of_power_is_withdrawn_and_nothing_changed() {
    let (desk, settings) = desk();
    // The first is that of the text, the second that of the folder.
    let strace = ["-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=2"];
    let Some(mut ran) = traced(&desk, &strace, &["install", "claude-code"]) else { return };
    let ran = Ran::of(&mut ran).ends(1);
    assert!(ran.stderr().contains("could not sync the folder"), "{ran}");
    assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
}
