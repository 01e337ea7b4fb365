//! Where no thread and no process can be started, that is said in words.

use std::{
    fs,
    os::unix::{fs::chown, process::CommandExt},
    process::{Command, Output, Stdio},
};

use super::agents::put_program;
use crate::support::{skipped, world::World};

/// A user of whom nothing else is at work.
const NOBODY: u32 = 65533;

/// Runs the program as a user who may start nothing; `None` where that cannot be had here.
fn alone(world: &World, args: &[&str]) -> Option<Output> {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can run it as a user who may start nothing");
        return None;
    }
    // Where it was built other users may not come.
    let program = world.root().join("graff-notes");
    fs::copy(env!("CARGO_BIN_EXE_graff-notes"), &program).expect("a copy");
    chown(world.root(), Some(NOBODY), Some(NOBODY)).expect("root may");
    // The plainest shells know no such limit.
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", "ulimit -u 0 && exec \"$0\" \"$@\"", program.as_str()]);
    shell.args(args).uid(NOBODY).gid(NOBODY).current_dir(world.root()).stdin(Stdio::null());
    shell.env("GRAFF_ROOT", world.root()).env("HOME", world.root()).env("PATH", world.root());
    let ran = shell.output().ok().filter(|it| !matches!(it.status.code(), Some(126 | 127)));
    if ran.is_none() {
        skipped("there is no bash, or another user cannot run the program here");
    }
    ran
}

#[test]
fn follow_says_that_it_can_have_no_thread() {
    let Some(told) = alone(&World::new(), &["follow"]) else { return };
    let stderr = String::from_utf8(told.stderr).expect("UTF-8");
    assert_eq!(told.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("could not start a thread to watch "), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// The prompt comes out, and the attempt has come to what there was.
#[test]
fn a_rollover_says_that_it_can_wait_for_no_reply() {
    for (source, why) in [
        ("stdin", "stdin cannot be read: "),
        ("command:echo a note that nobody hears", "`echo ***` cannot be started: "),
    ] {
        let world = World::new();
        let full = "{\"role\":\"assistant\",\"content\":\"a\",\"usage\":{\"input_tokens\":9000}}\n";
        fs::write(world.root().join("s1.jsonl"), full).expect("a transcript");
        fs::write(world.root().join("PROMPT.md"), "base\n").expect("a prompt");
        let mut args = vec!["rollover", "--transcript", "s1.jsonl", "--system", "PROMPT.md"];
        args.extend(["--window-tokens", "10000", "--note-from", source]);
        let Some(told) = alone(&world, &args) else { return };
        let [stdout, stderr] =
            [told.stdout, told.stderr].map(|it| String::from_utf8(it).expect("UTF-8"));
        assert_eq!((told.status.code(), &*stdout), (Some(0), "base\n"), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
}

/// What other threads would do, the one that there is does, and in the same order.
#[test]
fn many_sessions_are_gone_through_by_one_thread() {
    let world = World::new();
    for at in 0..500 {
        let session = format!("s{at}");
        let record = format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"note {at}\"}}\n");
        world.put(&session, record.repeat(20));
    }
    for args in [&["verify"][..], &["list", "--time", "iso"], &["search", "note 49"], &["stats"]] {
        let by_many = world.run(args).quietly();
        let Some(told) = alone(&world, args) else { return };
        assert_eq!(told.status.code(), Some(0), "{args:?}: {told:?}");
        assert_eq!(String::from_utf8(told.stderr).as_deref(), Ok(""), "{args:?}");
        assert!(told.stdout == by_many.stdout, "{args:?}: another answer");
    }
}

#[test]
fn doctor_makes_its_checks_one_after_the_other() {
    let world = World::new();
    put_program(world.root(), "goose", "echo 1.0");
    let Some(told) = alone(&world, &["doctor"]) else { return };
    let [stdout, stderr] =
        [told.stdout, told.stderr].map(|it| String::from_utf8(it).expect("UTF-8"));
    assert_eq!(told.status.code(), Some(1), "no second process can be had: {stdout}");
    assert!(stdout.contains("sync\tok\t"), "{stdout}");
    assert!(stdout.contains("\tgoose: `goose --version` cannot be run: "), "{stdout}");
    assert!(stdout.contains("\tclaude-code: no folder in PATH has `claude`"), "{stdout}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}
