//! Promise: the transcript of an existing agent tells how large its history was at the last
//! request, how often it was compacted, and what was done. A damaged record costs itself; no
//! figure of an earlier request passes for that of the last; memory is bounded.
//!
//! Shown on real sessions of the agents, with their own prompt texts cut out, fact by fact; on
//! every prefix of them; with junk between all of their lines; and on hostile and long ones.

mod cuts;
mod damage;
mod sessions;
mod shapes;
mod size;
mod usage;

use std::fs;

use graff_notes::{
    host::transcript::{Transcript, TranscriptReader},
    units::Tokens,
};
use serde_json::Value;

/// The sessions that are kept in lines, by file name: the real ones first.
const SESSIONS: [&str; 10] = [
    "claude-compacted.jsonl",
    "claude-compacted-by-hand.jsonl",
    "claude-over-90-percent.jsonl",
    "claude-todowrite.jsonl",
    "codex-compacted.jsonl",
    "codex-compacted-remotely.jsonl",
    "codex-over-90-percent.jsonl",
    "gemini-compacted.jsonl",
    "gemini-resumed.jsonl",
    "plain-openai.jsonl",
];

/// The session that is kept in one array.
const ARRAY: &str = "plain-anthropic.json";

#[track_caller]
fn fixture(name: &str) -> String {
    let path = format!("{}/fixtures/transcripts/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| format!("{path}: {error}"))
}

fn read(bytes: impl AsRef<[u8]>) -> Transcript {
    let mut reader = TranscriptReader::new();
    reader.push(bytes.as_ref());
    reader.finish()
}

/// The records as a transcript, one a line.
fn in_lines<'a>(records: impl IntoIterator<Item = &'a Value>) -> String {
    records.into_iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect()
}

/// The input that the last response reported.
fn input(transcript: &Transcript) -> Option<u64> {
    transcript.usage.and_then(|report| report.input(Tokens::ZERO)).ok().map(Tokens::get)
}
