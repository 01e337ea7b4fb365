//! The file system is named by the number that the kernel gives it, and one that promises less than
//! a disk in this machine is warned of.

use std::process::Command;

use super::{command, finding, findings};
use crate::support::{
    skipped,
    world::{Ran, World},
};

/// Numbers that the kernel gives file systems, as `stat` shows them, and what is told of them: of
/// those that tests mostly run on.
const LOCAL: [(&str, &str); 4] = [
    ("ef53", "local: ext2/ext3/ext4"),
    ("58465342", "local: xfs"),
    ("9123683e", "local: btrfs"),
    ("794c7630", "local: overlayfs"),
];

#[test]
fn the_one_that_the_notes_are_on_is_told() {
    let world = World::new();
    let stat = Command::new("stat").args(["-f", "-c", "%t", world.root().as_str()]).output();
    let Ok(stat) = stat else { return skipped("there is no `stat`") };
    let number = String::from_utf8(stat.stdout).expect("UTF-8");
    let Some((_, told)) = LOCAL.iter().find(|(local, _)| *local == number.trim()) else {
        return skipped("the tests run on a file system of another kind");
    };
    let found = findings(&world, 0);
    assert_eq!(finding(&found, "file system")["detail"], *told);
}

#[test]
fn one_that_a_restart_empties_is_warned_of() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return skipped("there is no /dev/shm to write to");
    };
    let stat = Command::new("stat").args(["-f", "-c", "%t", "/dev/shm"]).output();
    if !stat.is_ok_and(|stat| stat.stdout == b"1021994\n") {
        return skipped("/dev/shm is on no tmpfs");
    }
    let world = World::new();
    let mut doctor = command(&world, &["--json"]);
    let found = Ran::of(doctor.arg("--root").arg(folder.path())).ends(0).answers();
    let told = finding(&found, "file system");
    assert_eq!(told["status"], "warning", "{told}");
    assert_eq!(told["detail"], "tmpfs: a restart of the machine empties it");
    assert_eq!(told["advice"], "keep notes that matter on a local disk");
}
