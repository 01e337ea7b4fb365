//! Closed pipes, closed streams, and what an early end of the reader means: nothing.

use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
};

use crate::support::world::{Ran, World};

/// Starts the program with a pipe on stdout that nobody reads, and closes it.
fn unread(command: &mut Command) -> Ran {
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
        let ran = unread(&mut world.command(args));
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
    unread(&mut world.command(&["write", "s1", "--text", "heard by nobody"])).ends(0);
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

/// How long an answer is: a long one meets the closed pipe before it has ended, a short one when it
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Long,
}

/// What ends with another status than 0, once it has answered: in the [`judged`] world.
const VERDICTS: [(&[&str], i32, Length); 27] = [
    (
        &["rollover", "--transcript", "agent.jsonl", "--system", "long", "--require-note"],
        6,
        Length::Long,
    ),
    (&["decide", "--depth", "1", "--require-note"], 6, Length::Short),
    (&["decide", "--depth", "1", "--require-note", "--json"], 6, Length::Short),
    (&["list"], 1, Length::Long),
    (&["list", "--json"], 1, Length::Long),
    (&["stats"], 1, Length::Short),
    (&["stats", "--json"], 1, Length::Short),
    (&["export"], 5, Length::Long),
    (&["export", "--json"], 5, Length::Long),
    (&["export", "-n", "1"], 5, Length::Long),
    (&["export", "good", "bad", "folder"], 5, Length::Long),
    (&["import", "--dry-run", "many-and-damage.jsonl"], 5, Length::Long),
    (&["import", "--dry-run", "many-and-damage.jsonl", "--json"], 5, Length::Long),
    (&["import", "one-and-damage.jsonl"], 5, Length::Short),
    (&["verify"], 5, Length::Long),
    (&["verify", "--json"], 5, Length::Long),
    (&["verify", "good", "also-bad"], 5, Length::Short),
    (&["verify", "bad", "good"], 5, Length::Long),
    (&["repair", "bad"], 5, Length::Long),
    (&["repair", "bad", "--json"], 5, Length::Long),
    (&["splice", "also-bad"], 5, Length::Short),
    (&["splice", "folder"], 1, Length::Short),
    (&["splice", "good", "--check"], 1, Length::Short),
    (&["hooks", "status"], 1, Length::Long),
    (&["hooks", "status", "--json"], 1, Length::Long),
    (&["hooks", "remove", "goose", "--json"], 2, Length::Long),
    (&["forget", "good", "--yes"], 2, Length::Short),
];

/// The commands that have judged by the time they answer, or do nothing but answer.
const JUDGED_BEFORE: [&str; 15] = [
    "ask", // one short line
    "write",
    "show",
    "log",
    "diff",
    "search",
    "follow",
    "doctor", // some lines that are short
    "where",
    "config",
    "schema",
    "completions",
    "man",
    "hook", // always 0
    "mcp",
];

/// How much of an answer is held back until it goes out, in bytes.
const HELD_BACK: usize = 8 * 1024;

/// How long the name of the home is, in bytes: two names with it are more than what is held back,
/// and a path may have 4096.
const HOME_BYTES: usize = 4_000;

/// A store in which something is wrong with everything, where answers are longer than what is held
/// back: many sessions, and a home with a long name, whose settings cannot be read.
fn judged() -> World {
    let world = World::new();
    world.fed("a note", &["write", "good"]).quietly();
    world.put("bad", "junk\n".repeat(3_000));
    world.put("also-bad", "junk\n");
    fs::create_dir(world.log("folder")).expect("a folder in a log's place");
    let names: Vec<_> =
        (0..200).map(|n| format!("one-of-more-than-fit-into-a-buffer-{n}")).collect();
    for name in &names {
        world.put(name, "");
    }
    let record = |name| {
        format!(
            "{{\"export\":1,\"session\":\"{name}\",\"seq\":1,\"gen\":0,\"kind\":\"note\",\
             \"created_at\":0,\"text\":\"a note\",\"cut\":0,\"line\":1,\"offset\":0,\"sealed\":true}}\n"
        )
    };
    let [one, many] =
        [1, names.len()].map(|n| names.iter().take(n).map(record).collect::<String>());
    let damage = "{\"export\":1,\"session\":\"bad\",\"kind\":\"damage\",\"line\":1,\"offset\":0,\
                  \"reason\":\"malformed\",\"detail\":\"\"}\n";
    let file = |name: &str, text: String| fs::write(world.root().join(name), text);
    file("one-and-damage.jsonl", one + damage).expect("a file");
    file("many-and-damage.jsonl", many + damage).expect("a file");
    file("long", "x".repeat(10_000)).expect("a file");
    file("agent.jsonl", String::new()).expect("a file");
    fs::create_dir_all(world.root().join("claude/settings.json")).expect("a folder in its place");
    world
}

/// The program in such a world.
fn judging(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(args);
    let long = |at| if at % 200 == 0 { '/' } else { 'd' };
    let home: String = (world.root().as_str().len()..HOME_BYTES).map(long).collect();
    command
        .env("HOME", format!("{}{home}", world.root()))
        .env("CLAUDE_CONFIG_DIR", world.root().join("claude"));
    command.env("GOOSE_MOIM_MESSAGE_FILE", world.root().join("claude"));
    command.env("GRAFF_CALLS_CAP", "1"); // the gate holds back more than that
    command
}

#[test]
fn a_verdict_stands_whether_or_not_anybody_hears_of_it() {
    let world = judged();
    for (args, status, length) in VERDICTS {
        if length == Length::Long {
            let heard = Ran::of(&mut judging(&world, args)).ends(status);
            assert!(heard.stdout().len() > HELD_BACK, "{args:?}: {}", heard.stdout().len());
        }
        let ran = unread(&mut judging(&world, args)).ends(status);
        assert!(!ran.stderr().contains("stdout"), "{args:?}: {ran}");
    }
}

#[test]
fn every_command_is_among_those_that_a_closed_pipe_was_tried_on_or_cannot_matter_to() {
    let help = World::new().run(&["--help"]).quietly();
    let (_, commands) = help.stdout().split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("options behind it");
    let names = commands.lines().filter(|line| !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().expect("a name"));
    let tried: Vec<_> = VERDICTS.iter().map(|(args, ..)| args[0]).chain(JUDGED_BEFORE).collect();
    for name in names.filter(|name| *name != "help") {
        assert!(tried.contains(&name), "{name}: what does a closed pipe make of its status?");
    }
}

#[test]
fn every_page_of_the_manual_is_written_whether_or_not_anybody_reads_their_names() {
    let world = World::new();
    let folder = (0..15).fold(world.root().join("heard"), |path, _| path.join("d".repeat(200)));
    let heard = world.run(&["man", "--dir", folder.as_str()]).quietly();
    let folder = folder.as_str().replacen("heard", "unheard", 1);
    unread(&mut world.command(&["man", "--dir", &folder])).ends(0);
    let pages = fs::read_dir(folder).expect("a folder").count();
    assert_eq!(pages, heard.stdout().lines().count());
}
