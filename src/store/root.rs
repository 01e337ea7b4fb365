//! Where a store is: its root stays where it was found, whatever becomes of the links that led
//! there.

use std::{io, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::io::Errno;

use super::beneath::{self, Way};

/// The root's folder. It may be reached through links, which are resolved once.
#[derive(Debug)]
pub(super) struct Root {
    asked: Utf8PathBuf,
    found: OnceLock<Found>,
}

/// Where a root was found.
#[derive(Debug)]
enum Found {
    /// Where it was asked for: no link led there.
    AsAsked,
    /// Where the links led.
    Resolved(Utf8PathBuf),
}

impl Root {
    /// Returns the folder at `asked`; touches nothing yet.
    pub(super) const fn at(asked: Utf8PathBuf) -> Self {
        Self { asked, found: OnceLock::new() }
    }

    /// Returns its path, resolved if it was found behind a link.
    pub(super) fn path(&self) -> &Utf8Path {
        match self.found.get() {
            Some(Found::Resolved(path)) => path,
            Some(Found::AsAsked) | None => &self.asked,
        }
    }

    /// Opens something in it by `open`, which passes no link.
    ///
    /// What opens without one tells that none leads to the root; where nothing opens, a look at the
    /// root tells it. Only where one was met, or the system cannot open so, is the root resolved,
    /// which takes a call for each of its folders.
    pub(super) fn within<T>(&self, open: impl Fn(Way<'_>) -> io::Result<T>) -> io::Result<T> {
        if self.found.get().is_none() && is_spelt_out(&self.asked) {
            let opened = open(Way::Asked(&self.asked));
            if !opened.as_ref().is_err_and(must_be_resolved) {
                if opened.is_ok() || beneath::no_link_leads_to(&self.asked) {
                    self.found.get_or_init(|| Found::AsAsked);
                }
                return opened;
            }
        }
        if self.found.get().is_none() {
            let resolved = self.asked.canonicalize_utf8()?;
            self.found.get_or_init(|| Found::Resolved(resolved));
        }
        open(Way::Found(self.path()))
    }
}

/// Returns whether a path is as the system would spell it, but for links.
fn is_spelt_out(path: &Utf8Path) -> bool {
    let steps = path.as_str().strip_prefix('/').map(|steps| steps.split('/'));
    steps.is_some_and(|mut steps| steps.all(|step| !matches!(step, "" | "." | "..")))
}

/// Returns whether an open failed at a link, or since the system cannot leave them alone: an old
/// kernel, another system, a container's filter that does not know the call.
fn must_be_resolved(e: &io::Error) -> bool {
    matches!(Errno::from_io_error(e), Some(Errno::LOOP | Errno::NOSYS | Errno::PERM))
}
