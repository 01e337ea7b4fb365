//! The promise: whatever a host sends, the hook ends with status 0 within its time, having said
//! nothing or the one thing that the host takes, and makes nothing where nothing belongs.
//!
//! Shown by sending what hosts were seen to send by mistake, and worse.

mod streams;

use std::{
    ffi::OsStr,
    io::Write,
    os::unix::ffi::OsStrExt,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use graff_notes::host::hook::Host;
use serde_json::json;

use super::desk::Desk;
use crate::support::{found::in_time, world::Ran};

fn desk(host: Host) -> Desk {
    let desk = Desk::of(host);
    desk.writes("s1", "a note of s1");
    desk
}

/// A hook ends within this time of its start.
const LATEST: Duration = Duration::from_secs(2);

/// Returns what a hook comes to, whose stdin is not closed, within its time: another one is started
/// where the machine was too busy for it, a bounded number of times.
#[track_caller]
fn ends(mut start: impl FnMut() -> Child) -> Ran {
    in_time(|| {
        let begun = Instant::now();
        let mut child = start();
        let stdin = child.stdin.take();
        let ran = Ran::of_child(child).ends(0);
        let is_in_time = begun.elapsed() < LATEST;
        drop(stdin);
        is_in_time.then_some(ran)
    })
}

/// Returns what a hook comes to that has all it needs, and doesn't give up.
#[track_caller]
fn ends_by_itself(mut start: impl FnMut() -> Child) -> Ran {
    in_time(|| Some(ends(&mut start)).filter(|ran| !ran.gave_up()))
}

/// The payload by which a host asks for the note, as the start of one where that is not ended.
fn asking(desk: &Desk) -> Vec<u8> {
    let event = match desk.host {
        Host::Gemini => "BeforeAgent",
        Host::Opencode => "SystemPrompt",
        Host::ClaudeCode | Host::Codex | Host::Goose => "SessionStart",
    };
    desk.payload("s1", event, json!({"source": "startup", "prompt": "go on"})).to_string().into()
}

/// Starts a hook with this on stdin, and closes that.
fn fed(desk: &Desk, payload: &[u8]) -> Child {
    let mut child = desk.start(payload, &[]);
    drop(child.stdin.take());
    child
}

/// What says nothing that can be acted on.
const NO_PAYLOADS: &[&[u8]] = &[
    b"",
    b"\n",
    b"\xEF\xBB\xBF",
    b"null",
    b"usage: hook",
    b"[1, 2]",
    b"{",
    b"{}",
    b"{\"session_id\":\"s1\",\"hook_event_name\":\"SessionSta",
    b"{\"session_id\":\"s1\",\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"caf\xE9 done}",
    b"{\"session_id\":\"s1\",\"hook_event_name\":\"SessionStart\",\"x\":\"\xF6\\\xF6\"quoted\"}",
    b"{\"session_id\":\"s1\"}",
    b"{\"session_id\":\"s1\",\"hook_event_name\":null}",
    b"{\"session_id\":\"s1\",\"hook_event_name\":\"BeforeToolSelection\",\"extra\":{\"a\":[1]}}",
];

/// Session names that name no session.
const NO_SESSIONS: [&str; 9] = [
    "null",
    "7",
    "[\"s1\"]",
    r#""""#,
    r#""..""#,
    r#""../../../graff-pwned""#,
    r#""/etc/passwd""#,
    r#""a\\..\\b""#,
    r#""s1\u0000""#,
];

#[test]
fn what_is_no_payload_gets_silence() {
    let nameless = ["SessionStart", "UserPromptSubmit", "BeforeAgent", "PreCompact", "Stop"]
        .map(|event| format!("{{\"hook_event_name\":\"{event}\",\"source\":\"startup\"}}"));
    let misnamed = NO_SESSIONS.map(|session| {
        format!("{{\"hook_event_name\":\"SessionStart\",\"session_id\":{session}}}")
    });
    for host in Host::ALL {
        let desk = desk(host);
        let before = desk.files();
        let made = nameless.iter().chain(&misnamed).map(String::as_bytes);
        for payload in NO_PAYLOADS.iter().copied().chain(made) {
            let ran = ends_by_itself(|| fed(&desk, payload));
            assert_eq!(ran.stdout(), "", "{host}: {}", payload.escape_ascii());
            assert!(ran.stderr().lines().count() <= 2, "{ran}");
        }
        assert_eq!(desk.files(), before, "{host}");
    }
}

#[test]
fn what_is_unknown_in_a_payload_changes_nothing() {
    let desk = desk(Host::ClaudeCode);
    let more = json!({"source": "startup", "new": {"a": [1, null]}, "hook_event_name2": "Stop"});
    let said = desk.context("s1", "SessionStart", more).expect("the note");
    assert!(said.contains("a note of s1"), "{said}");
}

#[test]
fn a_hundred_megabytes_are_read_and_not_kept() {
    Host::ALL.into_iter().for_each(takes_a_hundred_megabytes);
}

#[track_caller]
fn takes_a_hundred_megabytes(host: Host) {
    let desk = desk(host);
    let start = b"{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s1\",\"x\":\"";
    let (ran, written) = in_time(|| {
        let begun = Instant::now();
        let mut child = desk.start(start, &[]);
        let mut pipe = child.stdin.take().expect("a pipe");
        let writer = thread::spawn(move || {
            let piece = vec![b'x'; 1 << 20];
            (0..100).try_for_each(|_| pipe.write_all(&piece)).and_then(|()| pipe.write_all(b"\"}"))
        });
        let ran = Ran::of_child(child).ends(0);
        let is_in_time = begun.elapsed() < LATEST && !ran.gave_up();
        let written = writer.join().expect("the writer ends");
        is_in_time.then_some((ran, written))
    });
    written.expect("no pipe is closed on the host");
    assert_eq!(ran.stdout(), "", "{ran}");
    assert!(ran.stderr().contains("bytes are too many"), "{ran}");
}

#[test]
fn a_folder_or_a_transcript_that_is_gone_is_not_made() {
    let desk = desk(Host::ClaudeCode);
    for event in ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop"] {
        let gone = json!({
            "source": "resume", "trigger": "auto", "prompt": "x",
            "cwd": "/nonexistent/graff-test/x", "transcript_path": "/nonexistent/t.jsonl",
        });
        let ran = desk.calls("s1", event, gone);
        assert_eq!(ran.stdout(), "", "{event}: {ran}");
        assert!(!camino::Utf8Path::new("/nonexistent").exists(), "{event}");
        let no_transcript = json!({"source": "resume", "transcript_path": null, "prompt": "x"});
        desk.calls("s2", event, no_transcript);
    }
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_0_too() {
    let desk = desk(Host::ClaudeCode);
    for args in [
        &["hook"][..],
        &["hook", "nobody"],
        &["hook", "codex", "--no-such-flag"],
        &["hook", "codex", "--percent", "x"],
        &["--root", "/tmp", "hook", "nobody"],
        &["--color=never", "hook", "codex", "extra", "--json"],
    ] {
        let ran = Ran::of(desk.command(args).stdin(Stdio::null())).ends(0);
        assert_eq!(ran.stdout(), "", "{args:?}");
        assert!(ran.stderr().contains("error: "), "{args:?}: {ran}");
    }
    let odd = OsStr::from_bytes(b"--root=caf\xe9");
    Ran::of(desk.command(&[]).arg(odd).args(["hook", "codex"]).stdin(Stdio::null())).ends(0);
    let desk = desk.with("GRAFF_PERCENT", "0");
    desk.says("s1", &[super::script::Said::Agent("done", 100_000)]);
    let ran = desk.calls("s1", "Stop", json!({"stop_hook_active": false}));
    assert_eq!(ran.stdout(), "", "{ran}");
    assert!(ran.stderr().contains("GRAFF_PERCENT=\"0\""), "{ran}");
    Ran::of(&mut desk.command(&["show", "hook"])).ends(3);
}

#[test]
fn it_ends_with_0_behind_each_flag_that_every_command_takes_with_a_value() {
    let desk = desk(Host::ClaudeCode);
    let help = Ran::of(&mut desk.command(&["--help"]));
    let (_, global) = help.stdout().split_once("Global options:\n").expect("their list");
    let (global, _) = global.split_once("\nExamples:").expect("what is behind it");
    let with_value = |line: &str| {
        let (flag, _) =
            line.trim_start().split_once(" <").filter(|(flag, _)| flag.starts_with("--"))?;
        Some(flag.to_owned())
    };
    let flags: Vec<_> = global.lines().filter_map(with_value).collect();
    assert!(flags.len() >= 2, "{flags:?}");
    for flag in flags {
        let args = [&flag, "always", "hook", "codex", "--no-such-flag"];
        Ran::of(desk.command(&args).stdin(Stdio::null())).ends(0);
    }
}

#[test]
fn a_variable_that_is_not_utf_8_is_passed_over_with_a_word_and_the_note_is_given() {
    let odd = OsStr::from_bytes(b"/tmp/caf\xe9");
    for (host, variable) in [
        (Host::ClaudeCode, "CLAUDE_PROJECT_DIR"),
        (Host::ClaudeCode, "CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
        (Host::Gemini, "GEMINI_PROJECT_DIR"),
        (Host::Codex, "HOME"),
        (Host::Opencode, "XDG_STATE_HOME"),
        (Host::Goose, "GOOSE_MOIM_MESSAGE_FILE"),
    ] {
        let desk = desk(host);
        let ran = Ran::of_hook(|| {
            let mut command = desk.command(&["hook", host.as_str()]);
            let mut child = command.env(variable, odd).spawn().expect("the program starts");
            child.stdin.take().expect("a pipe").write_all(&asking(&desk)).expect("it reads");
            child
        });
        assert!(
            ran.stderr().contains(&format!("passed over {variable}: it is not UTF-8")),
            "{ran}"
        );
        assert_eq!(ran.stderr().lines().count(), 1, "{ran}");
        assert_eq!(ran.stdout().contains("a note of s1"), host != Host::Goose, "{host}: {ran}");
    }
}
