//! The texts from before ours that are kept beside a file of the user's, and those of others that
//! were rescued, which have another name: no later run may take one of these for a copy.

use std::{fs, fs::Metadata, iter, time::SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

/// What the name of the text before ours ends in.
const SUFFIX: &str = ".before-graff-notes";

/// What the name of a text ends in that a run which was killed had taken out.
const RESCUED: &str = ".rescued-by-graff-notes";

/// More texts of a sort are not kept beside a file.
pub(super) const COPIES_MAX: u32 = 100;

/// A longer file holds no settings, in bytes.
pub(super) const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A text that is kept.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    /// When it was made.
    pub(super) at: SystemTime,
}

/// Returns the copies of `target` that are there.
pub(super) fn of(target: &Utf8Path) -> impl Iterator<Item = Copy> + use<> {
    paths(target).filter_map(|path| {
        let is_ours = |status: &Metadata| status.is_file() && status.len() <= BYTES_MAX;
        let status = fs::symlink_metadata(&path).ok().filter(is_ours)?;
        let text = fs::read_to_string(&path).ok()?; // another's is none of ours
        Some(Copy { path, text, at: status.modified().ok()? })
    })
}

/// Returns the name of the first copy of `target`.
pub(super) fn first(target: &Utf8Path) -> Utf8PathBuf {
    format!("{target}{SUFFIX}").into()
}

/// Returns the names that copies of `target` have: the first without a number.
pub(super) fn paths(target: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> + use<> {
    numbered(first(target))
}

/// Returns the names that rescued texts of `target` have.
pub(super) fn rescued(target: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> + use<> {
    numbered(format!("{target}{RESCUED}").into())
}

fn numbered(first: Utf8PathBuf) -> impl Iterator<Item = Utf8PathBuf> {
    let more: Vec<_> = (2..=COPIES_MAX).map(|n| format!("{first}.{n}").into()).collect();
    iter::once(first).chain(more)
}
