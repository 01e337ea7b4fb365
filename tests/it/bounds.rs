//! The promise: whatever a log holds and however long it is, reading it takes little memory and a time
//! that grows with its length and no faster.
//!
//! Shown with a process of its own for each log, which does all that reads, and whose peak of memory
//! the system tells. With 1 GB: `cargo test --release --test it bounds -- --ignored --nocapture`.

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

/// No reading may hold more, in KiB: the longest line a few times over, and the process itself.
const PEAK_KIB_MAX: u64 = 48 * 1024;

/// No five readings may take longer, in seconds: many times what they take, unoptimised, on a machine
/// that is busy, and a small part of what they would if a line cost more the more there are.
const SECONDS_MAX: f64 = 300.0;

const MB: usize = 1_000_000;

/// Has a process read a log, and checks what that took.
#[track_caller]
fn is_read_within_bounds(name: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
    let home = Home::new();
    home.put("");
    let log = File::options().append(true).open(home.store.log_path(&s1())).expect("a log");
    let mut log = BufWriter::new(log);
    write(&mut log).and_then(|()| log.flush()).expect("a written log");
    let len = fs::metadata(home.store.log_path(&s1())).expect("a log").len();

    let begin = Instant::now();
    let mut reader = Actor::start(command(Role::Peak, &home.root, ""));
    let said = reader.next().unwrap_or_else(|| panic!("{name}: the reader died"));
    let peak: u64 = said.parse().unwrap_or_else(|_| panic!("{name}: {said}"));
    let seconds = begin.elapsed().as_secs_f64();
    report(format_args!(
        "bounds: {name}, {} MB: {seconds:.1} s for five readings, {peak} KiB at the peak",
        len / MB as u64
    ));
    assert!(peak < PEAK_KIB_MAX, "{name}: {peak} KiB");
    assert!(seconds < SECONDS_MAX, "{name}: {seconds} s");
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
    is_read_within_bounds("notes", notes(100 * MB));
}

#[test]
fn a_line_of_100_mb_is_read_within_bounds() {
    is_read_within_bounds("one line", repeated(vec![b'y'; MB], 100));
}

/// F047.
#[test]
fn a_line_of_10_mib_is_read_within_bounds_whether_it_ends_or_not() {
    let stub = b"{\"v\":1,\"session\":\"s1\",\"gen\":2,\"text\":\"";
    let endless = [&stub[..], &vec![b'y'; 10 * 1024 * 1024]].concat();
    is_read_within_bounds("a line of 10 MiB", |log| {
        [&line(1, "one"), &endless, &b"\n"[..], &line(3, "three")]
            .iter()
            .try_for_each(|part| log.write_all(part))
    });
    is_read_within_bounds("a tail of 10 MiB", |log| {
        log.write_all(&line(1, "one")).and_then(|()| log.write_all(&endless))
    });
}

#[test]
fn a_million_odd_lines_are_read_within_bounds() {
    is_read_within_bounds("blank lines", repeated(b"\n".to_vec(), 1_000_000));
    is_read_within_bounds("bad lines", repeated(b"x\n".to_vec(), 300_000));
    is_read_within_bounds("attempts", repeated(ATTEMPT.to_vec(), 100_000));
}

#[test]
#[ignore = "it writes and reads several GB"]
fn a_log_of_1_gb_is_read_within_bounds() {
    is_read_within_bounds("notes", notes(1_000 * MB));
    is_read_within_bounds("one line", repeated(vec![b'y'; MB], 1_000));
    is_read_within_bounds("blank lines", repeated(b"\n".to_vec(), 10 * MB));
    is_read_within_bounds("bad lines", repeated(b"x\n".to_vec(), 10 * MB));
    is_read_within_bounds("attempts", repeated(ATTEMPT.to_vec(), MB));
}
