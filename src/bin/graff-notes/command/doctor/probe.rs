//! Whether a lock keeps a second process out, and a note comes to the disk: tried, not concluded.

use std::{
    env, fs, io,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use camino::Utf8Path;
use graff_notes::{
    log::Draft,
    session::SessionName,
    store::Store,
    units::{Generation, Timestamp},
};
use rustix::fs::{FlockOperation, flock};

use super::{
    Finding,
    bounded::{Ran, Running},
    scratch::Scratch,
};
use crate::{
    exit::Exit,
    failure::{Failure, Stop},
    signals::Held,
};

/// The session that is written to.
pub(super) const SESSION: &str = "doctor";

/// How long the second process may take, which waits for nothing.
const LIMIT: Duration = Duration::from_secs(5);

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
pub(super) fn first(store: &Store, held: &Held) -> Vec<Finding> {
    const SYNC: &str = "sync";
    let scratch = match Scratch::beside(store) {
        Ok(scratch) => scratch,
        Err(why) => {
            let detail = format!("not tried, nor are lock and agents: {why}");
            let finding = Finding::failure(SYNC, detail, why.advice());
            return vec![Finding { status: why.status(), ..finding }];
        }
    };
    let trial = Store::at(scratch.path());
    let since = Instant::now();
    if let Err(why) = append(&trial) {
        let advice = why.advice().unwrap_or("choose another root").to_owned();
        return vec![Finding::failure(SYNC, why.to_string(), advice)];
    }
    let took = since.elapsed().as_millis();
    vec![Finding::ok(SYNC, format!("a record was on disk after {took} ms")), lock(&trial, held)]
}

fn lock(store: &Store, held: &Held) -> Finding {
    const CHECK: &str = "lock";
    let tried = (|| {
        let session = SessionName::parse(SESSION).map_err(io::Error::other)?;
        let file = fs::File::options().write(true).open(store.lock_path(&session))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?; // nobody else knows of it
        let while_held = other_process(store.root(), held)?;
        flock(&file, FlockOperation::Unlock)?;
        Ok::<_, io::Error>((while_held, other_process(store.root(), held)?))
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

/// Returns the status of a second process that writes below `root`.
fn other_process(root: &Utf8Path, held: &Held) -> io::Result<Option<i32>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["doctor", "--probe", root.as_str()]).stdin(Stdio::null());
    match Running::start(&mut command)?.end_by(Instant::now() + LIMIT, held)? {
        Ran::Ended(status, _) => Ok(status.code()),
        Ran::SaidTooMuch | Ran::WentOn => {
            let seconds = LIMIT.as_secs();
            Err(io::Error::other(format!("a second process had not ended after {seconds} s")))
        }
    }
}
