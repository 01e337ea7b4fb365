//! The program as a whole: its lines of input, and its tools.

use std::{
    io::{BufReader, Read},
    path::Path,
    sync::mpsc,
    thread,
};

use graff_notes::turn::StopReason;
use serde_json::Value;

use super::{
    agent_loop,
    world::{NOTE, World, body, flags, run, runs, says, summary, user_texts, what_for},
};
use crate::support::server::{Server, hanging};

/// A standard input on which a user types: it says when the program wants the next line, which is
/// when it has sent the last one where it belongs.
struct Typed {
    wants: mpsc::Sender<()>,
    lines: mpsc::Receiver<&'static str>,
}

impl Read for Typed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let _ = self.wants.send(());
        let Ok(line) = self.lines.recv() else { return Ok(0) };
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
fn the_program_runs_on_lines_of_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = [runs("echo hello from $PWD", 100), says("It says hello.", 9_000)];
    let server = Server::start(script);
    server.then([says(NOTE, None), says(&summary(), None)]);
    let output = run(flags(&folder, &server, 10_000, &[]), b"say hello\n");
    assert!(
        output.starts_with("It says hello.\n-- end_turn: the history was replaced"),
        "{output}"
    );
    assert!(output.contains("-- note: record 2 of generation 0 is on disk\n"), "{output}");
    let result = &server.requests()[1]["messages"][3]["content"];
    let scratch = folder.path().canonicalize().expect("it is there");
    assert_eq!(*result, format!("hello from {}\n", scratch.display()));
}

#[test]
fn a_line_that_comes_while_a_turn_runs_is_a_steer_and_the_model_sees_it_in_this_turn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (first, hangs) = hanging();
    let server = Server::start([first, says("b.rs it is", 20)]);
    let flags = flags(&folder, &server, 10_000, &[]);
    let (wants, wanted) = mpsc::channel();
    let (keyboard, lines) = mpsc::channel();
    let program = thread::spawn(move || {
        let (input, mut output) = (BufReader::new(Typed { wants, lines }), Vec::new());
        agent_loop::run(flags.into_iter(), input, &mut output).expect("it runs");
        String::from_utf8(output).expect("UTF-8")
    });
    keyboard.send("mend it\n").expect("it reads");
    hangs.wait();
    keyboard.send("use b.rs\n").expect("it reads on");
    for _ in 0..3 {
        wanted.recv().expect("a line is wanted"); // the third time, both were sent on
    }
    let (status, call) = body(runs("true", 10));
    hangs.release(status, call);
    drop(keyboard);
    let output = program.join().expect("no panic");
    assert_eq!(output.matches("-- end_turn").count(), 1, "one turn: {output}");
    let requests = server.requests();
    assert_eq!(requests.iter().map(what_for).collect::<Vec<_>>(), ["turn", "turn"]);
    assert_eq!(user_texts(&requests[1]), ["mend it", "use b.rs"]);
}

#[test]
fn a_line_that_is_no_utf_8_ends_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start([says("one", 10), says("two", 10)]);
    let output = run(flags(&folder, &server, 10_000, &[]), b"caf\xe9\r\n");
    assert!(output.starts_with("one\n"), "{output}");
    let prompt = &server.requests()[0]["messages"][1]["content"];
    assert_eq!(*prompt, "caf\u{fffd}");
}

#[test]
fn a_prompt_that_is_cancelled_in_the_same_breath_is_cancelled() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (answer, hangs) = hanging();
        let server = Server::start([answer]);
        let output = run(flags(&folder, &server, 10_000, &[]), b"go\n/cancel\n");
        assert!(output.starts_with("-- cancelled: "), "{output}");
        drop(hangs);
    }
}

/// Runs one command, and returns what the model is told of it.
#[track_caller]
fn told_of(command: &str) -> String {
    let mut world = World::new(100_000, [runs(command, 10), says("done", 20)]);
    let _ended = world.turn("go");
    let messages = world.last()["messages"].as_array().cloned().expect("messages");
    let result = messages.iter().find(|message| message["role"] == "tool").expect("a result");
    result["content"].as_str().expect("a text").to_owned()
}

#[test]
fn a_command_ends_with_what_it_started_and_its_output_is_told() {
    assert_eq!(told_of("sleep 70 & echo started"), "started\n");
    assert_eq!(told_of("echo out; echo err >&2; exit 3"), "out\nerr\n\n[exit status 3]");
    assert!(told_of("if then").contains("yntax error"), "the shell's own words");
    let large = told_of("head -c 70000 /dev/zero | tr '\\0' x");
    assert_eq!(large.len(), 65_536 + "\n[4464 bytes more]".len());
    assert!(large.ends_with("\n[4464 bytes more]"));
}

#[test]
fn a_command_that_runs_is_cancelled_at_once() {
    let mut world = World::new(100_000, [runs("touch began; exec >&-; sleep 70", 10)]);
    let (canceller, began) = (world.agent.canceller(), world.folder.path().join("began"));
    let (ended, ()) = world.turn_while("go", move |_| {
        while !began.exists() {
            thread::yield_now();
        }
        canceller.cancel();
    });
    assert_eq!(ended.stop, StopReason::Cancelled);
}

#[test]
fn only_a_regular_file_is_read_and_no_more_of_it_than_is_told() {
    let reads = |make: &dyn Fn(&Path)| -> Value {
        let call = super::world::calls("read_file", &serde_json::json!({ "path": "it" }), 10);
        let mut world = World::new(100_000, [call, says("done", 20)]);
        make(&world.folder.path().join("it"));
        let _ended = world.turn("go");
        world.last()["messages"][3]["content"].clone()
    };
    let large = reads(&|path| std::fs::write(path, "x".repeat(70_000)).expect("written"));
    assert!(large.as_str().is_some_and(|text| text.ends_with("\n[4464 bytes more]")));
    #[cfg(unix)]
    {
        let fifo = reads(&|path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo runs").success());
        });
        assert_eq!(fifo, "error: it is no regular file");
    }
}
