//! Closed pipes, closed streams, and what an early end of the reader means: nothing.

use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
};

use crate::support::world::{Ran, World};

/// Starts the program with a pipe on stdout that nobody reads, and closes it.
fn unread(world: &World, args: &[&str]) -> Ran {
    let mut command = world.command(args);
    let mut child = command.spawn().expect("it runs");
    drop(child.stdout.take());
    Ran::of_child(child)
}

fn large_world() -> World {
    let world = World::new();
    let text = "x".repeat(60_000);
    let line =
        |seq| format!("{{\"v\":1,\"session\":\"s1\",\"gen\":{seq},\"text\":\"{text}\"}}\njunk\n");
    world.put("s1", (1..=20).map(line).collect::<Vec<_>>().concat());
    world
}

#[test]
fn a_reader_that_has_gone_ends_the_program_quietly() {
    let world = large_world();
    for args in [
        &["show", "s1", "--seq", "1"][..],
        &["log", "s1"],
        &["log", "s1", "--json"],
        &["show", "s1", "--gen", "20"],
        &["show", "s1", "--gen", "20", "--json"],
        &["completions", "zsh"],
        &["where"],
        &["decide"],
        &["--help"],
        &["man"],
    ] {
        let heard = world.run(args);
        let ran = unread(&world, args);
        let is_quiet = ran.stderr().is_empty() || ran.stderr() == heard.stderr();
        assert!(is_quiet, "{args:?}: {ran}, heard: {heard}");
        // Of a damaged log the one note is in doubt; whoever reads no more is not told.
        assert!(ran.has_status(0) || heard.has_status(5) && ran.has_status(5), "{args:?}: {ran}");
    }
}

#[test]
fn a_reader_that_goes_half_way_ends_the_program_quietly() {
    let world = large_world();
    let mut child: Child = world
        .command(&["log", "s1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut some = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut some).expect("some of it");
    let ran = Ran::of_child(child);
    assert_eq!(ran.ends(0).stderr(), "");
}

#[test]
fn a_session_that_is_forgotten_while_all_are_read_is_left_out() {
    let world = World::new();
    // A path so long that the answer about each session is, too: it stands in the pipe, full.
    let root = (0..12).fold(world.root().to_owned(), |root, _| root.join("d".repeat(200)));
    let notes = root.join(".graff/notes");
    fs::create_dir_all(&notes).expect("a folder");
    for name in 100..200 {
        let text = "x".repeat(2_000);
        let line = format!("{{\"v\":1,\"session\":\"s{name}\",\"gen\":1,\"text\":\"{text}\"}}\n");
        fs::write(notes.join(format!("s{name}.notes.jsonl")), line).expect("a log");
    }
    for (forgotten, args) in
        [("s197", &["list"][..]), ("s198", &["verify"]), ("s199", &["export", "--format", "jsonl"])]
    {
        let mut command = world.command(&[args, &["--json"]].concat());
        let mut child = command.env("GRAFF_ROOT", &root).spawn().expect("it runs");
        let pipe = child.stdout.as_mut().expect("a pipe");
        let mut said = vec![0];
        pipe.read_exact(&mut said).expect("it has begun");
        fs::remove_file(notes.join(format!("{forgotten}.notes.jsonl"))).expect("it was there");
        pipe.read_to_end(&mut said).expect("the rest");
        assert_eq!(Ran::of_child(child).ends(0).stderr(), "", "{args:?}");
        let said = String::from_utf8(said).expect("UTF-8");
        assert!(said.contains("\"s196\"") && !said.contains(forgotten), "{args:?}");
        let named = world.command(&["verify", forgotten]).env("GRAFF_ROOT", &root).spawn();
        Ran::of_child(named.expect("it runs")).ends(3);
    }
}

#[test]
fn a_note_is_stored_whether_or_not_anybody_hears_of_it() {
    let world = World::new();
    unread(&world, &["write", "s1", "--text", "heard by nobody"]).ends(0);
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "heard by nobody");
}

#[test]
fn streams_that_were_closed_from_the_start_are_no_reason_to_panic() {
    let world = World::new();
    let program = env!("CARGO_BIN_EXE_graff-notes");
    for (shell, status) in [
        ("exec \"$0\" write s1 --text a-note >&- 2>&-", 0),
        ("exec \"$0\" show s1 >&- 2>&- <&-", 0),
        ("exec \"$0\" show nobody >&- 2>&- <&-", 3),
        ("exec \"$0\" write s1 <&-", 2),
        ("exec \"$0\" splice s1 <&- >&-", 0),
    ] {
        let command: Command = world.command(&[]);
        let mut sh = Command::new("sh");
        sh.args(["-c", shell, program]).current_dir(world.root());
        sh.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        sh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = Ran::of(&mut sh).ends(status);
        assert!(!ran.stderr().contains("panicked"), "{shell}: {ran}");
    }
}

#[test]
fn a_stderr_that_cannot_be_written_to_changes_nothing() {
    let world = World::new();
    let full = || std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let ran = Ran::of(world.command(&["show", "s1"]).stderr(full()));
    ran.ends(3);
    let cut = world
        .command(&["write", "s1", "--cap-bytes", "16", "--text", &"x".repeat(20)])
        .stderr(full())
        .output()
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&cut.stdout), "1\t0\tstored\n");
}

#[test]
fn a_verdict_stands_whether_or_not_anybody_hears_of_it() {
    let world = World::new();
    world.fed("a note", &["write", "good"]).quietly();
    world.put("bad", "junk\n".repeat(3_000));
    world.put("also-bad", "junk\n");
    std::fs::create_dir(world.log("folder")).expect("a folder in a log's place");
    for n in 0..150 {
        world.put(&format!("one-of-more-than-fit-into-a-buffer-{n}"), "");
    }
    for (args, status) in [
        (&["verify"][..], 5),
        (&["verify", "--json"], 5),
        (&["verify", "good", "also-bad"], 5),
        (&["verify", "bad", "good"], 5),
        (&["repair", "bad"], 5),
        (&["repair", "bad", "--json"], 5),
        (&["splice", "also-bad"], 5),
        (&["list"], 1),
        (&["list", "--json"], 1),
        (&["stats"], 1),
        (&["stats", "--json"], 1),
        (&["export"], 5),
        (&["export", "--json"], 5),
        (&["export", "-n", "1"], 5),
        (&["export", "good", "bad", "folder"], 5),
        (&["splice", "folder"], 1),
        (&["splice", "good", "--check"], 1),
        (&["decide", "--depth", "1", "--require-note"], 6),
    ] {
        let ran = unread(&world, args).ends(status);
        assert!(!ran.stderr().contains("stdout"), "{args:?}: {ran}");
    }
}
