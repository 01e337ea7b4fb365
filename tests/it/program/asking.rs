//! A command that stands for a model ends with the program that asked it, however that ends.

use std::{
    fs::File,
    io::Read,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, Signal, kill_process},
};

use crate::support::world::{Ran, World, heeded};

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
    let child = rollover.spawn().expect("it starts");
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
    for signal in heeded([Signal::HUP, Signal::INT, Signal::TERM, Signal::KILL]) {
        let world = world();
        let (child, heard) = asking(&world, "120");
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        assert_eq!(rest(heard), "", "{signal:?}");
        Ran::of_child(child).ends_by(signal);
    }
}

#[test]
fn a_signal_comes_into_effect_once_the_prompt_is_out() {
    for signal in heeded([Signal::HUP, Signal::INT, Signal::TERM]) {
        let world = world();
        let (child, _heard) = asking(&world, "120");
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        let ran = Ran::of_child(child).ends_by(signal);
        assert_eq!(ran.stdout(), "base\n", "{signal:?}: {ran}");
        assert!(
            ran.stderr().contains("  cancelled  the turn was cancelled\n"),
            "{signal:?}: {ran}"
        );
    }
}

#[test]
fn whoever_waits_for_a_reply_on_stdin_can_be_interrupted_too() {
    let world = world();
    let mut rollover = world.command(&["rollover", "--transcript", "s1.jsonl"]);
    rollover.args(["--system", "pipe", "--window-tokens", "10000", "--note-from", "stdin"]);
    let mut child = rollover.stdin(Stdio::piped()).spawn().expect("it starts");
    let _open = child.stdin.take();
    std::fs::write(world.root().join("pipe"), "base\n").expect("it reads its prompt");
    let begun = Instant::now();
    while std::fs::metadata(world.log("s1")).map_or(0, |log| log.len()) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no attempt is on record");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it is there");
    assert_eq!(Ran::of_child(child).ends_by(Signal::TERM).stdout(), "base\n");
}

#[test]
fn what_is_ignored_from_the_start_stays_so() {
    let world = world();
    let (command, timeout) = ("command:kill -s HUP $PPID; echo the note that was asked for", "120");
    let program = env!("CARGO_BIN_EXE_graff-notes");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", program, "rollover", "--window-tokens"]);
    shell.args(["10000", "--transcript", "s1.jsonl", "--system", "PROMPT.md", "--note-from"]);
    shell.args([command, "--note-timeout-seconds", timeout]).env("GRAFF_ROOT", world.root());
    shell.current_dir(world.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(&mut shell).ends(0);
    assert!(ran.stdout().contains("the note that was asked for"), "{ran}");
}

#[test]
fn a_command_that_is_waited_for_no_longer_ends_with_all_that_it_started() {
    let world = world();
    let (child, heard) = asking(&world, "1");
    assert_eq!(rest(heard), "");
    Ran::of_child(child).ends(0);
}

#[test]
fn a_generation_whose_program_was_killed_before_the_reply_is_not_asked_about_again() {
    let world = world();
    let roll = |note_from| {
        let mut rollover = world.command(&["rollover", "--transcript", "s1.jsonl", "--json"]);
        rollover.args(["--system", "PROMPT.md", "--window-tokens", "10000"]);
        rollover.args(["--note-from", note_from]).spawn().expect("it starts")
    };
    let victim = roll("command:kill -s KILL $PPID; echo the note that nobody waits for");
    assert!(Ran::of_child(victim).ends_by(Signal::KILL).stdout.is_empty());
    for _ in 0..2 {
        let answer = Ran::of_child(roll("command:touch asked; echo a second note")).ends(0).json();
        assert_eq!(answer["note"]["decision"], "already_attempted", "{answer}");
        assert_eq!(answer["prompt"], "base\n", "{answer}");
    }
    assert!(!world.root().join("asked").exists(), "a second call for one generation");
    let log = world.run(&["log", "s1", "--json"]);
    let kinds: Vec<_> = log.answers().iter().map(|record| record["kind"].clone()).collect();
    assert_eq!(kinds, ["attempt"]);
}
