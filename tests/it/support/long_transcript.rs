//! A transcript as long as wished, in the form of Claude Code, made line by line.
//!
//! It is work as agents do it: prompts, rounds of tool calls with results of 100 bytes to 30 KB,
//! each of which stands twice in its record, and now and then a compaction. The same every time.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// What one prompt leads to, in tool calls.
const ROUNDS: u64 = 12;
/// What comes between two compactions, in prompts.
const PROMPTS: u64 = 25;

/// The input that the last response of every turn reports, in tokens.
pub(crate) const LAST_INPUT: u64 = 123_456;

/// Returns the lines of a transcript of at least `bytes`, each with its line feed. It ends with
/// the last response of a turn.
pub(crate) fn long_transcript(bytes: usize) -> impl Iterator<Item = String> {
    let mut made = 0;
    let turns = (1..).map_while(move |turn| {
        let lines: Vec<String> = (made < bytes).then(|| turn_lines(turn))?;
        made += lines.iter().map(String::len).sum::<usize>();
        Some(lines)
    });
    turns.flatten()
}

fn turn_lines(turn: u64) -> Vec<String> {
    let compaction = turn.is_multiple_of(PROMPTS).then(|| {
        let boundary = json!({"type": "system", "subtype": "compact_boundary"});
        let summary = json!({"type": "user", "isCompactSummary": true,
            "message": {"role": "user", "content": filler(turn, 6_000)}});
        [boundary, summary]
    });
    let prompt = json!({"type": "user", "message": {"role": "user", "content": filler(turn, 300)}});
    let rounds = (0..ROUNDS).flat_map(|round| round_records(turn * ROUNDS + round));
    let said = json!({"type": "text", "text": filler(turn, 900)});
    let end = answer(&said, LAST_INPUT);
    let records = compaction.into_iter().flatten().chain([prompt]).chain(rounds).chain([end]);
    records.map(|record| format!("{}\n", with_envelope(record))).collect()
}

/// A tool call and its result: of ten, six run a command, three read a file and one edits one.
fn round_records(number: u64) -> [Value; 2] {
    let id = format!("toolu_{number:010}");
    let path = format!("/home/user/project/src/part_{}.rs", number % 97);
    let (name, input) = match number % 10 {
        0..6 => ("Bash", json!({"command": format!("cargo test --test part_{number}")})),
        6..9 => ("Read", json!({"file_path": path})),
        _ => (
            "Edit",
            json!({"file_path": path, "old_string": filler(number, 200),
            "new_string": filler(number + 1, 240)}),
        ),
    };
    let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    // Long results are rare: their length is the cube of an even spread.
    let spread = scrambled(number) % 1_000;
    let output = filler(number, 100 + spread * spread * spread / 33_000);
    let failed = number.is_multiple_of(7);
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": output,
        "is_error": failed});
    let input = json!({"type": "user", "message": {"role": "user", "content": [result]},
        "toolUseResult": {"stdout": output, "stderr": "", "interrupted": false}});
    [answer(&call, 40_000 + number % 80_000), input]
}

fn answer(part: &Value, input: u64) -> Value {
    json!({"type": "assistant", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [part], "stop_reason": "tool_use",
        "usage": {"input_tokens": 4, "cache_creation_input_tokens": 452,
            "cache_read_input_tokens": input - 456, "output_tokens": 77,
            "service_tier": "standard"}}})
}

fn with_envelope(mut record: Value) -> Value {
    let envelope = json!({
        "parentUuid": "7a7bf5f6-674c-4b29-845f-5fbf9c84e977", "isSidechain": false,
        "uuid": "c01dc346-da3d-4b78-981c-e8133c92a0f5", "timestamp": "2026-11-29T20:26:31.688Z",
        "userType": "external", "cwd": "/home/user/project", "version": "2.1.332",
        "sessionId": "58ef3287-4e76-4508-8e7c-2dd7791a7f1a", "gitBranch": "main"});
    if let (Value::Object(record), Value::Object(envelope)) = (&mut record, envelope) {
        record.extend(envelope);
    }
    record
}

/// A stretch of [`WORDS`], about `bytes` long, another one for another seed.
fn filler(seed: u64, bytes: u64) -> &'static str {
    let whole = WORDS.as_str();
    let start = usize::try_from(scrambled(seed)).unwrap_or(0) % (whole.len() / 2);
    let end = start + usize::try_from(bytes).unwrap_or(0);
    let on_a_boundary =
        |at: usize| (at..at + 4).find(|at| whole.is_char_boundary(*at)).unwrap_or(at);
    whole.get(on_a_boundary(start)..on_a_boundary(end)).unwrap_or(whole)
}

/// Words in no order, with what needs escaping now and then: 128 KiB.
static WORDS: LazyLock<String> = LazyLock::new(|| {
    const WORDS: [&str; 8] =
        ["fn", "parse(\"x\")", "of the", "größer", "->", "error[E0308]:", "\tlet", "note\n"];
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 128 * 1024 {
        number = scrambled(number);
        text.push_str(WORDS[usize::try_from(number % 8).unwrap_or(0)]);
        text.push(' ');
    }
    text
});

/// Knuth's multiplicative step: the next of a sequence that looks random.
const fn scrambled(number: u64) -> u64 {
    let next =
        number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    next >> 33
}
