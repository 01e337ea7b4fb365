//! A long transcript, beside cutting it into lines and parsing each line once.

use criterion::Criterion;
use graff_notes::{host::transcript::TranscriptReader, units::Tokens};

use crate::{long_transcript, pair::compare};

/// The length of the transcript in bytes.
const TRANSCRIPT_BYTES: usize = 50_000_000;

/// The piece in which it is handed over, in bytes: the one that the program reads in.
const PIECE_BYTES: usize = 64 * 1024;

pub(crate) fn operations(criterion: &mut Criterion) {
    let transcript: String = long_transcript::long_transcript(TRANSCRIPT_BYTES).collect();
    let parsed = || {
        let lines = memchr::memchr_iter(b'\n', transcript.as_bytes());
        let mut start = 0;
        let mut objects = 0_usize;
        for end in lines {
            let line: serde_json::Value =
                serde_json::from_str(&transcript[start..end]).expect("a record");
            objects += usize::from(line.is_object());
            start = end + 1;
        }
        objects
    };
    let read = || {
        let mut reader = TranscriptReader::new();
        transcript.as_bytes().chunks(PIECE_BYTES).for_each(|piece| reader.push(piece));
        let transcript = reader.finish();
        let last = transcript.usage.and_then(|usage| usage.input(Tokens::ZERO));
        assert_eq!(last, Ok(Tokens::new(long_transcript::LAST_INPUT)));
        transcript.records
    };
    compare(criterion, "transcript, 50 MB (raw: lines, each parsed once)", 1, parsed, read);
}
