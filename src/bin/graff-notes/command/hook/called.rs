//! When a host last called: the answer to "does it work at all?".

use std::{env, fs, io, time::SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::{Call, Host};

use super::active::ACTIVE;

/// Notes that a host has called.
pub(super) fn note(call: &Call) {
    if let Some(path) = path(call.host) {
        leave(&path, &call.name);
    }
}

/// Returns when a host has last called and on which event, where that is known.
pub(crate) fn last_called(host: Host) -> Option<(SystemTime, String)> {
    let path = path(host)?;
    let at = fs::metadata(&path).and_then(|status| status.modified()).ok()?;
    Some((at, fs::read_to_string(&path).ok()?))
}

/// Forgets that a host has called; with the last one goes the word of which sessions are at work.
///
/// Whatever of it stays does no harm.
pub(crate) fn forget(host: Host) {
    let Some(folder) = state_folder() else { return };
    let _ = fs::remove_file(folder.join(host.as_str()));
    if Host::ALL.into_iter().all(|other| last_called(other).is_none()) {
        let _ = fs::remove_dir_all(folder.join(ACTIVE));
    }
    let _ = fs::remove_dir(&folder); // if nothing else is in it
}

/// Leaves a file in the state folder. Where that can't be written, only `hooks status` and `mcp`
/// know less.
pub(super) fn leave(path: &Utf8Path, text: &str) {
    let written = fs::write(path, text);
    if written.is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
        && let Some(folder) = path.parent()
        && fs::create_dir_all(folder).is_ok()
    {
        let _ = fs::write(path, text);
    }
}

/// Returns the folder for what hooks tell; it is the user's and not the project's, since a host is
/// set up for all projects at once.
pub(super) fn state_folder() -> Option<Utf8PathBuf> {
    let named = |variable| env::var(variable).ok().filter(|path| path.starts_with('/'));
    let state = named("XDG_STATE_HOME").map(Utf8PathBuf::from);
    let state =
        state.or_else(|| named("HOME").map(|home| Utf8PathBuf::from(home).join(".local/state")))?;
    Some(state.join("graff-notes"))
}

fn path(host: Host) -> Option<Utf8PathBuf> {
    state_folder().map(|folder| folder.join(host.as_str()))
}
