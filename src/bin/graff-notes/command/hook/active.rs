//! Which sessions are at work in a folder: for whoever is called without being told the session.
//!
//! A file a session, in the user's state folder: its name is the session's, its text the folder, its
//! time that of the last hook. A project that an agent only works in gets no file of ours.
//!
//! ```text
//! /home/me/parser          at work there
//! ended /home/me/parser    was, and has ended
//! ```

#[cfg(feature = "mcp")]
use std::time::SystemTime;
use std::{borrow::Cow, fs};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::session::SessionName;

use super::called::{leave, state_folder, told};

/// The name of the folder in which each session has its file.
pub(super) const ACTIVE: &str = "active";

/// What stands before the folder of a session that has ended; a folder begins with a slash.
const ENDED: &str = "ended ";

/// Notes that a session is at work below `root`.
pub(super) fn note(session: &SessionName, root: &Utf8Path) {
    if let Some(path) = file(session) {
        leave(&path, real(root).as_str());
    }
}

/// Notes that a session has ended, wherever it was at work: the host may go on with another one, and
/// tell nobody else.
pub(super) fn end(session: &SessionName) {
    let Some(path) = file(session) else { return };
    if let Ok(at) = told(&path)
        && !at.starts_with(ENDED)
    {
        leave(&path, &format!("{ENDED}{at}"));
    }
}

/// Forgets that a session was at work below `root`. One of the same name elsewhere is another one.
pub(super) fn forget(session: &SessionName, root: &Utf8Path) {
    let Some(path) = file(session) else { return };
    let at_root =
        |at: String| real(Utf8Path::new(at.strip_prefix(ENDED).unwrap_or(&at))) == real(root);
    if told(&path).is_ok_and(at_root) {
        let _ = fs::remove_file(&path); // where it stays, it ends with the week
    }
}

/// Returns when a session has ended, where it is known to have.
#[cfg(feature = "mcp")]
pub(crate) fn ended_at(session: &SessionName) -> Option<SystemTime> {
    let path = file(session)?;
    let has_ended = told(&path).ok()?.starts_with(ENDED);
    let status = fs::metadata(path).ok().filter(|_| has_ended);
    status?.modified().ok()
}

/// Returns the path of a folder past links and dots, the same however it is spelt; one that can't be
/// followed stays as it is.
pub(crate) fn real(folder: &Utf8Path) -> Cow<'_, Utf8Path> {
    folder.canonicalize_utf8().map_or(Cow::Borrowed(folder), Cow::Owned)
}

fn file(session: &SessionName) -> Option<Utf8PathBuf> {
    folder().map(|folder| folder.join(session.stem()))
}

/// Returns the folder in which each session has its file.
pub(crate) fn folder() -> Option<Utf8PathBuf> {
    state_folder().map(|state| state.join(ACTIVE))
}
