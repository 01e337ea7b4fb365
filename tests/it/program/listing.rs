//! What `list` shows of a session, in which order, and what that asks of the machine.

use std::{fs, process::Command};

use crate::support::{
    skipped,
    world::{Ran, World},
};

const NOTE: &str = "{\"v\":1,\"session\":\"s1\",\"text\":\"one\"}\n";

/// The names of the calls that `list` makes from its first log on until it answers; `None` where strace
/// is not to be had. What a debug build of std asks before it closes a file is left out.
fn calls(world: &World) -> Option<Vec<String>> {
    let (out, plain) = (world.root().join("trace"), world.command(&["list"]));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", out.as_str()]).arg(plain.get_program()).args(plain.get_args());
    strace.env("GRAFF_ROOT", world.root()).current_dir(world.root());
    let ran = strace.output().ok().filter(|output| output.status.success()).map(Ran::from);
    let Some(ran) = ran else {
        skipped("strace is not to be had, or may not trace here");
        return None;
    };
    assert_eq!(ran.stdout().lines().count(), 1, "{ran}");
    let trace = fs::read_to_string(out).expect("a trace");
    let calls =
        trace.lines().filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('('));
    let own = calls.filter(|(_, arguments)| !arguments.contains("F_GETFD"));
    let from_the_log = own.skip_while(|(_, arguments)| !arguments.contains("s1.notes.jsonl"));
    let until_the_answer = from_the_log.take_while(|(name, _)| *name != "write");
    Some(until_the_answer.map(|(name, _)| name.to_owned()).collect())
}

#[test]
fn a_session_is_listed_without_a_call_that_has_no_reason() {
    let world = World::new();
    world.put("s1", NOTE);
    let Some(calls) = calls(&world) else { return };
    let expected = [
        "openat2", // no link on the way
        "fstat",   // a plain file, and its length
        "pread64", // all of it: what is wrong can stand anywhere
        "close",
    ];
    assert_eq!(calls, expected);
}
