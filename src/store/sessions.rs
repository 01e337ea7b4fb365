//! Which sessions have a log.

use super::{
    folder::{Folder, absent_is_none},
    layout,
};
use crate::{error::Error, session::SessionName};

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
    let listed = folder.medium.names(&mut |file| {
        let Some(stem) = file.strip_suffix(layout::LOG_SUFFIX) else { return };
        match SessionName::from_stem(stem) {
            Some(name) => found.names.push(name),
            None => found.unrecognised.push(file.to_owned()),
        }
    });
    absent_is_none(listed).map_err(|e| folder.failed("list", "", e))?;
    found.names.sort_unstable();
    found.unrecognised.sort_unstable();
    Ok(found)
}
