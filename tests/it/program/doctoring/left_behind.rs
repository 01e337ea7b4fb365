//! What an interruption leaves of a doctor: nothing, or what the next one clears away.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    time::{Duration, SystemTime},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{command, findings};
use crate::support::{
    wait_until,
    world::{Ran, World, heeded},
};

#[test]
fn who_interrupts_it_finds_nothing_left_behind() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    let mut install = world.command(&["hooks", "install", "claude-code"]);
    Ran::of(install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
    let found = world.root().join("graff-notes");
    let called = world.root().join("called");
    fs::write(&found, format!("#!/bin/sh\n: >'{called}'\nexec sleep 600\n")).expect("a program");
    fs::set_permissions(&found, Permissions::from_mode(0o755)).expect("it can be run");
    let before = world.files();
    let path = format!("{}:/usr/bin:/bin", world.root());
    for signal in heeded([Signal::HUP, Signal::INT, Signal::TERM]) {
        let child = command(&world, &[]).env("PATH", &path).spawn().expect("it starts");
        wait_until("the hook is called", || called.exists());
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        Ran::of_child(child).ends_by(signal);
        fs::remove_file(&called).expect("it is removed");
        assert_eq!(world.files(), before);
    }
}

#[test]
fn what_one_left_behind_that_was_killed_goes_with_the_next_one() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    let folder = |pid: u32| world.log("s1").with_file_name(format!(".graff-doctor.{pid}"));
    let (dead, of_elsewhere) = (folder(u32::MAX / 2), folder(u32::MAX / 2 - 1));
    let live = folder(std::process::id());
    for (folder, minutes) in [(&dead, 61), (&of_elsewhere, 59), (&live, 61)] {
        fs::create_dir(folder).expect("a folder");
        fs::write(folder.join("payload"), "{}").expect("a file");
        let then = SystemTime::now() - Duration::from_secs(minutes * 60);
        File::open(folder).and_then(|it| it.set_modified(then)).expect("an age");
    }
    findings(&world, 0);
    assert!(!dead.exists(), "it went with its process");
    assert!(of_elsewhere.join("payload").exists(), "its process may be another machine's");
    assert!(live.join("payload").exists(), "this one is still at work");
}
