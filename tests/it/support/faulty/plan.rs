//! What goes wrong, and at which operation.

use rustix::io::Errno;

/// An operation that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    /// The file, or the folder.
    pub(crate) on: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OpKind {
    Open,
    Create,
    Identity,
    MakeFolder,
    SyncFolder,
    Names,
    Rename,
    Remove,
    Status,
    Stamp,
    Read,
    Append,
    Rewrite,
    Cut,
    Give,
    Sync,
    TryLock,
    Unlock,
}

/// Which operation a fault hits; it hits once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// The one with this index, from 0.
    At(usize),
    /// The next one of this kind on a file whose name ends like this.
    Next(OpKind, &'static str),
}

pub(crate) enum Fault {
    /// It does nothing and fails.
    Fail(Errno),
    /// It does all and fails.
    FailThoughDone(Errno),
    /// An append takes only so many bytes, and at most all but the last; a read brings only so
    /// many, and at least one.
    Short(usize),
    /// It does nothing and reports a success.
    Drop,
    /// It waits until this was done.
    After(Box<dyn FnOnce() + Send>),
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fail(errno) => write!(f, "fail with {errno:?}"),
            Self::FailThoughDone(errno) => write!(f, "be done and fail with {errno:?}"),
            Self::Short(taken) => write!(f, "take or bring {taken} bytes"),
            Self::Drop => f.write_str("be dropped"),
            Self::After(_) => f.write_str("come after something else"),
        }
    }
}

impl OpKind {
    /// Whether it can change what the disk holds.
    pub(crate) const fn changes_the_disk(self) -> bool {
        use OpKind::{Append, Create, Cut, MakeFolder, Remove, Rename, Rewrite, Sync, SyncFolder};
        let of_a_folder = matches!(self, Create | MakeFolder | SyncFolder | Rename | Remove);
        of_a_folder || matches!(self, Append | Rewrite | Cut | Sync)
    }
}

impl When {
    pub(super) fn is(&self, index: usize, kind: OpKind, on: &str) -> bool {
        match self {
            Self::At(at) => *at == index,
            Self::Next(wanted, suffix) => *wanted == kind && on.ends_with(suffix),
        }
    }
}
