//! A folder with a store in it, and the program at work there.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{session::SessionName, store::Store};
use rustix::{
    process::Signal,
    pty::{self, OpenptFlags},
};
use serde_json::Value;

use super::{found::in_time, schema::Schema};

/// How long a run of the program may take: far longer than any does on a loaded machine.
const LONGEST_RUN: Duration = Duration::from_secs(180);

/// A folder of its own, which is the root of a store unless a test says otherwise.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Ran {
    status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
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

    /// A command as somebody types it in `folder`, who has the program in his PATH and his home in the
    /// root, and has set nothing.
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

fn terminal(columns: u16) -> (File, OwnedFd) {
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

impl Ran {
    #[track_caller]
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::of_child(command.spawn().expect("the program starts"))
            .checked_against_the_schemas(command)
    }

    /// Asserts that what was asked for in JSON is as the schemas say.
    #[track_caller]
    fn checked_against_the_schemas(self, command: &Command) -> Self {
        let args: Vec<_> = command.get_args().filter_map(|arg| arg.to_str()).collect();
        let args: Vec<_> = args.split(|arg| *arg == "--").next().unwrap_or_default().to_vec();
        if !args.contains(&"--json") || args.iter().any(|arg| ["--help", "--version"].contains(arg))
        {
            return self;
        }
        let answers = args.iter().find_map(|arg| Schema::of(arg));
        for (schema, said) in [(answers, &self.stdout), (Schema::of("notices"), &self.stderr)] {
            let (Some(schema), Ok(said)) = (schema, std::str::from_utf8(said)) else { continue };
            // On stderr there may also be what a command said that was run.
            let lines: String = said.split_inclusive('\n').filter(|l| l.starts_with('{')).collect();
            for object in objects(&lines) {
                let faults = schema.faults(&object);
                assert!(faults.is_empty(), "{args:?} answers {object}: {faults:#?}");
            }
        }
        self
    }

    /// Waits for a run; one that goes on for minutes is killed, so that its test fails and the
    /// suite ends.
    #[track_caller]
    pub(crate) fn of_child(child: Child) -> Self {
        let (ended, end) = mpsc::channel::<()>();
        let pid = rustix::process::Pid::from_child(&child);
        let guard = thread::spawn(move || {
            let overran = end.recv_timeout(LONGEST_RUN) == Err(mpsc::RecvTimeoutError::Timeout);
            if overran {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            overran
        });
        let output = child.wait_with_output().expect("the program ends");
        drop(ended);
        assert!(!guard.join().expect("the guard ends"), "killed after {LONGEST_RUN:?}");
        output.into()
    }

    /// Waits for a hook that is started, and for another one where it gave up, as it does where the
    /// machine is too busy for it.
    #[track_caller]
    pub(crate) fn of_hook(mut start: impl FnMut() -> Child) -> Self {
        in_time(|| Some(Self::of_child(start())).filter(|ran| !ran.gave_up())).ends(0)
    }

    /// Whether it was a hook, and gave up at its deadline.
    #[track_caller]
    pub(crate) fn gave_up(&self) -> bool {
        self.stderr().contains("gave up after 1.8 seconds")
    }

    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self}");
        self
    }

    /// Asserts that a signal ended it.
    #[track_caller]
    pub(crate) fn ends_by(self, signal: Signal) -> Self {
        assert_eq!(self.status.signal(), Some(signal.as_raw()), "{self}");
        self
    }

    pub(crate) fn has_status(&self, status: i32) -> bool {
        self.status.code() == Some(status)
    }

    /// Asserts that it is done, and said nothing on stderr.
    #[track_caller]
    pub(crate) fn quietly(self) -> Self {
        let ran = self.ends(0);
        assert_eq!(ran.stderr(), "", "{ran}");
        ran
    }

    #[track_caller]
    pub(crate) fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("UTF-8 on stdout")
    }

    #[track_caller]
    pub(crate) fn stderr(&self) -> &str {
        std::str::from_utf8(&self.stderr).expect("UTF-8 on stderr")
    }

    /// The one answer on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let [answer] = self.answers().try_into().unwrap_or_else(|_| panic!("one answer: {self}"));
        answer
    }

    /// Every answer on stdout, one a line.
    #[track_caller]
    pub(crate) fn answers(&self) -> Vec<Value> {
        objects(self.stdout())
    }

    /// What the one object on stderr says under `name`.
    #[track_caller]
    pub(crate) fn said(&self, name: &str) -> Value {
        let [said] = objects(self.stderr()).try_into().unwrap_or_else(|_| panic!("one: {self}"));
        said.get(name).unwrap_or_else(|| panic!("{name} in {said}")).clone()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { status, stdout, stderr } = self;
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(bytes));
        write!(f, "{status}\n-- stdout\n{stdout}\n-- stderr\n{stderr}")
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let std::process::Output { status, stdout, stderr } = output;
        Self { status, stdout, stderr }
    }
}

#[track_caller]
fn objects(lines: &str) -> Vec<Value> {
    let object = |line| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(value.is_object(), "an object a line: {line}");
        value
    };
    lines.lines().map(object).collect()
}

/// Those of `signals` that are not ignored by this process, and so by what it starts: whoever runs
/// the tests in the background, or under `nohup`, has some ignored.
pub(crate) fn heeded<const N: usize>(signals: [Signal; N]) -> impl Iterator<Item = Signal> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"));
    signals.into_iter().filter(move |signal| mask >> (signal.as_raw() - 1) & 1 == 0)
}
