//! Waiting until a store may have changed, woken by the system.
//!
//! The folders on the way to the logs need not be there, and can be made, removed and replaced at
//! any time. So each of them is watched as soon as it is there, and whoever waits looks at the logs
//! only after that: what came before the watch is seen by the look, what comes after it wakes.
//!
//! Which folders are watched is never concluded from what was watched before. A new folder can have
//! the name and the number of a removed one, and the watcher gives up its watch on a name when it
//! hears, late, that the old folder of that name is gone. It tells us first: so whatever it says of
//! a folder, all of them are watched anew.
//!
//! That a folder is gone is told by the one around it: who has it open, such as the shell that we
//! were started from, keeps the system from telling it of the folder itself. So the folder around
//! the root is watched too, and where the root is gone all that are around it, since any of them
//! may be gone as well. Else they are left alone: in a folder such as `/tmp` much goes on. So of
//! one further out that is moved away with all that is in it nothing is told, and the next look
//! finds it.

use std::{
    collections::BTreeSet,
    io,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::store::Store;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::event::{PollFd, PollFlags};

use crate::failure::Failure;

/// After this time it is looked anyway: a network file system tells nothing of what other machines
/// write.
const LOOK_ANYWAY_AFTER: Duration = Duration::from_secs(60);

/// How many folders are the store's own: the root, `.graff`, and that of the logs.
const OWN_FOLDERS: usize = 3;

/// A watch on the folders of a store.
pub(crate) struct Watch {
    watcher: RecommendedWatcher,
    wakes: Receiver<Wake>,
    /// The folder of the logs; those around it lead there.
    notes: Utf8PathBuf,
}

/// What may have changed.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// These files in the notes folder.
    pub(crate) files: BTreeSet<String>,
    /// Anything.
    pub(crate) everything: bool,
    /// Nobody reads the answer any more.
    pub(crate) reader_gone: bool,
    /// Whether each folder that is there could be watched, where that was tried. What one that
    /// isn't would have told is found by the next look, and it is tried again then.
    pub(crate) watched: Option<Result<(), Failure>>,
}

enum Wake {
    File(String),
    Everything,
    ReaderGone,
}

impl Watch {
    /// Begins to watch a store, whose root is absolute.
    pub(crate) fn on(store: &Store) -> Result<Self, Failure> {
        let notes = store.notes_path();
        let (send, wakes) = mpsc::channel();
        let teller = teller(notes.clone(), send.clone());
        // In this order: the watcher panics where it can have no thread, and this one says it.
        thread::Builder::new().spawn(move || tell_when_reader_is_gone(&send)).map_err(|e| {
            Failure::system(format_args!("start a thread to watch {notes}"), &e).at(&notes)
        })?;
        let watcher = notify::recommended_watcher(teller).map_err(|e| failed(&notes, &e))?;
        let mut watch = Self { watcher, wakes, notes };
        watch.renew()?;
        Ok(watch)
    }

    /// Waits until something may have changed, and sees to it that the next change is noticed.
    pub(crate) fn wait(&mut self) -> Changes {
        let mut changes = Changes::default();
        match self.wakes.recv_timeout(LOOK_ANYWAY_AFTER) {
            Ok(wake) => changes.add(wake),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                changes.everything = true;
            }
        }
        self.wakes.try_iter().for_each(|wake| changes.add(wake));
        if changes.everything {
            changes.watched = Some(self.renew());
        }
        changes
    }

    /// Watches each folder of the store that is there, anew and from the outside in: one that comes
    /// meanwhile is told by the one around it. Where one may not be watched, the others are.
    fn renew(&mut self) -> Result<(), Failure> {
        let mut inward: Vec<_> = self.notes.ancestors().map(Utf8Path::to_owned).collect();
        inward.reverse();
        for folder in &inward {
            let _ = self.watcher.unwatch(folder.as_std_path()); // few are watched
        }
        let (around, own) = inward.split_at(inward.len().saturating_sub(OWN_FOLDERS));
        let Some((root, within)) = own.split_first() else { return Ok(()) };
        self.watch_around(around.last());
        let mut watched = self.watch(root);
        if !matches!(watched, Ok(true)) {
            self.watch_around(around);
            watched = self.watch(root);
        }
        within.iter().fold(watched.map(|_| ()), |before, folder| {
            let watched = self.watch(folder).map(|_| ());
            before.and(watched)
        })
    }

    /// Watches folders around the root. One that may not be watched tells nothing, and the next
    /// look finds what it would have told.
    fn watch_around<'a>(&mut self, folders: impl IntoIterator<Item = &'a Utf8PathBuf>) {
        for folder in folders {
            let _ = self.watch(folder);
        }
    }

    /// Watches a folder; returns whether it is there.
    fn watch(&mut self, folder: &Utf8Path) -> Result<bool, Failure> {
        match self.watcher.watch(folder.as_std_path(), RecursiveMode::NonRecursive) {
            Ok(()) => Ok(true),
            Err(e) if is_absent(&e) => Ok(false),
            Err(e) => Err(failed(folder, &e)),
        }
    }
}

impl Changes {
    fn add(&mut self, wake: Wake) {
        match wake {
            Wake::File(name) => drop(self.files.insert(name)),
            Wake::Everything => self.everything = true,
            Wake::ReaderGone => self.reader_gone = true,
        }
    }
}

/// Returns what tells of the events that concern the folder of the logs and those that lead there.
fn teller(
    notes: Utf8PathBuf,
    wakes: Sender<Wake>,
) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    move |event| {
        let told = match event {
            Ok(event) if event.need_rescan() => vec![Wake::Everything],
            // Somebody reads, perhaps we do.
            Ok(Event { kind: EventKind::Access(_), .. }) => Vec::new(),
            Ok(event) => event.paths.iter().filter_map(|path| wake(&notes, path)).collect(),
            Err(_) => vec![Wake::Everything],
        };
        for wake in told {
            let _ = wakes.send(wake); // nobody waits any more
        }
    }
}

fn wake(notes: &Utf8Path, path: &std::path::Path) -> Option<Wake> {
    let path = Utf8Path::from_path(path)?;
    if notes.starts_with(path) {
        return Some(Wake::Everything);
    }
    let is_in_notes = path.parent() == Some(notes);
    is_in_notes.then(|| path.file_name().map(|name| Wake::File(name.to_owned())))?
}

/// Waits until stdout has no reader: it would be noticed at the next note only, which may never
/// come.
fn tell_when_reader_is_gone(wakes: &Sender<Wake>) {
    let stdout = io::stdout();
    loop {
        // Asked for nothing, it returns for what can't be left out: an error or a hang-up.
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        match rustix::event::poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
            Ok(_) => {
                let _ = wakes.send(Wake::ReaderGone);
                return;
            }
        }
    }
}

fn is_absent(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(e) => {
            matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

fn failed(path: &Utf8Path, error: &notify::Error) -> Failure {
    let cause = match &error.kind {
        notify::ErrorKind::Io(e) => io::Error::new(e.kind(), e.to_string()),
        _ => io::Error::other(error.to_string()),
    };
    let failure = Failure::on("watch", path, &cause);
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => failure.advise("end programs that watch many files"),
        _ => failure,
    }
}
