//! When a host last called: the answer to "does it work at all?".

use std::{
    env,
    fs::{self, DirBuilder, File, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    time::SystemTime,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::{Call, Host};

use rustix::fs::OFlags;

use super::{active::ACTIVE, nonce::nonce};
use crate::{command::owner, input::open_without_waiting, plain_file::PlainFile};

/// What names the folder for what hooks tell, or the one that has it.
pub(super) const VARIABLES: [&str; 2] = ["XDG_STATE_HOME", "HOME"];

/// No file in the state folder says more, in bytes: two of the longest paths, and a word before
/// each.
const TOLD_BYTES_MAX: u64 = 12 * 1024;

/// Remembers that a host has called.
pub(super) fn remember(call: &Call) {
    if let Some(path) = path(call.host) {
        tell(&path, &call.name);
    }
}

/// Returns when a host has last called and on which event, where that is known.
pub(crate) fn last_called(host: Host) -> Option<(SystemTime, String)> {
    let path = path(host)?;
    let at = fs::metadata(&path).and_then(|status| status.modified()).ok()?;
    Some((at, told(&path).ok()?))
}

/// Forgets that a host has called; with the last one goes the word of which sessions are at work.
///
/// Whatever of it stays does no harm.
pub(super) fn forget(host: Host) {
    let Some(folder) = state_folder() else { return };
    let _ = fs::remove_file(folder.join(host.as_str()));
    if Host::ALL.into_iter().all(|other| last_called(other).is_none()) {
        let _ = fs::remove_dir_all(folder.join(ACTIVE));
    }
    let _ = fs::remove_dir(&folder); // if nothing else is in it
}

/// Tells later calls something, in a file of the state folder, for the user's eyes alone. Where
/// that can't be written, only `hooks status` and `mcp` know less.
///
/// Whoever reads it meanwhile, or after we were killed, finds what it says now or what it said
/// before.
pub(super) fn tell(path: &Utf8Path, text: &str) {
    if confirm(path, text).is_ok_and(|says_so| says_so) {
        return;
    }
    let Some(drafts) = state_folder().map(|folder| folder.join(ACTIVE)) else { return };
    let replaced = replace(path, text, &drafts);
    if replaced.is_err_and(|e| e.kind() == io::ErrorKind::NotFound) && make_private(&drafts).is_ok()
    {
        let _ = replace(path, text, &drafts);
    }
}

/// Returns what a file in the state folder says: a plain file, and no longer than paths can be.
pub(super) fn told(path: &Utf8Path) -> io::Result<String> {
    PlainFile::of(open_without_waiting(path, OFlags::NOFOLLOW)?, TOLD_BYTES_MAX)?.text()
}

/// Sets the time of a file that says this; returns whether it does.
fn confirm(path: &Utf8Path, text: &str) -> io::Result<bool> {
    if told(path)? != text {
        return Ok(false);
    }
    let file = File::options().write(true).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.set_modified(SystemTime::now()).map(|()| true)
}

/// Puts a file that is its owner's alone in the place of what is there, in one step.
///
/// A draft that a killed hook leaves has no session's name, and goes with those that have ended.
fn replace(path: &Utf8Path, text: &str, drafts: &Utf8Path) -> io::Result<()> {
    let draft = drafts.join(format!(".{}", nonce()));
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file.write_all(text.as_bytes());
    // The mode at its making is less what the umask takes away.
    let private = written.and_then(|()| file.set_permissions(Permissions::from_mode(0o600)));
    let theirs = private.and_then(|()| owner::leave_file(&file, &draft));
    theirs.and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        let _ = fs::remove_file(&draft);
    })
}

/// Makes a folder, and those above it that are missing, for their owner alone under any umask.
fn make_private(folder: &Utf8Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    folder.parent().map_or(Ok(()), make_private)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()), // of a hook at the same time
        made => {
            made.and_then(|()| fs::set_permissions(folder, Permissions::from_mode(0o700)))?;
            owner::leave_folder(folder)
        }
    }
}

/// Returns the folder for what hooks tell; it is the user's and not the project's, since a host is
/// set up for all projects at once.
pub(super) fn state_folder() -> Option<Utf8PathBuf> {
    let [state, home] = VARIABLES.map(|variable| {
        let path = env::var(variable).ok().filter(|path| path.starts_with('/'));
        path.map(Utf8PathBuf::from)
    });
    let state = state.or_else(|| home.map(|home| home.join(".local/state")))?;
    Some(state.join("graff-notes"))
}

fn path(host: Host) -> Option<Utf8PathBuf> {
    state_folder().map(|folder| folder.join(host.as_str()))
}
