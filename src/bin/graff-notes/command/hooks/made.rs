//! Which folders a run of ours has made: those go again once they are empty, and no others.
//!
//! The mark is an attribute of the folder itself, which goes with it. Where the file system or the
//! system keeps none, nobody can tell any more, and every folder counts as made by us.

use camino::Utf8Path;

/// The name of the attribute.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
const MADE: &str = "user.graff-notes.made";

/// Marks a folder that was made just now. Without its mark it stays, which does no harm.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn mark(folder: &Utf8Path) {
    use rustix::fs::{XattrFlags, setxattr};
    let _ = setxattr(folder.as_std_path(), MADE, b"1", XattrFlags::empty());
}

/// Returns whether a run of ours has made a folder, or may have.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn is_ours(folder: &Utf8Path) -> bool {
    use rustix::{fs::getxattr, io::Errno};
    const NO_MARKS: [Errno; 3] = [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS];
    let marked = getxattr(folder.as_std_path(), MADE, &mut [0_u8; 8]);
    marked.map_or_else(|e| NO_MARKS.contains(&e), |_| true)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn mark(_: &Utf8Path) {}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn is_ours(_: &Utf8Path) -> bool {
    true
}
