//! A transcript may be as long as it likes: what goes along is bounded, and so is the memory.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
};

use camino::Utf8Path;
use serde_json::{Value, json};

use super::loopback::{Act, KEY, asking, endpoint};
use crate::support::{
    peak_kib,
    world::{Ran, World},
};

/// No call may hold more, in KiB, before it is answered: the program, what it tells a few times
/// over, and the pieces that it reads.
const PEAK_KIB_MAX: u64 = 40 * 1024;

/// Writes a transcript of so many MB, whose last request was a small one.
fn write(path: &Utf8Path, megabytes: usize, first: &Value, last: &Value) {
    let mut file = BufWriter::new(File::create(path).expect("a transcript"));
    for _ in 0..megabytes {
        writeln!(file, "{first}").expect("written");
    }
    writeln!(file, "{last}").and_then(|()| file.flush()).expect("written");
}

#[test]
fn of_an_agents_own_transcript_the_end_is_told_and_held() {
    let world = World::new();
    let record = |role: &str, message: Value| {
        json!({"type": role, "sessionId": "s1", "uuid": "u",
        "timestamp": "2026-11-30T00:00:00Z", "message": message})
    };
    let usage = json!({"input_tokens": 1000, "output_tokens": 1});
    let filler = json!({"role": "user", "content": "é".repeat(500_000)});
    let end = json!({"id": "m", "role": "assistant", "model": "m", "usage": usage,
        "content": [{"type": "text", "text": "the end of it"}]});
    let (first, last) = (record("user", filler), record("assistant", end));
    write(&world.root().join("t.jsonl"), 60, &first, &last);
    let (url, requests) = endpoint(vec![Act::Drip(String::new())]);
    let mut child = asking(&world, &(url + "/messages"), KEY, &[]).spawn().expect("it starts");
    let (_, body) = requests.recv().expect("a request");
    let peak = peak_kib(child.id());
    child.kill().and_then(|()| child.wait()).expect("it is killed");
    let told = body["messages"][0]["content"].as_str().expect("a text");
    let (_, told) = told.split_once("\n\n").expect("what it is");
    assert!(told.ends_with(&format!("{last}\n")), "the end is told");
    assert!((399_990..=400_000).contains(&told.len()), "{}", told.len());
    assert!(!told.contains('\u{FFFD}'), "it begins with a whole character");
    assert!(peak < PEAK_KIB_MAX, "{peak} KiB");
}

#[test]
fn plain_messages_that_no_endpoint_takes_are_refused_before_the_attempt() {
    let world = World::new();
    let first = json!({"role": "user", "content": "x".repeat(1 << 20)});
    let last = json!({"role": "assistant", "content": "the end", "usage": {"prompt_tokens": 1000,
        "completion_tokens": 1, "total_tokens": 1001}});
    write(&world.root().join("t.jsonl"), 33, &first, &last);
    let (url, _) = endpoint(Vec::new());
    let ran = Ran::of(&mut asking(&world, &(url + "/messages"), KEY, &[])).ends(2);
    assert!(ran.stderr().contains("it has more than 33554432 bytes"), "{ran}");
    assert!(fs::metadata(world.log("s1")).is_err(), "there was no attempt");
}
