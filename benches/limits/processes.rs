//! Eight processes that append at once: to one session, and to one each.

use std::env;

use camino::Utf8Path;
use criterion::Criterion;
use graff_notes::store::Store;

use crate::{
    pair::compare,
    raw,
    team::{Team, at_each_word},
    world,
};

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
        std::fs::create_dir_all(root.join("notes")).expect("a folder");
        let [mut bare, mut ours] =
            ["bare", "ours"].map(|how| Team::of(PART, parts(how, shared, root)));
        compare(criterion, name, 1, || bare.work(), || ours.work());
    }
}

fn parts(how: &str, shared: bool, root: &Utf8Path) -> impl Iterator<Item = String> {
    (0..PROCESSES).map(move |number| {
        let session = if shared { "s".to_owned() } else { format!("s{number}") };
        format!("{how} {session} {root}")
    })
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
