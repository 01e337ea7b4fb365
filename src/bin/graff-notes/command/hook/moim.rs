//! The file that goose reads before each turn: the session's newest note stands in it beside what
//! the person has there, and every byte of the person's stays, while it does and once it is out.
//!
//! ```text
//! words LF            LF LF block      behind the words; the LF that ends them stands behind it
//! LF LF block LF      words            where their last line is unended, or there are none
//! ```

use std::{
    borrow::Cow,
    env,
    fmt::Display,
    fs::{self, Metadata},
    io,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    note::Note,
    prompt::{self, Block, Limits, Place},
    session::SessionName,
};

use super::{
    called::state_folder,
    came::{Came, Idle},
    splicing::WHOLE,
    visit::Visit,
};
use crate::{
    command::hooks::{
        draft::{self, Change, Draft, Rights},
        held::Held,
    },
    disguise::Disguised,
    failure::Failure,
    plain_file::PlainFile,
};

/// The variable that names the file.
pub(super) const VARIABLE: &str = "GOOSE_MOIM_MESSAGE_FILE";

/// What the file is called in the state folder, where the user follows our page.
const NAME: &str = "goose-note.md";

/// What goose takes of that file.
///
/// Source: goose's `moim` extension.
const MOIM: Limits = Limits { bytes_max: 60_000, chars_max: 60_000 };

/// So often is begun anew where another writes the file meanwhile.
const TRIES: u32 = 3;

/// A longer file is none for goose, in bytes.
const BYTES_MAX: u64 = 1024 * 1024;

/// The file as it was found.
struct Moim {
    /// The file itself, past any link.
    path: Utf8PathBuf,
    bytes: Vec<u8>,
    /// What the system says of it; `None` where there is none yet.
    status: Option<Metadata>,
}

/// Puts a note into the file that goose reads; where there is none, takes out that of another
/// session.
pub(super) fn refresh(visit: &Visit<'_>, note: Option<&Note>) -> Result<Came, Failure> {
    let Some(path) = named() else { return Ok(Idle::NoFile.into()) };
    let block = note.map(|note| Block::of(visit.session(), note, WHOLE));
    let block = block.and_then(|block| block.within(MOIM));
    let text = note.map_or("", |note| &note.text);
    let refreshed = |moim: &Moim| moim.with(block.as_ref(), text).map(Some);
    if visit.writes() {
        change(&path, refreshed)?;
        return Ok(Came::ToSomething);
    }
    let moim = Moim::open(&path)?;
    if refreshed(&moim)?.as_ref() == Some(&moim.bytes) {
        return Ok(Idle::FileHasIt.into());
    }
    visit.warn(format_args!("would change {path}"));
    Ok(Came::ToSomething)
}

/// Takes the note out of every file that goose may read, and removes those in which nothing else
/// was; returns the files that it was in.
pub(super) fn clear() -> Result<Vec<Utf8PathBuf>, Failure> {
    let mut cleared = Vec::new();
    for path in all() {
        if change(&path, Moim::cleared)? {
            cleared.push(path);
        }
    }
    Ok(cleared)
}

/// Takes a session's note out of every file that goose may read; that of another one stays.
pub(super) fn forget(session: &SessionName) -> Result<(), Failure> {
    for path in all() {
        let without = |moim: &Moim| {
            if moim.is_of(session)? { moim.cleared() } else { Ok(Some(moim.bytes.clone())) }
        };
        change(&path, without)?;
    }
    Ok(())
}

/// Returns every file that goose may read.
fn all() -> Vec<Utf8PathBuf> {
    let ours = state_folder().map(|folder| folder.join(NAME));
    let mut paths: Vec<_> = named().into_iter().chain(ours).collect();
    paths.dedup();
    paths
}

impl Moim {
    /// Reads the file; only one that is not there is empty.
    fn open(named: &Utf8Path) -> Result<Self, Failure> {
        let path = match named.canonicalize_utf8() {
            Ok(path) => path,
            Err(e) if e.kind() == io::ErrorKind::NotFound && !is_link(named) => {
                return Ok(Self { path: named.to_owned(), bytes: Vec::new(), status: None });
            }
            Err(e) => return Err(failed("find", named, &e)),
        };
        match PlainFile::read(&path, BYTES_MAX) {
            Ok(PlainFile { bytes, status }) => Ok(Self { path, bytes, status: Some(status) }),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => Err(refused(&path, e)),
            Err(e) => Err(failed("read", &path, &e)),
        }
    }

    /// Returns the bytes with `block` as their only one, or without any. `note` is what it holds.
    fn with(&self, block: Option<&Block<'_>>, note: &str) -> Result<Vec<u8>, Failure> {
        let odd = |_| refused(&self.path, "it is not UTF-8, and too odd to be worked around");
        let base = Disguised::of(self.bytes.clone(), note).map_err(odd)?;
        let words = words(base.text());
        let after = block.map_or_else(|| words.to_string(), |block| beside(&words, block));
        Ok(base.reveal(&after))
    }

    /// Returns the bytes without the note; `None` where that was all.
    fn cleared(&self) -> Result<Option<Vec<u8>>, Failure> {
        let after = self.with(None, "")?;
        let is_all = after != self.bytes && after.is_empty();
        Ok(Some(after).filter(|_| !is_all))
    }

    /// Returns whether the note in here is of this session, as its header says.
    fn is_of(&self, session: &SessionName) -> Result<bool, Failure> {
        let after = self.with(None, "")?;
        let before_ours = self.bytes.iter().zip(&after).take_while(|(one, other)| one == other);
        let ours = self.bytes.get(before_ours.count()..).unwrap_or_default().trim_ascii_start();
        let said = format!("session {:?}, generation ", session.as_str());
        // A name is said once before the note's own words begin, behind a blank line.
        let header = ours.get(..memchr::memmem::find(ours, b"\n\n").unwrap_or(ours.len()));
        let found = memchr::memmem::find(header.unwrap_or_default(), said.as_bytes());
        Ok(after != self.bytes && found.is_some())
    }

    /// Puts other bytes in the place of these, or nothing, unless others stand there by now. Where
    /// the person has words in the file it keeps its rights; else it is ours, and its owner's
    /// alone.
    fn replace(&self, after: Option<&[u8]>) -> Result<Change, Failure> {
        let folder = self.path.parent().unwrap_or(Utf8Path::new(""));
        if folder != "" && !folder.is_dir() {
            return Err(refused(&self.path, "its folder is not there"));
        }
        let held = Held::folder(folder)?;
        // Where there are no locks, what is found may be that of a run at work.
        if held.is_alone() {
            draft::clear_written(&self.path);
            draft::left_swapped(&self.path).iter().try_for_each(|left| self.settle_left(left))?;
        }
        let is_ours = self.with(None, "")?.is_empty();
        let rights = self.status.as_ref().filter(|_| !is_ours);
        let rights = rights.map_or(Rights::OwnersAlone, Rights::Like);
        let before = self.status.as_ref().map(|_| &*self.bytes);
        let change = match after {
            Some(after) => Draft::beside(&self.path, after, rights)
                .and_then(|draft| draft.take_place_of(before)),
            None => draft::remove(&self.path, &self.bytes),
        };
        change.map_err(|e| failed("change", &self.path, &e))
    }

    /// Removes what a run that was killed has taken out, where the person's words in it stand in
    /// the file. Other words may stand nowhere else: they stay where they are.
    fn settle_left(&self, left: &Utf8Path) -> Result<(), Failure> {
        let words = |moim: &Self| moim.with(None, "").map(|it| it.trim_ascii_end().to_owned());
        match Self::open(left).and_then(|left| words(&left)) {
            Ok(theirs) if theirs == words(self)? => draft::discard(left),
            _ => {}
        }
        Ok(())
    }
}

/// Changes the file into what `make` makes of it, `None` for none; returns whether that is
/// something else.
///
/// What another writes meanwhile stays, and `make` is given that.
fn change(
    path: &Utf8Path,
    make: impl Fn(&Moim) -> Result<Option<Vec<u8>>, Failure>,
) -> Result<bool, Failure> {
    for _ in 0..TRIES {
        let moim = Moim::open(path)?;
        let after = make(&moim)?;
        if after.as_ref() == Some(&moim.bytes) {
            return Ok(false);
        }
        match moim.replace(after.as_deref())? {
            Change::Made => return Ok(true),
            Change::Overtaken { kept: None } => {}
            Change::Overtaken { kept: Some(kept) } => {
                let why = format_args!("it was written by another, whose words are in {kept}");
                return Err(refused(path, why));
            }
        }
    }
    Err(refused(path, format_args!("it is being written by another, time and again")))
}

/// Returns the file that goose was told to read.
pub(crate) fn named() -> Option<Utf8PathBuf> {
    env::var(VARIABLE).ok().filter(|path| !path.is_empty()).map(Utf8PathBuf::from)
}

/// Returns the words beside a block: behind them, or where the last line is unended above them.
///
/// A person who appends would else write into the block's closing line, and nobody would know it
/// for a block any more.
fn beside(words: &str, block: &Block<'_>) -> String {
    let place = Place::of(words);
    let spliced = place.splice(block);
    let (before, behind) = place.split();
    if !before.is_empty() && !behind.is_empty() {
        return spliced;
    }
    let block = spliced.get(before.len()..spliced.len() - behind.len());
    format!("{}\n{words}", block.unwrap_or_default())
}

/// Returns the person's words: the text without its block, and without the line break below one
/// that stands above them.
fn words(text: &str) -> Cow<'_, str> {
    let stripped = prompt::strip(text);
    match stripped.strip_prefix('\n') {
        Some(words) if begins_with_block(text) && !begins_with_block(&stripped) => {
            Cow::Owned(words.to_owned())
        }
        _ => stripped,
    }
}

/// Whether a text begins as one does in which the block stands above the words.
fn begins_with_block(text: &str) -> bool {
    let line = text.strip_prefix("\n\n=").map(|rest| rest.trim_start_matches('='));
    line.is_some_and(|line| line.starts_with(" graff-note begins "))
}

fn is_link(path: &Utf8Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|status| status.is_symlink())
}

fn failed(attempted: &str, path: &Utf8Path, cause: &io::Error) -> Failure {
    Failure::system(format_args!("{attempted} {path}, which goose reads"), cause).at(path)
}

fn refused(path: &Utf8Path, why: impl Display) -> Failure {
    Failure::input(format_args!("change {path}, which goose reads: {why}"))
        .advise(format!("name another file in {VARIABLE}"))
        .at(path)
}
