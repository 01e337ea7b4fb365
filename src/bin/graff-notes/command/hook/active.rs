//! Which sessions are at work in a folder: for whoever is called without being told the session.
//!
//! A file a session, in the user's state folder: its name is the session's, its text the folder, its
//! time that of the last hook. A project that an agent only works in gets no file of ours.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::session::SessionName;

use super::called::{leave, state_folder};

/// The name of the folder in which each session has its file.
pub(super) const ACTIVE: &str = "active";

/// Notes that a session is at work below `root`.
pub(super) fn note(session: &SessionName, root: &Utf8Path) {
    if let Some(folder) = folder() {
        leave(&folder.join(session.stem()), root.as_str());
    }
}

/// Forgets that a session was at work below `root`. One of the same name elsewhere is another one.
pub(super) fn forget(session: &SessionName, root: &Utf8Path) {
    let Some(path) = folder().map(|folder| folder.join(session.stem())) else { return };
    if fs::read_to_string(&path).is_ok_and(|at| at == root.as_str()) {
        let _ = fs::remove_file(&path); // where it stays, it ends with the week
    }
}

/// Returns the folder in which each session has its file.
pub(crate) fn folder() -> Option<Utf8PathBuf> {
    state_folder().map(|state| state.join(ACTIVE))
}
