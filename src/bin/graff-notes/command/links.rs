//! Links where a store passes none: between its root and its notes.

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;

/// Returns the first link on the way from a root to the notes below it, as it is named from there.
pub(in crate::command) fn on_the_way(root: &Utf8Path) -> Option<Utf8PathBuf> {
    let notes = Store::at(root).notes_path();
    let mut inward: Vec<_> = notes.ancestors().take_while(|step| *step != root).collect();
    inward.reverse();
    let link = inward.into_iter().find(|step| step.is_symlink())?;
    Some(link.strip_prefix(root).unwrap_or(link).to_owned())
}
