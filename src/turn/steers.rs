//! What a user says while a turn runs: accepted or rejected at the door, and never lost after.

use std::{
    collections::VecDeque,
    error, fmt, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

/// The queue of steers, as the one who runs the turn holds it.
///
/// It accepts while a turn runs. Closing is one step: what was accepted before it is in the queue,
/// and what comes after it is rejected, so there is no moment in which a steer is acknowledged and
/// then forgotten. What is in the queue when it closes stays there for the next turn.
///
/// # Examples
///
/// ```
/// use graff_notes::turn::{SteerRejected, Steers};
///
/// let mut steers = Steers::new();
/// let steering = steers.steering(); // for whoever talks to the user
/// assert_eq!(steering.send("too early"), Err(SteerRejected::NoActiveRun));
///
/// steers.open();
/// assert_eq!(steering.send("use the second file"), Ok(()));
/// assert_eq!(steers.close(), 1, "accepted, not yet shown: it is carried over");
/// assert_eq!(steering.send("too late"), Err(SteerRejected::NoActiveRun));
///
/// steers.open();
/// assert_eq!(steers.drain(), ["use the second file"]);
/// ```
#[derive(Debug, Default)]
pub struct Steers {
    queue: Arc<Mutex<Queue>>,
}

/// The door to a queue of steers, for whoever talks to the user; clones lead to the same queue.
#[derive(Clone, Debug)]
pub struct Steering {
    queue: Arc<Mutex<Queue>>,
}

/// Why a steer was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SteerRejected {
    /// No turn is running, or the one that runs is past its last request.
    NoActiveRun,
    /// There is nothing but white space in it.
    Blank,
    /// With it more would wait for the next request than a request should hold.
    Full,
}

/// So much may wait for the next request, in bytes: a program that steers without end, or a file
/// that was pasted by mistake, shall hear of it at once.
const WAITING_BYTES_MAX: usize = 1_048_576;

#[derive(Debug, Default)]
struct Queue {
    acceptance: Acceptance,
    waiting: VecDeque<String>,
    /// What waits takes this, with a byte for each steer's end.
    bytes: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Acceptance {
    Open,
    #[default]
    Closed,
}

impl Steers {
    /// Returns an empty queue that accepts nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a door to this queue.
    #[must_use]
    pub fn steering(&self) -> Steering {
        Steering { queue: Arc::clone(&self.queue) }
    }

    /// Accepts from now on: a turn begins.
    pub fn open(&mut self) {
        lock(&self.queue).acceptance = Acceptance::Open;
    }

    /// Takes out what waits, in the order in which it was accepted.
    #[must_use = "a steer that was taken out and is not shown to the model is lost"]
    pub fn drain(&mut self) -> Vec<String> {
        let mut queue = lock(&self.queue);
        queue.bytes = 0;
        mem::take(&mut queue.waiting).into()
    }

    /// Accepts no more, and returns how many steers are carried over to the next turn.
    pub fn close(&mut self) -> usize {
        let mut queue = lock(&self.queue);
        queue.acceptance = Acceptance::Closed;
        queue.waiting.len()
    }

    /// Returns how many steers wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        lock(&self.queue).waiting.len()
    }
}

impl Steering {
    /// Hands a steer in.
    ///
    /// # Errors
    ///
    /// The steer will not be shown to the model: ask again, as the next turn's prompt.
    pub fn send(&self, text: impl Into<String>) -> Result<(), SteerRejected> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(SteerRejected::Blank);
        }
        let mut queue = lock(&self.queue);
        if queue.acceptance == Acceptance::Closed {
            return Err(SteerRejected::NoActiveRun);
        }
        let bytes = queue.bytes.saturating_add(text.len()).saturating_add(1);
        if bytes > WAITING_BYTES_MAX {
            return Err(SteerRejected::Full);
        }
        queue.bytes = bytes;
        queue.waiting.push_back(text);
        Ok(())
    }
}

impl fmt::Display for SteerRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoActiveRun => "no active run",
            Self::Blank => "the steer is blank",
            Self::Full => "too much waits to be shown already",
        })
    }
}

impl error::Error for SteerRejected {}

/// A thread that died while it held the lock left the queue whole: every change is one step.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
