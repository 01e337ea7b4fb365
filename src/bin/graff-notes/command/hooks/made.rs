//! Which folders a run of ours has made: those go again once they are empty, and no others.
//!
//! The mark is an attribute of the folder itself, which goes with it. Where the file system or the
//! system keeps none, nobody can tell any more, and every folder stays: it may be a person's own.

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

/// Returns whether a run of ours has made a folder.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn is_ours(folder: &Utf8Path) -> bool {
    rustix::fs::getxattr(folder.as_std_path(), MADE, &mut [0_u8; 8]).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn mark(_: &Utf8Path) {}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn is_ours(_: &Utf8Path) -> bool {
    false
}
