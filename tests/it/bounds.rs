//! The promise: whatever a log holds and however long it is, reading it, appending to it and repairing it
//! take little memory and a time that grows with its length and no faster.
//!
//! Shown with processes of their own for each log, one of which does all that reads and one what
//! writes, and whose peak of memory the system tells; and by runs of the program in an address space that
//! is smaller than the log. An import holds what it brings, which is its caller's. With 1 GB: `cargo test --release --test it bounds -- --ignored --nocapture`.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    time::Instant,
};

use crate::support::{
    child::{Actor, Role, command},
    notes::{Home, line, s1},
    report,
};

/// No process may hold more, in KiB: itself, which is some 10 MiB, and the longest line a few times over.
/// A line of 10 MiB has no room beside that.
const PEAK_KIB_MAX: u64 = 20 * 1024;

/// The address space of a run of the program, in KiB: twice what it takes itself, unoptimised, and less
/// than a log of 100 MB.
#[cfg(feature = "cli")]
const SPACE_KIB: u64 = 90_000;

/// No five readings may take longer, in seconds, nor what writes: many times what they take, unoptimised,
/// on a machine that is busy, and a small part of what they would if a line cost more the more there are.
const SECONDS_MAX: f64 = 300.0;

const MB: usize = 1_000_000;

/// Writes a log.
#[track_caller]
fn log_of(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Home {
    let home = Home::new();
    home.put("");
    let log = File::options().append(true).open(home.store.log_path(&s1())).expect("a log");
    let mut log = BufWriter::new(log);
    write(&mut log).and_then(|()| log.flush()).expect("a written log");
    home
}

/// Has a process do all that reads a log, and the program too where the log is long.
#[track_caller]
fn is_read_within_bounds(name: &str, home: &Home) {
    is_within_bounds(home, Role::Peak, name, "five readings");
    #[cfg(feature = "cli")]
    if len(home) / 1024 > SPACE_KIB {
        the_program_is_within_bounds(home, name);
    }
}

/// Has a process append to a log, follow it, bring in a record, and repair it.
#[track_caller]
fn is_written_within_bounds(name: &str, home: &Home) {
    is_within_bounds(
        home,
        Role::PeakOfWrites,
        name,
        "two appends, a follower, an import, a repair",
    );
}

fn len(home: &Home) -> u64 {
    fs::metadata(home.store.log_path(&s1())).expect("a log").len()
}

/// Has a process do all of its role, and checks what that took.
#[track_caller]
fn is_within_bounds(home: &Home, role: Role, name: &str, what: &str) {
    let of = format!("{name}, {} MB", len(home) / MB as u64);
    let begin = Instant::now();
    let mut actor = Actor::start(command(role, &home.root, ""));
    let said = actor.next().unwrap_or_else(|| panic!("{of}: it died of {what}"));
    let peak: u64 = said.parse().unwrap_or_else(|_| panic!("{of}: {said}"));
    let seconds = begin.elapsed().as_secs_f64();
    report(format_args!("bounds: {of}: {seconds:.1} s for {what}, {peak} KiB at the peak"));
    assert!(peak < PEAK_KIB_MAX, "{of}, {what}: {peak} KiB");
    assert!(seconds < SECONDS_MAX, "{of}, {what}: {seconds} s");
}

/// Has the program search the log, and answer as a hook, in an address space that would not hold it.
#[cfg(feature = "cli")]
#[track_caller]
fn the_program_is_within_bounds(home: &Home, name: &str) {
    use std::process::{Command, Stdio};
    let of = format!("{name}, {} MB", len(home) / MB as u64);
    let payload = format!(
        r#"{{"session_id":"s1","cwd":"{}","hook_event_name":"SessionStart","source":"resume"}}"#,
        home.root
    );
    let nothing_found = Some(3);
    for (arguments, stdin, ends) in [
        (&["search", "no such text"][..], "", nothing_found),
        (&["hook", "claude-code"], payload.as_str(), Some(0)),
    ] {
        let begin = Instant::now();
        let space = format!("export MALLOC_ARENA_MAX=1; ulimit -v {SPACE_KIB}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("bash");
        shell.args(["-c", &space, env!("CARGO_BIN_EXE_graff-notes")]).args(arguments);
        shell.env("GRAFF_ROOT", home.root.as_str()).env("HOME", home.root.as_str());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().expect("bash is there");
        child.stdin.take().expect("a pipe").write_all(stdin.as_bytes()).expect("it is short");
        let ran = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), ends, "{of}, {arguments:?}: {said}");
        let (what, seconds) = (arguments[0], begin.elapsed().as_secs_f64());
        report(format_args!("bounds: {of}: {seconds:.1} s for `{what}`, in {SPACE_KIB} KiB"));
        assert!(seconds < SECONDS_MAX, "{of}, {what}: {seconds} s");
    }
}

/// Notes of the usual length, and something wrong every now and then.
fn notes(bytes: usize) -> impl FnOnce(&mut dyn Write) -> std::io::Result<()> {
    let text = "src/parse.rs:88 still drops the CR; ".repeat(100);
    let chunk = [line(1, &text).repeat(40), b"junk\n".to_vec(), line(2, "short")].concat();
    move |log| (0..bytes / chunk.len()).try_for_each(|_| log.write_all(&chunk))
}

/// The same line again and again, behind one note.
fn repeated(with: Vec<u8>, lines: usize) -> impl FnOnce(&mut dyn Write) -> std::io::Result<()> {
    move |log| {
        log.write_all(&line(1, "the newest"))?;
        (0..lines).try_for_each(|_| log.write_all(&with))
    }
}

const ATTEMPT: &[u8] =
    b"{\"v\":1,\"session\":\"s1\",\"gen\":7,\"created_at\":5,\"kind\":\"attempt\"}\n";

#[test]
fn a_log_of_100_mb_is_read_within_bounds() {
    is_read_within_bounds("notes", &log_of(notes(100 * MB)));
}

#[test]
fn a_log_that_is_longer_than_what_may_be_held_is_written_to_within_bounds() {
    is_written_within_bounds("notes", &log_of(notes(25 * MB)));
}

#[test]
fn a_line_of_100_mb_is_read_and_written_behind_within_bounds_whether_it_ends_or_not() {
    let tail = log_of(repeated(vec![b'y'; MB], 100));
    let ended = log_of(|log| {
        repeated(vec![b'y'; MB], 100)(log)?;
        log.write_all(b"\n").and_then(|()| log.write_all(&line(2, "behind it")))
    });
    for (name, home) in [("a tail", tail), ("one line", ended)] {
        is_read_within_bounds(name, &home);
        is_written_within_bounds(name, &home);
    }
}

/// F047.
#[test]
fn a_line_of_10_mib_is_read_and_written_behind_within_bounds_whether_it_ends_or_not() {
    let stub = b"{\"v\":1,\"session\":\"s1\",\"gen\":2,\"text\":\"";
    let endless = [&stub[..], &vec![b'y'; 10 * 1024 * 1024]].concat();
    let ended = log_of(|log| {
        [&line(1, "one"), &endless, &b"\n"[..], &line(3, "three")]
            .iter()
            .try_for_each(|part| log.write_all(part))
    });
    let tail = log_of(|log| log.write_all(&line(1, "one")).and_then(|()| log.write_all(&endless)));
    for (name, home) in [("a line of 10 MiB", ended), ("a tail of 10 MiB", tail)] {
        is_read_within_bounds(name, &home);
        is_written_within_bounds(name, &home);
    }
}

#[test]
fn a_million_odd_lines_are_read_and_written_behind_within_bounds() {
    is_read_within_bounds("blank lines", &log_of(repeated(b"\n".to_vec(), 1_000_000)));
    for (name, line, lines) in [("bad lines", &b"x\n"[..], 300_000), ("attempts", ATTEMPT, 100_000)]
    {
        let home = log_of(repeated(line.to_vec(), lines));
        is_read_within_bounds(name, &home);
        is_written_within_bounds(name, &home);
    }
}

#[test]
#[ignore = "it writes and reads several GB"]
fn a_log_of_1_gb_is_read_within_bounds() {
    let notes = log_of(notes(1_000 * MB));
    is_read_within_bounds("notes", &notes);
    is_written_within_bounds("notes", &notes);
    for (name, line, lines) in [
        ("one line", &vec![b'y'; MB][..], 1_000),
        ("blank lines", b"\n", 10 * MB),
        ("bad lines", b"x\n", 10 * MB),
        ("attempts", ATTEMPT, MB),
    ] {
        is_read_within_bounds(name, &log_of(repeated(line.to_vec(), lines)));
    }
}
