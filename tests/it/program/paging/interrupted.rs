//! Ctrl-C while a pager has the terminal is a word to the pager first: our work stops, what is
//! there can be read to its end, and the interrupt ends us when the pager is left. From then on it
//! ends us at once. Shown with pagers that wait until a test lets them go on.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, Signal, kill_process},
};

use crate::support::{
    skipped,
    world::{Ran, World, heeded, terminal},
};

/// Whoever is not done by then never will be.
const PATIENCE: Duration = Duration::from_secs(30);

/// Finds a needle at once, and takes long on letters that are not of ASCII, which have none.
const SLOW: &str = r"needle|\w{50}\d\b";

/// The notes that are searched so: together they take minutes.
const NOTES: usize = 400;

/// A pager that begins to read, and then waits to be told twice: to read on, and to be left. It
/// also goes on when whoever could tell it has gone.
const TOLD: &str =
    "exec 3<go; read -r _; echo waits; read -r _ <&3; cat >read; echo all; read -r _ <&3";

/// The program, with a pager at work.
struct Reading {
    child: Child,
    screen: Receiver<String>,
}

impl Reading {
    fn in_pager(world: &World, pager: &str, args: &[&str]) -> Self {
        let mut command = world.command(args);
        let (ours, theirs) = terminal(80);
        let stdio = || Stdio::from(theirs.try_clone().expect("another handle"));
        command.env("GRAFF_PAGER", pager).stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = command.spawn().expect("it starts");
        let (send, screen) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = BufReader::new(ours).lines().map_while(Result::ok);
            lines.try_for_each(|line| send.send(line))
        });
        Self { child, screen }
    }

    /// Waits for what the pager says next.
    #[track_caller]
    fn next(&self) -> String {
        let line = self.screen.recv_timeout(PATIENCE).expect("the pager says something");
        line.trim_end().to_owned()
    }

    #[track_caller]
    fn says(&self, what: &str) {
        assert_eq!(self.next(), what);
    }

    /// Waits until a pager that says its number has been left, and its end been noticed.
    #[track_caller]
    fn is_left(&self) {
        let pager = format!("/proc/{}", self.next());
        let since = Instant::now();
        while Path::new(&pager).exists() {
            assert!(since.elapsed() < PATIENCE, "nobody waits for the pager");
            thread::yield_now();
        }
    }

    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it is interrupted");
    }

    /// Interrupts it, and waits until it has taken that: the thread that waits for it ends then.
    #[track_caller]
    fn interrupt_and_wait(&self) {
        let status = format!("/proc/{}/status", self.child.id());
        let threads = || {
            let status = fs::read_to_string(&status).expect("it is at work");
            status.lines().find_map(|line| line.strip_prefix("Threads:").map(str::to_owned))
        };
        let (before, since) = (threads(), Instant::now());
        self.interrupt();
        while threads() == before {
            assert!(since.elapsed() < PATIENCE, "it takes no notice");
            thread::yield_now();
        }
    }

    /// Waits for its end, which is near.
    #[track_caller]
    fn ran(mut self) -> Ran {
        let since = Instant::now();
        while self.child.try_wait().expect("it is ours").is_none() {
            assert!(since.elapsed() < PATIENCE, "it goes on");
            thread::yield_now();
        }
        let stdout = self.rest().into_bytes();
        Ran { status: self.child.wait().expect("it ends"), stdout, stderr: Vec::new() }
    }

    /// What comes until nobody has the terminal any more.
    #[track_caller]
    fn rest(&self) -> String {
        let mut rest = String::new();
        loop {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(line) => rest += &line,
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the pager goes on: {rest}"),
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it has ended, unless the test failed
        let _ = self.child.wait();
    }
}

/// Returns whether Ctrl-C means nothing to what the tests start.
fn is_ignored() -> bool {
    let is_ignored = heeded([Signal::INT]).next().is_none();
    if is_ignored {
        skipped("the tests run where an interrupt is ignored");
    }
    is_ignored
}

/// A note that `search` finds at once, before notes that take long, of the session that each is
/// given.
fn slow(session: impl Fn(usize) -> String) -> World {
    let world = World::new();
    world.fed("a needle", &["write", "a"]).quietly();
    let text = "é".repeat(6_000);
    for at in 0..NOTES {
        let session = session(at);
        let log = File::options().create(true).append(true).open(world.log(&session));
        let note = format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"{text}\"}}\n");
        log.and_then(|mut log| log.write_all(note.as_bytes())).expect("a log");
    }
    world
}

/// A log of so many notes, and a pipe through which a pager is told to go on.
fn told(notes: usize) -> (World, File) {
    let world = World::new();
    let line = |n| format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"note {n}\"}}\n");
    world.put("s1", (0..notes).map(line).collect::<String>());
    let pipe = world.root().join("go");
    mknodat(CWD, pipe.as_std_path(), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    // For both, so that nobody waits for its other end to be opened.
    let pipe = File::options().read(true).write(true).open(&pipe).expect("a pipe");
    (world, pipe)
}

fn go_on(mut pipe: &File) {
    pipe.write_all(b"\n").expect("the pager hears it");
}

#[test]
fn it_stops_our_work_and_ends_us_when_the_pager_is_left() {
    let notes = 20_000; // more than a pipe takes
    let (world, go) = told(notes);
    if is_ignored() {
        return;
    }
    let mut reading = Reading::in_pager(&world, TOLD, &["log", "s1", "--color", "never"]);
    reading.says("waits");
    reading.interrupt();
    go_on(&go);
    reading.says("all");
    assert!(reading.child.try_wait().expect("it is ours").is_none(), "it waits for its pager");
    let read = fs::read_to_string(world.root().join("read")).expect("what it was given");
    let lines = read.lines().count();
    assert!((1..notes).contains(&lines), "some of it: {lines} lines");
    go_on(&go);
    reading.ran().ends_by(Signal::INT);
}

#[test]
fn no_pager_waits_for_the_rest() {
    if is_ignored() {
        return;
    }
    let world = slow(|_| "b".to_owned());
    let reading = Reading::in_pager(&world, "cat >read; echo all", &["search", "-e", SLOW]);
    let read = world.root().join("read");
    let since = Instant::now();
    while fs::metadata(&read).map_or(0, |read| read.len()) == 0 {
        assert!(since.elapsed() < PATIENCE, "it is given nothing");
        thread::yield_now();
    }
    reading.interrupt();
    reading.says("all");
    assert!(since.elapsed() < PATIENCE, "not before all had been searched");
    reading.ran().ends_by(Signal::INT);
}

#[test]
fn it_is_the_pagers_alone_when_we_have_said_everything() {
    if is_ignored() {
        return;
    }
    let (world, go) = told(2);
    let reading = Reading::in_pager(&world, TOLD, &["log", "s1"]);
    reading.says("waits");
    go_on(&go);
    reading.says("all");
    reading.interrupt_and_wait();
    go_on(&go);
    reading.ran().ends(0);
}

#[test]
fn it_ends_us_at_once_when_the_pager_has_been_left() {
    if is_ignored() {
        return;
    }
    let world = slow(|_| "b".to_owned());
    let reading = Reading::in_pager(&world, "echo $$", &["search", "-e", SLOW]);
    reading.is_left();
    reading.interrupt();
    reading.ran().ends_by(Signal::INT);
}

#[test]
fn whoever_leaves_the_pager_of_a_search_has_the_terminal_back() {
    let world = slow(|at| format!("b{at}"));
    world.put("z", "junk\n");
    let reading = Reading::in_pager(&world, "echo $$", &["search", "-e", SLOW]);
    reading.is_left();
    let ran = reading.ran().ends(0);
    assert_eq!(ran.stdout(), "", "it has not come to the damaged log");
}
