//! A file of the user's that is changed with care: links are followed to the file that they mean,
//! it is replaced in one step, and what was there before stays beside it.

use std::{
    fmt,
    fs::{self, Metadata},
    io, thread,
    time::{Duration, Instant, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::ErrorKind;

use super::{
    copies::{self, BYTES_MAX, COPIES_MAX, Copy},
    draft::{self, Change, Draft, Rights},
    held::{self, Held},
    made,
    setting::Setting,
};
use crate::{exit::Exit, failure::Failure, plain_file::PlainFile, renaming};

/// So long after it was emptied a file may be about to be written.
const UNWRITTEN_MAX: Duration = Duration::from_millis(500);

/// No longer is waited for it, whatever its time says: that may be of another machine's clock.
const WAIT_MAX: Duration = Duration::from_secs(3);

const _: () = assert!(UNWRITTEN_MAX.as_millis() < WAIT_MAX.as_millis());

/// How often is looked whether it is.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A file of the user's, which may not be there.
#[derive(Debug)]
pub(super) struct PersonsFile {
    /// As it was named.
    path: Utf8PathBuf,
    /// The file itself, past any link.
    target: Utf8PathBuf,
    text: Option<String>,
    status: Option<Metadata>,
    /// Texts of others that a run which was killed had left, and where they are kept now.
    rescued: Vec<Utf8PathBuf>,
    /// Its folder, where the file is to be changed.
    held: Option<Held>,
    /// The copy that was made of it, where none had its text.
    copied: Option<Utf8PathBuf>,
}

impl PersonsFile {
    /// Reads a file; one that is not there has no text.
    pub(super) fn open(path: Utf8PathBuf) -> Result<Self, Failure> {
        let target = match fs::symlink_metadata(&path) {
            Ok(status) if status.is_symlink() => past_links(&path)?,
            Ok(_) => path.clone(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::new(path.clone(), path, None));
            }
            Err(e) => return Err(Failure::on("look at", &path, &e)),
        };
        match read(&path, &target)? {
            Some(found) => Ok(Self::new(path, target, Some(found))),
            None => Self::open(path),
        }
    }

    fn new(path: Utf8PathBuf, target: Utf8PathBuf, found: Option<(String, Metadata)>) -> Self {
        let (text, status) = found.unzip();
        Self { path, target, text, status, rescued: Vec::new(), held: None, copied: None }
    }

    /// Reads a file, and where it is empty, and was touched just now, again a moment later: a
    /// program that empties its settings and writes them anew would write into what we have taken
    /// out.
    fn open_written(path: Utf8PathBuf) -> Result<Self, Failure> {
        let (begun, mut file) = (Instant::now(), Self::open(path)?);
        while file.is_just_emptied() && begun.elapsed() < WAIT_MAX {
            thread::sleep(LOOK_EVERY);
            file = Self::open(file.path)?;
        }
        Ok(file)
    }

    fn is_just_emptied(&self) -> bool {
        let touched = || fs::metadata(&self.target)?.modified();
        let is_just_now = |at: SystemTime| at.elapsed().unwrap_or_default() < UNWRITTEN_MAX;
        self.text() == Some("") && touched().is_ok_and(is_just_now)
    }

    /// Keeps other runs of ours from changing the file, clears up behind those that were killed,
    /// and reads it anew. `setting` is what belongs into it.
    pub(super) fn hold(self, setting: Setting) -> Result<Self, Failure> {
        let held = Held::folder(self.target.parent().unwrap_or(Utf8Path::new("")))?;
        let mut rescued = Vec::new();
        // Where there are no locks, what is found may be that of a run at work.
        if held.is_alone() {
            draft::clear_written(&self.target);
            for left in draft::left_swapped(&self.target) {
                rescued.extend(self.settle_left(&left, setting)?);
            }
        }
        let file = Self::open_written(self.path)?;
        if file.target != self.target {
            return Err(file.overtaken(None));
        }
        Ok(Self { held: Some(held), rescued, ..file })
    }

    /// Finds a place for what a run that was killed has taken out, or was about to put in: it may
    /// be the only copy of somebody else's text. Returns where it is kept, unless it stands
    /// elsewhere or is put back.
    fn settle_left(
        &self,
        left: &Utf8Path,
        setting: Setting,
    ) -> Result<Option<Utf8PathBuf>, Failure> {
        let failed = |e: &io::Error| Failure::on("clear away", left, e);
        match renaming::to_nothing(left, &self.target) {
            Ok(()) => return Ok(None), // it was taken out, and nothing put in
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&e)),
            Err(_) => {}
        }
        let bytes = fs::read(left).map_err(|e| failed(&e))?;
        let file = Self::open(self.target.clone())?;
        if str::from_utf8(&bytes).is_ok_and(|text| file.has_all_of(text, setting)) {
            draft::discard(left);
            return Ok(None);
        }
        let kept = renaming::to_first(left, copies::rescued(&self.target));
        // Where no name is free it stays under its own, and is told of again.
        Ok(Some(kept.map_err(|e| failed(&e))?.unwrap_or_else(|| left.to_owned())))
    }

    /// Whether nothing but our hooks is in this text that is not in the file's or in a copy of it.
    fn has_all_of(&self, text: &str, setting: Setting) -> bool {
        let becomes = |before: Option<&str>, after: Option<&str>| {
            setting.installed(before).is_ok_and(|it| Some(it.as_str()) == after)
        };
        self.text() == Some(text)
            || self.copies().any(|copy| copy.text == text)
            || becomes(self.text(), Some(text))
            || becomes(Some(text), self.text())
    }

    /// Refuses a file to which a link leads out of `project`: whoever made the repository put it
    /// there, and not the person whose file it is.
    pub(super) fn within(self, project: &Utf8Path) -> Result<Self, Failure> {
        let real = |path: &Utf8Path| path.canonicalize_utf8().ok();
        let place = self.target.ancestors().find_map(real).unwrap_or_default();
        match real(project) {
            Some(project) if place.starts_with(&project) => Ok(self),
            _ => Err(refused(
                &self.path,
                format_args!("a link leads out of the project, to {place}"),
            )),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns where texts of others are kept now that a run which was killed had left.
    pub(super) fn rescued(&self) -> &[Utf8PathBuf] {
        &self.rescued
    }

    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Returns the failure to change this file.
    pub(super) fn left_alone(&self, why: impl fmt::Display) -> Failure {
        refused(&self.path, why)
    }

    /// Puts another text in the place of this one, in one step, with the owner and the rights that
    /// it had.
    ///
    /// A file that its host, or whoever else, has written since it was read is left alone.
    pub(super) fn replace(&mut self, text: &str) -> Result<(), Failure> {
        self.check_writable()?;
        let draft = self.draft(text);
        let change = draft.and_then(|it| it.take_place_of(self.text().map(str::as_bytes)));
        self.settle(change.map_err(|e| Failure::on("replace", &self.target, &e)), Some(text))
    }

    /// Removes the file.
    pub(super) fn delete(&mut self) -> Result<(), Failure> {
        self.check_writable()?;
        let change = draft::remove(&self.target, self.text().unwrap_or_default().as_bytes());
        self.settle(change.map_err(|e| Failure::on("remove", &self.target, &e)), None)
    }

    /// Removes the folders that the file stood in, as far as we have made them, and they are empty
    /// and below `roof`.
    pub(super) fn remove_empty_folders(&self, roof: &Utf8Path) {
        let folders = self.path.ancestors().skip(1);
        let below = folders.take_while(|folder| *folder != roof && folder.starts_with(roof));
        for folder in below.take_while(|folder| made::is_ours(folder)) {
            let is_held = self.held.is_some() && self.target.parent() == Some(folder);
            let removed =
                if is_held { fs::remove_dir(folder).is_ok() } else { held::remove_if_free(folder) };
            if !removed {
                return; // something else is in it, or another run is about to put something in
            }
        }
    }

    /// Keeps the text as it is beside the file, and returns where. Where a copy has it already,
    /// that is it. Whatever else has that name is not ours to replace: then it gets the next one,
    /// with a number.
    pub(super) fn back_up(&mut self) -> Result<Utf8PathBuf, Failure> {
        self.check_writable()?;
        if let Some(copy) = self.copy_of_it() {
            return Ok(copy.path);
        }
        let first = copies::first(&self.target);
        let draft = self.draft(self.text().unwrap_or_default());
        let kept = draft.and_then(|draft| draft.name(copies::paths(&self.target)));
        let Some(name) = kept.map_err(|e| Failure::on("write", &first, &e))? else {
            let why = format_args!("there are {COPIES_MAX} copies of it, {first} and on");
            return Err(self.left_alone(why));
        };
        // It must be there before the file changes, and else not at all.
        self.sync_folder().inspect_err(|_| draft::discard(&name))?;
        self.copied = Some(name.clone());
        Ok(name)
    }

    /// Returns the copies that are kept beside the file.
    pub(super) fn copies(&self) -> impl Iterator<Item = Copy> + use<> {
        copies::of(&self.target)
    }

    /// Removes the copy that says what the file says; returns whether there was one.
    pub(super) fn forget_copy_of_it(&self) -> Result<bool, Failure> {
        let Some(copy) = self.copy_of_it() else { return Ok(false) };
        match fs::remove_file(&copy.path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(Failure::on("remove", &copy.path, &e))
            }
            _ => Ok(true),
        }
    }

    /// Returns the copy that says what the file says.
    fn copy_of_it(&self) -> Option<Copy> {
        self.copies().find(|copy| Some(copy.text.as_str()) == self.text())
    }

    fn draft(&self, text: &str) -> io::Result<Draft> {
        let rights = self.status.as_ref().map_or(Rights::AsMade, Rights::Like);
        Draft::beside(&self.target, text.as_bytes(), rights)
    }

    /// Ends a change into `text`. Whoever has written the file since it was read must not lose what
    /// he wrote.
    fn settle(
        &mut self,
        change: Result<Change, Failure>,
        text: Option<&str>,
    ) -> Result<(), Failure> {
        let changed = change.and_then(|change| match change {
            Change::Made => Ok(()),
            Change::Overtaken { kept } => Err(self.overtaken(kept.as_deref())),
        });
        changed.inspect_err(|_| self.withdraw_copy(text))?;
        self.text = text.map(str::to_owned);
        self.sync_folder()
    }

    /// Removes the copy that was made for a change into `text` which failed, unless that is what
    /// stands there now.
    fn withdraw_copy(&self, text: Option<&str>) {
        let Some(copy) = &self.copied else { return };
        let is_changed = match fs::read(&self.target) {
            Ok(found) => Some(&*found) == text.map(str::as_bytes),
            Err(e) if e.kind() == io::ErrorKind::NotFound => text.is_none(),
            Err(_) => true, // for all that can be told
        };
        if !is_changed {
            draft::discard(copy);
        }
    }

    fn overtaken(&self, kept: Option<&Utf8Path>) -> Failure {
        let path = &self.path;
        let kept = kept.map(|kept| format!(", and what stood there before that is in {kept}"));
        let kept = kept.unwrap_or_default();
        let what = format_args!("change {path}: it was written by another meanwhile{kept}");
        Failure::new(Exit::Failed, ErrorKind::Io.as_str(), what).advise("run it again").at(path)
    }

    /// Sees to it that a loss of power doesn't undo what was done to the file.
    fn sync_folder(&self) -> Result<(), Failure> {
        let folder = self.target.parent().unwrap_or(Utf8Path::new(""));
        held::sync(folder).map_err(|e| Failure::on("sync the folder", folder, &e))
    }

    /// A file that is replaced needs no right to be written; but whoever took that right away
    /// doesn't want it changed.
    fn check_writable(&self) -> Result<(), Failure> {
        match &self.status {
            Some(status) if status.permissions().readonly() => {
                Err(refused(&self.path, "it is read-only"))
            }
            _ => Ok(()),
        }
    }
}

/// Reads what `path` leads to; `None` where it has gone since that was looked up.
fn read(path: &Utf8Path, target: &Utf8Path) -> Result<Option<(String, Metadata)>, Failure> {
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::InvalidData => refused(path, e),
        _ => Failure::on("read", target, &e),
    };
    let file = match PlainFile::read(target, BYTES_MAX) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed)?,
    };
    let status = file.status.clone();
    Ok(Some((file.text().map_err(failed)?, status)))
}

fn past_links(path: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    let target = path.canonicalize_utf8();
    target.map_err(|e| refused(path, format_args!("it is a link that leads nowhere ({e})")))
}

fn refused(path: &Utf8Path, why: impl fmt::Display) -> Failure {
    let what = format_args!("use {path}: {why}");
    Failure::new(Exit::Failed, ErrorKind::InvalidInput.as_str(), what).at(path)
}
