//! Eight processes that append at once: to one session, and to one each.

use std::{
    cell::RefCell,
    env, io,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

use camino::Utf8Path;
use criterion::Criterion;
use graff_notes::store::Store;

use crate::{pair::compare, raw, world};

const PROCESSES: usize = 8;

/// How many lines each process appends a round.
const LINES: u64 = 25;

/// The environment variable that makes this program one of the processes: whether it is bare, its
/// session, and the root, with spaces between.
const PART: &str = "GRAFF_NOTES_BENCH_PART";

pub(crate) fn operations(criterion: &mut Criterion) {
    for (name, shared) in
        [("8 processes, one session", true), ("8 processes, a session each", false)]
    {
        let folder = world::folder();
        let root = world::path(&folder);
        let bare = Team::of("bare", shared, root);
        let ours = Team::of("ours", shared, root);
        compare(criterion, name, 1, || bare.append(), || ours.append());
    }
}

/// Plays the part that the environment gives, if it gives one.
pub(crate) fn played_a_part() -> bool {
    let Ok(part) = env::var(PART) else { return false };
    let mut words = part.splitn(3, ' ');
    let [how, session, root] = [(); 3].map(|()| words.next().expect("a part of three words"));
    if how == "bare" {
        bare(session, root.into());
    } else {
        ours(session, root);
    }
    true
}

fn bare(session: &str, root: &Utf8Path) {
    let file = raw::opened(&root.join("notes").join(format!("bare-{session}")));
    let line = world::line(&world::session(session), 1);
    at_each_word(|| {
        for _ in 0..LINES {
            raw::append(&file, &line);
        }
    });
}

fn ours(session: &str, root: &str) {
    let log = Store::at(root).log(&world::session(session));
    let first = u64::from(std::process::id()) << 32;
    let (notes, mut number) = ([first, first + 1].map(world::note), 0);
    at_each_word(|| {
        for _ in 0..LINES {
            number += 1;
            world::stored(log.append(&notes[number % 2]));
        }
    });
}

fn at_each_word(mut work: impl FnMut()) {
    for _ in io::stdin().lines() {
        work();
        println!("done");
    }
}

/// Processes that wait for a word, and say when they are done.
struct Team(RefCell<Vec<Member>>);

struct Member {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Team {
    fn of(how: &str, shared: bool, root: &Utf8Path) -> Self {
        std::fs::create_dir_all(root.join("notes")).expect("a folder");
        let member = |number| {
            let session = if shared { "s".to_owned() } else { format!("s{number}") };
            let mut command = Command::new(env::current_exe().expect("this program"));
            command.env(PART, format!("{how} {session} {root}"));
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().expect("a process");
            let says = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            Member { child, says }
        };
        Self(RefCell::new((0..PROCESSES).map(member).collect()))
    }

    fn append(&self) {
        let mut members = self.0.borrow_mut();
        for member in &mut *members {
            let stdin = member.child.stdin.as_mut().expect("a pipe");
            stdin.write_all(b"go\n").expect("it listens");
        }
        for member in &mut *members {
            member.says.next().expect("it lives").expect("a word");
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for member in self.0.get_mut() {
            drop(member.child.stdin.take());
            let _ = member.child.wait();
        }
    }
}
