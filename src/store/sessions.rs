//! Which sessions have a log, and how one is forgotten.

use super::{
    Level, Store, folder::Folder, layout, lock::acquire, medium::Access, snapshot::read_through,
    system::Deadline,
};
use crate::{
    error::{Error, ErrorKind},
    log::{Line, Replay},
    session::SessionName,
};

/// The logs in a store's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sessions {
    /// The sessions, by name.
    pub names: Vec<SessionName>,
    /// Files that end like a log and whose names we would not have given, by name: those of other
    /// programs, until they are imported.
    pub unrecognised: Vec<String>,
    /// Sessions without a log, by name, of which a replacement was begun: an import of a first one
    /// that is at work or was cut short, or a repair that was cut short before somebody removed the
    /// log. What it had drawn up may be the only copy then.
    pub begun: Vec<SessionName>,
}

pub(super) fn list(folder: &Folder) -> Result<Sessions, Error> {
    let mut found = Sessions::default();
    for file in folder.names()? {
        if let Some(stem) = layout::stem_of_a_replacement(&file) {
            found.begun.extend(SessionName::from_stem(stem));
            continue;
        }
        let Some(stem) = file.strip_suffix(layout::LOG_SUFFIX) else { continue };
        match SessionName::from_stem(stem) {
            Some(name) => found.names.push(name),
            None => found.unrecognised.push(file),
        }
    }
    found.names.sort_unstable();
    found.unrecognised.sort_unstable();
    found.begun.sort_unstable();
    found.begun.dedup();
    found.begun.retain(|name| found.names.binary_search(name).is_err());
    Ok(found)
}

/// Removes all that holds a session's words: its log, and what repairs took out of it or left.
pub(super) fn forget(store: &Store, session: &SessionName) -> Result<(), Error> {
    let folder = store.folder();
    let names = layout::all(session);
    let mark = layout::repairing(session);
    let mut is_known = false;
    for name in &names {
        is_known |= folder.identity(name)?.is_some();
    }
    if !is_known {
        return Err(Error::on(ErrorKind::NotFound, "forget", &folder.path(&layout::log(session)))
            .with_detail("nothing is stored for this session"));
    }
    let _held = acquire(&mut None, folder, session, Deadline::after(store.patience()))?;
    for name in [layout::log(session), layout::rejected(session)] {
        if let Some(other) = sharer(folder, session, &name)? {
            return Err(shared(folder, &name, &other));
        }
    }
    let is_marked = folder.identity(&mark)?.is_some();
    // The log goes last: until then the session reads as before.
    for name in names.iter().rev().filter(|name| **name != mark) {
        folder.remove_if_there(name)?;
    }
    let but =
        |why: &'static str| move |e: Error| e.with_kind(ErrorKind::Uncertain).with_detail(why);
    folder
        .sync(Level::Notes)
        .map_err(but("the session is forgotten, but a loss of power may bring it back"))?;
    if !is_marked {
        return Ok(());
    }
    // Last: until then a loss of power may bring back the log that the mark is about.
    folder.remove_if_there(&mark).map_err(but(
        "the session is forgotten, but not that a replacement of its log was begun",
    ))?;
    folder.sync(Level::Notes).map_err(but(
        "the session is forgotten, but a loss of power may bring back that a replacement of its log \
         was begun",
    ))
}

/// Returns another session that has records in the file `name`, if that file is its own as well.
///
/// That is so where the file system folds case. A stem is ASCII, so folding makes no other names
/// one.
fn sharer(
    folder: &Folder,
    session: &SessionName,
    name: &str,
) -> Result<Option<SessionName>, Error> {
    let Some(handle) = folder.open_if_there(name, Access::Read)? else { return Ok(None) };
    let file = folder.file(name, handle.as_ref());
    let status = file.status()?;
    let mut other = None;
    let mut replay = Replay::of(session);
    let mut see = |line: &Line<'_>| {
        let (None, Line::Foreign { session: theirs }) = (&other, line) else { return };
        let theirs = SessionName::parse(theirs).ok();
        other = theirs.filter(|theirs| theirs.stem().eq_ignore_ascii_case(session.stem()));
    };
    read_through(file, 0..status.len, &mut |piece| {
        replay.feed(piece, &mut |entry| see(&entry.line));
    })?;
    let _ = replay.finish(&mut |entry| see(&entry.line));
    let Some(other) = other else { return Ok(None) };
    let theirs =
        if name == layout::log(session) { layout::log(&other) } else { layout::rejected(&other) };
    Ok(if folder.identity(&theirs)? == Some(status.id) { Some(other) } else { None })
}

fn shared(folder: &Folder, name: &str, other: &SessionName) -> Error {
    Error::on(ErrorKind::InvalidInput, "forget", &folder.path(name))
        .with_detail(format!(
            "session {:?} is kept in the same file, since the file system folds case",
            other.as_str()
        ))
        .with_advice("remove the file by hand if both are to go")
}
