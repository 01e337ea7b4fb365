//! Other processes that use the library: this test binary, run again in a role.
//!
//! A child tells what it does on its standard output, a line at a time, and each line begins with
//! [`SAYS`], since the test harness talks there too.

use std::{
    env,
    fs::File,
    io::{BufRead as _, BufReader, Lines, Write as _, stdin, stdout},
    process::{Child, ChildStdout, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use camino::Utf8Path;
use graff_notes::{
    Notebook,
    budget::RunPool,
    gate::{Boundary, Verdict},
    log::{Body, Line, Record},
    notebook::{Settings, Spent},
    store::{Disk, Import, Newest, RepairMode, Store},
    units::{Calls, Generation, Tokens},
};
use rustix::fs::Mode;

use super::{
    notes::{import, line, note, now, s1},
    peak_kib,
    watched::Watched,
};

/// What every line of a child begins with.
const SAYS: &str = "child: ";

/// The environment variable with a child's role: its name, the root, and an argument.
const ROLE: &str = "GRAFF_NOTES_TEST_ROLE";

/// The test that a child runs: it is there for nothing else.
const TEST: &str = "processes::a_child_of_other_tests_plays_its_role";

/// What a child does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// Appends so many notes through one handle, and says each that is on disk.
    Append,
    /// Appends one note and says what came of it.
    AppendOnce,
    /// Appends twice through one handle, and says what came of each.
    AppendTwice,
    /// Appends two notes, the second once it is told to, and says what came of each.
    AppendWhenTold,
    /// Says what reading the newest note came to.
    Newest,
    /// Says what reading the newest note twice through one handle came to.
    NewestTwice,
    /// Repairs the log and says what came of it.
    Repair,
    /// Brings in a history of two notes, and says what came of it.
    Import,
    /// Takes the lock in the middle of an append, says so, and waits to be told to go on.
    Hold,
    /// Takes the lock by std's `File::lock`, and waits.
    Flock,
    /// Takes the lock, starts a program that has its file open, says that one's number, closes the
    /// file itself, and waits.
    Bequeath,
    /// Appends, and repairs a damaged log, under this umask (octal).
    Umask,
    /// Does all that reads, and says how much memory it held at the most, in KiB.
    Peak,
    /// The same with what writes, and what follows the log or brings records from elsewhere.
    PeakOfWrites,
    /// The same with an import that adds a record to the only one of a log.
    PeakOfImport,
    /// Decides on a note as a host does, says what came of it, and waits for a model's reply.
    Ask,
}

const ROLES: [(&str, Role); 16] = [
    ("append", Role::Append),
    ("append-once", Role::AppendOnce),
    ("append-twice", Role::AppendTwice),
    ("append-when-told", Role::AppendWhenTold),
    ("newest", Role::Newest),
    ("newest-twice", Role::NewestTwice),
    ("repair", Role::Repair),
    ("import", Role::Import),
    ("hold", Role::Hold),
    ("flock", Role::Flock),
    ("bequeath", Role::Bequeath),
    ("umask", Role::Umask),
    ("peak", Role::Peak),
    ("peak-of-writes", Role::PeakOfWrites),
    ("peak-of-import", Role::PeakOfImport),
    ("ask", Role::Ask),
];

/// A child at work; it is killed when the test is done with it.
pub(crate) struct Actor {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

/// The command that plays a role, to be started by itself or under another program.
pub(crate) fn command(role: Role, root: &Utf8Path, argument: &str) -> Command {
    under(&[], role, root, argument)
}

/// The command that plays a role under `wrapper`, a program and its arguments.
pub(crate) fn under(wrapper: &[&str], role: Role, root: &Utf8Path, argument: &str) -> Command {
    let test = env::current_exe().expect("this binary has a path");
    let mut command = match wrapper {
        [] => Command::new(test),
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments).arg(test);
            command
        }
    };
    let (name, _) = ROLES[role as usize];
    command.args(["--exact", TEST, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, format!("{name}\n{root}\n{argument}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

impl Actor {
    #[track_caller]
    pub(crate) fn start(command: Command) -> Self {
        Self::start_if_possible(command).expect("the child starts")
    }

    /// Starts the child, or returns `None` where its wrapper is not to be had.
    pub(crate) fn start_if_possible(mut command: Command) -> Option<Self> {
        let mut child = command.spawn().ok()?;
        let said = BufReader::new(child.stdout.take()?).lines();
        Some(Self { child, said })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next thing that the child says; `None` once it has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            let line = self.said.next()?.ok()?;
            if let Some((_, said)) = line.split_once(SAYS) {
                return Some(said.to_owned());
            }
        }
    }

    #[track_caller]
    pub(crate) fn expect(&mut self, said: &str) {
        assert_eq!(self.next().as_deref(), Some(said));
    }

    /// Lets the child go on.
    pub(crate) fn go_on(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Returns whether the child has ended, or what it was started under.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// What the child says until it ends.
    pub(crate) fn rest(mut self) -> Vec<String> {
        self.go_on();
        std::iter::from_fn(|| self.next()).collect()
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(what: &str) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{SAYS}{what}").and_then(|()| out.flush());
}

fn wait_to_be_told() {
    let _ = stdin().read_line(&mut String::new());
}

/// Plays the role that this process has; returns at once where it has none.
pub(crate) fn play() {
    let Ok(role) = env::var(ROLE) else { return };
    let [name, root, argument] = role.split('\n').collect::<Vec<_>>()[..] else {
        panic!("a role, a root and an argument")
    };
    let (_, role) = ROLES.iter().find(|(known, _)| *known == name).expect("a known role");
    let store = Store::at(root);
    match role {
        Role::Append => append(&store, argument),
        Role::AppendOnce => append_once(&store, argument),
        Role::AppendTwice => {
            let (log, longer) = (store.log(&s1()), format!("{argument}er"));
            for draft in [note(argument), note(&longer)] {
                say(&log.append(&draft).map_or_else(|e| told(&e), |_| "stored".to_owned()));
            }
        }
        Role::AppendWhenTold => {
            append_once(&store, argument);
            wait_to_be_told();
            append_once(&store, argument);
        }
        Role::Newest => say(&found(store.newest(&s1()))),
        Role::NewestTwice => {
            let log = store.log(&s1());
            for _ in 0..2 {
                say(&found(log.newest()));
            }
        }
        Role::Repair => say(&match store.repair(&s1(), RepairMode::Write) {
            Ok(plan) => format!("dropped {}", plan.dropped),
            Err(e) => told(&e),
        }),
        Role::Import => say(&match import(&store, &[line(1, "one"), line(2, "two")].concat()) {
            Ok(brought) => format!("{brought:?}"),
            Err(e) => told(&e),
        }),
        Role::Hold => hold(root),
        Role::Flock => flock(&store),
        Role::Bequeath => bequeath(&store),
        Role::Umask => umask(&store, argument),
        Role::Peak => peak(&store),
        Role::PeakOfWrites => peak_of_writes(&store),
        Role::PeakOfImport => peak_of_import(&store),
        Role::Ask => ask(&store),
    }
}

fn append_once(store: &Store, text: &str) {
    say(&store.append(&s1(), &note(text)).map_or_else(|e| told(&e), |_| "stored".to_owned()));
}

fn found(newest: Result<Newest, graff_notes::Error>) -> String {
    newest.map_or_else(|e| told(&e), |newest| format!("{:?}", newest.note.map(|note| note.text)))
}

fn told(e: &graff_notes::Error) -> String {
    format!("{:?}: {}", e.kind(), e.with_causes())
}

/// `argument` is a name and how many notes.
fn append(store: &Store, argument: &str) {
    let (name, notes) = argument.split_once(' ').expect("a name and a number");
    // A busy machine may give the lock to the others for long.
    let log = store.clone().with_patience(Duration::from_secs(600)).log(&s1());
    for i in 1..=notes.parse().expect("a number") {
        let text = format!("{name}-{i}");
        match log.append(&note(&text)) {
            Ok(_) => say(&text),
            Err(e) => return say(&told(&e)),
        }
    }
}

fn hold(root: &str) {
    let pause = || {
        say("holding");
        wait_to_be_told();
    };
    let store = Store::on(root, Arc::new(Watched::new(Disk::at(root), pause)));
    match store.append(&s1(), &note("held back")) {
        Ok(_) => say("stored"),
        Err(e) => say(&told(&e)),
    }
}

/// Takes the lock by std's `File::lock`.
fn locked(store: &Store) -> File {
    let lock = File::options().write(true).open(store.lock_path(&s1()));
    let lock = lock.expect("a lock file");
    lock.lock().expect("the lock");
    lock
}

fn flock(store: &Store) {
    let _lock = locked(store);
    say("holding");
    wait_to_be_told();
}

fn bequeath(store: &Store) {
    let mut sleep = Command::new("sleep");
    sleep.arg("60").stdin(locked(store)).stdout(Stdio::null());
    let heir = sleep.spawn().expect("sleep is there").id();
    drop(sleep); // and with it the file
    say(&heir.to_string());
    wait_to_be_told();
}

fn umask(store: &Store, argument: &str) {
    let umask = u32::from_str_radix(argument, 8).expect("an octal number");
    rustix::process::umask(Mode::from_raw_mode(umask));
    let store = store.clone().with_patience(Duration::from_secs(1));
    let appended = store.append(&s1(), &note("one"));
    let appended = appended.map(|_| ()).map_err(|e| (e.kind(), e.with_causes()));
    let damaged = std::fs::OpenOptions::new().append(true).open(store.log_path(&s1()));
    let written = damaged.and_then(|mut log| log.write_all(b"junk\n"));
    let repaired = store.repair(&s1(), RepairMode::Write);
    let repaired = repaired.map(|plan| plan.dropped).map_err(|e| (e.kind(), e.with_causes()));
    say(&format!("{appended:?} {} {repaired:?}", written.is_ok()));
}

fn peak(store: &Store) {
    let newest = store.newest(&s1()).expect("a log").note;
    assert!(newest.is_some(), "there is one to be found");
    let health = store.verify(&s1()).expect("a log");
    assert!(health.faults.len() <= 1_000 && health.remarks.len() <= 1_000, "they are counted");
    let plan = store.repair(&s1(), RepairMode::DryRun).expect("a plan");
    assert_eq!(plan.dropped, health.bad_lines + u64::from(health.torn_tail));
    let _ = store.greatest_generation(&s1()).expect("a log");
    let _ = store.log(&s1()).is_attempted(Generation::new(9)).expect("a log");
    say(&peak_kib(std::process::id()).to_string());
}

fn peak_of_writes(store: &Store) {
    let _ = store.append(&s1(), &note("appended")).expect("a log");
    let mut newest = String::new();
    let seen = store.follow(&s1()).catch_up(&mut |entry| {
        if let Line::Record(Record { body: Body::Note { text, .. }, .. }) = entry.line {
            newest = text.into_owned();
        }
    });
    assert_eq!((seen.is_ok(), newest.as_str()), (true, "appended"));
    let brought = import(store, &line(1, "another history"));
    assert!(matches!(brought, Ok(Import::Parted { common: 0 })), "{brought:?}");
    let _ = store.repair(&s1(), RepairMode::Write).expect("a repair");
    let _ = store.append(&s1(), &note("appended again")).expect("a log");
    assert_eq!(store.verify(&s1()).expect("a log").bad_lines, 0, "it is repaired");
    say(&peak_kib(std::process::id()).to_string());
}

fn peak_of_import(store: &Store) {
    let brought = import(store, &[line(1, "the newest"), line(2, "brought")].concat());
    assert!(matches!(brought, Ok(Import::Added { had: 1, added: 1 })), "{brought:?}");
    say(&peak_kib(std::process::id()).to_string());
}

fn ask(store: &Store) {
    let pool = RunPool::builder().build();
    let notebook = Notebook::open(store, s1().as_str(), pool, Settings::default()).expect("a log");
    let (window, effective) = (Tokens::new(200_000), Tokens::new(180_000));
    let situation = notebook.situation(Boundary::EndOfTurn, window, effective, Calls::ZERO);
    match notebook.decide(&situation) {
        Verdict::Refuse(why) => say(why.as_str()),
        Verdict::Fire(ticket) => match notebook.spend(ticket, now()) {
            Spent::Left(outcome) => say(outcome.as_str()),
            Spent::Ask(_attempt) => {
                say("asked");
                wait_to_be_told();
            }
        },
    }
}
