//! Signals: which ones end the program, and when it may finish its answer first.

use std::{
    fs,
    io::{self, Read},
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    low_level::{emulate_default_handler, pipe},
};

/// The signals that ask the program to end.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Sees to it that a write beyond the limit of a file's size fails, as one on a full disk does,
/// instead of ending the program.
///
/// The signal is caught rather than ignored: what is ignored stays so in the commands that we
/// start.
pub(crate) fn outlive_the_size_limit() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Ctrl-C, lent to another program while that has the terminal: it does not end us then, but is
/// remembered. Once that program has ended, it ends us at once.
#[derive(Clone, Debug)]
pub(crate) struct Lent {
    came: Arc<AtomicBool>,
    is_back: Arc<AtomicBool>,
    is_overlooked: Arc<AtomicBool>,
    /// Can be read from once one has come.
    wakes: Arc<UnixStream>,
}

impl Lent {
    /// Lends it from now on; one that is ignored stays so.
    pub(crate) fn lend() -> io::Result<Self> {
        let (wakes, wake) = UnixStream::pair()?;
        let [came, is_back, is_overlooked] = std::array::from_fn(|_| Arc::default());
        if !is_ignored(SIGINT) {
            // In this order: whoever is woken finds that one has come, and one that comes while it
            // is taken back is seen there, if not here.
            flag::register(SIGINT, Arc::clone(&came))?;
            flag::register_conditional_default(SIGINT, Arc::clone(&is_back))?;
            pipe::register(SIGINT, wake)?;
        }
        Ok(Self { came, is_back, is_overlooked, wakes: Arc::new(wakes) })
    }

    /// Waits for the first one; returns whether one can come.
    pub(crate) fn wait(&self) -> bool {
        (&*self.wakes).read_exact(&mut [0]).is_ok()
    }

    /// Returns whether one has come.
    pub(crate) fn has_come(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }

    /// Takes those for the other program's alone that come until it has ended: our own work is
    /// done.
    pub(crate) fn overlook(&self) {
        self.is_overlooked.store(true, Ordering::SeqCst);
    }

    /// Takes it back, now that the other program has ended. One that came meanwhile ends us.
    pub(crate) fn take_back(&self) {
        self.is_back.store(true, Ordering::SeqCst);
        if self.has_come() && !self.is_overlooked.load(Ordering::SeqCst) {
            let _ = emulate_default_handler(SIGINT);
        }
    }
}

/// The signals that ask the program to end, held back so that it can answer first. A second one
/// ends it at once.
#[derive(Debug)]
pub(crate) struct Held {
    came: [(i32, Arc<AtomicBool>); ENDING.len()],
}

impl Held {
    /// Holds them back from now on, until the program ends; one that cannot be held back goes on to
    /// end it at once.
    pub(crate) fn hold() -> Self {
        let is_second = Arc::<AtomicBool>::default();
        let came = ENDING.map(|signal| {
            let came = Arc::default();
            if !is_ignored(signal) {
                // In this order: the first one sets what the second one meets.
                let _ = flag::register_conditional_default(signal, Arc::clone(&is_second));
                let _ = flag::register(signal, Arc::clone(&is_second));
                let _ = flag::register(signal, Arc::clone(&came));
            }
            (signal, came)
        });
        Self { came }
    }

    /// Returns whether one has come.
    pub(crate) fn have_come(&self) -> bool {
        self.first().is_some()
    }

    /// Ends the program as the signal that came would have; where none came, returns.
    pub(crate) fn give_way(&self) {
        if let Some(signal) = self.first() {
            let _ = emulate_default_handler(signal);
        }
    }

    fn first(&self) -> Option<i32> {
        let came = self.came.iter().find(|(_, came)| came.load(Ordering::SeqCst));
        came.map(|(signal, _)| *signal)
    }
}

/// Returns whether a signal was ignored from the start, as under `nohup`: that holds on.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
