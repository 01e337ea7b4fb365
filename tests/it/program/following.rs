//! Notes are told as they come: each once and none missed, from a store that need not be there yet
//! and that is repaired, forgotten and removed meanwhile.

mod store;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use graff_notes::{
    log::Draft,
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    store::Store,
    units::{Bytes, Generation, Timestamp},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::world::{World, heeded};

/// A program that has not answered by then never will, or has missed what the system told: it looks
/// by itself once a minute, which is not soon enough.
const PATIENCE: Duration = Duration::from_secs(40);

/// The program while it follows.
struct Following {
    child: Child,
    stderr: Option<ChildStderr>,
    lines: Receiver<String>,
}

impl Following {
    fn start(world: &World, args: &[&str]) -> Self {
        Self::of(world.command(&[&["follow"], args].concat()))
    }

    fn of(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let stderr = child.stderr.take();
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Self { child, stderr, lines }
    }

    /// Waits until it watches something, where the system tells.
    fn watches(self) -> Self {
        let open_files = format!("/proc/{}/fdinfo", self.child.id());
        let asks = |file: fs::DirEntry| {
            fs::read_to_string(file.path()).is_ok_and(|told| told.contains("\ninotify "))
        };
        let since = Instant::now();
        while let Ok(files) = fs::read_dir(&open_files)
            && !files.flatten().any(asks)
        {
            assert!(since.elapsed() < PATIENCE, "it watches nothing");
            thread::yield_now();
        }
        self
    }

    /// How often its threads have come to run.
    fn switches(&self) -> u64 {
        let mut sum = 0;
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        for task in tasks.expect("it is at work").flatten() {
            let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
            let counts = status.lines().filter_map(|line| line.split_once("ctxt_switches:\t"));
            sum += counts.filter_map(|(_, count)| count.parse::<u64>().ok()).sum::<u64>();
        }
        sum
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a note that comes in time")
    }

    /// The session and text of the next note.
    #[track_caller]
    fn next(&self) -> String {
        let line = self.line();
        let cells: Vec<_> = line.split('\t').collect();
        format!("{} {}", cells[0], cells[6])
    }

    /// Interrupts it, and returns how.
    fn interrupt(&self) -> Signal {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a process")).expect("not 0");
        let signal = heeded([Signal::INT, Signal::TERM]).next().expect("it heeds one of them");
        kill_process(pid, signal).expect("it is interrupted");
        signal
    }

    /// Waits for its end; returns how it ended, the lines that were not asked for, and stderr.
    fn end(&mut self) -> (ExitStatus, Vec<String>, String) {
        let status = self.child.wait().expect("it ends");
        let mut said = String::new();
        let stderr = self.stderr.as_mut().expect("nobody else reads it");
        stderr.read_to_string(&mut said).expect("UTF-8 on stderr");
        (status, self.lines.iter().collect(), said)
    }

    /// Interrupts it, and asserts that it has nothing more to say.
    #[track_caller]
    fn ends(mut self) {
        let signal = self.interrupt();
        let (status, lines, said) = self.end();
        assert_eq!(status.signal(), Some(signal.as_raw()), "the shell says 128 and that");
        assert_eq!((lines, said), (Vec::new(), String::new()));
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it has ended, unless the test failed
        let _ = self.child.wait();
    }
}

fn write(world: &World, session: &str, text: &str) {
    append(&world.store(), session, text);
}

fn append(store: &Store, session: &str, text: &str) {
    let session = SessionName::parse(session).expect("a name");
    let draft = Draft::Note {
        text: NoteText::fit(text, NoteCap::DEFAULT).expect("a note").text,
        author: Author::Agent,
        cut: Bytes::ZERO,
        generation: Generation::ZERO,
        created_at: Timestamp::new(1_000),
    };
    let _ = store.append(&session, &draft).expect("it is stored");
}

/// Follows all, from the first note on: whether a note is there before the first look makes no
/// difference then.
const ALL: &[&str] = &["-n", "1000000"];

/// However much comes at once, it is said as it is read.
#[test]
fn a_long_log_that_appears_is_told_in_little_room() {
    const NOTES: u64 = 30_000;
    let world = World::new();
    world.run(&["write", "s1", "--text", "from before"]).quietly();
    let text = "x".repeat(1_000);
    let record =
        |seq| format!("{{\"v\":1,\"session\":\"long\",\"text\":\"{text}\",\"seq\":{seq}}}\n");
    let elsewhere = world.root().join("long");
    fs::write(&elsewhere, (1..=NOTES).map(record).collect::<String>()).expect("a file");
    let following = Following::of(world.command_within_kib(24 * 1024, &["follow", "-n", "1"]));
    assert!(following.line().ends_with("from before"), "what was there has been looked at");
    fs::rename(elsewhere, world.log("long")).expect("it is moved");
    for seq in 1..=NOTES {
        let line = following.line();
        assert!(line.starts_with(&format!("long\t{seq}\t")), "{}", &line[..40]);
    }
}

/// Of what is there already no more is held than the notes that are asked for, of all sessions.
#[test]
fn the_last_notes_of_many_sessions_are_told_in_little_room() {
    const SESSIONS: u64 = 150;
    let world = World::new();
    let text = "x".repeat(20_000);
    for session in 0..SESSIONS {
        let record = |at| {
            let at = at * SESSIONS + session;
            format!(
                "{{\"v\":1,\"session\":\"s{session}\",\"text\":\"{text}\",\"created_at\":{at}}}\n"
            )
        };
        world.put(&format!("s{session}"), (0..20).map(record).collect::<String>());
    }
    let following = Following::of(world.command_within_kib(24 * 1024, &["follow", "-n", "20"]));
    for session in SESSIONS - 20..SESSIONS {
        assert!(following.line().starts_with(&format!("s{session}\t")), "{session}");
    }
    following.ends();
}

/// What it costs to wait is nothing: it is woken, and doesn't look by itself but once a minute, also
/// where what it waits for isn't there yet.
#[cfg(target_os = "linux")]
#[test]
fn it_does_nothing_where_nothing_happens() {
    const REST: Duration = Duration::from_secs(4);
    let world = World::new();
    // Around the world much goes on.
    let root = world.root().join("outer/root");
    fs::create_dir_all(&root).expect("folders");
    append(&Store::at(&root), "s1", "from before");
    let there = Following::start(&world, &["-n", "1", "--root", root.as_str()]);
    there.line();
    append(&Store::at(&root), "s1", "a note");
    there.line();
    let empty = world.root().join("outer/empty");
    fs::create_dir_all(&empty).expect("a folder");
    let no_store = Following::start(&world, &["--root", empty.as_str()]).watches();
    let no_session = Following::start(&world, &["s2", "--root", root.as_str()]).watches();
    let all = [there, no_store, no_session];
    // They may still be on their way to the next wait, and a wake-up now and then may be the
    // machine's: it's enough that each rests once for longer than it would if it looked by itself.
    let begun = |following: &Following| (following.switches(), Instant::now());
    let mut restless: Vec<_> = all.iter().map(|following| (following, begun(following))).collect();
    let since = Instant::now();
    while !restless.is_empty() {
        assert!(since.elapsed() < PATIENCE, "{} of {} never rest", restless.len(), all.len());
        thread::sleep(Duration::from_millis(100));
        restless.retain_mut(|(following, (before, still))| {
            let now = following.switches();
            if now != *before {
                (*before, *still) = (now, Instant::now());
            }
            still.elapsed() < REST
        });
    }
}

#[test]
fn every_note_of_fast_writers_comes_once_and_in_order() {
    let world = World::new();
    let following = Following::start(&world, ALL);
    let sessions = ["s1", "s2", "s3"];
    thread::scope(|scope| {
        for session in sessions {
            let world = &world;
            scope.spawn(move || {
                (0..150).for_each(|at| write(world, session, &format!("note {at}")));
            });
        }
    });
    let mut come: Vec<_> = (0..450).map(|_| following.next()).collect();
    come.sort_by_key(|note| note.split(' ').next().map(str::to_owned)); // and else as they came
    let expected: Vec<_> = sessions
        .iter()
        .flat_map(|session| (0..150).map(move |at| format!("{session} note {at}")))
        .collect();
    assert!(come == expected, "{come:?}");
    following.ends();
}

#[test]
fn one_session_is_followed_without_the_others() {
    let world = World::new();
    let following = Following::start(&world, &["s1", "-n", "9"]);
    write(&world, "s2", "not wanted");
    write(&world, "s1", "wanted");
    write(&world, "s10", "not wanted");
    write(&world, "s1", "wanted too");
    assert_eq!([following.next(), following.next()], ["s1 wanted", "s1 wanted too"]);
    following.ends();
}

#[test]
fn so_many_of_the_last_notes_come_first_as_are_asked_for() {
    let world = World::new();
    let note = |session: &str, at: u64| {
        format!("{{\"v\":1,\"session\":\"{session}\",\"text\":\"{at}\",\"created_at\":{at}}}\n")
    };
    world.put("s1", [note("s1", 1), note("s1", 4), note("s1", 6)].concat());
    world.put("s2", [note("s2", 2), note("s2", 3), note("s2", 5)].concat());
    let following = Following::start(&world, &["-n", "4"]);
    let come = [(); 4].map(|()| following.next());
    assert_eq!(come, ["s2 3", "s1 4", "s2 5", "s1 6"]);
    write(&world, "s2", "new");
    assert_eq!(following.next(), "s2 new");
    following.ends();
}

#[test]
fn a_note_is_told_with_all_that_is_known_of_it() {
    let world = World::new();
    world.put(
        "s1",
        "{\"v\":1,\"session\":\"s1\",\"gen\":3,\"text\":\"a\\tb\\n\",\"kind\":\"mechanical\"}\n",
    );
    let following = Following::start(&world, &["-n", "1", "--json"]);
    let answer: Value = serde_json::from_str(&following.line()).expect("JSON");
    let expected = json!({
        "session": "s1", "seq": null, "gen": 3, "kind": "mechanical", "created_at": 0,
        "text": "a\tb\n", "cut": 0, "line": 1, "offset": 0, "sealed": false
    });
    assert_eq!(answer, expected);
    following.ends();
    let following = Following::start(&world, &["-n", "1"]);
    assert_eq!(following.line(), "s1\t-\t3\tmechanical\t-\t4\ta\\tb\\n");
    following.ends();
}

#[test]
fn damage_that_comes_is_spoken_of_and_attempts_are_not() {
    let world = World::new();
    write(&world, "s1", "one");
    let mut following = Following::start(&world, ALL);
    assert_eq!(following.next(), "s1 one");
    let attempt = "{\"v\":1,\"session\":\"s1\",\"kind\":\"attempt\"}\n";
    let mut log = fs::File::options().append(true).open(world.log("s1")).expect("a log");
    log.write_all(format!("junk\n{attempt}").as_bytes()).expect("it grows");
    write(&world, "s1", "two");
    assert_eq!(following.next(), "s1 two");
    following.interrupt();
    let (_, lines, said) = following.end();
    assert_eq!(lines, [""; 0]);
    assert_eq!(
        said,
        "graff-notes: line 2 of session s1 is no note: malformed JSON at byte 1 of the record\n"
    );
}

#[test]
fn a_reader_that_goes_ends_it_though_no_note_comes() {
    let world = World::new();
    for args in [&["follow"][..], &["follow", "s1", "--json"]] {
        let mut command = world.command(args);
        let child = command.spawn().expect("it runs");
        let mut child = child;
        drop(child.stdout.take());
        let ran = crate::support::world::Ran::of_child(child);
        assert_eq!(ran.ends(0).stderr(), "");
    }
    assert_eq!(world.files(), [""; 0], "nothing was made");
}
