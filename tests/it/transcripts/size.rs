//! Memory is bounded, however long the transcript and whatever is in it.
//!
//! What is measured is the greatest resident size of a process of its own, as the kernel has it,
//! so that nothing but the reading counts.

use std::{env, fs, process::Command};

use graff_notes::host::transcript::TranscriptReader;

use super::input;
use crate::support::long_transcript::{LAST_INPUT, long_transcript};

const MIB: u64 = 1024 * 1024;
/// Says to the test that it is the process that is measured.
const MEASURED: &str = "GRAFF_TEST_MEASURED";

#[test]
#[cfg(target_os = "linux")]
fn fifty_megabytes_and_hostile_records_are_read_within_64_mebibytes() {
    if env::var_os(MEASURED).is_some() {
        read_the_long_one();
        read_the_hostile_ones();
        return;
    }
    let name =
        "transcripts::size::fifty_megabytes_and_hostile_records_are_read_within_64_mebibytes";
    let mut process = Command::new(env::current_exe().unwrap());
    let output = process.args(["--exact", name, "--nocapture"]).env(MEASURED, "").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    let peaks = said.split("peak ").skip(1).filter_map(|said| said.lines().next());
    let peaks: Vec<u64> = peaks.map(|peak| peak.trim().parse().unwrap()).collect();
    assert_eq!(peaks.len(), 2, "{said}");
    assert!(peaks.iter().all(|peak| *peak < 64 * MIB), "{peaks:?}");
}

fn read_the_long_one() {
    let mut reader = TranscriptReader::new();
    let mut bytes = 0;
    for line in long_transcript(50_000_000) {
        bytes += line.len();
        line.as_bytes().chunks(4_000).for_each(|piece| reader.push(piece));
    }
    let transcript = reader.finish();
    assert!(bytes >= 50_000_000);
    assert_eq!((transcript.bad_records, input(&transcript)), (0, Some(LAST_INPUT)));
    assert!(transcript.compactions > 5, "{}", transcript.compactions);
    say_the_peak();
}

fn read_the_hostile_ones() {
    let many = |item: &str, count: usize| vec![item; count].join(",");
    let small_parts = many("{}", 500_000);
    let records = [
        format!(r#"{{"role":"user","content":[{small_parts}]}}"#),
        format!(r#"{{"role":"assistant","tool_calls":[{small_parts}]}}"#),
        format!(r#"{{"type":"compacted","payload":{{"replacement_history":[{small_parts}]}}}}"#),
        format!(r#"{{"$set":{{"messages":[{small_parts}]}}}}"#),
        format!(r#"{{"role":"user","content":"{}"}}"#, r"\n".repeat(3_000_000)),
        format!("[{}", "{\"role\":\"user\",\"content\":[".repeat(200_000)),
    ];
    for record in records {
        let mut reader = TranscriptReader::new();
        record.as_bytes().chunks(60_000).for_each(|piece| reader.push(piece));
        drop(reader.finish());
    }
    let mut endless = TranscriptReader::new();
    endless.push(br#"{"role":"user","content":""#);
    let piece = vec![b'x'; 60_000];
    (0..1_000).for_each(|_| endless.push(&piece));
    assert_eq!(endless.finish().bad_records, 1);
    say_the_peak();
}

#[expect(clippy::print_stdout, reason = "this is what the measured process is asked")]
fn say_the_peak() {
    println!("\npeak {}", peak());
}

/// The greatest resident size of this process so far, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse().ok());
    kibibytes.map_or(u64::MAX, |kibibytes: u64| kibibytes * 1024)
}
