//! Which generation a session's history is in, for whoever writes a note past the hooks.

use graff_notes::{
    Error,
    host::hook::{Moment, State},
    session::SessionName,
    store::Store,
    units::Generation,
};

use super::{active, files::TranscriptFile};

/// Returns the generation of a session's history as its transcript has it, where a hook was told
/// which that is; else the greatest that the log has.
///
/// No hook may have counted a compaction yet: Gemini CLI calls none then, and before there is a
/// note nothing is counted. A note that is taken for an older one gives way to the next mechanical
/// one.
pub(crate) fn generation_now(store: &Store, session: &SessionName) -> Result<Generation, Error> {
    let greatest = store.greatest_generation(session)?;
    let mut state = State::read(store.word(session).ok().flatten().as_deref());
    let counted = active::transcript(session).and_then(|(host, path)| {
        let file = TranscriptFile::open(&path).ok().flatten()?;
        Some((host, file.count(&path, host, state.seen.as_ref(), None).ok()?))
    });
    Ok(counted.map_or(greatest, |(host, counted)| {
        state.advance(host, Moment::Between, Some(counted), greatest).max(greatest)
    }))
}
