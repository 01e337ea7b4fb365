//! The sessions that hooks have seen at work in a folder.

use std::{
    cmp::Reverse,
    fs,
    time::{Duration, SystemTime},
};

use camino::Utf8Path;
use graff_notes::session::SessionName;

use crate::command::hook;

/// A session that has not called for so long has ended.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// A session, and when its last hook was called.
pub(super) struct Active {
    pub(super) session: SessionName,
    pub(super) at: SystemTime,
}

/// Returns the sessions that were last at work below `root`, the last one first, and forgets those
/// that have ended.
pub(super) fn active_in(root: &Utf8Path) -> Vec<Active> {
    let entries = hook::active_folder().and_then(|folder| folder.read_dir_utf8().ok());
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
    found.sort_by_key(|active| Reverse(active.at));
    found
}
