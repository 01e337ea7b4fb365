//! The program from its start to its end, beside one that says hello.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use criterion::Criterion;
use serde_json::json;

use crate::{long_transcript::long_transcript, pair::compare, world};

const HELLO: &str = r#"fn main() { println!("hello"); }"#;

/// The same, which also makes 2 KiB durable at the end of the file that its argument names.
const HELLO_AND_APPEND: &str = r#"
    use std::{env, fs::File, io::Write as _};

    fn main() {
        let path = env::args().nth(1).expect("a path");
        let mut file = File::options().append(true).create(true).open(path).expect("a file");
        file.write_all(&[b'x'; 2048]).expect("a write");
        file.sync_data().expect("a sync");
        println!("hello");
    }
"#;

/// The variable that names another build of the program to be measured in place of cargo's.
const OTHER: &str = "GRAFF_NOTES_BENCH_PROGRAM";

/// What `list` is measured on.
const SESSIONS: u64 = 100;

/// The lengths of the transcripts that a hook finds at the end of a turn, in millions of bytes.
const TRANSCRIPTS_MB: [usize; 2] = [1, 50];

pub(crate) fn operations(criterion: &mut Criterion) {
    let folder = world::folder();
    let store = world::store(&folder);
    for number in 1..=SESSIONS {
        world::fill(&store, &world::session(&format!("s{number}")), 1);
    }
    let program = Program { folder: folder.path() };
    let hello = compiled(folder.path(), "hello", HELLO);
    let greets = || ends_well(&mut Command::new(&hello));
    let mut against_hello = |name: &str, ours: &mut dyn FnMut(&Program<'_>)| {
        compare(criterion, &format!("program: {name}"), 1, greets, || ours(&program));
    };

    against_hello("show", &mut |program| program.ends_well(&["show", "s1"]));
    let prompt = folder.path().join("PROMPT.md");
    fs::write(&prompt, "You are careful.\n".repeat(2000)).expect("a prompt");
    against_hello("splice", &mut |program| program.reads(&prompt, &["splice", "s1"]));
    against_hello("list, 100 sessions", &mut |program| program.ends_well(&["list"]));
    let mut number = 0;
    against_hello("write", &mut |program| {
        number += 1;
        program.ends_well(&["write", "s1", "--text", &format!("{number}: the CR is dropped")]);
    });

    let hook = ["hook", "claude-code"];
    let idle = payload(folder.path(), "PreToolUse", 0);
    against_hello("hook, nothing to do", &mut |program| program.reads(&idle, &hook));
    for megabytes in TRANSCRIPTS_MB {
        let name = format!("hook, at the end of a turn, transcript of {megabytes} MB");
        let ended = payload(folder.path(), "Stop", megabytes * 1_000_000);
        against_hello(&name, &mut |program| program.reads(&ended, &hook));
    }
    against_append(criterion, &program);
}

/// A write, beside a program that appends as much and syncs it.
fn against_append(criterion: &mut Criterion, program: &Program<'_>) {
    let hello = compiled(program.folder, "hello-and-append", HELLO_AND_APPEND);
    let mut number = 0;
    compare(
        criterion,
        "program: write (raw: hello that appends and syncs)",
        1,
        || ends_well(Command::new(&hello).arg(program.folder.join("bare"))),
        || {
            number += 1;
            program.ends_well(&["write", "s2", "--text", &world::text(number)]);
        },
    );
}

/// The program in a folder with notes.
struct Program<'f> {
    folder: &'f Path,
}

impl Program<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let other = env::var_os(OTHER);
        let program = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_graff-notes").into());
        let mut command = Command::new(program);
        command.args(args).env("GRAFF_ROOT", self.folder).env("HOME", self.folder);
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
        command.stdin(Stdio::null());
        command
    }

    fn ends_well(&self, args: &[&str]) {
        ends_well(&mut self.command(args));
    }

    fn reads(&self, stdin: &Path, args: &[&str]) {
        let stdin = File::open(stdin).expect("what it reads");
        ends_well(self.command(args).stdin(stdin));
    }
}

/// Makes a payload of an event, about a session whose transcript has so many bytes and whose last
/// request is far from the limit; returns where it lies.
fn payload(folder: &Path, event: &str, bytes: usize) -> PathBuf {
    let transcript = folder.join(format!("{bytes}.jsonl"));
    let lines: String = long_transcript(bytes).collect();
    fs::write(&transcript, lines).expect("a transcript");
    let payload = json!({
        "session_id": "s1", "transcript_path": transcript, "cwd": folder,
        "hook_event_name": event, "stop_hook_active": false,
    });
    let path = folder.join(format!("{event}-{bytes}.json"));
    fs::write(&path, payload.to_string()).expect("a payload");
    path
}

/// Compiles a program that needs nothing but `std`; returns where it lies.
fn compiled(folder: &Path, name: &str, text: &str) -> PathBuf {
    let (source, program) = (folder.join(format!("{name}.rs")), folder.join(name));
    fs::write(&source, text).expect("a source");
    let mut rustc = Command::new("rustc");
    ends_well(rustc.args(["-O", "-C", "panic=abort", "-o"]).arg(&program).arg(&source));
    program
}

fn ends_well(command: &mut Command) {
    let ended = command.stdout(Stdio::null()).status();
    assert!(ended.expect("it starts").success(), "{command:?}");
}
