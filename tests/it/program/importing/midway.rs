//! An import that does not come to its end: what is in is said, and each session is whole.

use std::fs::{self, File};

use graff_notes::session::SessionName;
use rustix::process::{Pid, Signal, kill_process};

use super::line;
use crate::support::{
    wait_until,
    world::{Ran, World, heeded},
};

#[test]
fn what_came_in_before_a_failure_is_said_beside_it() {
    let export = World::new();
    for session in ["s1", "s2", "s3"] {
        export.put(session, line(session, 1, "a note"));
    }
    let document = export.run(&["export", "--format", "jsonl"]).quietly();
    for json in [&[][..], &["--json"]] {
        let world = World::new();
        // A lock that is a folder keeps every writer of the second one out.
        let name = SessionName::parse("s2").expect("a name");
        fs::create_dir_all(world.store().lock_path(&name)).expect("a folder in its place");
        let ran = world.fed(document.stdout(), &[&["import", "-"], json].concat()).ends(1);
        let came = world.run(&["list"]).ends(0);
        assert_eq!(came.stdout().lines().count(), 1, "the first one came: {came}");
        assert!(ran.stdout().contains("s1") && ran.stdout().contains("added"), "{ran}");
        assert!(ran.stderr().contains("1 of 3 sessions are in"), "{ran}");
        assert!(ran.stderr().contains("lock"), "{ran}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn who_interrupts_an_import_that_fails_has_interrupted_it() {
    let export = World::new();
    export.put("s1", line("s1", 1, "a note"));
    let document = export.run(&["export", "--format", "jsonl"]).quietly();
    let world = World::new();
    fs::write(world.root().join("all"), document.stdout()).expect("a file");
    let lock = world.store().lock_path(&SessionName::parse("s1").expect("a name"));
    fs::create_dir_all(lock.parent().expect("a folder")).expect("the folder is made");
    let held = File::create(&lock).expect("a lock file");
    fs2::FileExt::lock_exclusive(&held).expect("the lock");
    let child = world.command(&["import", "all"]).spawn().expect("it starts");
    let pid = Pid::from_child(&child);
    let open = format!("/proc/{}/fd", child.id());
    let has_it_open = || {
        let fds = fs::read_dir(&open).into_iter().flatten().flatten();
        fds.map(|fd| fs::read_link(fd.path())).any(|path| path.is_ok_and(|path| path == *lock))
    };
    wait_until("it waits for the lock", has_it_open);
    let signal = heeded([Signal::INT, Signal::TERM]).next().expect("it heeds one of them");
    kill_process(pid, signal).expect("it is interrupted");
    let ran = Ran::of_child(child).ends_by(signal);
    assert!(ran.stderr().contains("interrupted: nothing is in; import again"), "{ran}");
}

#[test]
fn who_interrupts_it_is_told_how_far_it_came_and_finds_each_session_whole() {
    let world = World::new();
    let sessions = ["s1", "s2", "s3"];
    let lines: String = sessions.iter().map(|session| line(session, 1, "a note")).collect();
    let export = World::new();
    sessions
        .iter()
        .zip(lines.split_inclusive('\n'))
        .for_each(|(name, line)| export.put(name, line));
    let document = export.run(&["export", "--format", "jsonl"]).quietly();
    fs::write(world.root().join("all"), document.stdout()).expect("a file");
    // Somebody has the second one's lock for as long as the interruption takes.
    let name = SessionName::parse("s2").expect("a name");
    let lock = world.store().lock_path(&name);
    fs::create_dir_all(lock.parent().expect("a folder")).expect("the folder is made");
    let held = File::create(lock).expect("a lock file");
    fs2::FileExt::lock_exclusive(&held).expect("the lock");
    let child = world.command(&["import", "all"]).spawn().expect("it starts");
    wait_until("the first one comes in", || world.log("s1").exists());
    let signal = heeded([Signal::INT, Signal::TERM]).next().expect("it heeds one of them");
    let pid = Pid::from_child(&child);
    kill_process(pid, signal).expect("it is interrupted");
    drop(held);
    let ran = Ran::of_child(child).ends_by(signal);
    let done = ran.stdout().lines().count();
    assert!((1..=2).contains(&done), "it goes on with no other session: {ran}");
    let said = format!(
        "graff-notes: interrupted: {done} of 3 sessions are in; import again for the rest\n"
    );
    assert_eq!(ran.stderr(), said);
    let strange = |file: &String| file.contains(".repair");
    assert!(!world.files().iter().any(strange), "nothing half done: {:?}", world.files());
    assert_eq!(world.run(&["list"]).quietly().stdout().lines().count(), done);
    let again = world.run(&["import", "all"]).quietly();
    assert_eq!(again.stdout().matches("\tadded\t1\t0\n").count(), 3 - done, "{again}");
    assert_eq!(world.run(&["verify"]).ends(0).stdout().lines().count(), 3);
}
