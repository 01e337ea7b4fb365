//! The promise: the last request's usage, the number of compactions and whether the agent answered
//! us come out of a transcript's end or of what was added, the same as out of the whole.
//!
//! Shown on transcripts of the real agents, cut and continued at many places.

use std::fs;

use graff_notes::{
    host::{
        hook::{Counted, Counter, Host, LastInput, Seen, Tail},
        transcript::TranscriptReader,
    },
    units::{Bytes, Tokens},
};
use serde_json::json;

use super::script::{
    Said::{self, Agent, Hook, Tool, User, Worker},
    lines,
};

const TRANSCRIPTS: &[(&str, Host)] = &[
    ("claude-compacted.jsonl", Host::ClaudeCode),
    ("claude-compacted-by-hand.jsonl", Host::ClaudeCode),
    ("claude-over-90-percent.jsonl", Host::ClaudeCode),
    ("codex-compacted.jsonl", Host::Codex),
    ("codex-compacted-remotely.jsonl", Host::Codex),
    ("codex-over-90-percent.jsonl", Host::Codex),
    ("gemini-compacted.jsonl", Host::Gemini),
    ("gemini-resumed.jsonl", Host::Gemini),
];

#[track_caller]
fn transcript(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transcripts");
    fs::read(format!("{folder}/{name}")).expect("a transcript")
}

fn len(bytes: &[u8]) -> Bytes {
    Bytes::new(bytes.len() as u64)
}

/// What the whole transcript says, read as a stream.
fn whole(bytes: &[u8]) -> graff_notes::host::transcript::Transcript {
    let mut reader = TranscriptReader::new();
    reader.push(bytes);
    reader.finish()
}

#[test]
fn the_last_usage_is_found_in_the_smallest_end_that_has_it() {
    for (name, _) in TRANSCRIPTS {
        let bytes = transcript(name);
        let usage = whole(&bytes).usage;
        for size in [500, 2_000, 8_000, 20_000, bytes.len()] {
            let end = bytes.get(bytes.len().saturating_sub(size)..).unwrap_or(&bytes);
            match Tail::of(end, len(&bytes)).last_request() {
                Some(found) => assert_eq!(found.usage, usage, "{name}, {size} bytes"),
                None => assert!(end.len() < bytes.len(), "{name}: the whole must tell"),
            }
        }
    }
}

#[test]
fn a_usage_before_a_compaction_is_none() {
    let bytes = transcript("claude-compacted.jsonl");
    let boundary = find(&bytes, b"compact_boundary").expect("a compaction");
    let end = boundary + find(&bytes[boundary..], b"\n").expect("its line's end") + 1;
    let request = Tail::of(&bytes[..end], Bytes::new(end as u64)).last_request();
    assert!(request.expect("it is told").usage.is_err());
}

#[test]
fn lines_come_back_from_the_end_and_a_cut_one_never() {
    let lines = |text: &'static [u8], of: u64| {
        Tail::of(text, Bytes::new(of)).lines_back().collect::<Vec<_>>()
    };
    assert_eq!(lines(b"a\nb\n\nc", 6), [&b"c"[..], b"", b"b", b"a"]);
    assert_eq!(lines(b"cut\nb\nc\n", 99), [&b"c"[..], b"b"]);
    assert_eq!(lines(b"cut", 99), [b""]);
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

fn count(host: Host, bytes: &[u8], seen: Option<&Seen>, piece: usize) -> Counted {
    let mut counter = Counter::new(host, seen, None);
    let from = usize::try_from(counter.wants().get()).expect("a small file");
    bytes[from..].chunks(piece).for_each(|piece| counter.push(piece));
    counter.finish("t")
}

#[test]
fn a_count_that_goes_on_is_the_count_of_the_whole() {
    for (name, host) in TRANSCRIPTS {
        let bytes = transcript(name);
        let compactions = whole(&bytes).compactions;
        assert_eq!(count(*host, &bytes, None, 1 << 20).compactions, compactions, "{name}");
        for cut in (0..bytes.len()).step_by(997).chain([bytes.len()]) {
            let first = count(*host, &bytes[..cut], None, 700);
            assert_eq!(first.compactions, whole_lines(&bytes[..cut]), "{name}, cut at {cut}");
            let then = count(*host, &bytes, Some(&first.seen), 1_300);
            assert_eq!(then.compactions, compactions, "{name}, on from {cut}");
        }
    }
}

/// The compactions in the lines that have an end.
fn whole_lines(bytes: &[u8]) -> u64 {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    whole(&bytes[..end]).compactions
}

#[test]
fn talk_of_a_compaction_is_none() {
    let line = json!({
        "type": "user", "sessionId": "s1",
        "message": {"role": "user", "content": "grep compact_boundary, \"compacted\", <state_snapshot>"},
    });
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let bytes = format!("{line}\n{line}\n");
        assert_eq!(count(host, bytes.as_bytes(), None, 64).compactions, 0, "{host}");
    }
}

#[test]
fn a_history_that_kept_the_note_says_so() {
    let bytes = transcript("gemini-compacted.jsonl");
    let kept = |mark| {
        let mut counter = Counter::new(Host::Gemini, None, Some(mark));
        counter.push(&bytes);
        counter.finish("t").kept
    };
    assert!(kept("<state_snapshot>"));
    assert!(!kept("generation 0, stored 2026-01-02T03:04:05Z"));
}

fn last_input(host: Host, said: &[Said<'_>]) -> LastInput {
    let bytes = lines(host, said).into_bytes();
    LastInput::find(&Tail::of(&bytes, len(&bytes)), host, "00c0ffee")
}

#[test]
fn only_what_follows_our_request_at_once_is_an_answer_to_it() {
    let ours = "Write one note.\n\n[graff-notes request 00c0ffee]";
    let note = "Subgoal: src/retry.rs:41";
    let reply = Agent(note, 9);
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        let answered = LastInput::Ours { reply: note.to_owned() };
        let asked = [User("go"), Agent("done", 9), Hook(ours), reply];
        assert_eq!(last_input(host, &asked), answered, "{host}");
        let worked = [Hook(ours), Tool("00c0ffee"), reply];
        assert_eq!(last_input(host, &worked), answered, "{host}: a tool result is no request");
        let other = [Hook(ours), reply, Hook("lint first"), Agent("linted", 9)];
        assert_eq!(last_input(host, &other), LastInput::Another, "{host}: another hook");
        let gone_on = [Hook(ours), User("never mind"), Agent("all right, go on", 9)];
        assert_eq!(last_input(host, &gone_on), LastInput::Another, "{host}: the user");
        assert_eq!(last_input(host, &[reply]), LastInput::Another, "{host}: nobody");
    }
    let worker = [Hook(ours), Worker("count files"), reply];
    let answered = LastInput::Ours { reply: note.to_owned() };
    assert_eq!(last_input(Host::ClaudeCode, &worker), answered, "a subagent is another history");
}

#[test]
fn what_other_hooks_ask_in_the_same_breath_stands_beside_our_request() {
    let ours = "Write one note.\n\n[graff-notes request 00c0ffee]";
    let note = "Subgoal: src/retry.rs:41";
    let reply = Agent(note, 9);
    for host in [Host::ClaudeCode, Host::Codex] {
        let answered = LastInput::Ours { reply: note.to_owned() };
        for asked in [[Hook(ours), Hook("lint")], [Hook("lint"), Hook(ours)]] {
            let said = [&[Agent("done", 9)][..], &asked, &[Tool("linted"), reply]].concat();
            assert_eq!(last_input(host, &said), answered, "{host}");
        }
        let earlier = [Hook(ours), Agent("no words for it", 9), Hook("lint"), Hook("test"), reply];
        assert_eq!(last_input(host, &earlier), LastInput::Another, "{host}: it was answered");
        let user = [Hook(ours), User("never mind"), Hook("lint"), reply];
        assert_eq!(last_input(host, &user), LastInput::Another, "{host}: the user went on");
    }
    let called = json!({"type": "assistant", "message": {"content": [{"type": "tool_use"}]}});
    let lines = |said: &[Said<'_>]| lines(Host::ClaudeCode, said);
    let bytes = format!("{}{called}\n{}", lines(&[Hook(ours)]), lines(&[Hook("lint"), reply]));
    let tail = Tail::of(bytes.as_bytes(), len(bytes.as_bytes()));
    let found = LastInput::find(&tail, Host::ClaudeCode, "00c0ffee");
    assert_eq!(found, LastInput::Another, "the agent had begun with something else");
}

#[test]
fn where_the_request_lies_before_the_end_that_was_read_more_is_wanted() {
    let line = lines(Host::Codex, &[Agent("a long answer", 9)]);
    let end = Tail::of(line.as_bytes(), Bytes::new(1 << 20));
    assert_eq!(LastInput::find(&end, Host::Codex, "00c0ffee"), LastInput::NotSeen);
}

#[test]
fn a_window_that_is_stated_comes_with_the_usage() {
    let bytes = transcript("codex-over-90-percent.jsonl");
    let request = Tail::of(&bytes, len(&bytes)).last_request().expect("the whole must tell");
    assert_eq!(request.window, Some(Tokens::new(190_000)));
    let bytes = transcript("claude-over-90-percent.jsonl");
    let request = Tail::of(&bytes, len(&bytes)).last_request().expect("the whole must tell");
    assert_eq!(request.window, None);
}
