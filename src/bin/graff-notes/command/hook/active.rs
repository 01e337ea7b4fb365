//! Which sessions are at work in a folder: for whoever is called without being told the session.
//!
//! A file a session, in the user's state folder: its name is the session's, its text the folder, its
//! time that of the last hook. A project that an agent only works in gets no file of ours.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::session::SessionName;

use super::called::{leave, state_folder};

/// A session that has not called for so long has ended.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// A session, and when its last hook was called.
pub(crate) struct Active {
    pub(crate) session: SessionName,
    pub(crate) at: SystemTime,
}

/// Notes that a session is at work below `root`.
pub(super) fn note(session: &SessionName, root: &Utf8Path) {
    if let Some(folder) = folder() {
        leave(&folder.join(session.stem()), root.as_str());
    }
}

/// Returns the sessions that were last at work below `root`, the last one first, and forgets those
/// that have ended.
pub(crate) fn active_in(root: &Utf8Path) -> Vec<Active> {
    let entries = folder().and_then(|folder| folder.read_dir_utf8().ok());
    let mut found: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let at = entry.metadata().and_then(|status| status.modified()).ok()?;
            if at.elapsed().is_ok_and(|since| since > FORGOTTEN_AFTER) {
                let _ = fs::remove_file(entry.path()); // it stays until the next look
                return None;
            }
            let here = fs::read_to_string(entry.path()).is_ok_and(|path| path == root.as_str());
            let session = SessionName::from_stem(entry.file_name()).filter(|_| here)?;
            Some(Active { session, at })
        })
        .collect();
    found.sort_by_key(|active| std::cmp::Reverse(active.at));
    found
}

fn folder() -> Option<Utf8PathBuf> {
    state_folder().map(|state| state.join("active"))
}
