//! A command that stands for a model ends with the program that asked it, however that ends.

use std::{
    fs::File,
    io::Read,
    process::{Child, Stdio},
};

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, Signal, kill_process},
};

use crate::support::world::World;

const FULL: &str =
    "{\"role\":\"assistant\",\"content\":\"on it\",\"usage\":{\"input_tokens\":9000}}\n";

/// A world with a pipe that a command can be heard through as long as it runs.
fn world() -> World {
    let world = World::new();
    std::fs::write(world.root().join("s1.jsonl"), FULL).expect("a transcript");
    std::fs::write(world.root().join("PROMPT.md"), "base\n").expect("a prompt");
    let pipe = world.root().join("pipe");
    mknodat(CWD, pipe.as_str(), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    world
}

/// Starts a rollover whose command says `begun`, and `ended` when it is let to end.
fn asking(world: &World, timeout: &str) -> (Child, File) {
    let command = "command:exec 3>pipe; echo begun >&3; (sleep 20; echo ended >&3); echo late";
    let mut rollover = world.command(&["rollover", "--transcript", "s1.jsonl"]);
    rollover.args(["--system", "PROMPT.md", "--window-tokens", "10000"]);
    rollover.args(["--note-from", command, "--note-timeout-seconds", timeout]);
    let child = rollover.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut heard = File::open(world.root().join("pipe")).expect("the command opens it too");
    let mut begun = [0; 6];
    heard.read_exact(&mut begun).expect("the first words");
    assert_eq!(&begun, b"begun\n");
    (child, heard)
}

/// Hears a command until none of its processes is left.
fn rest(mut heard: File) -> String {
    let mut rest = String::new();
    heard.read_to_string(&mut rest).expect("what it says");
    rest
}

#[test]
fn a_command_ends_with_the_program_that_was_ended() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let world = world();
        let (mut child, heard) = asking(&world, "120");
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        assert_eq!(rest(heard), "", "{signal:?}");
        child.wait().expect("it has ended");
    }
}

#[test]
fn a_command_that_is_waited_for_no_longer_ends_with_all_that_it_started() {
    let world = world();
    let (mut child, heard) = asking(&world, "1");
    assert_eq!(rest(heard), "");
    assert!(child.wait().expect("it ends").success());
}
