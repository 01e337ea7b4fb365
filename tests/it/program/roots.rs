//! Which folder is the root, and why: flag, environment, nearest store or repository, current one.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
};

use serde_json::{Value, json};

use crate::support::{
    skipped,
    world::{Ran, World},
};

/// Runs `where` in a folder below the world, without a root in the environment.
#[track_caller]
fn where_in(world: &World, folder: &str, args: &[&str]) -> Ran {
    let folder = world.root().join(folder);
    fs::create_dir_all(&folder).expect("the folder is made");
    let mut command = world.command(&[&["where", "--json"], args].concat());
    Ran::of(command.current_dir(folder).env_remove("GRAFF_ROOT"))
}

#[track_caller]
fn is(ran: &Ran, root: &str, because: &str) {
    let answer = ran.json();
    assert_eq!(answer["root"].as_str(), Some(root), "{ran}");
    assert_eq!(answer["because"].as_str(), Some(because), "{ran}");
}

#[test]
fn the_flag_comes_before_the_environment_and_that_before_any_folder() {
    let world = World::new();
    fs::create_dir_all(world.root().join("flag")).expect("a folder");
    fs::create_dir_all(world.root().join(".git")).expect("a folder");
    is(&world.run(&["where", "--json", "--root", "flag"]).quietly(), "flag", "flag");
    let root = world.root().to_string();
    is(&world.run(&["where", "--json"]).quietly(), &root, "environment");
    is(&where_in(&world, "a/b", &[]).quietly(), &root, "git");
    let mut empty = world.command(&["where", "--json"]);
    is(&Ran::of(empty.env("GRAFF_ROOT", "")).quietly(), &root, "git");
}

#[test]
fn the_nearest_folder_with_a_store_or_a_repository_counts() {
    let world = World::new();
    let root = world.root().canonicalize_utf8().expect("a path");
    for made in ["outer/.git", "outer/mid/.graff", "outer/mid/inner/deep"] {
        fs::create_dir_all(root.join(made)).expect("a folder");
    }
    let mid = root.join("outer/mid");
    is(&where_in(&world, "outer/mid/inner/deep", &[]).quietly(), mid.as_str(), "graff");
    is(&where_in(&world, "outer/other", &[]).quietly(), root.join("outer").as_str(), "git");
    let inner = mid.join("inner");
    fs::write(inner.join(".git"), "gitdir: elsewhere").expect("a work tree's file");
    is(&where_in(&world, "outer/mid/inner/deep", &[]).quietly(), inner.as_str(), "git");
}

/// F110.
#[test]
fn notes_are_found_from_every_folder_below() {
    let world = World::new();
    fs::create_dir_all(world.root().join(".git")).expect("a folder");
    fs::create_dir_all(world.root().join("a/b")).expect("a folder");
    let below = |args: &[&str]| {
        let mut command = world.command(args);
        Ran::of(command.current_dir(world.root().join("a/b")).env_remove("GRAFF_ROOT")).quietly()
    };
    below(&["write", "s1", "--text", "from below"]);
    assert_eq!(below(&["show", "s1"]).stdout(), "from below");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "from below");
    world.run(&["write", "s1", "--text", "from above"]).quietly();
    assert_eq!(below(&["show", "s1"]).stdout(), "from above");
    assert_eq!(below(&["log", "s1", "--json"]).answers().len(), 2, "one log");
    let stores =
        world.files().iter().filter(|file| file.split('/').next_back() == Some(".graff")).count();
    assert_eq!(stores, 1, "one store");
}

#[test]
fn where_tells_whether_the_store_is_there_and_makes_nothing() {
    let world = World::new();
    let root = world.root();
    let answer = |exists| {
        json!({"root": root, "because": "environment", "notes": root.join(".graff/notes"),
               "exists": exists, "reason": null, "skipped": []})
    };
    assert_eq!(world.run(&["where", "--json"]).quietly().json(), answer(false));
    assert_eq!(world.files(), [""; 0]);
    world.put("s1", "");
    assert_eq!(world.run(&["where", "--json"]).quietly().json(), answer(true));
    let rows = format!(
        "root\t{root}\nbecause\tGRAFF_ROOT names it\nnotes\t{root}/.graff/notes\nexists\tyes\n"
    );
    assert_eq!(world.run(&["where"]).quietly().stdout(), rows);
}

#[test]
fn where_says_so_where_it_cannot_know_whether_the_store_is_there() {
    let world = World::new();
    let root = world.root();
    let graff = root.join(".graff");
    let told = |exists: &Value, reason: &str, words: &str| {
        let answer = world.run(&["where", "--json"]).quietly().json();
        assert_eq!(&answer["exists"], exists, "{answer}");
        assert!(answer["reason"].as_str().is_some_and(|said| said.contains(reason)), "{answer}");
        let rows = world.run(&["where"]).quietly();
        assert!(rows.stdout().contains(&format!("exists\t{words}: {reason}")), "{rows}");
    };
    symlink(&graff, &graff).expect("a link to itself");
    told(&Value::Bool(false), ".graff is a symbolic link", "no");
    fs::remove_file(&graff).expect("it goes");
    fs::write(&graff, "").expect("a file");
    told(&Value::Bool(false), &format!("{graff} is no folder"), "no");
    fs::remove_file(&graff).expect("it goes");
    fs::create_dir(&graff).expect("a folder");
    fs::write(graff.join("notes"), "").expect("a file");
    told(&Value::Bool(false), "it is no folder", "no");
    if !rustix::process::geteuid().is_root() {
        fs::set_permissions(&graff, Permissions::from_mode(0o000)).expect("shut");
        told(&Value::Null, "Permission denied", "unknown");
        fs::set_permissions(&graff, Permissions::from_mode(0o700)).expect("open again");
    }
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let world = World::new();
    fs::write(world.root().join("file"), "").expect("a file");
    for (root, why) in [("file", "it is no folder"), ("not-there", "it is not there")] {
        let ran = world.run(&["list", "--root", root]).ends(2);
        assert_eq!(
            ran.stderr(),
            format!(
                "graff-notes: could not use {root:?} as the root, which --root names: {why}\n  \
                 name a folder that is there\n"
            )
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_that_takes_no_folder_is_not_said_to_be_missing() {
    let ran = World::new().run(&["write", "s1", "--text", "a note", "--root", "/proc"]).ends(2);
    assert!(ran.stderr().contains("could not create the folder /proc/.graff: "), "{ran}");
    assert!(ran.stderr().contains("the root is there, but no folder can be made in it"), "{ran}");
}

#[test]
fn a_path_has_one_slash_behind_the_root_however_that_is_written() {
    let world = World::new();
    fs::create_dir(world.root().join("below")).expect("a folder");
    let notes = "below/.graff/notes/s1.notes.jsonl";
    for root in ["below", "below/", "below//"] {
        let ran = world.run(&["write", "s1", "--text", root, "--root", root]).quietly();
        assert_eq!(ran.stderr(), "");
        fs::write(world.root().join(notes), "junk\n").expect("a damaged log");
        let answer = world.run(&["verify", "s1", "--json", "--root", root]).ends(5).json();
        assert_eq!(answer["path"].as_str(), Some(notes), "{root}");
        fs::remove_dir_all(world.root().join("below/.graff")).expect("it goes");
    }
    let answer = world.run(&["log", "no-such-session", "--root", "/"]).ends(3);
    assert!(answer.stderr().contains("it has no log in /.graff/notes\n"), "{answer}");
}

#[test]
fn a_store_of_another_user_is_passed_over_and_that_is_said() {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can give a folder away");
        return;
    }
    let world = World::new();
    let root = world.root().canonicalize_utf8().expect("a path");
    let foreign = root.join("mid/.graff");
    fs::create_dir_all(root.join(".graff")).expect("a folder");
    fs::create_dir_all(&foreign).expect("a folder");
    chown(&foreign, Some(65_534), None).expect("given away");
    let ran = where_in(&world, "mid/inner", &[]).ends(0);
    is(&ran, root.as_str(), "graff");
    let skipped = json!([{"path": foreign, "owner": 65_534}]);
    assert_eq!(ran.json()["skipped"], skipped);
    let said = format!("passed over {foreign}: it belongs to another user, 65534");
    assert_eq!(ran.said("warning")["message"], json!(said));
    is(&where_in(&world, "mid", &["--root", "."]).quietly(), ".", "flag");
}

#[test]
fn root_finds_what_it_wrote_in_a_project_of_another_user() {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can give a folder away");
        return;
    }
    let world = World::new();
    let project = world.root().canonicalize_utf8().expect("a path").join("project");
    fs::create_dir_all(project.join(".git")).expect("a folder");
    fs::create_dir_all(project.join("inner")).expect("a folder");
    chown(&project, Some(65_534), None).expect("given away");

    let mut write = world.command(&["write", "s1", "--text", "one"]);
    Ran::of(write.current_dir(&project).env_remove("GRAFF_ROOT")).quietly();
    let graff = fs::metadata(project.join(".graff")).expect("a store");
    assert_eq!(graff.uid(), 65_534, "root leaves it to the project's owner");
    is(&where_in(&world, "project/inner", &[]).quietly(), project.as_str(), "graff");
}
