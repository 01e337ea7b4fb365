//! What PATH finds.

use std::{
    env,
    path::{Path, PathBuf, absolute},
};

use rustix::fs::{Access, access};

/// Returns the programs of this name that PATH has, in its order, each by a path that leads to it
/// from any folder.
///
/// What may not be run is passed over as the system does it, and so is what is no file or stands
/// where we may not look.
pub(in crate::command) fn in_path(program: &str) -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).filter(|it| !it.as_os_str().is_empty()).collect();
    let there = folders.into_iter().filter_map(move |folder| absolute(folder.join(program)).ok());
    there.filter(|program| may_run(program))
}

/// Returns whether a program stands there that may be run.
pub(in crate::command) fn may_run(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
