//! The pager: what a person reads a long answer in, as git has it.

use std::{
    env,
    io::{self, StdoutLock, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::signals;

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
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Sink {
    pub(super) fn stdout() -> Self {
        Self::Stdout(io::stdout().lock())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Pager(Pager { stdin: Some(stdin), .. }) => stdin.write(bytes),
            Self::Pager(Pager { stdin: None, .. }) => Err(io::ErrorKind::BrokenPipe.into()),
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
        let named = VARIABLES.iter().find_map(|variable| env::var(variable).ok());
        let named = named.unwrap_or_else(|| USUAL.to_owned());
        let mut words = named.split_whitespace();
        let program = words.next().filter(|program| *program != "cat")?;
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
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        signals::leave_the_interrupt_to_others();
        Some(Self { stdin: child.stdin.take(), child })
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        self.stdin = None; // the end of the text
        let _ = self.child.wait();
    }
}
