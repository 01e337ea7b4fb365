//! The transcript of an agent's session, as a file.

use camino::Utf8Path;
use graff_notes::host::transcript::{Transcript, TranscriptReader};

use crate::{
    exit::Exit,
    failure::Failure,
    input::{Expected, Input},
};

/// Reads a transcript as it is now, in pieces.
pub(crate) fn read(path: &Utf8Path) -> Result<Transcript, Failure> {
    let mut reader = TranscriptReader::new();
    Input::Named(path).pieces(&Expected::TRANSCRIPT, |piece| reader.push(piece))?;
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
