//! The program from its start to its end, beside one that says hello.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use criterion::Criterion;

use crate::{pair::compare, world};

const HELLO: &str = r#"fn main() { println!("hello"); }"#;

pub(crate) fn operations(criterion: &mut Criterion) {
    let folder = world::folder();
    let (store, session) = (world::store(&folder), world::session("s1"));
    world::stored(store.append(&session, &world::note(1)));
    let prompt = folder.path().join("PROMPT.md");
    fs::write(&prompt, "You are careful.\n".repeat(2000)).expect("a prompt");
    let hello = hello(folder.path());

    let ours = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_graff-notes"));
        command.args(args).env("GRAFF_ROOT", folder.path());
        command.stdin(Stdio::null());
        command
    };
    let greets = || ends_well(&mut Command::new(&hello));
    compare(criterion, "program: show", 1, greets, || ends_well(&mut ours(&["show", "s1"])));
    compare(criterion, "program: splice", 1, greets, || {
        let prompt = fs::File::open(&prompt).expect("a prompt");
        ends_well(ours(&["splice", "s1"]).stdin(prompt));
    });
    let mut number = 0;
    compare(criterion, "program: write", 1, greets, || {
        number += 1;
        ends_well(&mut ours(&["write", "s1", "--text", &format!("{number}: the CR is dropped")]));
    });
}

/// The plainest program of this compiler.
fn hello(folder: &Path) -> std::path::PathBuf {
    let (source, program) = (folder.join("hello.rs"), folder.join("hello"));
    fs::write(&source, HELLO).expect("a source");
    let mut rustc = Command::new("rustc");
    ends_well(rustc.args(["-O", "-C", "panic=abort", "-o"]).arg(&program).arg(&source));
    program
}

fn ends_well(command: &mut Command) {
    let ended = command.stdout(Stdio::null()).status();
    assert!(ended.expect("it starts").success(), "{command:?}");
}
