//! Which sessions are at work in a folder: for whoever is called without being told the session.
//!
//! A file a session, in the user's state folder: its name is the session's, its text the folder
//! and, where the host has said so, the transcript; its time is that of the last hook. A project
//! that an agent only works in gets no file of ours.
//!
//! ```text
//! /home/me/parser          at work there
//! codex /home/me/.codex/sessions/2026/11/30/rollout-1.jsonl
//!
//! ended /home/me/parser    was, and has ended
//! ```

#[cfg(feature = "mcp")]
use std::time::SystemTime;
use std::{borrow::Cow, fmt, fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    host::hook::{Call, Host},
    session::SessionName,
};

use super::called::{state_folder, tell, told};

/// The name of the folder in which each session has its file.
pub(super) const ACTIVE: &str = "active";

/// What stands before the folder of a session that has ended; a folder begins with a slash.
const ENDED: &str = "ended ";

/// What a session's file says.
pub(crate) struct AtWork {
    /// The folder, past links and dots.
    pub(crate) folder: String,
    pub(crate) has_ended: bool,
    transcript: Option<(Host, Utf8PathBuf)>,
}

impl AtWork {
    /// Returns what a text says; a last line that names no transcript is of the folder's name.
    fn read(text: &str) -> Self {
        let lines = text.rsplit_once('\n');
        let named = lines.and_then(|(at, line)| Some((at, Some(transcript_in(line)?))));
        let (at, transcript) = named.unwrap_or((text, None));
        let ended = at.strip_prefix(ENDED);
        Self { folder: ended.unwrap_or(at).to_owned(), has_ended: ended.is_some(), transcript }
    }
}

impl fmt::Display for AtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, has_ended, transcript } = self;
        write!(f, "{}{folder}", if *has_ended { ENDED } else { "" })?;
        match transcript {
            Some((host, path)) => write!(f, "\n{host} {path}"),
            None => Ok(()),
        }
    }
}

fn transcript_in(line: &str) -> Option<(Host, Utf8PathBuf)> {
    let (host, path) = line.split_once(' ')?;
    Some((host.parse().ok()?, path.into()))
}

/// Remembers that the session of a call is at work below `root`.
pub(super) fn remember(call: &Call, root: &Utf8Path) {
    let Some(path) = file(&call.session) else { return };
    let transcript = call.transcript.clone().filter(|path| !path.as_str().contains('\n'));
    let at = AtWork {
        folder: real(root).into_owned().into_string(),
        has_ended: false,
        transcript: transcript.map(|path| (call.host, path)),
    };
    tell(&path, &at.to_string());
}

/// Remembers that a session has ended, wherever it was at work: the host may go on with another
/// one, and tell nobody else.
pub(super) fn end(session: &SessionName) {
    let Some(path) = file(session) else { return };
    if let Ok(at) = at_work(&path)
        && !at.has_ended
    {
        tell(&path, &AtWork { has_ended: true, ..at }.to_string());
    }
}

/// Forgets that a session was at work below `root`. One of the same name elsewhere is another one.
pub(super) fn forget(session: &SessionName, root: &Utf8Path) {
    let Some(path) = file(session) else { return };
    if at_work(&path).is_ok_and(|at| real(Utf8Path::new(&at.folder)) == real(root)) {
        let _ = fs::remove_file(&path); // where it stays, it ends with the week
    }
}

/// Returns what a session's file says.
pub(crate) fn at_work(path: &Utf8Path) -> io::Result<AtWork> {
    told(path).map(|text| AtWork::read(&text))
}

/// Returns when a session has ended, where it is known to have.
#[cfg(feature = "mcp")]
pub(crate) fn ended_at(session: &SessionName) -> Option<SystemTime> {
    let path = file(session)?;
    let status = fs::metadata(&path).ok().filter(|_| at_work(&path).is_ok_and(|at| at.has_ended));
    status?.modified().ok()
}

/// Returns the transcript of a session and whose it is, where a hook was told.
#[cfg(feature = "mcp")]
pub(super) fn transcript(session: &SessionName) -> Option<(Host, Utf8PathBuf)> {
    at_work(&file(session)?).ok()?.transcript
}

/// Returns the path of a folder past links and dots, the same however it is spelt; one that can't
/// be followed stays as it is.
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
