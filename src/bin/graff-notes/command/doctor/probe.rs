//! Whether a lock keeps a second process out, and a note comes to the disk: tried, not concluded.

use std::{
    env, fs, io,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    log::Draft,
    session::SessionName,
    store::Store,
    units::{Generation, Timestamp},
};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
    process::{Pid, test_kill_process},
};

use super::Finding;
use crate::{
    exit::Exit,
    failure::{Failure, Stop},
};

/// The session that is written to.
pub(super) const SESSION: &str = "doctor";

/// What the name of a folder of ours begins with; the number of the process follows.
const NAME: &str = ".graff-doctor.";

/// For how long a folder is left alone whose process is not here: it may be another machine's.
const LEFT_ALONE: Duration = Duration::from_secs(60 * 60);

/// A folder of our own beside the notes, on the same file system; it goes when we do.
pub(super) struct Scratch(Utf8PathBuf);

impl Scratch {
    /// What to do where it cannot be made or used.
    pub(super) const ADVICE: &str = "check the rights and the space there, or choose another root";

    pub(super) fn path(&self) -> &Utf8Path {
        &self.0
    }

    pub(super) fn beside(store: &Store) -> io::Result<Self> {
        let notes = store.notes_path();
        let place = if notes.is_dir() { notes } else { store.root().to_owned() };
        clear(&place);
        let path = place.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // it is empty but for what we wrote
    }
}

/// Removes the folders that were left behind when somebody killed their process.
fn clear(place: &Utf8Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(NAME)?.parse().ok());
        let is_gone = process
            .and_then(Pid::from_raw)
            .is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH));
        // A link is none, and leads nowhere that is ours.
        let is_old = || {
            let status = entry.metadata().ok().filter(fs::Metadata::is_dir)?;
            status.modified().ok()?.elapsed().ok()
        };
        if is_gone && is_old().is_some_and(|age| age > LEFT_ALONE) {
            let _ = fs::remove_dir_all(entry.path()); // another time, then
        }
    }
}

/// Appends where nobody holds the lock, and without waiting: what the second process does.
pub(super) fn second(root: &Utf8Path) -> Result<Exit, Stop> {
    append(&Store::at(root).with_patience(Duration::ZERO))?;
    Ok(Exit::Done)
}

fn append(store: &Store) -> Result<(), Failure> {
    let session = SessionName::parse(SESSION).map_err(Failure::input)?;
    let (generation, created_at) = (Generation::ZERO, Timestamp::ZERO);
    let _ = store.append(&session, &Draft::Attempt { generation, created_at })?;
    Ok(())
}

/// Says whether notes can be written, and whether a lock keeps the second process out.
pub(super) fn first(store: &Store) -> Vec<Finding> {
    const SYNC: &str = "sync";
    let scratch = match Scratch::beside(store) {
        Ok(scratch) => scratch,
        Err(e) => {
            let why = format!("{}: {e}", store.root());
            return vec![Finding::failure(SYNC, why, Scratch::ADVICE)];
        }
    };
    let trial = Store::at(scratch.0.clone());
    let since = Instant::now();
    if let Err(why) = append(&trial) {
        let advice = why.advice().unwrap_or("choose another root").to_owned();
        return vec![Finding::failure(SYNC, why.to_string(), advice)];
    }
    let took = since.elapsed().as_millis();
    vec![Finding::ok(SYNC, format!("a record was on disk after {took} ms")), lock(&trial)]
}

fn lock(store: &Store) -> Finding {
    const CHECK: &str = "lock";
    let tried = (|| {
        let session = SessionName::parse(SESSION).map_err(io::Error::other)?;
        let file = fs::File::options().write(true).open(store.lock_path(&session))?;
        flock(&file, FlockOperation::LockExclusive)?;
        let while_held = other_process(store.root())?;
        flock(&file, FlockOperation::Unlock)?;
        Ok::<_, io::Error>((while_held, other_process(store.root())?))
    })();
    let (busy, done) = (Some(i32::from(u8::from(Exit::Busy))), Some(0));
    match tried {
        Ok((held, free)) if held == busy && free == done => {
            Finding::ok(CHECK, "it keeps a second process out, and lets it in again")
        }
        Ok((held, _)) if held == done => Finding::failure(
            CHECK,
            "a second process wrote while the first held the lock",
            "put the store on a local file system, with --root",
        ),
        Ok((held, free)) => Finding::failure(
            CHECK,
            format!("a second process ended with {held:?}, and with {free:?} once it was free"),
            "put the store on a local file system, with --root",
        ),
        Err(e) => {
            Finding::failure(CHECK, e.to_string(), "see whether this program can be run twice")
        }
    }
}

fn other_process(root: &Utf8Path) -> io::Result<Option<i32>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["doctor", "--probe", root.as_str()]).stdin(Stdio::null());
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.code())
}
