//! What the program is given to read ends, or is given up with words: no input fills the memory or
//! is waited for without end, and a prompt comes out all the same.

use std::{
    fs::File,
    io::Write,
    process::{Command, Stdio},
    thread,
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::world::{Ran, World};

const PROMPT: &str = "# Agent\n";

/// The most of a prompt that is read, in bytes.
const PROMPT_BYTES_MAX: usize = 16 << 20;

/// A world with a session `s1`, its transcript, a prompt, and a pipe that nobody writes to.
fn world() -> World {
    let world = World::new();
    world.fed("a note on record", &["write", "s1"]).quietly();
    let transcript = "{\"role\":\"user\",\"content\":\"go on\"}\n";
    for (file, text) in [("PROMPT.md", PROMPT), ("s1.jsonl", transcript), ("note.md", "from file")]
    {
        std::fs::write(world.root().join(file), text).expect("a file");
    }
    let pipe = world.root().join("pipe");
    mknodat(CWD, pipe.as_str(), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    world
}

/// Runs a line of shell, with the program as `$0`, in no more memory than 600 MB.
fn shell(world: &World, line: &str) -> Ran {
    let command = world.command(&[]);
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("ulimit -v 600000; {line}"), env!("CARGO_BIN_EXE_graff-notes")]);
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(world.root()).stdin(Stdio::null());
    Ran::of(shell.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

#[test]
fn a_dash_is_stdin_to_write_and_a_text_in_its_place_is_told_where_it_belongs() {
    let world = World::new();
    for args in [&["write", "s1", "-"][..], &["write", "s1", "--file", "-"]] {
        let note = args.join(" ");
        world.fed(&note, args).quietly();
        assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), note);
    }
    let ran = world.fed("another", &["write", "s1", "a note"]).ends(2);
    assert!(ran.stderr().contains("`--text TEXT`"), "{ran}");
    world.fed("x", &["write", "s1", "-", "--text", "x"]).ends(2);
}

#[test]
fn an_endless_input_is_given_up_with_words() {
    let world = world();
    let too_long = |what, name, bytes, advice| {
        format!(
            "graff-notes: could not read {what} from {name}: it has more than {bytes} bytes\n  {advice}\n"
        )
    };
    let no_prompt = "no model's window holds as much: name the system prompt alone";
    let prompt = |name| too_long("the prompt", name, PROMPT_BYTES_MAX, no_prompt);
    let note = |name| too_long("the note", name, 65_536, "shorten it");
    for (line, said) in [
        ("rollover --transcript s1.jsonl --system /dev/zero", prompt("/dev/zero")),
        ("rollover --transcript s1.jsonl --system - </dev/zero", prompt("stdin")),
        ("splice --extract </dev/zero", prompt("stdin")),
        ("splice s1 --check </dev/zero", prompt("stdin")),
        ("write s1 </dev/zero", note("stdin")),
        ("write s1 --file /dev/zero", note("/dev/zero")),
    ] {
        let ran = shell(&world, &format!("exec \"$0\" {line}")).ends(2);
        assert_eq!((ran.stdout(), ran.stderr()), ("", said.as_str()), "{line}");
    }
}

#[test]
fn a_prompt_that_is_too_long_to_be_held_goes_out_as_it_came() {
    let world = world();
    for (mode, bytes) in [("s1", 700 << 20), ("--strip", PROMPT_BYTES_MAX + 1)] {
        let line = format!(
            "head -c {bytes} /dev/zero | \"$0\" splice {mode} | cmp - <(head -c {bytes} /dev/zero); \
                 exit ${{PIPESTATUS[1]}}"
        );
        let ran = shell(&world, &line).ends(2);
        assert_eq!(ran.stdout(), "", "it is what came in");
        assert!(ran.stderr().starts_with("graff-notes: could not read the prompt from "), "{ran}");
        for form in ["", "--json"] {
            let line = format!("\"$0\" splice {mode} {form} </dev/zero | head -c 9999999 | wc -c");
            let ran = shell(&world, &line).ends(0);
            assert_eq!(ran.stdout().trim(), "9999999", "an endless one ends with its reader");
        }
    }
}

#[test]
fn an_endless_transcript_costs_the_prompt_no_note_that_is_on_record() {
    let line = "exec \"$0\" rollover --transcript /dev/zero --system PROMPT.md --session s1";
    let ran = shell(&world(), line).ends(2);
    assert!(ran.stdout().contains("\na note on record\n"), "{ran}");
    assert!(ran.stderr().contains("/dev/zero: it has more than 1073741824 bytes\n"), "{ran}");
}

#[test]
fn a_prompt_gets_its_note_if_it_has_no_byte_more_than_is_said() {
    let world = world();
    let line = |bytes| format!("head -c {bytes} /dev/zero | tr '\\0' x | \"$0\" splice s1");
    let whole = shell(&world, &line(PROMPT_BYTES_MAX)).quietly();
    assert!(whole.stdout.len() > PROMPT_BYTES_MAX, "{} bytes", whole.stdout.len());
    let longer = shell(&world, &line(PROMPT_BYTES_MAX + 1)).ends(2);
    assert_eq!(longer.stdout.len(), PROMPT_BYTES_MAX + 1);
}

#[test]
fn a_pipe_that_nobody_writes_to_is_not_waited_for() {
    let world = world();
    let rollover = ["rollover", "--session", "s1", "--transcript", "pipe", "--system"];
    let ran = world.run(&[&rollover[..], &["PROMPT.md"]].concat()).ends(1);
    assert!(ran.stdout().starts_with(PROMPT), "{ran}");
    assert!(ran.stdout().contains("\na note on record\n"), "{ran}");
    let said = "could not read the transcript from pipe: nobody writes to this pipe\n";
    assert!(ran.stderr().ends_with(said), "{ran}");
    for args in [
        &["rollover", "--transcript", "s1.jsonl", "--system", "pipe"][..],
        &["decide", "--transcript", "pipe"],
        &["write", "s1", "--file", "pipe"],
        &["import", "pipe"],
    ] {
        let ran = world.run(args).ends(1);
        assert!(ran.stderr().ends_with(" from pipe: nobody writes to this pipe\n"), "{ran}");
    }
}

#[test]
fn a_pipe_that_somebody_writes_to_is_read_to_its_end() {
    let world = world();
    let path = world.root().join("pipe");
    let writer = thread::spawn(move || {
        // It opens as soon as the program does.
        let mut pipe = File::options().write(true).open(path).expect("somebody reads");
        for word in ["in ", "three ", "pieces"] {
            pipe.write_all(word.as_bytes()).expect("a piece");
        }
    });
    world.run(&["write", "s1", "--file", "pipe"]).quietly();
    writer.join().expect("all is written");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "in three pieces");
}

#[test]
fn what_a_shell_hands_over_as_a_file_is_one() {
    let world = world();
    for (line, text) in [
        (
            "\"$0\" write s1 --file <(printf 'from a command'; sleep 0.3; printf ', late')",
            "from a command, late",
        ),
        ("printf 'by its name' | \"$0\" write s1 --file /dev/stdin", "by its name"),
        ("\"$0\" write s1 --file /dev/stdin <note.md", "from file"),
    ] {
        shell(&world, line).quietly();
        assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), text, "{line}");
    }
    let line =
        "\"$0\" rollover --transcript <(cat s1.jsonl) --system <(cat PROMPT.md) --session s2";
    assert_eq!(shell(&world, line).ends(0).stdout(), PROMPT);
    let line = "\"$0\" rollover --transcript /dev/null --system PROMPT.md --session s2";
    assert_eq!(shell(&world, line).ends(0).stdout(), PROMPT);
}

#[test]
fn a_limit_on_the_size_of_files_is_no_space_and_ends_nothing() {
    let world = world();
    let ran = shell(&world, "ulimit -f 0; exec \"$0\" write s1 --text another --json").ends(1);
    assert_eq!(ran.said("error")["kind"], "no_space", "{ran}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "a note on record");
    world.run(&["verify", "s1"]).quietly();
    let ran = shell(&world, "ulimit -f 0; exec \"$0\" show s1 --json >answer").ends(1);
    assert_eq!(ran.said("error")["kind"], "no_space", "{ran}");
    let line = "ulimit -f 0; exec \"$0\" splice s1 <PROMPT.md";
    assert!(shell(&world, line).quietly().stdout().contains("\na note on record\n"));
}
