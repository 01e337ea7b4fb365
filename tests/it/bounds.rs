//! The promise: whatever a log holds and however long it is, reading it, appending to it and
//! repairing it take little memory and a time that grows with its length and no faster.
//!
//! Shown with processes of their own for each log, one of which does all that reads and one what
//! writes, and whose peak of memory the system tells; and by runs of the program in an address
//! space that the log does not fit into. What a process takes for a log of one note, which hangs on
//! how it was built, is not counted. An import holds what it brings, which is its caller's; a
//! follower eight bytes a record. With 1 GB: `cargo test --release --test it bounds -- --ignored
//! --nocapture`.

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

/// No process may hold more than with a log of one note, in KiB: the longest line a few times over.
/// A line of 10 MiB has no room in that.
const HELD_KIB_MAX: u64 = 9 * 1024;

/// The address space of a run of the program beyond what it needs for a log of one note, in KiB:
/// what it may hold, twice, since an allocator cannot use all of it. A log of 100 MB does not fit
/// into it.
#[cfg(feature = "cli")]
const SPACE_KIB: u64 = 2 * HELD_KIB_MAX;

/// In what steps that need is looked for, and up to where, in KiB.
#[cfg(feature = "cli")]
const STEP_KIB: u64 = 4 * 1024;
#[cfg(feature = "cli")]
const NEED_KIB_MAX: u64 = 1024 * 1024;

/// No five readings may take longer, in seconds, nor what writes: many times what they take,
/// unoptimised, on a machine that is busy, and a small part of what they would if a line cost more
/// the more there are.
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

/// A log of one note.
fn shortest() -> Home {
    log_of(|log| log.write_all(&line(1, "the newest")))
}

/// Has a process do all that reads a log.
#[track_caller]
fn is_read_within_bounds(name: &str, home: &Home) {
    is_within_bounds(home, Role::Peak, name, "five readings");
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

/// Has a process do all of its role, and returns what it held at the most, in KiB.
#[track_caller]
fn peak(home: &Home, role: Role, of: &str) -> u64 {
    let said = Actor::start(command(role, &home.root, "")).next();
    let said = said.unwrap_or_else(|| panic!("{of}: it died"));
    said.parse().unwrap_or_else(|_| panic!("{of}: {said}"))
}

/// Has a process do all of its role, and checks what that took.
#[track_caller]
fn is_within_bounds(home: &Home, role: Role, name: &str, what: &str) {
    let of = format!("{name}, {} MB, {what}", len(home) / MB as u64);
    let least = peak(&shortest(), role, "a log of one note");
    let begin = Instant::now();
    let peak = peak(home, role, &of);
    let seconds = begin.elapsed().as_secs_f64();
    let held = peak.saturating_sub(least);
    report(format_args!("bounds: {of}: {seconds:.1} s, {held} KiB at the peak beside {least}"));
    assert!(held < HELD_KIB_MAX, "{of}: {held} KiB beside {least}");
    assert!(seconds < SECONDS_MAX, "{of}: {seconds} s");
}

/// Has the program search a log, and answer as a hook, in an address space that would not hold it;
/// the hook's answer has the newest note.
#[cfg(feature = "cli")]
#[track_caller]
fn the_program_is_within_bounds(name: &str, home: &Home, newest: &str) {
    let of = format!("{name}, {} MB", len(home) / MB as u64);
    assert!(len(home) / 1024 > SPACE_KIB, "{of}: it would fit");
    for (what, ends, says) in [("search", Some(3), ""), ("hook", Some(0), newest)] {
        let space = need(what, ends) + SPACE_KIB;
        let begin = Instant::now();
        let ran = within(space, home, what);
        let seconds = begin.elapsed().as_secs_f64();
        let [said, cause] = [&ran.stdout, &ran.stderr].map(|said| String::from_utf8_lossy(said));
        assert_eq!(ran.status.code(), ends, "{of}, {what}: {cause}");
        assert!(said.contains(says), "{of}, {what}: {said}");
        report(format_args!("bounds: {of}: {seconds:.1} s for `{what}`, in {space} KiB"));
        assert!(seconds < SECONDS_MAX, "{of}, {what}: {seconds} s");
    }
}

#[cfg(not(feature = "cli"))]
fn the_program_is_within_bounds(_: &str, _: &Home, _: &str) {}

/// The address space that the program needs for a log of one note, in KiB.
#[cfg(feature = "cli")]
#[track_caller]
fn need(what: &str, ends: Option<i32>) -> u64 {
    let home = shortest();
    let mut spaces = (STEP_KIB..NEED_KIB_MAX).step_by(usize::try_from(STEP_KIB).expect("it fits"));
    let need = spaces.find(|space| within(*space, &home, what).status.code() == ends);
    need.unwrap_or_else(|| panic!("{what}: {NEED_KIB_MAX} KiB are too few for one note"))
}

/// Runs the program in an address space of so many KiB.
#[cfg(feature = "cli")]
fn within(space: u64, home: &Home, what: &str) -> std::process::Output {
    use std::process::{Command, Stdio};
    let arguments = if what == "hook" { ["hook", "claude-code"] } else { [what, "no such text"] };
    let limits = format!("export MALLOC_ARENA_MAX=1; ulimit -v {space}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limits, env!("CARGO_BIN_EXE_graff-notes")]).args(arguments);
    shell.env("GRAFF_ROOT", home.root.as_str()).env("HOME", home.root.as_str());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().expect("sh is there");
    let mut pipe = child.stdin.take().expect("a pipe");
    let payload = format!(
        r#"{{"session_id":"s1","cwd":"{}","hook_event_name":"SessionStart","source":"resume"}}"#,
        home.root
    );
    let _ = pipe.write_all(payload.as_bytes()); // what has too little space never reads it
    drop(pipe);
    child.wait_with_output().expect("it ends")
}

/// Notes of the usual length, and something wrong every now and then.
fn notes(bytes: usize) -> impl FnOnce(&mut dyn Write) -> std::io::Result<()> {
    let text = "src/parse.rs:88 still drops the CR; ".repeat(100);
    let chunk = [line(1, &text).repeat(40), b"junk\n".to_vec(), line(2, "the newest")].concat();
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
    let home = log_of(notes(100 * MB));
    is_read_within_bounds("notes", &home);
    the_program_is_within_bounds("notes", &home, "the newest");
}

#[test]
fn a_log_that_is_longer_than_what_may_be_held_is_written_to_within_bounds() {
    is_written_within_bounds("notes", &log_of(notes(25 * MB)));
}

#[test]
fn a_record_comes_from_elsewhere_into_a_log_that_is_longer_than_what_may_be_held_within_bounds() {
    let lines = [vec![b'y'; 999], b"\n".to_vec()].concat();
    let home = log_of(repeated(lines, 25 * MB / 1_000)); // the records in common are held, and it has one
    is_within_bounds(&home, Role::PeakOfImport, "bad lines", "an import that adds one");
}

#[test]
fn a_line_of_100_mb_is_read_and_written_behind_within_bounds_whether_it_ends_or_not() {
    for (name, end, newest) in [
        ("a tail", Vec::new(), "the newest"),
        ("one line", [&b"\n"[..], &line(2, "behind it")].concat(), "behind it"),
    ] {
        let home = log_of(|log| {
            repeated(vec![b'y'; MB], 100)(log)?;
            log.write_all(&end)
        });
        is_read_within_bounds(name, &home);
        the_program_is_within_bounds(name, &home, newest);
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
    for (name, line, lines) in [
        ("blank lines", &b"\n"[..], 1_000_000),
        ("bad lines", b"x\n", 300_000),
        ("attempts", ATTEMPT, 100_000),
    ] {
        let home = log_of(repeated(line.to_vec(), lines));
        is_read_within_bounds(name, &home);
        is_written_within_bounds(name, &home);
    }
}

#[test]
#[ignore = "it writes and reads several GB"]
fn a_log_of_1_gb_is_read_within_bounds() {
    let home = log_of(notes(1_000 * MB));
    is_read_within_bounds("notes", &home);
    the_program_is_within_bounds("notes", &home, "the newest");
    is_written_within_bounds("notes", &home);
    drop(home);
    for (name, line, lines) in [
        ("one line", &vec![b'y'; MB][..], 1_000),
        ("blank lines", b"\n", 10 * MB),
        ("bad lines", b"x\n", 10 * MB),
        ("attempts", ATTEMPT, MB),
    ] {
        is_read_within_bounds(name, &log_of(repeated(line.to_vec(), lines)));
    }
}
