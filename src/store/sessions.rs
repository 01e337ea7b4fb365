//! Which sessions have a log, and how one is forgotten.

use super::{
    Level, Store,
    folder::Folder,
    layout,
    lock::{Deadline, acquire},
};
use crate::{
    error::{Error, ErrorKind},
    session::SessionName,
};

/// The logs in a store's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sessions {
    /// The sessions, by name.
    pub names: Vec<SessionName>,
    /// Files that end like a log and whose names we would not have given, by name: those of other
    /// programs, until they are imported.
    pub unrecognised: Vec<String>,
}

pub(super) fn list(folder: &Folder) -> Result<Sessions, Error> {
    let mut found = Sessions::default();
    for file in folder.names()? {
        let Some(stem) = file.strip_suffix(layout::LOG_SUFFIX) else { continue };
        match SessionName::from_stem(stem) {
            Some(name) => found.names.push(name),
            None => found.unrecognised.push(file),
        }
    }
    found.names.sort_unstable();
    found.unrecognised.sort_unstable();
    Ok(found)
}

/// Removes all that holds a session's words: its log, and what repairs took out of it or left.
pub(super) fn forget(store: &Store, session: &SessionName) -> Result<(), Error> {
    let folder = store.folder();
    // The log goes last: until then the session reads as before.
    let names = [
        layout::side(session),
        layout::side_new(session),
        layout::rejected(session),
        layout::repaired(session),
        layout::log(session),
    ];
    let mut is_known = false;
    for name in &names {
        is_known |= folder.identity(name)?.is_some();
    }
    if !is_known {
        return Err(Error::on(ErrorKind::NotFound, "forget", &folder.path(&layout::log(session)))
            .with_detail("nothing is stored for this session"));
    }
    let _held = acquire(&mut None, folder, session, Deadline::after(store.patience()))?;
    for name in &names {
        folder.remove_if_there(name)?;
    }
    folder.sync(Level::Notes).map_err(|e| {
        e.with_kind(ErrorKind::Uncertain)
            .with_detail("the session is forgotten, but a loss of power may bring it back")
    })?;
    let _ = folder.remove_if_there(&layout::repairing(session)); // else the next append does it
    Ok(())
}
