//! The program where an agent finds it, and whether the machine was too busy for its hooks: they
//! give up after two seconds, and whoever calls them doesn't wait for much longer.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use camino::Utf8Path;

/// So often is run again what was late, before that fails a test.
const RUNS_MAX: usize = 20;

/// Runs something until it is in time; `run` returns `None` where it was late.
#[track_caller]
pub(crate) fn in_time<T>(run: impl FnMut() -> Option<T>) -> T {
    let mut runs = std::iter::repeat_with(run).take(RUNS_MAX);
    runs.find_map(|done| done).expect("a run in which no hook is late")
}

/// Puts the program into a folder for whoever looks there.
pub(crate) fn put(folder: &Utf8Path) {
    put_script(folder, &script());
}

/// Puts another program in its place.
pub(crate) fn put_script(folder: &Utf8Path, script: &str) {
    fs::create_dir_all(folder).expect("a folder");
    let path = folder.join("graff-notes");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("a mode");
}

/// The program, with each call on record beside it.
pub(crate) fn script() -> String {
    let program = env!("CARGO_BIN_EXE_graff-notes");
    format!(
        "#!/bin/sh\nexec 2>>\"${{0%/*}}/calls\"\necho begun >&2\n\
         '{program}' \"$@\" && echo ended >&2\n"
    )
}

/// Returns whether a call of the program in `folder` was late, and takes them off the record.
pub(crate) fn was_late(folder: &Utf8Path) -> bool {
    let path = folder.join("calls");
    let calls = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    calls.matches("begun").count() != calls.matches("ended").count() || calls.contains("gave up")
}
