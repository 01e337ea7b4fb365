//! The transcript of an agent's session, as a file.

use std::{
    fs::File,
    io::{self, Read},
};

use camino::Utf8Path;
use graff_notes::host::transcript::{Transcript, TranscriptReader};

use crate::{exit::Exit, failure::Failure};

/// How much of a transcript is read at once, in bytes.
const PIECE: usize = 128 * 1024;

/// Reads a transcript as it is now, in pieces.
pub(crate) fn read(path: &Utf8Path) -> Result<Transcript, Failure> {
    let failed =
        |e: &io::Error| Failure::system(format_args!("read the transcript {path}"), e).at(path);
    let mut file = File::open(path).map_err(|e| failed(&e))?;
    let mut reader = TranscriptReader::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => reader.push(piece.get(..read).unwrap_or_default()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(&e)),
        }
    }
    let transcript = reader.finish();
    if transcript.form.is_none() && transcript.records > 0 {
        let records = transcript.records;
        let what = format_args!(
            "make out the transcript {path}: none of its {records} records is of a known form"
        );
        return Err(Failure::new(Exit::Failed, "unknown_transcript", what).at(path));
    }
    Ok(transcript)
}
