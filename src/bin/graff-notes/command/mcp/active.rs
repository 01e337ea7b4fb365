//! The sessions that hooks have seen at work in a folder.

use std::{
    cmp::Reverse,
    fs, io,
    time::{Duration, SystemTime},
};

use camino::Utf8Path;
use graff_notes::session::SessionName;

use crate::command::hook;

/// A session that has not called for so long has ended.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// A session, and when its last hook was called.
#[derive(Clone)]
pub(super) struct Active {
    pub(super) session: SessionName,
    pub(super) at: SystemTime,
    pub(super) place: Place,
}

/// Where a session is at work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the folder that was asked about.
    Here,
    /// Nobody can read where: it may be here.
    Unknown,
}

/// Returns the sessions that were last at work below `root`, or may have been, the last one first,
/// and forgets those that have ended.
pub(super) fn active_in(root: &Utf8Path) -> Vec<Active> {
    let root = hook::real(root);
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
            let session = SessionName::from_stem(entry.file_name())?; // else it is a hook's draft
            place(entry.path(), &root).map(|place| Active { session, at, place })
        })
        .collect();
    found.sort_by_key(|active| Reverse(active.at));
    found
}

/// Returns how the folder that a session's file names stands to the [real](hook::real) `root`;
/// `None` where it is another.
fn place(file: &Utf8Path, root: &Utf8Path) -> Option<Place> {
    match hook::at_work(file) {
        Ok(at) if at.has_ended => None,
        Ok(at) if at.folder.is_empty() => Some(Place::Unknown),
        Ok(at) if at.folder == *root || hook::real(Utf8Path::new(&at.folder)) == root => {
            Some(Place::Here)
        }
        Ok(_) => None,
        Err(e) if e.kind() == io::ErrorKind::NotFound => None, // it was forgotten just now
        Err(_) => Some(Place::Unknown),
    }
}
