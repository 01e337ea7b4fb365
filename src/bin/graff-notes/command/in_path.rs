//! What PATH finds.

use std::{
    env,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

/// Returns the programs of this name that PATH has, in its order.
///
/// The system passes over a file that may not be run, and looks on.
pub(in crate::command) fn in_path(program: &str) -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).filter(|it| !it.as_os_str().is_empty()).collect();
    folders.into_iter().map(move |folder| folder.join(program)).filter(|program| may_run(program))
}

/// Returns whether a program stands there that may be run.
pub(in crate::command) fn may_run(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
