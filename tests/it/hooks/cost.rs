//! The promise: a hook reads as much of a transcript as it needs, so that nobody waits longer at
//! the end of a long session than at the end of a short one.
//!
//! Shown by the bytes that each hook read, as the kernel counts them; times say nothing on a busy
//! machine. `cargo bench` has the times.

use std::{
    fs::{self, File},
    io::{self, Write},
};

use graff_notes::host::hook::Host;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde_json::{Value, json};

use super::{
    desk::Desk,
    script::{
        Said::{Agent, Compacted, Tool, User},
        lines,
    },
};
use crate::support::{found::in_time, skipped, world::Ran};

const MB: usize = 1_000_000;

/// What a hook reads besides the transcript, in bytes: libraries, its payload, the log.
const BESIDES: u64 = 64 * 1024;

/// The end that is read first, in bytes.
const END: u64 = 64 * 1024;

/// A session whose transcript has at least so many bytes, and whose last request is far from the
/// limit.
fn desk(host: Host, bytes: usize) -> Desk {
    let desk = Desk::of(host);
    continued(&desk, bytes);
    desk
}

/// Adds so many bytes of a session's turns to its transcript.
fn continued(desk: &Desk, bytes: usize) {
    let output = "test result: ok. 7 passed\n".repeat(200);
    let turn = lines(desk.host, &[User("go on"), Tool(&output), Agent("done", 9_000)]);
    let mut file = File::options().create(true).append(true).open(desk.transcript("s1"));
    let written =
        file.as_mut().map(|it| it.write_all(turn.repeat(bytes.div_ceil(turn.len())).as_bytes()));
    written.expect("a file").expect("written");
}

/// How many bytes the hook of an event read; `None` where the system doesn't count.
///
#[track_caller]
fn read_by(desk: &Desk, event: &str, more: &Value) -> Option<u64> {
    let (counted, ran) = in_time(|| {
        let (counted, ran) = call(desk, &desk.payload("s1", event, more.clone()));
        (!ran.gave_up()).then_some((counted, ran))
    });
    ran.quietly();
    counted
        .inspect_err(|e| skipped(&format!("this system doesn't count what a process reads: {e}")))
        .ok()
}

/// Calls a hook and returns how many bytes it read, where the system counts, and what it came to.
#[track_caller]
fn call(desk: &Desk, payload: &Value) -> (io::Result<u64>, Ran) {
    let mut hook = desk.start(payload.to_string().as_bytes(), &[]);
    drop(hook.stdin.take());
    let pid = Pid::from_child(&hook);
    // It has ended, as a hook does by itself, and is still there to be looked at.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let ended = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), look));
    ended.expect("a child of this test that nobody has waited for");
    let counted = read_so_far(pid);
    (counted, Ran::of_child(hook).ends(0))
}

fn read_so_far(pid: Pid) -> io::Result<u64> {
    let counts = fs::read_to_string(format!("/proc/{}/io", pid.as_raw_nonzero()))?;
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok());
    read.ok_or_else(|| io::Error::other(counts))
}

#[test]
fn the_end_of_a_turn_reads_the_end_of_a_transcript_of_any_length() {
    for (host, event) in
        [(Host::ClaudeCode, "Stop"), (Host::Codex, "Stop"), (Host::Gemini, "AfterAgent")]
    {
        let read = |bytes| read_by(&desk(host, bytes), event, &json!({"stop_hook_active": false}));
        let (Some(short), Some(long)) = (read(MB), read(50 * MB)) else { return };
        assert!(long < END + BESIDES, "{host}: {long} bytes");
        assert!(long.abs_diff(short) < 1_024, "{host}: {short} of 1 MB, {long} of 50 MB");
    }
}

#[test]
fn a_session_without_a_note_is_not_looked_through_for_one() {
    for event in ["SessionStart", "UserPromptSubmit", "PostToolUse"] {
        let desk = desk(Host::ClaudeCode, 50 * MB);
        let Some(read) = read_by(&desk, event, &json!({"source": "resume"})) else { return };
        assert!(read < BESIDES, "{event}: {read} bytes");
    }
}

#[test]
fn compactions_that_were_counted_are_not_counted_again() {
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let desk = Desk::of(host);
        desk.says("s1", &[User("begin"), Agent("done", 9_000), Compacted("a summary")]);
        continued(&desk, 10 * MB);
        desk.writes("s1", "the cap is off by one");
        desk.prompt("s1", "go on").expect("the note");
        desk.says("s1", &[User("go on"), Agent("done", 9_000)]);
        let event = if host == Host::Gemini { "BeforeAgent" } else { "UserPromptSubmit" };
        let Some(read) = read_by(&desk, event, &json!({"prompt": "go on"})) else { return };
        assert!(read < BESIDES, "{host}: {read} bytes");
    }
}

#[test]
fn a_mechanical_note_of_a_long_session_reads_it_once_for_its_compactions_and_its_end_for_facts() {
    let desk = desk(Host::Codex, 10 * MB);
    let compacting = json!({"trigger": "auto"});
    let Some(read) = read_by(&desk, "PreCompact", &compacting) else { return };
    let end = 8 * 1024 * 1024;
    let len = fs::metadata(desk.transcript("s1")).expect("the transcript").len();
    assert!(read < len + end + BESIDES, "{read} bytes");
    assert!(desk.newest("s1").is_some());
    let Some(again) = read_by(&desk, "PreCompact", &compacting) else { return };
    assert!(again < BESIDES, "{again} bytes");
}
