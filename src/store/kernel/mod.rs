//! What the kernel tells of files and locks, and does with names, beyond what every Unix does. Only
//! Linux is asked; elsewhere nothing is known.

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod access_list;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod elsewhere;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod holder;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod nameless;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod names;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod rename;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) mod stamp;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use elsewhere::{access_list, holder, nameless, names, rename, stamp};
