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

/// The environment variable that makes this program one of the processes: how it appends, its
/// session, and the root, with spaces between.
const PART: &str = "GRAFF_NOTES_BENCH_PART";

/// What the processes append to.
#[derive(Clone, Copy)]
enum Sessions {
    One,
    OneEach,
}

/// How a process appends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Bare,
    Ours,
}

impl How {
    /// What stands for it in the environment.
    const fn word(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Ours => "ours",
        }
    }
}

pub(crate) fn operations(criterion: &mut Criterion) {
    for (name, sessions) in [
        ("8 processes, one session", Sessions::One),
        ("8 processes, a session each", Sessions::OneEach),
    ] {
        let folder = world::folder();
        let root = world::path(&folder);
        std::fs::create_dir_all(root.join("notes")).expect("a folder");
        let [mut bare, mut ours] =
            [How::Bare, How::Ours].map(|how| Team::of(PART, parts(how, sessions, root)));
        compare(criterion, name, 1, || bare.work(), || ours.work());
    }
}

fn parts(how: How, sessions: Sessions, root: &Utf8Path) -> impl Iterator<Item = String> {
    (0..world::PROCESSES).map(move |number| {
        let session = match sessions {
            Sessions::One => "s".to_owned(),
            Sessions::OneEach => format!("s{number}"),
        };
        format!("{} {session} {root}", how.word())
    })
}

/// Plays the part that the environment gives, if it gives one.
pub(crate) fn played_a_part() -> bool {
    let Ok(part) = env::var(PART) else { return false };
    let mut words = part.splitn(3, ' ');
    let [how, session, root] = [(); 3].map(|()| words.next().expect("a part of three words"));
    match [How::Bare, How::Ours].into_iter().find(|known| known.word() == how) {
        Some(How::Bare) => bare(session, root.into()),
        Some(How::Ours) => ours(session, root),
        None => unreachable!("{how}"),
    }
    true
}

fn bare(session: &str, root: &Utf8Path) {
    let file = raw::opened(&root.join("notes").join(format!("bare-{session}")));
    let line = world::line(&world::session(session), 1);
    at_each_word(|| {
        for _ in 0..world::NOTES_A_ROUND {
            raw::append(&file, &line);
        }
    });
}

fn ours(session: &str, root: &str) {
    let log = Store::at(root).log(&world::session(session));
    let first = u64::from(std::process::id()) << 32;
    let (notes, mut number) = ([first, first + 1].map(world::note), 0);
    at_each_word(|| {
        for _ in 0..world::NOTES_A_ROUND {
            number += 1;
            world::stored(log.append(&notes[number % 2]));
        }
    });
}
