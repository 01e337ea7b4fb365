//! Something is tried, and cleared away, only in a folder of the store to which no link leads, that
//! belongs to the user who runs, and where nobody else may write. Everywhere else it is said what
//! was not tried, and never that it is well.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, chown, symlink},
};

use camino::Utf8Path;
use graff_notes::host::hook::Host;
use serde_json::Value;

use super::{PATH, agents::put_program, command, finding, hooks::of_installed};
use crate::support::{
    found::put_script,
    skipped,
    world::{Ran, World},
};

/// Another user.
const THEIRS: u32 = 65534;

/// A store with a note.
fn stored() -> World {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    world
}

/// Makes a folder that a doctor seems to have left behind, with a file that somebody needs.
fn needed(folder: &Utf8Path) {
    let left = folder.join(format!(".graff-doctor.{}", u32::MAX / 2));
    fs::create_dir_all(&left).expect("a folder");
    fs::write(left.join(".gitignore"), "*\n").expect("a file");
    fs::write(left.join("needed"), "").expect("a file");
}

/// What is found while an agent is in PATH, and whether that was asked for anything.
fn found(world: &World) -> (Vec<Value>, bool) {
    let bin = World::new();
    put_program(bin.root(), "claude", &format!(": >'{}/asked'; echo 1.0", bin.root()));
    let mut doctor = command(world, &["--json"]);
    let ran = Ran::of(doctor.env("PATH", format!("{}:{PATH}", bin.root())));
    (ran.answers(), bin.root().join("asked").exists())
}

/// Looks for what a check that was not made says, under which status and with what to do.
#[track_caller]
fn assert_untried(world: &World, status: &str, why: &str, advice: &str) {
    let (found, was_asked) = found(world);
    let sync = finding(&found, "sync");
    let detail = format!("not tried, nor are lock and agents: {why}");
    assert_eq!([&sync["status"], &sync["detail"], &sync["advice"]], [status, &detail, advice]);
    assert!(!found.iter().any(|it| it["check"] == "lock" || it["check"] == "agents"), "{found:?}");
    assert!(!was_asked, "nobody is at work in a folder that we don't make");
}

#[test]
fn nothing_is_made_removed_or_advised_behind_a_link_and_it_is_told() {
    for below in [".graff", ".graff/notes"] {
        let (world, victim) = (World::new(), World::new());
        needed(victim.root());
        needed(&victim.root().join("notes"));
        fs::set_permissions(victim.root(), Permissions::from_mode(0o755)).expect("a mode");
        let link = world.root().join(below);
        fs::create_dir_all(link.parent().expect("a folder")).expect("the folder");
        symlink(victim.root(), &link).expect("a link");
        let before = victim.files();
        let advice = format!("remove the link {link}: no note goes through it");
        assert_untried(&world, "failure", &format!("{below} is a symbolic link"), &advice);
        assert_eq!(victim.files(), before, "{below}");
        let (found, _) = found(&world);
        let acts = |it: &Value| {
            let advice = it["advice"].as_str().unwrap_or_default();
            ["chmod", "echo", "mkdir"].iter().any(|act| advice.contains(act))
        };
        assert!(!found.iter().any(acts), "{found:?}");
        let place = world.run(&["where"]).ends(0);
        let no = format!("exists\tno: {below} is a symbolic link\n");
        assert!(place.stdout().ends_with(&no), "{place}");
    }
}

#[test]
fn a_link_in_the_place_of_what_was_left_behind_stays_with_all_behind_it() {
    let (world, victim) = (stored(), World::new());
    needed(victim.root());
    let left = victim.root().join(format!(".graff-doctor.{}", u32::MAX / 2));
    let link = world.root().join(format!(".graff/notes/.graff-doctor.{}", u32::MAX / 2));
    symlink(&left, &link).expect("a link");
    let inner = world.root().join(format!(".graff-doctor.{}", u32::MAX / 2));
    needed(world.root());
    symlink(&left, inner.join("link")).expect("a link");
    found(&world);
    assert!(left.join("needed").exists());
    assert!(link.is_symlink());
    assert!(!inner.exists(), "what was left goes, and the link in it alone");
}

#[test]
fn where_a_link_stands_for_the_file_that_ignores_nobody_is_told_to_write_through_it() {
    let world = stored();
    let ignore = world.root().join(".graff/notes/.gitignore");
    fs::remove_file(&ignore).expect("it is there");
    symlink(world.root().join("victim"), &ignore).expect("a link");
    let (found, _) = found(&world);
    let told = finding(&found, ".gitignore");
    assert_eq!(told["detail"], "it is a symbolic link");
    assert_eq!(told["advice"], format!("remove the link {ignore}"));
    assert_eq!(finding(&found, "modes")["status"], "ok", "a link has no rights");
}

#[test]
fn nothing_is_made_in_another_users_store_or_project() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can act in another user's project");
    }
    let (world, empty) = (stored(), World::new());
    needed(&world.root().join(".graff/notes"));
    for world in [&world, &empty] {
        for path in world.files().into_iter().chain([String::new()]) {
            chown(world.root().join(path), Some(THEIRS), Some(THEIRS)).expect("root may");
        }
        let before = world.files();
        let why =
            format!("{} belongs to uid {THEIRS}", world.root().canonicalize_utf8().expect("it"));
        assert_untried(world, "warning", &why, &format!("run doctor as that user, {THEIRS}"));
        assert_eq!(world.files(), before);
    }
    for path in ["", ".graff", ".graff/notes"] {
        chown(world.root().join(path), Some(0), Some(0)).expect("root may");
    }
    assert_eq!(finding(&found(&world).0, "sync")["status"], "ok", "it is ours now");
}

#[test]
fn nothing_is_made_where_others_may_write() {
    for (path, mode) in [("", 0o777), (".graff", 0o1777), (".graff/notes", 0o702)] {
        let world = stored();
        let folder = world.root().canonicalize_utf8().expect("it is there").join(path);
        fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
        let folder = folder.as_str().trim_end_matches('/');
        let why = format!("others than its owner may write to {folder}");
        assert_untried(&world, "warning", &why, &format!("chmod go-w '{folder}'"));
    }
}

#[test]
fn a_note_that_stands_behind_a_link_did_not_come_back() {
    let (world, bin) = (World::new(), World::new());
    let program = env!("CARGO_BIN_EXE_graff-notes");
    let elsewhere = bin.root().join("elsewhere");
    let moved = format!(
        "#!/bin/sh\n'{program}' \"$@\"; f=$GOOSE_MOIM_MESSAGE_FILE; mv \"$f\" '{elsewhere}'; \
         ln -s '{elsewhere}' \"$f\"\n"
    );
    put_script(bin.root(), &moved);
    let path = format!("{}:{PATH}", bin.root());
    let finding = of_installed(&world, Host::Goose, &path);
    assert!(elsewhere.exists(), "the note was there: {finding}");
    let detail = finding["detail"].as_str().expect("words");
    assert!(detail.ends_with("was called, and did not give the note back"), "{finding}");
}
