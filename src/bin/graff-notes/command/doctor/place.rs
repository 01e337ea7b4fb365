//! Where the notes lie: the file system, who may read them, and whether they would be committed.

use std::{fs, io, os::unix::fs::MetadataExt};

use camino::Utf8Path;
use graff_notes::store::Store;

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::file_systems::FileSystem;
use super::{Finding, Names, plain};
use crate::output::{plural, quoted};

/// What group and others may do with a file, as bits of its mode.
const BITS_OF_OTHERS: u32 = 0o077;

/// Says what kind of file system the notes are on.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn file_system(root: &Utf8Path) -> Finding {
    const CHECK: &str = "file system";
    let number = match rustix::fs::statfs(root.as_std_path()) {
        Ok(status) => wide(status.f_type) & 0xFFFF_FFFF,
        Err(e) => {
            return Finding::failure(
                CHECK,
                format!("{root}: {e}"),
                "choose another root, with --root",
            );
        }
    };
    match FileSystem::of(number) {
        FileSystem::Weak { name, why } => {
            let advice = "keep notes that matter on a local disk";
            Finding::warning(CHECK, format!("{name}: {why}"), advice)
        }
        FileSystem::Local { name } => Finding::ok(CHECK, format!("local: {name}")),
        FileSystem::Unknown => Finding::ok(CHECK, format!("of a kind not known here, {number:#x}")),
    }
}

/// Widens the number of a file system, whose width hangs on the machine.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn wide(kind: impl Into<i64>) -> i64 {
    kind.into()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn file_system(root: &Utf8Path) -> Finding {
    Finding::ok("file system", format!("{root}: its kind is not known here"))
}

/// Says that nothing is looked at behind a link on the way to the notes: no advice may act there.
pub(super) fn behind(link: &Utf8Path, root: &Utf8Path) -> Finding {
    let detail = format!("not looked at: {link} is a symbolic link");
    let path = root.join(link);
    Finding::failure("modes", detail, format!("remove the link {path}: no note goes through it"))
}

/// Says whether others may read or write the notes; nothing where there are none.
pub(super) fn modes(store: &Store, names: Names) -> Option<Finding> {
    const CHECK: &str = "modes";
    let folder = store.notes_path();
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
        Err(e) => {
            let advice = "check who owns the folder, and its mode";
            return Some(Finding::failure(CHECK, format!("{folder}: {e}"), advice));
        }
    };
    let files = entries.flatten().map(|entry| entry.path());
    let files = files.chain([folder.clone().into_std_path_buf()]);
    let mut open: Vec<_> = files.filter(|path| is_open(path)).collect();
    open.sort();
    let Some((first, others)) = open.split_first() else {
        return Some(Finding::ok(CHECK, "only you can read the notes"));
    };
    let which = match (names, others.len()) {
        (Names::Told, 0) => first.display().to_string(),
        (Names::Told, more) => format!("{} and {more} more", first.display()),
        (Names::LeftOut, _) => plural(open.len() as u64, "file"),
    };
    let detail = format!("other users may get at {which}");
    Some(Finding::warning(CHECK, detail, format!("chmod -R go= {}", quoted(folder.as_str()))))
}

/// Returns whether the mode of a file lets others at it. Its own folder may still keep them out.
fn is_open(path: &std::path::Path) -> bool {
    let is_ignore = path.file_name().is_some_and(|name| name == ".gitignore");
    let lets_in = |status: fs::Metadata| {
        !status.is_symlink() && status.mode() & BITS_OF_OTHERS != 0 // a link has no rights
    };
    !is_ignore && fs::symlink_metadata(path).is_ok_and(lets_in)
}

/// Says whether the notes are kept out of version control; nothing where there are none.
pub(super) fn ignored(store: &Store) -> Option<Finding> {
    const CHECK: &str = ".gitignore";
    let folder = store.notes_path();
    if !folder.is_dir() {
        return None;
    }
    let path = folder.join(".gitignore");
    let kind = fs::symlink_metadata(&path).map(|status| status.file_type());
    if kind.as_ref().is_ok_and(|kind| !kind.is_file()) {
        let is_link = kind.is_ok_and(|kind| kind.is_symlink());
        let detail = if is_link { "it is a symbolic link" } else { "it is no plain file" };
        let advice = if is_link { "remove the link" } else { "move away" };
        return Some(Finding::warning(CHECK, detail, format!("{advice} {path}")));
    }
    let text = plain::text(&path).ok();
    Some(match text {
        Some(text) if text.lines().any(|line| line.trim() == "*") => {
            Finding::ok(CHECK, "the notes are kept out of version control")
        }
        Some(_) => {
            Finding::warning(CHECK, "the notes may be committed", "right if you edited it so")
        }
        None => {
            let advice = format!("echo '*' >{}", quoted(path.as_str()));
            Finding::warning(CHECK, "it is not there: the notes may be committed", advice)
        }
    })
}
