//! The promise: whatever a host leaves of a hook's stdin, stdout and stderr, the hook ends well.
//!
//! Shown by pipes that are held open, full or closed, and by what a shell can do to them.

use std::{
    fs,
    io::{self, PipeReader, PipeWriter, Read, Write},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use graff_notes::host::hook::Host;
use rustix::fs::{OFlags, fcntl_setfl};
use serde_json::json;

use super::{super::desk::Desk, asking, desk, ends, ends_by_itself};
use crate::support::{found::in_time, skipped, wait_until, world::Ran};

/// When a hook gives up.
const GIVES_UP: Duration = Duration::from_millis(1800);

#[test]
fn an_input_that_is_held_open_is_not_waited_for() {
    for host in Host::ALL {
        let desk = desk(host);
        let ran = ends_by_itself(|| desk.start(&asking(&desk), &[])).quietly();
        assert_eq!(ran.stdout().contains("a note of s1"), host != Host::Goose, "{host}: {ran}");
    }
}

#[test]
fn an_object_that_never_ends_is_given_up_within_two_seconds() {
    for host in Host::ALL {
        let desk = desk(host);
        let ran = ends(|| desk.start(b"{\"session_id\":\"s1\",\"hook_event_name\":\"Stop", &[]));
        assert_eq!(ran.stdout(), "", "{host}");
        assert!(ran.stderr().contains("gave up after 1.8 seconds"), "{host}: {ran}");
    }
}

#[test]
fn a_stderr_that_nobody_reads_is_not_waited_for() {
    let desk = desk(Host::ClaudeCode);
    for payload in [&b"{\"session_id\":\"s1\",\"hook_event_name\":\"Stop"[..], b"[1]\n"] {
        let (_unread, stderr) = full_pipe();
        let ran = ends(|| {
            let mut command = desk.command(&["hook", "claude-code"]);
            let stderr = stderr.try_clone().expect("a pipe");
            let mut child = command.stderr(stderr).spawn().expect("the program starts");
            let _ = child.stdin.as_mut().expect("a pipe").write_all(payload);
            child
        });
        assert_eq!(ran.stdout(), "", "{}", payload.escape_ascii());
    }
}

#[test]
fn nor_is_it_while_the_command_line_and_the_settings_are_read() {
    let desk = desk(Host::ClaudeCode);
    let settings = desk.project().join(".graff/config.toml");
    std::fs::write(settings, "percent = 200\n").expect("written");
    for args in [&["hook", "claude-code"][..], &["hook", "nobody"]] {
        let (_unread, stderr) = full_pipe();
        let ran = ends(|| {
            let mut command = desk.command(args);
            command.current_dir(desk.project()).stderr(stderr.try_clone().expect("a pipe"));
            command.spawn().expect("the program starts")
        });
        assert_eq!(ran.stdout(), "", "{args:?}");
    }
}

/// A pipe that takes nothing more, with the end that nobody reads.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (ours, theirs) = io::pipe().expect("a pipe");
    fcntl_setfl(&theirs, OFlags::NONBLOCK).expect("flags");
    for piece in [&[b'x'; 4096][..], b"x"] {
        while rustix::io::write(&theirs, piece).is_ok() {}
    }
    fcntl_setfl(&theirs, OFlags::empty()).expect("flags");
    (ours, theirs)
}

#[test]
fn a_closed_stdout_is_no_reason_to_fail_and_the_note_counts_as_not_given() {
    for host in Host::ALL {
        let desk = desk(host);
        let mut command = desk.command(&["hook", host.as_str()]);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut child = command.stdout(Stdio::from(writer)).spawn().expect("the program starts");
        let written = child.stdin.take().expect("a pipe").write_all(&asking(&desk));
        written.expect("it reads");
        let ran = Ran::of_child(child).ends(0);
        assert!(!ran.stderr().contains("panick"), "{ran}");
        let next = desk.fed(asking(&desk));
        assert_eq!(next.stdout().contains("a note of s1"), host != Host::Goose, "{host}: {next}");
    }
}

#[test]
fn a_stdout_that_takes_nothing_at_this_moment_gets_the_answer_when_it_does() {
    if !Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .status()
        .is_ok_and(|it| it.success())
    {
        return skipped("strace is not to be had, or may not trace here");
    }
    let (ran, said) = in_time(|| {
        let (ran, said) = answers_into_a_full_pipe();
        (!ran.gave_up()).then_some((ran, said))
    });
    assert!(String::from_utf8_lossy(&said).contains("a note of s1"), "{ran}");
}

/// Calls a hook whose stdout is full, and is read from once that has been felt.
fn answers_into_a_full_pipe() -> (Ran, Vec<u8>) {
    let desk = desk(Host::ClaudeCode);
    let (mut reader, writer) = full_pipe();
    fcntl_setfl(&writer, OFlags::NONBLOCK).expect("flags");
    let trace = desk.path().join("trace");
    let hook = desk.command(&["hook", "claude-code"]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=write", "-o", trace.as_str()]);
    command.arg(hook.get_program()).args(hook.get_args()).current_dir(desk.path()).env_clear();
    command.env("HOME", desk.home()).env("PATH", "/usr/bin:/bin").stderr(Stdio::piped());
    command.stdin(Stdio::piped()).stdout(Stdio::from(writer));
    let mut child = command.spawn().expect("strace starts");
    drop(command); // and with it our end of the pipe
    child.stdin.take().expect("a pipe").write_all(&asking(&desk)).expect("it reads");
    let is_refused = |trace: String| trace.contains("EAGAIN");
    wait_until("the pipe is full, or it gave up", || {
        fs::read_to_string(&trace).is_ok_and(is_refused)
            || child.try_wait().expect("a child").is_some()
    });
    let mut said = Vec::new();
    reader.read_to_end(&mut said).expect("all of it");
    (Ran::of_child(child).ends(0), said)
}

/// What a shell makes of the hook's own folder, stdin and stdout before it starts.
#[test]
fn whatever_the_host_leaves_of_stdin_stdout_and_the_folder_the_hook_ends_well() {
    for (made, said) in [
        ("rmdir \"$PWD\"; HOOK", true),
        ("HOOK 2>&-", true),
        ("HOOK <&-", false),
        ("HOOK </", false),
        ("HOOK >&-", false),
        ("HOOK >&- 2>&-", false),
        ("HOOK >/dev/full", false),
        ("HOOK >/dev/full 2>/dev/full", false),
    ] {
        let (desk, ran) = in_time(|| {
            let (desk, begun) = (desk(Host::ClaudeCode), Instant::now());
            let mut child = left(&desk, made);
            let stdin = child.stdin.take();
            let ran = Ran::of_child(child).ends(0);
            // It may have no stderr to say that it gave up.
            let is_in_time = begun.elapsed() < GIVES_UP;
            drop(stdin);
            is_in_time.then_some((desk, ran))
        });
        assert_eq!(ran.stdout().contains("a note of s1"), said, "{made}: {ran}");
        assert!(!ran.stderr().contains("panick"), "{made}: {ran}");
        if made.contains("/dev/full") {
            let next = desk.prompt("s1", "go on").expect("the note, which nobody has got yet");
            assert!(next.contains("a note of s1"), "{made}: {next}");
        }
    }
}

/// Starts a hook from a shell, by a command that has `HOOK` in it.
fn left(desk: &Desk, made: &str) -> Child {
    let folder = desk.path().join("for-a-while");
    fs::create_dir(&folder).expect("a folder");
    let hook = format!("exec {} hook claude-code", env!("CARGO_BIN_EXE_graff-notes"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &made.replace("HOOK", &hook)]).current_dir(folder).env_clear();
    shell.env("HOME", desk.home()).env("PATH", "/usr/bin:/bin").stdin(Stdio::piped());
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh");
    let payload = desk.payload("s1", "SessionStart", json!({"source": "startup"}));
    // Whose stdin is closed reads nothing.
    let _ = child.stdin.as_mut().expect("a pipe").write_all(payload.to_string().as_bytes());
    child
}
