//! The names in a folder, read straight out of what the kernel filled in: of ten thousand none is
//! copied that nobody asked for.

use std::{fs::File, io, mem::MaybeUninit};

use rustix::fs::RawDir;

/// How much the kernel is asked for at once, in bytes: some hundreds of names, and far more than
/// the longest takes, which has 4,095 of them at the most (FUSE).
const ENTRIES_BYTES: usize = 16 * 1024;

/// Hands each name in `folder` to `visit`, those of the folder itself and of its parent too.
pub(in crate::store) fn each(folder: &File, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut entries = [MaybeUninit::uninit(); ENTRIES_BYTES];
    let mut entries = RawDir::new(folder, &mut entries);
    while let Some(entry) = entries.next() {
        visit(&entry?.file_name().to_string_lossy());
    }
    Ok(())
}
