//! Where a store is: its root stays where it was found, whatever becomes of the links that led there.

use std::{io, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::io::Errno;

/// The root's folder. It may be reached through links, which are resolved once.
#[derive(Debug)]
pub(super) struct Root {
    asked: Utf8PathBuf,
    /// Where it was found; `None` in it where that is as it was asked for.
    found: OnceLock<Option<Utf8PathBuf>>,
}

/// The way to a root, by what is known of it.
#[derive(Clone, Copy)]
pub(super) enum Way<'r> {
    /// As it was asked for: a link may be on it, and must not be passed.
    Asked(&'r Utf8Path),
    /// No link was on it when it was found.
    Found(&'r Utf8Path),
}

impl Root {
    /// Returns the folder at `asked`; touches nothing yet.
    pub(super) const fn at(asked: Utf8PathBuf) -> Self {
        Self { asked, found: OnceLock::new() }
    }

    /// Returns its path, resolved if anything was opened in it.
    pub(super) fn path(&self) -> &Utf8Path {
        self.found.get().and_then(Option::as_deref).unwrap_or(&self.asked)
    }

    /// Opens something in it by `open`, which passes no link.
    ///
    /// What opens without one tells that none leads to the root. Only where one was met, or the
    /// system cannot open so, is the root resolved, which takes a call for each of its folders.
    pub(super) fn within<T>(&self, open: impl Fn(Way<'_>) -> io::Result<T>) -> io::Result<T> {
        if self.found.get().is_none() {
            if is_spelt_out(&self.asked) {
                let opened = open(Way::Asked(&self.asked));
                if opened.is_ok() {
                    self.found.get_or_init(|| None);
                }
                if !opened.as_ref().is_err_and(met_a_link) {
                    return opened;
                }
            }
            let resolved = self.asked.canonicalize_utf8()?;
            self.found.get_or_init(|| Some(resolved));
        }
        open(Way::Found(self.path()))
    }
}

impl<'r> Way<'r> {
    pub(super) const fn root(self) -> &'r Utf8Path {
        match self {
            Self::Asked(root) | Self::Found(root) => root,
        }
    }
}

/// Returns whether a path is as the system would spell it, but for links.
fn is_spelt_out(path: &Utf8Path) -> bool {
    let steps = path.as_str().strip_prefix('/').map(|steps| steps.split('/'));
    steps.is_some_and(|mut steps| steps.all(|step| !matches!(step, "" | "." | "..")))
}

/// Returns whether an open failed at a link, or since the system cannot leave them alone: an old
/// kernel, another system, a container's filter that does not know the call.
fn met_a_link(e: &io::Error) -> bool {
    matches!(Errno::from_io_error(e), Some(Errno::LOOP | Errno::NOSYS | Errno::PERM))
}
