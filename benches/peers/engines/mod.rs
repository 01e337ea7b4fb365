//! What notes are kept with, and what each keeps of its word.

mod fjall;
mod lmdb;
mod naive;
mod ours;
mod raw;
mod redb;
mod sqlite;

use std::sync::LazyLock;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

/// What an engine is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Each append is durable when it returns.
    Durable,
    /// As `Durable`, with other processes that write to the same files.
    Shared,
    /// No append is synced.
    Unsynced,
    /// To look only, where the engine knows such a thing.
    Reading,
}

/// An engine, and how it is opened.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    /// What stands behind "durable", and what else it does or leaves undone.
    pub(crate) promise: &'static str,
    /// Whether several processes may write to one store.
    pub(crate) shared: bool,
    pub(crate) open: fn(&Utf8Path, Use) -> Box<dyn Notes>,
}

/// Notes, as somebody would keep them with an engine.
pub(crate) trait Notes {
    /// Stores the `number`th note behind those of the session.
    fn append(&mut self, session: &str, number: u64);

    /// Returns the length of the newest note of the session.
    fn newest(&mut self, session: &str) -> usize;

    /// Reads every note of the session, and returns how many it has decoded, if it decodes.
    fn replay(&mut self, session: &str) -> Option<u64>;

    /// Reads the newest note of every session, and returns how many sessions there are.
    fn list(&mut self) -> usize;

    /// Looks for damage in the session, if the engine can, and says so.
    fn verify(&mut self, session: &str) -> bool;

    /// Stores so many notes in each session as fast as it can, synced by nobody.
    fn fill(&mut self, sessions: &[String], notes: u64);
}

/// How many there are.
pub(crate) const ALL_COUNT: usize = 8;

/// Where in [`ALL`] the bare system calls stand.
pub(crate) const RAW: usize = 0;

/// Where in [`ALL`] this crate stands.
pub(crate) const OURS: usize = 1;

/// All of them.
pub(crate) static ALL: [Engine; ALL_COUNT] = [
    raw::RAW,
    ours::OURS,
    naive::NAIVE,
    sqlite::FULL,
    sqlite::NORMAL,
    redb::REDB,
    lmdb::LMDB,
    fjall::FJALL,
];

/// A note as it is put into an engine that takes any bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    generation: u64,
    text: String,
    created_at: u64,
}

/// The notes are two in turn for each process, made beforehand.
static TEXTS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let first = u64::from(std::process::id()) << 24;
    [first, first + 1].map(crate::world::text)
});

impl Row {
    fn numbered(number: u64) -> Self {
        let text = TEXTS[usize::from(number % 2 == 1)].clone();
        Self { generation: 0, text, created_at: 1_790_000_000_000 + number }
    }

    fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a row")
    }

    fn from_json(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).expect("a row")
    }
}

/// Each note of so many a session, with its session.
fn each_note(sessions: &[String], notes: u64) -> impl Iterator<Item = (&str, u64)> {
    sessions.iter().flat_map(move |session| (1..=notes).map(move |number| (&**session, number)))
}

/// The session and the number, so that the notes of a session lie together and in order.
fn key(session: &str, number: u64) -> Vec<u8> {
    [&prefix(session)[..], &number.to_be_bytes()].concat()
}

/// What the keys of a session's notes begin with.
fn prefix(session: &str) -> Vec<u8> {
    [session.as_bytes(), b"\0"].concat()
}

/// The number in a key.
fn number(key: &[u8]) -> u64 {
    let tail = key.last_chunk().expect("a key of ours");
    u64::from_be_bytes(*tail)
}
