//! Which folder is the root of the store, and why.

use std::{env, fmt, fs, io, os::unix::fs::MetadataExt};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::{exit::Exit, failure::Failure};

/// The variable that names the root.
const VARIABLE: &str = "GRAFF_ROOT";
/// The folder in a root that holds the store.
const GRAFF: &str = ".graff";
/// The folder, or in a work tree the file, that makes a folder the root of a project.
const GIT: &str = ".git";

/// The root of the store.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) path: Utf8PathBuf,
    pub(crate) because: Because,
    /// The stores that were passed over on the way, the innermost first.
    pub(crate) skipped: Vec<Skipped>,
}

/// Why a folder is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Because {
    /// `--root` says so.
    Flag,
    /// `GRAFF_ROOT` says so.
    Environment,
    /// It is the nearest one upwards that has a store or a repository, and it has a store.
    Graff,
    /// It is the nearest one upwards that has a store or a repository, and it has a repository.
    Git,
    /// It is the current folder, and no better one was found.
    CurrentFolder,
}

/// A store that was passed over since it belongs to another user, who could have put it there to
/// have his notes read into our prompts.
#[derive(Debug, Serialize)]
pub(crate) struct Skipped {
    pub(crate) path: Utf8PathBuf,
    pub(crate) owner: u32,
}

/// Returns the root: `flag`, else the variable, else the nearest folder upwards that has a store or
/// a repository, else the current folder.
pub(crate) fn find(flag: Option<&Utf8Path>) -> Result<Root, Failure> {
    find_from(flag, None)
}

/// Returns the root as [`find`] does, but looks upwards from `start` where that is given.
pub(crate) fn find_from(
    flag: Option<&Utf8Path>,
    start: Option<&Utf8Path>,
) -> Result<Root, Failure> {
    if let Some(path) = flag {
        return named(path, Because::Flag);
    }
    match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) => named(&utf8(value.into(), VARIABLE)?, Because::Environment),
        None => match start {
            Some(start) => upwards(start),
            None => upwards(&current_folder()?),
        },
    }
}

fn named(path: &Utf8Path, because: Because) -> Result<Root, Failure> {
    match fs::metadata(path) {
        Ok(status) if status.is_dir() => {
            Ok(Root { path: path.to_owned(), because, skipped: Vec::new() })
        }
        Ok(_) => Err(no_root(path, because, "it is no folder")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Err(no_root(path, because, "it is not there"))
        }
        Err(e) => Err(Failure::on("look at the root", path, &e)),
    }
}

fn no_root(path: &Utf8Path, because: Because, why: &str) -> Failure {
    let named = if because == Because::Flag { "--root" } else { VARIABLE };
    Failure::input(format_args!("use {path:?} as the root, which {named} names: {why}"))
        .advise("name a folder that is there")
        .at(path)
}

/// Returns the root as it is found from `start`.
fn upwards(start: &Utf8Path) -> Result<Root, Failure> {
    let mut skipped = Vec::new();
    for folder in start.ancestors() {
        let graff = folder.join(GRAFF);
        let owner = fs::symlink_metadata(&graff).map(|status| status.uid()).ok();
        let because = match owner {
            Some(owner) if !is_trusted(owner, folder) => {
                skipped.push(Skipped { path: graff, owner });
                continue;
            }
            Some(_) => Because::Graff,
            None if fs::symlink_metadata(folder.join(GIT)).is_ok() => Because::Git,
            None => continue,
        };
        return Ok(Root { path: folder.to_owned(), because, skipped });
    }
    match skipped.first() {
        Some(first) if first.path.parent() == Some(start) => Err(all_foreign(first)),
        _ => Ok(Root { path: start.to_owned(), because: Because::CurrentFolder, skipped }),
    }
}

/// Returns whether a store is used that belongs to `owner` and stands in `folder`: our own, and for
/// root also that of the folder's owner, since root makes it so (in a container, by `sudo`).
fn is_trusted(owner: u32, folder: &Utf8Path) -> bool {
    let us = rustix::process::geteuid();
    let is_folders = || fs::metadata(folder).is_ok_and(|status| status.uid() == owner);
    owner == us.as_raw() || (us.is_root() && is_folders())
}

fn all_foreign(skipped: &Skipped) -> Failure {
    let Skipped { path, owner } = skipped;
    let what = format_args!("use {path}: it belongs to another user, {owner}");
    Failure::new(Exit::Failed, "permission_denied", what)
        .advise("name it with --root if you trust its owner, or name another root")
        .at(path)
}

fn current_folder() -> Result<Utf8PathBuf, Failure> {
    let folder = env::current_dir().map_err(|e| {
        Failure::system("find out which folder this is", &e).advise("name a root with --root")
    })?;
    utf8(folder, "the current folder")
}

fn utf8(path: std::path::PathBuf, what: &str) -> Result<Utf8PathBuf, Failure> {
    Utf8PathBuf::from_path_buf(path).map_err(|path| {
        let path = path.display();
        Failure::input(format_args!("use {path}, which is {what}: it is not UTF-8"))
            .advise("name a root with --root")
    })
}

impl Because {
    /// Returns the reason in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Flag => "--root names it",
            Self::Environment => "GRAFF_ROOT names it",
            Self::Graff => "it is the nearest folder upwards with a .graff",
            Self::Git => "it is the nearest folder upwards with a .git",
            Self::CurrentFolder => "it is the current folder, and none upwards has .graff or .git",
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, owner } = self;
        write!(f, "passed over {path}: it belongs to another user, {owner}")
    }
}
