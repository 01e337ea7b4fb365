//! Every folder and file name of a store.

use std::{
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};

use camino::{Utf8Path, Utf8PathBuf};

use super::system::process_number;
use crate::session::SessionName;

/// The folder in the project's root that belongs to codegraff and to us.
const GRAFF: &str = ".graff";
/// The folder in [`GRAFF`] that holds the logs.
const NOTES: &str = "notes";
/// What a log's file name ends in.
pub(super) const LOG_SUFFIX: &str = ".notes.jsonl";
/// What a lock's file name ends in.
const LOCK_SUFFIX: &str = ".notes.lock";
/// What the file name of a repair's leftovers ends in.
const REJECTED_SUFFIX: &str = ".notes.rejected";
/// What the file name of a log ends in that a repair has not finished yet.
const REPAIRED_SUFFIX: &str = ".notes.repaired";
/// What the name of the mark ends in that stands beside a log while it is being replaced.
const REPAIRING_SUFFIX: &str = ".notes.repairing";
/// What the name of the file ends in that hooks leave word in for the next ones.
const SIDE_SUFFIX: &str = ".hooks.json";
/// What the name of that file ends in before it takes the place of the one before.
const SIDE_NEW_SUFFIX: &str = ".hooks.new";
/// The file that keeps a store out of version control; where it stands, the folders are durable.
pub(super) const IGNORE: &str = ".gitignore";
/// What stands between the name of something and two numbers as long as it is not ready to be
/// called so.
const ASIDE_INFIX: &str = ".new.";
/// What [`IGNORE`] says: nothing in this folder is committed unless its owner edits this line.
pub(super) const IGNORE_TEXT: &[u8] = b"*\n";

/// How long a path may be, in bytes, to be put together without an allocation: a root of more than
/// a hundred, and what stands below it.
const SHORT_BYTES: usize = 192;

const _: () = assert!(
    SessionName::STEM_BYTES_MAX + LOG_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + LOCK_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + REJECTED_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + REPAIRED_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + REPAIRING_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + SIDE_SUFFIX.len() <= 255
        && SessionName::STEM_BYTES_MAX + SIDE_NEW_SUFFIX.len() <= 255,
    "every sibling file of a session fits into a file name"
);

/// A folder of the store, from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// The project's root, which is there before we are.
    Root,
    /// `.graff`.
    Graff,
    /// `.graff/notes`.
    Notes,
}

impl Level {
    pub(super) fn under(self, root: &Utf8Path) -> Utf8PathBuf {
        match self {
            Self::Root => root.to_owned(),
            Self::Graff => root.join(GRAFF),
            Self::Notes => folder(root),
        }
    }

    /// Returns the folder that it stands in, and its name there; `None` for the root.
    #[cfg(unix)]
    pub(super) const fn place(self) -> Option<(Self, &'static str)> {
        match self {
            Self::Root => None,
            Self::Graff => Some((Self::Root, GRAFF)),
            Self::Notes => Some((Self::Graff, NOTES)),
        }
    }
}

/// Returns the path of the notes folder.
pub(super) fn folder(root: &Utf8Path) -> Utf8PathBuf {
    root.join(GRAFF).join(NOTES)
}

/// The path of a file in the notes folder, put together without an allocation where it is short.
pub(super) enum Joined {
    /// The bytes of a path, and how many of them there are.
    Short([u8; SHORT_BYTES], usize),
    Long(Utf8PathBuf),
}

/// Returns the path of the file `name` in the notes folder.
pub(super) fn joined(root: &Utf8Path, name: &str) -> Joined {
    let root = root.as_str().trim_end_matches('/'); // that of the system is nothing else
    let parts = [root, "/", GRAFF, "/", NOTES, "/", name];
    let (mut bytes, mut len) = ([0; SHORT_BYTES], 0);
    for part in parts {
        let Some(free) = bytes.get_mut(len..len + part.len()) else {
            return Joined::Long(Utf8PathBuf::from(parts.concat()));
        };
        free.copy_from_slice(part.as_bytes());
        len += part.len();
    }
    Joined::Short(bytes, len)
}

impl Deref for Joined {
    type Target = Utf8Path;

    fn deref(&self) -> &Utf8Path {
        match self {
            Self::Short(bytes, len) => {
                let path = bytes.get(..*len).and_then(|path| str::from_utf8(path).ok());
                Utf8Path::new(path.unwrap_or_default()) // whole strings stand there
            }
            Self::Long(path) => path,
        }
    }
}

pub(super) fn log(session: &SessionName) -> String {
    [session.stem(), LOG_SUFFIX].concat()
}

/// Returns whose log a file of this name is, if it is one that we have named.
pub(super) fn session_of_log(name: &str) -> Option<SessionName> {
    SessionName::from_stem(name.strip_suffix(LOG_SUFFIX)?)
}

pub(super) fn lock(session: &SessionName) -> String {
    [session.stem(), LOCK_SUFFIX].concat()
}

pub(super) fn rejected(session: &SessionName) -> String {
    [session.stem(), REJECTED_SUFFIX].concat()
}

pub(super) fn repaired(session: &SessionName) -> String {
    [session.stem(), REPAIRED_SUFFIX].concat()
}

pub(super) fn repairing(session: &SessionName) -> String {
    [session.stem(), REPAIRING_SUFFIX].concat()
}

pub(super) fn side(session: &SessionName) -> String {
    [session.stem(), SIDE_SUFFIX].concat()
}

pub(super) fn side_new(session: &SessionName) -> String {
    [session.stem(), SIDE_NEW_SUFFIX].concat()
}

/// Returns the names of all files that a session can have but its lock, its log first.
pub(super) fn all(session: &SessionName) -> [String; 6] {
    [log, repaired, rejected, side_new, side, repairing].map(|name| name(session))
}

/// Returns the stem of a name that only stands there while a log is being replaced, or where that
/// was cut short.
pub(super) fn stem_of_a_replacement(name: &str) -> Option<&str> {
    [REPAIRED_SUFFIX, REPAIRING_SUFFIX].iter().find_map(|suffix| name.strip_suffix(suffix))
}

/// Returns whether a name is that of a log or a lock.
pub(super) fn is_of_a_session(name: &str) -> bool {
    name.ends_with(LOG_SUFFIX) || name.ends_with(LOCK_SUFFIX)
}

/// Returns a name for what is to be called `name` and is not ready yet; no other thread gets it,
/// and no other process but one of the same number, in another name space or before or after this
/// one.
pub(super) fn aside(name: &str) -> String {
    static NAMED: AtomicU64 = AtomicU64::new(0);
    let number = NAMED.fetch_add(1, Ordering::Relaxed);
    format!("{name}{ASIDE_INFIX}{}.{number}", process_number())
}

/// Returns whether a file is an [`IGNORE`] that is not whole yet.
pub(super) fn is_ignore_aside(name: &str) -> bool {
    name.strip_prefix(IGNORE).is_some_and(|rest| rest.starts_with(ASIDE_INFIX))
}
