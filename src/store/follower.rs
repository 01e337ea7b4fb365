//! Reading on where the last reading ended, whatever became of the log meanwhile.
//!
//! ```text
//! the same file, longer     read on behind the last line seen
//! another file, or changed  a repair, a restored copy: read all, and pass over what was seen
//! no file                   moved away or forgotten: where the same one comes back, read on; any
//!                           other is new
//! ```
//!
//! Whether it is the same is told by reading the last line again: a file can be rewritten in place,
//! and the number of a removed file is given to another one.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    iter,
};

use super::{
    folder::Folder,
    layout,
    medium::{Access, FileId, Handle},
    snapshot::read_through,
};
use crate::{
    error::Error,
    log::{Entry, Line, Replay},
    session::SessionName,
    units::Bytes,
};

/// A reading of one session's log that goes on where it left off.
///
/// Each [`catch_up`](Self::catch_up) costs the bytes that have come since the one before, and one
/// line. It keeps eight bytes for every record seen, so as to know them again in a log that was
/// repaired. When to look again is the caller's business: when the notes folder has changed.
///
/// # Examples
///
/// ```
/// # use graff_notes::{log::{Draft, Line}, session::SessionName, store::Store, units::*};
/// # let folder = tempfile::tempdir()?;
/// # let store = Store::at(camino::Utf8Path::from_path(folder.path()).ok_or("not UTF-8")?);
/// # let session = SessionName::parse("fix-the-parser")?;
/// let mut follower = store.follow(&session);
/// let mut seen = 0;
/// follower.catch_up(&mut |entry| seen += u64::from(matches!(entry.line, Line::Record(_))))?;
/// assert_eq!(seen, 0); // there is no log yet
///
/// let (generation, created_at) = (Generation::new(1), Timestamp::new(1_786_017_600_000));
/// store.append(&session, &Draft::Rollover { generation, created_at })?;
/// follower.catch_up(&mut |entry| seen += u64::from(matches!(entry.line, Line::Record(_))))?;
/// assert_eq!(seen, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Follower {
    folder: Folder,
    session: SessionName,
    /// Where the reading stands; `None` where there was no log.
    place: Option<Place>,
}

/// Where a reading stands in a file.
#[derive(Debug)]
struct Place {
    file: FileId,
    /// The records seen, in short.
    seen: Vec<u64>,
    /// The last line seen.
    last: Option<Last>,
    /// Whether there was no log at the last look.
    away: bool,
}

/// The last line that was seen, and how it is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    lines_before: u64,
    offset: Bytes,
    digest: u64,
}

impl Follower {
    pub(super) const fn new(folder: Folder, session: SessionName) -> Self {
        Self { folder, session, place: None }
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &SessionName {
        &self.session
    }

    /// Calls `visit` with every line that has come since the last call; none where there is no log.
    ///
    /// A record is handed out once: not again after a repair, nor when the log was moved away and
    /// the same file comes back, but again after the session was forgotten and the record written
    /// anew. A last line without its LF is handed out if it is a whole record, and else when it has
    /// ended. Of a log that was replaced only records are handed out.
    ///
    /// # Errors
    ///
    /// A log that cannot be read; what was handed out by then counts as seen.
    pub fn catch_up(&mut self, visit: &mut dyn FnMut(Entry<'_>)) -> Result<(), Error> {
        let name = layout::log(&self.session);
        let Some(handle) = self.folder.open_if_there(&name, Access::Read)? else {
            self.place.iter_mut().for_each(|place| place.away = true);
            return Ok(());
        };
        let status = self.folder.file(&name, handle.as_ref()).status()?;
        let may_go_on = |place: &&mut Place| place.file == status.id && place.last.is_some();
        if let Some(place) = self.place.as_mut().filter(may_go_on)
            && place.read_on(&self.folder, &self.session, handle.as_ref(), status.len, visit)?
        {
            place.away = false;
            return Ok(());
        }
        let known = self.place.take().filter(|place| !place.away);
        let known = known.map(|place| place.seen).unwrap_or_default();
        let new = Place { file: status.id, seen: Vec::new(), last: None, away: false };
        let place = self.place.insert(new);
        let mut unseen = Unseen::among(known, visit);
        let see = &mut |entry: Entry<'_>| unseen.see(entry);
        let read = place.read_on(&self.folder, &self.session, handle.as_ref(), status.len, see);
        place.seen.extend(unseen.known());
        if read.is_err() {
            place.last = None; // so that it is begun anew, and what was seen by then passed over
        }
        read.map(|_| ())
    }
}

impl Place {
    /// Reads to the end of a file; returns whether it still has the last line that was seen.
    fn read_on(
        &mut self,
        folder: &Folder,
        session: &SessionName,
        handle: &dyn Handle,
        len: u64,
        visit: &mut dyn FnMut(Entry<'_>),
    ) -> Result<bool, Error> {
        let name = layout::log(session);
        let mut awaited = self.last;
        let (lines, offset) =
            self.last.map_or((0, Bytes::ZERO), |last| (last.lines_before, last.offset));
        let mut is_same = awaited.is_none();
        let mut see = |entry: Entry<'_>| {
            let digest = digest(&entry.line);
            if let Some(last) = awaited.take() {
                is_same = last.digest == digest;
            } else if is_same {
                self.see(&entry, digest);
                visit(entry);
            }
        };
        let mut replay = Replay::resumed(session, lines, offset);
        read_through(folder.file(&name, handle), offset.get()..len, &mut |piece| {
            replay.feed(piece, &mut see);
        })?;
        let _ = replay.finish(&mut see);
        Ok(is_same)
    }

    fn see(&mut self, entry: &Entry<'_>, digest: u64) {
        if matches!(entry.line, Line::Record(_)) {
            self.seen.push(digest);
        }
        let lines_before = entry.number.saturating_sub(1);
        self.last = Some(Last { lines_before, offset: entry.offset, digest });
    }
}

/// The lines of a replaced log that were not seen in the one before.
struct Unseen<'v> {
    /// How often each record was seen that has not come again; `None` where none was.
    known: Option<HashMap<u64, usize>>,
    visit: &'v mut dyn FnMut(Entry<'_>),
}

impl<'v> Unseen<'v> {
    fn among(seen: Vec<u64>, visit: &'v mut dyn FnMut(Entry<'_>)) -> Self {
        let mut known = HashMap::new();
        for digest in seen {
            *known.entry(digest).or_default() += 1;
        }
        Self { known: Some(known).filter(|known| !known.is_empty()), visit }
    }

    /// Returns the records that have not come again: a file that is rewritten in place may have
    /// been looked at when only a part of it stood there.
    fn known(self) -> impl Iterator<Item = u64> {
        let known = self.known.into_iter().flatten();
        known.flat_map(|(digest, left)| iter::repeat_n(digest, left))
    }

    fn see(&mut self, entry: Entry<'_>) {
        let Some(known) = &mut self.known else { return (self.visit)(entry) };
        if !matches!(entry.line, Line::Record(_)) {
            return;
        }
        match known.get_mut(&digest(&entry.line)) {
            Some(left) if *left > 0 => *left -= 1,
            _ => (self.visit)(entry),
        }
    }
}

fn digest(line: &Line<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}
