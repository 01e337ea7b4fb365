//! A transcript of any bytes comes to something, however it is cut into pieces.

use graff_notes::host::transcript::TranscriptReader;

/// A reader that is asked in between goes on as before, too.
pub(crate) fn pieces_make_no_difference(input: &[u8]) {
    let mut whole = TranscriptReader::new();
    whole.push(input);
    let mut pieces = TranscriptReader::new();
    let (before, after) = input.split_at(input.len() / 2);
    for half in [before, after] {
        half.chunks(1 + input.len() * 31 % 61).for_each(|piece| pieces.push(piece));
        let _ = pieces.clone().finish();
    }
    assert_eq!(pieces.finish(), whole.finish());
}
