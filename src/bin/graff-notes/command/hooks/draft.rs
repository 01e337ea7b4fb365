//! A text on its way to a file of the user's: it is on disk beside that before it is anywhere,
//! takes its place in one step, and never that of a text which nobody has looked at.
//!
//! The file's own program takes no lock of ours and may write at any moment. So the two texts
//! change places, which no moment lies between, and what came out is looked at before it is thrown
//! away. A text has one name while it is written, and another from just before it changes places:
//! what a run that was killed leaves under the first is ours; what it leaves under the second may
//! be the only copy of somebody else's text, and nothing here removes it.
//!
//! What this cannot do: a program that opened the file before the change and writes afterwards
//! writes into what we have taken out, as it is with any file that is replaced. Where the file
//! system knows no such renaming, what is written between the last look and the renaming is
//! overwritten.

use std::{
    fs::{self, File, Metadata, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{Gid, Uid, fchown},
    io::Errno,
};

use crate::{command::owner, renaming};

/// What stands between the name of the file that a text is for, and a number, while it is written.
const WRITTEN: &str = ".graff-notes-new.";

/// The same, from just before it changes places with the file's.
const SWAPPED: &str = ".graff-notes-swap.";

/// So many names of a sort are tried; more than a few are only taken where runs were killed.
const NAMES_MAX: u32 = 100;

/// Whose a text is, and who may read it.
#[derive(Clone, Copy, Debug)]
pub(in crate::command) enum Rights<'m> {
    /// As of any file that we make.
    AsMade,
    /// As of this one. Access lists and other attributes are not taken over.
    Like(&'m Metadata),
    /// Its owner's alone, under any umask.
    OwnersAlone,
}

/// A text on disk beside the file that it is for.
#[derive(Debug)]
pub(in crate::command) struct Draft {
    target: Utf8PathBuf,
    path: Utf8PathBuf,
    text: Vec<u8>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub(in crate::command) enum Change {
    Made,
    /// Another has written the file since it was read, and what he wrote stands there.
    Overtaken {
        /// Where the text stands that he wrote before that, if he wrote twice.
        kept: Option<Utf8PathBuf>,
    },
}

const OVERTAKEN: Change = Change::Overtaken { kept: None };

impl Draft {
    /// Writes a text beside `target`. Where that fails nothing of it stays.
    pub(in crate::command) fn beside(
        target: &Utf8Path,
        text: &[u8],
        rights: Rights<'_>,
    ) -> io::Result<Self> {
        let (path, mut file) = create(target)?;
        let written = match rights {
            Rights::AsMade => owner::leave_file(&file, &path),
            Rights::Like(like) => belong(&file, like),
            Rights::OwnersAlone => file
                .set_permissions(Permissions::from_mode(0o600))
                .and_then(|()| owner::leave_file(&file, &path)),
        };
        let written = written.and_then(|()| file.write_all(text));
        written.and_then(|()| file.sync_all()).inspect_err(|_| discard(&path))?;
        Ok(Self { target: target.to_owned(), path, text: text.into() })
    }

    /// Gives the text the first of these names that nothing has yet, and returns that.
    pub(in crate::command) fn name(
        self,
        names: impl IntoIterator<Item = Utf8PathBuf>,
    ) -> io::Result<Option<Utf8PathBuf>> {
        let taken = renaming::to_first(&self.path, names);
        if !matches!(taken, Ok(Some(_))) {
            discard(&self.path);
        }
        taken
    }

    /// Puts the text where `before` stands, if that stands there still; without one, where nothing
    /// stands.
    pub(in crate::command) fn take_place_of(self, before: Option<&[u8]>) -> io::Result<Change> {
        let Some(before) = before else {
            let target = self.target.clone();
            return Ok(if self.name([target])?.is_some() { Change::Made } else { OVERTAKEN });
        };
        let is_before = is_text(&self.target, before).inspect_err(|_| discard(&self.path))?;
        if !is_before {
            discard(&self.path);
            return Ok(OVERTAKEN);
        }
        let (target, text) = (self.target.clone(), self.text.clone());
        let swap = self.name(names(&target, SWAPPED))?.ok_or_else(no_name)?;
        let change = change_places(&swap, &target, &text, before);
        if is_text(&swap, &text).unwrap_or(false) {
            discard(&swap); // ours came back
        }
        say_what_is_left(change, &swap)
    }
}

/// Lets a text and that of `target` change places, and sees to it that it was `before`.
fn change_places(
    swap: &Utf8Path,
    target: &Utf8Path,
    text: &[u8],
    before: &[u8],
) -> io::Result<Change> {
    match renaming::exchange(swap, target) {
        Err(e) if renaming::can_never(&e) => {
            return fs::rename(swap, target).map(|()| Change::Made);
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(OVERTAKEN),
        exchanged => exchanged?,
    }
    if is_text(swap, before)? {
        discard(swap);
        return Ok(Change::Made);
    }
    give_way(swap, target, text)
}

/// Puts back what came out in our place. Who writes meanwhile is put back in turn: the last one
/// stays, and what he wrote before that is left under our name.
fn give_way(swap: &Utf8Path, target: &Utf8Path, text: &[u8]) -> io::Result<Change> {
    let mut put = text.to_owned();
    loop {
        let next = fs::read(swap);
        renaming::exchange(swap, target)?;
        if is_text(swap, &put)? {
            return Ok(OVERTAKEN);
        }
        put = next?;
    }
}

/// Removes a file, if `before` stands there still.
pub(in crate::command) fn remove(target: &Utf8Path, before: &[u8]) -> io::Result<Change> {
    if !is_text(target, before)? {
        return Ok(OVERTAKEN);
    }
    let aside = match renaming::to_first(target, names(target, SWAPPED)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(OVERTAKEN),
        aside => aside?.ok_or_else(no_name)?,
    };
    say_what_is_left(remove_aside(&aside, target, before), &aside)
}

/// Removes what was moved aside, if it is `before`; else puts it back, where nothing newer stands.
fn remove_aside(aside: &Utf8Path, target: &Utf8Path, before: &[u8]) -> io::Result<Change> {
    if is_text(aside, before)? {
        return fs::remove_file(aside).map(|()| Change::Made);
    }
    match renaming::to_nothing(aside, target) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
        _ => Ok(OVERTAKEN),
    }
}

/// Adds to what became of a change where a text of somebody else's stands that is nowhere else.
fn say_what_is_left(change: io::Result<Change>, swap: &Utf8Path) -> io::Result<Change> {
    if fs::symlink_metadata(swap).is_err() {
        return change;
    }
    match change {
        Ok(Change::Overtaken { .. }) => Ok(Change::Overtaken { kept: Some(swap.to_owned()) }),
        Err(e) => Err(io::Error::new(e.kind(), format!("{e}; what was there is in {swap}"))),
        made => made,
    }
}

/// Removes the texts for `target` that runs which were killed had not yet let change places. Nobody
/// else must be at work on it.
pub(in crate::command) fn clear_written(target: &Utf8Path) {
    for path in left(target, WRITTEN) {
        discard(&path);
    }
}

/// Returns what such runs have left that had changed places with `target`, or was about to.
pub(in crate::command) fn left_swapped(target: &Utf8Path) -> Vec<Utf8PathBuf> {
    left(target, SWAPPED)
}

/// Returns the files beside `target` whose names have this middle, and a number behind it.
fn left(target: &Utf8Path, middle: &str) -> Vec<Utf8PathBuf> {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Vec::new();
    };
    let folder = if folder == "" { Utf8Path::new(".") } else { folder };
    let is_left = |entry: &camino::Utf8DirEntry| {
        let rest = entry.file_name().strip_prefix(name).and_then(|it| it.strip_prefix(middle));
        let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
        rest.is_some_and(is_number) && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.filter(is_left).map(camino::Utf8DirEntry::into_path).collect()
}

/// Makes a file for a text that is written.
fn create(target: &Utf8Path) -> io::Result<(Utf8PathBuf, File)> {
    for path in names(target, WRITTEN) {
        match File::create_new(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (path, file)),
        }
    }
    Err(no_name())
}

/// Gives a file the owner and the rights of another.
///
/// Who may not give it that group leaves it his own, where the group makes no difference: it has no
/// other rights than everybody.
fn belong(file: &File, like: &Metadata) -> io::Result<()> {
    let is = file.metadata()?;
    let (user, group) = (like.uid(), like.gid());
    if (is.uid(), is.gid()) != (user, group) {
        let makes_none = is.uid() == user && has_no_rights_of_its_own(like.mode());
        match fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group))) {
            Err(Errno::PERM) if makes_none => {}
            Err(e) => {
                let why = format!("it must belong to user {user}, group {group}, as it did: {e}");
                return Err(io::Error::new(io::Error::from(e).kind(), why));
            }
            Ok(()) => {}
        }
    }
    file.set_permissions(like.permissions())
}

/// Whether a file's group may do with it what everybody may, and no more.
const fn has_no_rights_of_its_own(mode: u32) -> bool {
    (mode >> 3) & 0o7 == mode & 0o7
}

fn names(target: &Utf8Path, middle: &str) -> impl Iterator<Item = Utf8PathBuf> {
    (1..=NAMES_MAX).map(move |number| format!("{target}{middle}{number}").into())
}

fn no_name() -> io::Error {
    io::Error::other(format!("{NAMES_MAX} files that other runs left stand beside it"))
}

fn is_text(path: &Utf8Path, text: &[u8]) -> io::Result<bool> {
    match fs::read(path) {
        Ok(found) => Ok(found == text),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// Removes a text of ours; what stays of it is cleared next time.
pub(in crate::command) fn discard(path: &Utf8Path) {
    let _ = fs::remove_file(path);
}
