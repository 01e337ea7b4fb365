//! What an interruption leaves of a doctor: nothing, or what the next one clears away.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    time::{Duration, SystemTime},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{PATH, command, finding, findings};
use crate::support::{
    found::put_script,
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
fn what_one_leaves_behind_that_is_killed_is_never_committed_and_goes_with_the_next_one() {
    let world = World::new();
    let mut install = world.command(&["hooks", "install", "claude-code"]);
    Ran::of(install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
    let called = world.root().join("called");
    put_script(
        world.root(),
        &format!(
            "#!/bin/sh\necho $$ >'{called}.new'; mv '{called}.new' '{called}'; exec sleep 60\n"
        ),
    );
    let path = format!("{}:/usr/bin:/bin", world.root());
    // At first there is no store yet, and then there is.
    for _ in 0..2 {
        let before = world.files();
        let child = command(&world, &[]).env("PATH", &path).spawn().expect("it starts");
        wait_until("the hook is called", || called.exists());
        kill_process(Pid::from_child(&child), Signal::KILL).expect("it is there");
        Ran::of_child(child).ends_by(Signal::KILL);
        let hook = fs::read_to_string(&called).expect("a file").trim().parse().expect("a number");
        kill_process(Pid::from_raw(hook).expect("a process"), Signal::KILL).expect("it is there");
        fs::remove_file(&called).expect("it is removed");
        let left = world.files();
        let left: Vec<_> = left.iter().filter(|path| !before.contains(path)).collect();
        let ignores = left.iter().find(|path| path.ends_with("/.gitignore"));
        let ignores = ignores.unwrap_or_else(|| panic!("{left:?}"));
        assert_eq!(fs::read_to_string(world.root().join(ignores)).expect("a file"), "*\n");
        let folder = ignores.strip_suffix("/.gitignore").expect("a folder");
        assert!(left.iter().all(|path| path.starts_with(folder)), "{left:?}");
        world.run(&["write", "s1", "--text", "a note"]).ends(0);
        findings(&world, 1);
        assert!(!world.root().join(folder).exists(), "the store is elsewhere now, and it went");
    }
}

/// A folder that a doctor may have left behind.
struct Left {
    why: &'static str,
    number: u32,
    /// Whether the file is in it that comes first, and whether somebody has it locked.
    first: Option<Lock>,
    minutes: u64,
    stays: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Free,
    Held,
}

#[test]
fn what_is_left_goes_once_nobody_is_at_work_in_it() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "a note"]).ends(0);
    let (gone, here) = (u32::MAX / 2, std::process::id());
    let left = |why, number, first, minutes, stays| Left { why, number, first, minutes, stays };
    let table = [
        left("it went with its process", gone, Some(Lock::Free), 0, false),
        left("its process may be another machine's", gone - 1, Some(Lock::Held), 61, true),
        left("this one is still at work", here, Some(Lock::Free), 61, true),
        left("it may be about to begin elsewhere", gone - 2, None, 59, true),
        left("nobody begins for so long", gone - 3, None, 61, false),
    ];
    let notes = world.log("s1").parent().expect("a folder").to_owned();
    for place in [&notes, &world.root().join(".graff"), &world.root().to_owned()] {
        let folder = |left: &Left| place.join(format!(".graff-doctor.{}", left.number));
        let mut held = Vec::new();
        for left in &table {
            let folder = folder(left);
            fs::create_dir(&folder).expect("a folder");
            fs::write(folder.join("payload"), "{}").expect("a file");
            if let Some(lock) = left.first {
                let first = File::create(folder.join(".gitignore")).expect("a file");
                if lock == Lock::Held {
                    first.lock().expect("a lock");
                    held.push(first);
                }
            }
            let then = SystemTime::now() - Duration::from_secs(left.minutes * 60);
            File::open(folder).and_then(|it| it.set_modified(then)).expect("an age");
        }
        findings(&world, 0);
        for left in &table {
            assert_eq!(folder(left).join("payload").exists(), left.stays, "{}, {place}", left.why);
            let _ = fs::remove_dir_all(folder(left));
        }
    }
}

#[test]
fn one_whose_number_an_earlier_one_had_is_not_kept_from_its_work() {
    let world = World::new();
    let program = env!("CARGO_BIN_EXE_graff-notes");
    let left = "mkdir .graff-doctor.$$ && : >.graff-doctor.$$/.gitignore";
    let script = format!("{left} && exec '{program}' doctor --json");
    let mut shell = world.typed(world.root(), &script);
    shell.env("PATH", PATH).env_remove("CODEX_HOME");
    let found = Ran::of(&mut shell).ends(0).answers();
    assert_eq!(finding(&found, "lock")["status"], "ok", "{found:?}");
    assert!(world.files().is_empty(), "{:?}", world.files());
}
