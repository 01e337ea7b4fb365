//! The file system is named by the number that the kernel gives it, and one that promises less than
//! a disk in this machine is warned of.

use std::process::Command;

use super::{command, finding, findings};
use crate::support::{
    skipped,
    world::{Ran, World},
};

#[path = "../../../../src/bin/graff-notes/command/doctor/file_systems.rs"]
mod known;

use known::FileSystem;

/// Numbers that the kernel gives file systems, and what those are called here: `stat` has other
/// names for some, and for others none at all, as it is older or newer.
const LOCAL: [(i64, &str); 10] = [
    (0xef53, "ext2/ext3/ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0x2fc1_2fc1, "zfs"),
    (0xca45_1a4e, "bcachefs"),
    (0xf2f5_2010, "f2fs"),
    (0x3153_464a, "jfs"),
    (0x5265_4973, "reiserfs"),
    (0xf15f, "ecryptfs"),
    (0x794c_7630, "overlayfs"),
];

/// The same of those that are warned of.
const WEAK: [(i64, &str); 7] = [
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x0102_1997, "9p"),
    (0x0102_1994, "tmpfs"),
    (0x6573_5546, "fuse"),
];

#[test]
fn each_is_known_by_its_number() {
    for (number, name) in LOCAL {
        assert_eq!(FileSystem::of(number), FileSystem::Local { name }, "{number:#x}");
    }
    for (number, called) in WEAK {
        let FileSystem::Weak { name, .. } = FileSystem::of(number) else {
            panic!("{called} promises less than a disk here");
        };
        assert_eq!(name, called, "{number:#x}");
    }
    assert_eq!(FileSystem::of(0x1234), FileSystem::Unknown);
}

#[test]
fn the_one_that_the_notes_are_on_is_told() {
    let world = World::new();
    let stat = Command::new("stat").args(["-f", "-c", "%t", world.root().as_str()]).output();
    let Ok(stat) = stat else { return skipped("there is no `stat`") };
    let number = String::from_utf8(stat.stdout).expect("UTF-8");
    let told = match FileSystem::of(i64::from_str_radix(number.trim(), 16).expect("a number")) {
        FileSystem::Local { name } => format!("local: {name}"),
        FileSystem::Weak { name, why } => format!("{name}: {why}"),
        FileSystem::Unknown => format!("of a kind not known here, 0x{}", number.trim()),
    };
    let found = findings(&world, 0);
    assert_eq!(finding(&found, "file system")["detail"], told);
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
