//! The pager: what a person reads a long answer in, as git has it.
//!
//! While it lives, Ctrl-C is a word to it, such as "wait for no more of this". We take it for one
//! too: the text ends there, so that no pager waits for the rest of it, and the interrupt ends us
//! when the pager is left. After that it ends us at once.

use std::{
    env,
    io::{self, StdoutLock, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread::{self, JoinHandle},
};

use crate::signals::Lent;

/// The variables that name a pager; the first that is set counts.
const VARIABLES: [&str; 2] = ["GRAFF_PAGER", "PAGER"];

/// The pager where none is named.
const USUAL: &str = "less";

/// What `less` is told where nobody told it anything else: to end at once where all of it fits the
/// screen, to let colours through, and to leave the text there.
const LESS: (&str, &str) = ("LESS", "FRX");

/// Where an answer goes.
#[derive(Debug)]
pub(super) enum Sink {
    Stdout(StdoutLock<'static>),
    /// To a pager, which starts when there is something to show.
    PagerToCome,
    Pager(Pager),
}

/// A pager at work; whoever lets go of it waits until the person has read.
#[derive(Debug)]
pub(super) struct Pager {
    text: Text,
    /// Waits for the pager's end, whatever we are at.
    wait: Option<JoinHandle<()>>,
    interrupt: Lent,
}

/// Where the pager reads the text from, until that ends.
#[derive(Clone, Debug, Default)]
struct Text(Arc<Mutex<Option<ChildStdin>>>);

impl Sink {
    pub(super) fn stdout() -> Self {
        Self::Stdout(io::stdout().lock())
    }

    /// Returns whether a person has left the pager; does not return where they interrupted us in
    /// it.
    pub(super) fn is_left(&mut self) -> bool {
        match self {
            Self::Pager(pager) => pager.is_left(),
            Self::Stdout(_) | Self::PagerToCome => false,
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Pager(pager) => pager.write(bytes),
            Self::PagerToCome => {
                *self = Pager::start().map_or_else(Self::stdout, Self::Pager);
                self.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::PagerToCome | Self::Pager(_) => Ok(()),
        }
    }
}

impl Pager {
    /// Returns the pager, or `None` where nobody wants one, or it is not to be had.
    fn start() -> Option<Self> {
        let mut command = command()?;
        let (interrupt, text) = (Lent::lend().ok()?, Text::default());
        let (hand_over, started) = mpsc::channel::<Child>();
        let at_work = thread::Builder::new().spawn({
            let interrupt = interrupt.clone();
            move || {
                // Without a child it hears so, and there is nothing to wait for.
                let _ = started.recv().map(|mut child| child.wait());
                interrupt.take_back();
            }
        });
        let wait = at_work.inspect_err(|_| interrupt.take_back()).ok()?;
        let (interrupted, theirs) = (interrupt.clone(), text.clone());
        let listens = move || {
            if interrupted.wait() {
                theirs.end();
            }
        };
        thread::Builder::new().spawn(listens).ok()?;
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        *text.lock() = child.stdin.take();
        let _ = hand_over.send(child); // it waits for that alone
        Some(Self { text, wait: Some(wait), interrupt })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.has_come() {
            self.end();
        }
        let written = self.text.lock().as_mut().map(|stdin| stdin.write(bytes));
        written.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn is_left(&mut self) -> bool {
        if self.interrupt.has_come() {
            self.end();
        }
        self.wait.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the text, and waits until the pager is left.
    fn end(&mut self) {
        self.text.end();
        let _ = self.wait.take().map(JoinHandle::join);
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        if !self.interrupt.has_come() {
            self.interrupt.overlook();
        }
        self.end();
    }
}

impl Text {
    fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<ChildStdin>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the command that starts the pager, unless nobody wants one.
fn command() -> Option<Command> {
    let named = VARIABLES.iter().find_map(|variable| env::var(variable).ok());
    let named = named.unwrap_or_else(|| USUAL.to_owned());
    if named.trim() == "cat" {
        return None;
    }
    let mut words = named.split_whitespace();
    let program = words.next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_-+=".contains(c);
    let mut command = if named.chars().all(is_plain) {
        let mut command = Command::new(program);
        command.args(words);
        command
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", &named]);
        shell
    };
    if env::var_os(LESS.0).is_none() {
        command.env(LESS.0, LESS.1);
    }
    Some(command)
}
