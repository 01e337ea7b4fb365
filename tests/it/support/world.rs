//! A folder with a store in it, and the program at work there.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::fd::OwnedFd,
    path::Path,
    process::{Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{session::SessionName, store::Store};
use rustix::{
    process::Signal,
    pty::{self, OpenptFlags},
};

pub(crate) use super::ran::Ran;

/// A folder of its own, which is the root of a store unless a test says otherwise.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).expect("a UTF-8 path")
    }

    pub(crate) fn store(&self) -> Store {
        Store::at(self.root())
    }

    pub(crate) fn log(&self, session: &str) -> Utf8PathBuf {
        self.store().log_path(&SessionName::parse(session).expect("a good name"))
    }

    /// A world whose session s1 has a record of every kind: two notes of generation 3, the second
    /// mechanical, an attempt between them, and a rollover.
    pub(crate) fn with_every_kind() -> Self {
        let world = Self::new();
        world.put(
            "s1",
            "{\"v\":1,\"session\":\"s1\",\"gen\":3,\"text\":\"first\",\"created_at\":1000,\"seq\":1}\n\
             {\"v\":1,\"session\":\"s1\",\"gen\":3,\"created_at\":2000,\"seq\":2,\"kind\":\"attempt\"}\n\
             {\"v\":1,\"session\":\"s1\",\"gen\":3,\"text\":\"a\\tb\\\\\\nc\",\"created_at\":951782399999,\
             \"seq\":3,\"kind\":\"mechanical\",\"cut\":7}\n\
             {\"v\":1,\"session\":\"s1\",\"gen\":4,\"created_at\":4000,\"seq\":4,\"kind\":\"rollover\"}\n",
        );
        world
    }

    /// Makes `bytes` the log of a session.
    pub(crate) fn put(&self, session: &str, bytes: impl AsRef<[u8]>) {
        let log = self.log(session);
        fs::create_dir_all(log.parent().expect("a folder")).expect("the folder is made");
        fs::write(log, bytes).expect("the log is written");
    }

    /// Every file and folder below the root, by path from there.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }

    /// The program in the root, named as such by the environment and cut off from ours.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_graff-notes"));
        command.args(args).current_dir(self.root()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "GRAFF_COMPLETE"] {
            command.env_remove(variable);
        }
        command.env("GRAFF_ROOT", self.root()).env("TERM", "xterm").env("GRAFF_PAGER", "");
        command.env("XDG_CONFIG_HOME", self.root().join("no-such-folder"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&mut self.command(args))
    }

    /// A command as somebody types it in `folder`, who has the program in his PATH and his home in
    /// the root, and has set nothing.
    pub(crate) fn typed(&self, folder: &Utf8Path, command: &str) -> Command {
        let program = Utf8Path::new(env!("CARGO_BIN_EXE_graff-notes"));
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in ["GRAFF_ROOT", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            shell.env_remove(variable);
        }
        for variable in ["CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR"] {
            shell.env_remove(variable);
        }
        shell.env("PATH", format!("{}:{path}", program.parent().expect("its folder")));
        shell.env("HOME", self.root());
        shell
    }

    /// Runs the program where it may hold so much memory of its own, in KiB.
    pub(crate) fn within_kib(&self, most: u32, args: &[&str]) -> Ran {
        Ran::of(&mut self.command_within_kib(most, args))
    }

    /// The program where it may hold so much memory of its own, in KiB.
    pub(crate) fn command_within_kib(&self, most: u32, args: &[&str]) -> Command {
        let script = format!("ulimit -d {most} && exec \"$0\" \"$@\"");
        let program = self.command(args);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(program.get_program()).args(args);
        shell.current_dir(self.root()).stdin(Stdio::null());
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }

    /// Runs the program with `stdin`.
    pub(crate) fn fed(&self, stdin: impl AsRef<[u8]>, args: &[&str]) -> Ran {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
        // Short enough for the pipe's buffer, so that nobody waits for anybody.
        let mut pipe = child.stdin.take().expect("a pipe");
        let _ = pipe.write_all(stdin.as_ref()); // it may not want to read
        drop(pipe);
        Ran::of_child(child).checked_against_the_schemas(&command)
    }

    /// Runs the program on a terminal of `columns`, typing `typed` at it; stdout and stderr both
    /// come out as the terminal shows them.
    pub(crate) fn at_terminal(&self, columns: u16, typed: &str, args: &[&str]) -> Ran {
        Self::typing(columns, typed, self.command(args))
    }

    /// The same with a command of the caller's.
    pub(crate) fn typing(columns: u16, typed: &str, mut command: Command) -> Ran {
        let (mut ours, theirs) = terminal(columns);
        let stdio = || Stdio::from(theirs.try_clone().expect("another handle"));
        let mut child =
            command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().expect("it starts");
        drop((command, theirs));
        ours.write_all(typed.as_bytes()).expect("typing");
        let mut stdout = Vec::new();
        let mut piece = [0; 4096];
        // The end of a terminal reads as an error.
        while let Ok(read @ 1..) = ours.read(&mut piece) {
            stdout.extend_from_slice(&piece[..read]);
        }
        Ran { status: child.wait().expect("it ends"), stdout, stderr: Vec::new() }
    }
}

fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        let below = path.strip_prefix(root).expect("below the root");
        found.push(below.to_string_lossy().into_owned());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list(root, &path, found);
        }
    }
}

/// A terminal of `columns`: our end of it, and the one that a program is given.
pub(crate) fn terminal(columns: u16) -> (File, OwnedFd) {
    let ours = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&ours).expect("granted");
    pty::unlockpt(&ours).expect("unlocked");
    let name = pty::ptsname(&ours, Vec::new()).expect("a name");
    let name = name.to_str().expect("a UTF-8 name");
    let theirs = File::options().read(true).write(true).open(name).expect("its other end");
    let size = rustix::termios::Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&theirs, size).expect("a size");
    (ours.into(), theirs.into())
}

/// Those of `signals` that are not ignored by this process, and so by what it starts: whoever runs
/// the tests in the background, or under `nohup`, has some ignored.
pub(crate) fn heeded<const N: usize>(signals: [Signal; N]) -> impl Iterator<Item = Signal> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"));
    signals.into_iter().filter(move |signal| mask >> (signal.as_raw() - 1) & 1 == 0)
}
