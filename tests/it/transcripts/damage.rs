//! A damaged record costs itself and is counted, wherever it stands and whatever it holds.

use graff_notes::host::transcript::{Transcript, TranscriptReader};
use proptest::prelude::*;

use super::{SESSIONS, fixture, input, read};

/// No longer record is read, in bytes.
const RECORD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Lines that are no record, and don't begin like one.
const JUNK: [&[u8]; 9] = [
    b"not json",
    b"\0\0\0\0\0\0\0\0",
    b"\xff\xfe\x00{\x00",
    b"[1,2,{\"type\":\"assistant\"}]",
    b"\"a text\"",
    b"42",
    b"null",
    b"<<<<<<< HEAD",
    b"}{",
];

/// Records that begin like one and are none.
const DAMAGED: [&str; 7] = [
    r#"{"type":"assistant","message":{"usage":{"input_tok"#,
    r#"{"type":"user"}{"type":"user"}"#,
    r#"{"type":"user","type":"assistant"}"#,
    r#"{"type":'user'}"#,
    r#"{"type":"user",}"#,
    "{\"type\":\"us\ner\"",
    "{",
];

fn with_between(bytes: &str, junk: &[u8]) -> Vec<u8> {
    let lines = bytes.lines().flat_map(|line| [line.as_bytes(), junk]);
    [junk].into_iter().chain(lines).flat_map(|line| [line, b"\n"].concat()).collect()
}

/// The transcript with the counts of another, for comparing all the rest.
fn counted_as(mut transcript: Transcript, other: &Transcript) -> Transcript {
    (transcript.records, transcript.bad_records) = (other.records, other.bad_records);
    transcript
}

#[test]
fn junk_between_all_lines_costs_nothing_but_itself() {
    for name in SESSIONS {
        let bytes = fixture(name);
        let clean = read(&bytes);
        for junk in JUNK {
            let transcript = read(with_between(&bytes, junk));
            let count = clean.records + 1;
            let counts = (transcript.records, transcript.bad_records);
            assert_eq!(counts, (clean.records + count, count), "{name} with {junk:?}");
            assert_eq!(counted_as(transcript, &clean), clean, "{name} with {junk:?}");
        }
    }
}

#[test]
fn a_damaged_record_costs_the_figure_only_where_it_may_have_been_a_later_response() {
    let bytes = fixture("claude-compacted.jsonl");
    let clean = read(&bytes);
    for damaged in DAMAGED {
        let before = read(format!("{damaged}\n{bytes}"));
        assert_eq!(input(&before), Some(14_000), "before: {damaged:?}");
        assert!(before.bad_records > 0, "{damaged:?}");
        assert_eq!(counted_as(before, &clean), clean, "before: {damaged:?}");

        let behind = read(format!("{bytes}{damaged}\n"));
        assert_eq!(input(&behind), None, "behind: {damaged:?}");
        assert_eq!(behind.facts, clean.facts);
        assert_eq!(behind.pressure, clean.pressure);
    }
}

#[test]
fn a_record_of_other_shapes_than_expected_is_not_damaged() {
    let shapes =
        ["null", "true", "-1.5e3", "\"text\"", "[]", "[[{}],\"x\",7]", "{}", "{\"a\":[{}]}"];
    let keys = [
        "sessionId",
        "cwd",
        "message",
        "isSidechain",
        "toolUseResult",
        "attachment",
        "rendered",
        "subtype",
        "isMeta",
    ];
    let bytes = fixture("claude-compacted.jsonl");
    for key in keys {
        for shape in shapes {
            let odd = format!(r#"{{"type":"mode","{key}":{shape}}}"#);
            let transcript = read(format!("{bytes}{odd}\n"));
            assert_eq!((transcript.bad_records, input(&transcript)), (0, Some(14_000)), "{odd}");
            let odd = odd.replace("mode", "user");
            assert_eq!(read(format!("{bytes}{odd}\n")).bad_records, 0, "{odd}");
        }
    }
    for shape in shapes {
        let odd = format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{
            "type":"FileChange","changes":{shape},"parsed_cmd":{shape},"id":{shape}}},
            "info":{shape},"content":{shape},"output":{shape},"replacement_history":{shape}}}}}"#
        );
        let odd = odd.replace('\n', " ");
        let transcript = read(format!("{}{odd}\n", fixture("codex-compacted.jsonl")));
        assert_eq!((transcript.bad_records, input(&transcript)), (0, Some(14_000)), "{odd}");
    }
}

#[test]
fn half_a_surrogate_pair_costs_itself_and_not_its_record() {
    let lone = r"cut \ud83d here, \udE00 and here \\ud83d";
    let shown = r"cut � here, � and here \ud83d";
    let as_text = format!(r#"{{"role":"user","content":"{lone}"}}"#);
    let as_part = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{lone}"}}]}}"#);
    for record in [as_text, as_part] {
        let transcript = read(&record);
        assert_eq!(transcript.bad_records, 0, "{record}");
        assert_eq!(transcript.facts.request(), Some(shown), "{record}");
        assert_eq!(transcript.pressure.get(), shown.len() as u64);
    }
}

#[test]
fn a_record_above_the_limit_is_passed_over_and_counted() {
    let bytes = fixture("claude-compacted.jsonl");
    let clean = read(&bytes);
    let (first, rest) = bytes.split_once('\n').unwrap();
    let framing = r#"{"type":"mode","mode":""}"#.len();
    let of =
        |length: usize| format!(r#"{{"type":"mode","mode":"{}"}}"#, "x".repeat(length - framing));
    for (length, bad) in [(RECORD_BYTES_MAX, 0), (RECORD_BYTES_MAX + 1, 1)] {
        let long = of(length);
        assert_eq!(long.len(), length);
        let transcript = read(format!("{first}\n{long}\n{rest}"));
        assert_eq!(transcript.bad_records, bad, "{length} bytes");
        assert_eq!(counted_as(transcript, &clean), clean);

        let mut reader = TranscriptReader::new();
        bytes.lines().for_each(|line| reader.feed(line.as_bytes()));
        reader.feed(long.as_bytes());
        let transcript = reader.finish();
        assert_eq!(transcript.bad_records, bad, "{length} bytes");
        assert_eq!(input(&transcript).is_none(), bad == 1, "it may have been a later response");
    }
    let in_array = format!("[{},{}]", of(RECORD_BYTES_MAX + 1), r#"{"role":"user","content":"q"}"#);
    let transcript = read(in_array);
    assert_eq!((transcript.records, transcript.bad_records), (2, 1));
    assert_eq!(transcript.facts.request(), Some("q"));
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange_to_read(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
    ) {
        let mut reader = TranscriptReader::new();
        for piece in &pieces {
            reader.push(piece);
        }
        let whole = read(pieces.concat());
        prop_assert_eq!(reader.finish(), whole);
    }

    #[test]
    fn no_real_session_is_read_beyond_a_byte_that_was_changed(
        name in prop::sample::select(&SESSIONS[..]),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = fixture(name).into_bytes();
        let clean = read(&bytes);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let changed = read(&bytes);
        prop_assert!(changed.records <= clean.records + 1, "{} at {}", name, place);
        prop_assert!(changed.records + 1 >= clean.records, "{} at {}", name, place);
    }
}
