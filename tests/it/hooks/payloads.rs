//! The promise: what each host says is understood as it is meant, and what is not known asks for
//! nothing.
//!
//! Shown on every payload that the agents sent, and on what goes wrong on the way.

use std::{collections::BTreeSet, fs};

use graff_notes::{
    host::hook::{Agent, Event, Framed, Framing, Host, Start, Stop, Task, Trigger, Unread, read},
    session::NameRefused,
};
use proptest::prelude::*;

use super::payload;

/// What there is to do on each event of each host.
const TASKS: &[(Host, &[(&str, Task)])] = &[
    (
        Host::ClaudeCode,
        &[
            ("permission-request", Task::Nothing),
            ("post-compact-auto", Task::TakeSummary),
            ("post-compact-manual", Task::TakeSummary),
            ("post-tool-use", Task::Nothing),
            ("post-tool-use-failure", Task::Nothing),
            ("post-tool-use-worker", Task::Nothing),
            ("pre-compact-auto", Task::AskSummariser),
            ("pre-compact-manual", Task::AskSummariser),
            ("pre-tool-use", Task::Nothing),
            ("pre-tool-use-worker", Task::Nothing),
            ("session-end", Task::SignOff),
            ("session-start-clear", Task::Splice),
            ("session-start-compact", Task::Splice),
            ("session-start-fork", Task::Splice),
            ("session-start-resume", Task::Splice),
            ("session-start-startup", Task::Splice),
            ("stop", Task::AskAgent),
            ("stop-again", Task::TakeReply),
            ("subagent-start-worker", Task::Nothing),
            ("subagent-stop-worker", Task::Nothing),
            ("user-prompt-submit", Task::Splice),
        ],
    ),
    (
        Host::Codex,
        &[
            ("post-compact-auto", Task::Nothing),
            ("post-compact-manual", Task::Nothing),
            ("post-tool-use", Task::Nothing),
            ("post-tool-use-worker", Task::Nothing),
            ("pre-compact-auto", Task::Salvage),
            ("pre-compact-manual", Task::Salvage),
            ("pre-tool-use", Task::Nothing),
            ("pre-tool-use-worker", Task::Nothing),
            ("session-end", Task::SignOff),
            ("session-start-compact", Task::Splice),
            ("session-start-fork", Task::Splice),
            ("session-start-resume", Task::Splice),
            ("session-start-startup", Task::Splice),
            ("stop", Task::AskAgent),
            ("stop-again", Task::TakeReply),
            ("subagent-start-worker", Task::Nothing),
            ("subagent-stop-worker", Task::Nothing),
            ("user-prompt-submit", Task::Splice),
            ("user-prompt-submit-worker", Task::Nothing),
        ],
    ),
    (
        Host::Gemini,
        &[
            ("after-agent", Task::AskAgent),
            ("after-agent-again", Task::TakeReply),
            ("after-tool", Task::Splice),
            ("before-agent", Task::Splice),
            ("before-model", Task::Patch),
            ("before-tool", Task::Nothing),
            ("pre-compress-auto", Task::Nothing),
            ("pre-compress-manual", Task::Salvage),
            ("session-end", Task::SignOff),
            ("session-start-resume", Task::Nothing),
            ("session-start-startup", Task::Nothing),
        ],
    ),
    (
        Host::Opencode,
        &[
            ("post-compact", Task::TakeSummary),
            ("pre-compact", Task::AskSummariser),
            ("system-prompt", Task::Show),
        ],
    ),
    (
        Host::Goose,
        &[
            ("pre-tool-use", Task::Nothing),
            ("session-start", Task::Refresh),
            ("stop", Task::Refresh),
            ("user-prompt-submit", Task::Refresh),
        ],
    ),
];

#[test]
fn each_event_of_each_host_asks_for_one_thing() {
    for (host, events) in TASKS {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks").to_owned();
        let files = fs::read_dir(format!("{folder}/{host}")).expect("the host's payloads");
        let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
        let listed: BTreeSet<_> = events.iter().map(|(name, _)| format!("{name}.json")).collect();
        assert_eq!(names.collect::<BTreeSet<_>>(), listed, "every payload of {host} is listed");
        for (name, task) in *events {
            let call = read(*host, &payload(*host, name)).expect("a payload");
            assert_eq!(call.task(), *task, "{host}/{name}");
        }
    }
}

#[test]
fn a_subagent_is_neither_asked_nor_given() {
    for (host, name) in [
        (Host::Codex, "user-prompt-submit-worker"),
        (Host::Codex, "subagent-stop-worker"),
        (Host::ClaudeCode, "subagent-stop-worker"),
    ] {
        let call = read(host, &payload(host, name)).expect("a payload");
        assert_eq!((call.agent, call.task()), (Agent::Worker, Task::Nothing), "{host}/{name}");
    }
    let stop = br#"{"hook_event_name":"Stop","session_id":"s1","agent_id":"a1"}"#;
    assert_eq!(read(Host::ClaudeCode, stop).expect("a payload").task(), Task::Nothing);
    for id in ["7", "true", "{}", r#"["a1"]"#, r#""""#] {
        let stop = format!(r#"{{"hook_event_name":"Stop","session_id":"s1","agent_id":{id}}}"#);
        let call = read(Host::ClaudeCode, stop.as_bytes()).expect("a payload");
        assert_eq!((call.agent, call.task()), (Agent::Worker, Task::Nothing), "{id}");
    }
}

#[test]
fn what_is_said_is_taken_over() {
    let call = read(Host::ClaudeCode, &payload(Host::ClaudeCode, "stop-again")).expect("a payload");
    assert_eq!(call.name, "Stop");
    assert_eq!(call.session.as_str(), "0a6d1c7e-5b1f-4c39-9d2a-7f3e8b1c2d4e");
    assert_eq!(call.cwd.as_deref().map(camino::Utf8Path::as_str), Some("@CWD@"));
    assert_eq!(call.transcript.as_deref().map(camino::Utf8Path::as_str), Some("@TRANSCRIPT@"));
    let reply = Some("The retry is fixed.".to_owned());
    assert_eq!(call.event, Event::TurnEnded { stop: Stop::Again, reply });
    let event = |host, name| read(host, &payload(host, name)).expect("a payload").event;
    assert_eq!(event(Host::Codex, "session-start-fork"), Event::Start(Start::Fork));
    assert_eq!(event(Host::Codex, "pre-compact-manual"), Event::Compacting(Trigger::Manual));
    assert_eq!(event(Host::Goose, "session-start"), Event::Start(Start::Other));
    let Event::Prompt { text } = event(Host::Codex, "user-prompt-submit") else {
        panic!("a prompt is meant");
    };
    assert_eq!(text, "make retry_test green");
}

#[test]
fn unknown_events_keys_and_types_ask_for_nothing() {
    for event in ["BeforeToolSelection", "Stopp", "stop", "", "SessionStart\u{0}"] {
        let payload = format!(
            r#"{{"hook_event_name":{event:?},"session_id":"s1","source":"x","extra":{{"a":[1]}}}}"#
        );
        for host in Host::ALL {
            let task =
                read(host, payload.replace("\\0", "\\u0000").as_bytes()).map(|call| call.task());
            assert!(matches!(task, Ok(Task::Nothing)), "{host} {event:?}: {task:?}");
        }
    }
    let odd = br#"{"hook_event_name":"SessionStart","session_id":"s1","source":7,"cwd":[],
        "transcript_path":null,"agent_id":null,"stop_hook_active":"true"}"#;
    let call = read(Host::ClaudeCode, odd).expect("a payload");
    assert_eq!((call.agent, call.event), (Agent::Root, Event::Start(Start::Other)));
    assert_eq!((call.cwd, call.transcript), (None, None));
    let empty = br#"{"event":"UserPromptSubmit","session_id":"s1","cwd":"","transcript_path":""}"#;
    let call = read(Host::Goose, empty).expect("a payload");
    assert_eq!((call.cwd, call.transcript), (None, None), "no path is empty");
    let named = br#"{"event":"Stop","session_id":"s1","cwd":"","working_dir":"/home/me/parser"}"#;
    let call = read(Host::Goose, named).expect("a payload");
    assert_eq!(call.cwd.as_deref(), Some("/home/me/parser".into()));
    let stop = br#"{"hook_event_name":"Stop","session_id":"s1","stop_hook_active":"true"}"#;
    let event = read(Host::ClaudeCode, stop).expect("a payload").event;
    assert_eq!(event, Event::TurnEnded { stop: Stop::First, reply: None });
}

#[test]
fn an_event_that_only_another_host_has_is_an_unknown_one() {
    let known: [(Host, &[&str]); 5] = [
        (Host::ClaudeCode, &CLAUDE_CODE_AND_CODEX),
        (Host::Codex, &CLAUDE_CODE_AND_CODEX),
        (
            Host::Gemini,
            &[
                "SessionStart",
                "BeforeAgent",
                "BeforeModel",
                "AfterTool",
                "AfterAgent",
                "PreCompress",
                "SessionEnd",
            ],
        ),
        (Host::Opencode, &["SystemPrompt", "PreCompact", "PostCompact"]),
        (Host::Goose, &["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]),
    ];
    let all: BTreeSet<_> = known.iter().flat_map(|(_, events)| *events).collect();
    for (host, own) in known {
        for event in &all {
            let payload =
                format!(r#"{{"hook_event_name":"{event}","session_id":"s1","trigger":"manual"}}"#);
            let call = read(host, payload.as_bytes()).expect("a payload");
            let is_known = own.contains(event);
            assert_eq!(call.event == Event::OfAnother, !is_known, "{host} {event}");
            assert!(is_known || call.task() == Task::Nothing, "{host} {event}");
        }
    }
}

const CLAUDE_CODE_AND_CODEX: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"];

#[test]
fn without_a_session_that_can_be_stored_under_nothing_is_made_up() {
    let refused =
        |payload: &str| read(Host::ClaudeCode, payload.as_bytes()).expect_err("nothing to go by");
    let start = |session: &str| format!(r#"{{"hook_event_name":"SessionStart"{session}}}"#);
    for session in ["", r#","session_id":null"#, r#","session_id":"""#, r#","session_id":5"#] {
        let why = refused(&start(session));
        assert!(matches!(why, Unread::NoSession), "{session}: {why}");
    }
    for session in ["../../../../tmp/pwned", "a/b", "..", "a\\\\b", "a\\u0000b"] {
        let why = refused(&start(&format!(r#","session_id":"{session}""#)));
        assert!(matches!(why, Unread::BadSession { .. }), "{session}: {why}");
    }
    let Unread::BadSession { why, .. } = refused(&start(r#","session_id":"..""#)) else {
        panic!("a bad name");
    };
    assert_eq!(why, NameRefused::Dots);
    assert!(matches!(refused(r#"{"session_id":"s1"}"#), Unread::NoEvent));
}

#[test]
fn what_is_broken_is_no_payload() {
    let read = |payload: &[u8]| read(Host::Codex, payload);
    for broken in [
        &b""[..],
        b"null",
        b"[]",
        b"{\"hook_event_name\":\"Stop\",\"session_id\":\"s1\",\"last_assistant_message\":\"caf",
        b"{\"hook_event_name\":\"Stop\",\"session_id\":\"s1\",\"x\":\"\xE9\\\xF6\"quoted\" text\"}",
    ] {
        assert!(matches!(read(broken), Err(Unread::Malformed(_))), "{}", broken.escape_ascii());
    }
    let marked = b"\xEF\xBB\xBF{\"hook_event_name\":\"Stop\",\"session_id\":\"s1\"}";
    assert_eq!(read(marked).expect("a byte-order mark is no harm").task(), Task::AskAgent);
}

#[test]
fn the_names_of_hosts_are_those_of_the_command_line() {
    for host in Host::ALL {
        assert_eq!(host.as_str().parse(), Ok(host));
    }
    assert_eq!("claude".parse(), Ok(Host::ClaudeCode), "as its program is called");
    let refused = "cursor".parse::<Host>().expect_err("no host").to_string();
    assert_eq!(
        refused,
        r#""cursor" is no host: claude-code (or claude), codex, gemini, opencode or goose is"#
    );
}

/// What `Framing` makes of a stream in pieces of one size.
fn framed(stream: &[u8], piece: usize) -> Option<usize> {
    let (mut framing, mut before) = (Framing::default(), 0);
    for piece in stream.chunks(piece) {
        match framing.feed(piece) {
            Framed::EndsAt(end) => return Some(before + end),
            Framed::GoesOn => before += piece.len(),
            Framed::NoObject => return None,
        }
    }
    None
}

proptest! {
    #[test]
    fn the_first_object_ends_where_a_parser_says_so(
        text in "[\\PC\"\\\\{}\\[\\] ]{0,40}",
        behind in "[ }\"{x\n]{0,8}",
        piece in 1..9_usize,
    ) {
        let object = serde_json::json!({"a": text, "b": {"c": [text]}}).to_string();
        let stream = format!("\n {object}{behind}");
        prop_assert_eq!(framed(stream.as_bytes(), piece), Some(2 + object.len()));
        prop_assert_eq!(framed(&object.as_bytes()[..object.len() - 1], piece), None);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, piece in 1..9_usize) {
        framed(&bytes, piece);
        let _ = read(Host::Gemini, &bytes);
    }
}
