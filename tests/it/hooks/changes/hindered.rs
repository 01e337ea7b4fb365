//! The promise: what the file system cannot do or does not allow is done in another way that loses
//! nothing, or is left, with what to do now.
//!
//! Shown under strace, which lets a call fail.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
};

use graff_notes::host::hook::Host;

use super::{
    super::{
        desk::Desk,
        installs::{home, keeps_marks},
    },
    SETTINGS, beside, desk, done, files, run, traced,
};
use crate::support::{skipped, world::Ran};

#[test]
fn a_folder_that_is_a_link_to_nowhere_is_told_at_once() {
    let (desk, settings) = desk();
    let folder = settings.parent().expect("a folder");
    fs::remove_dir_all(folder).expect("it was there");
    symlink("nowhere", folder).expect("a link");
    let ran = Ran::of(&mut run(&desk, &["install", "claude-code"])).ends(1);
    assert!(ran.stderr().contains("it is a link that leads nowhere"), "{ran}");
}

#[test]
fn settings_keep_their_owner_or_are_left_alone() {
    let (desk, settings) = desk();
    if chown(&settings, Some(4242), Some(4343)).is_err() {
        skipped("only root gives files away");
        return;
    }
    let owner = || fs::metadata(&settings).map(|it| (it.uid(), it.gid())).expect("settings");
    let strace = ["-o", "/dev/null", "-e", "inject=fchown:error=EPERM"];
    if let Some(mut ran) = traced(&desk, &strace, &["install", "claude-code"]) {
        Ran::of(&mut ran).ends(1);
        assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
    }
    for action in ["install", "remove"] {
        done(&desk, &[action, "claude-code"]);
        assert_eq!(owner(), (4242, 4343), "{action}");
    }
}

#[test]
fn where_the_system_cannot_do_it_in_one_step_or_has_no_locks_it_is_done_all_the_same() {
    for injection in ["renameat2:error=EINVAL", "renameat2:error=ENOSYS", "flock:error=ENOLCK"] {
        let (desk, settings) = desk();
        let inject = format!("inject={injection}");
        let strace = ["-o", "/dev/null", "-e", &inject];
        for action in ["install", "remove"] {
            let args = [action, "claude-code"];
            let Some(mut ran) = traced(&desk, &strace, &args) else { return };
            Ran::of(&mut ran).quietly();
        }
        assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]), "{injection}");
        let nothing = Desk::of(Host::ClaudeCode);
        for action in ["install", "remove"] {
            let Some(mut ran) = traced(&nothing, &strace, &[action, "goose"]) else { return };
            Ran::of(&mut ran).quietly();
        }
        let stays = nothing.home().join(".agents").exists();
        assert!(!stays || !keeps_marks(&nothing.home()), "{injection}");
    }
}

#[test]
fn where_no_folder_can_be_marked_none_is_taken_for_ours() {
    let desk = Desk::of(Host::ClaudeCode);
    let own = desk.home().join(".claude");
    fs::create_dir(&own).expect("the folder is made");
    let strace = ["-o", "/dev/null", "-e", "inject=setxattr,getxattr:error=EOPNOTSUPP"];
    for action in ["install", "remove"] {
        let Some(mut ran) = traced(&desk, &strace, &[action, "claude-code"]) else { return };
        Ran::of(&mut ran).quietly();
    }
    assert!(own.is_dir(), "a person's own folder goes");
    assert!(home(&desk).is_empty());
}

#[test]
fn a_group_that_may_not_be_given_is_kept_from_nobody_that_it_makes_a_difference_to() {
    for (mode, is_left_alone) in [(0o600, false), (0o644, false), (0o640, true), (0o664, true)] {
        let (desk, settings) = desk();
        if chown(&settings, None, Some(4343)).is_err() {
            return skipped("only root gives files to any group");
        }
        fs::set_permissions(&settings, Permissions::from_mode(mode)).expect("a mode");
        let strace = ["-o", "/dev/null", "-e", "inject=fchown:error=EPERM"];
        let Some(mut ran) = traced(&desk, &strace, &["install", "claude-code"]) else { return };
        let ran = Ran::of(&mut ran).ends(i32::from(is_left_alone));
        let has_hooks = beside(&settings)["settings.json"].contains("graff-notes hook");
        assert_eq!(has_hooks, !is_left_alone, "{mode:o}: {ran}");
        if is_left_alone {
            assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]), "{mode:o}");
            assert!(ran.stderr().contains("it must belong to user 0, group 4343"), "{ran}");
            assert!(ran.stderr().contains("its group one of yours (`chgrp`)"), "{ran}");
            assert!(ran.stderr().contains("put these hooks in by hand: {"), "{ran}");
        } else {
            let status = fs::metadata(&settings).expect("settings");
            assert_eq!((status.uid(), status.mode() & 0o777), (0, mode), "{mode:o}");
        }
    }
}

#[test]
fn a_full_disk_changes_nothing_and_is_told_with_what_to_do() {
    for action in ["install", "remove"] {
        let (desk, settings) = desk();
        if action == "remove" {
            done(&desk, &["install", "claude-code"]);
        }
        let before = beside(&settings);
        let strace = ["-o", "/dev/null", "-e", "inject=write:error=ENOSPC:when=1"];
        let Some(mut ran) = traced(&desk, &strace, &[action, "claude-code"]) else { return };
        let ran = Ran::of(&mut ran).ends(1);
        assert!(ran.stderr().contains("No space left on device"), "{ran}");
        assert!(ran.stderr().contains("make room on that disk and run it again, or "), "{ran}");
        assert_eq!(beside(&settings), before, "{action}");
    }
}
