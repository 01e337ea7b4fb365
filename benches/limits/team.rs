//! Processes of this program that wait for a word, and say when they have done their work.

use std::{
    env, io,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

/// Processes that work at the same time.
pub(crate) struct Team(Vec<Member>);

struct Member {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Team {
    /// Starts a process for each part, which it finds in the environment's `variable`.
    pub(crate) fn of(variable: &str, parts: impl IntoIterator<Item = String>) -> Self {
        let started = |part| {
            let mut command = Command::new(env::current_exe().expect("this program"));
            command.env(variable, part).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().expect("a process");
            let says = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            Member { child, says }
        };
        Self(parts.into_iter().map(started).collect())
    }

    /// Has all of them work once, and waits for the last.
    pub(crate) fn work(&mut self) {
        for member in &mut self.0 {
            let stdin = member.child.stdin.as_mut().expect("a pipe");
            stdin.write_all(b"go\n").expect("it listens");
        }
        for member in &mut self.0 {
            member.says.next().expect("it lives").expect("a word");
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for member in &mut self.0 {
            drop(member.child.stdin.take());
            let _ = member.child.wait();
        }
    }
}

/// Does the part of one of them, until it hears no more.
pub(crate) fn at_each_word(mut work: impl FnMut()) {
    for _ in io::stdin().lines() {
        work();
        println!("done");
    }
}
