//! Eight processes that append at once.

use std::env;

use camino::Utf8Path;

use crate::{
    engines::{self, Engine, Use},
    operations::Work,
    team::{Team, at_each_word},
    world::{NOTES_A_ROUND, PROCESSES},
};

/// The environment variable that makes this program one of the processes: the engine's name, the
/// session, and the folder, with a line each.
const PART: &str = "GRAFF_NOTES_PEERS_PART";

/// What the processes append to.
#[derive(Clone, Copy)]
pub(crate) enum Sessions {
    One,
    OneEach,
}

/// Starts the processes and has them append, if the engine can do such a thing.
pub(crate) fn append(engine: &Engine, folder: &Utf8Path, sessions: Sessions) -> Option<Work> {
    let of = match sessions {
        Sessions::One if !engine.shared => return None,
        Sessions::One => Use::Shared,
        Sessions::OneEach => Use::of_a_team(engine),
    };
    let parts = (0..PROCESSES).map(|number| {
        let (session, place) = match sessions {
            Sessions::One => ("s0".to_owned(), folder.to_owned()),
            Sessions::OneEach if engine.shared => (format!("s{number}"), folder.to_owned()),
            Sessions::OneEach => ("s0".to_owned(), folder.join(number.to_string())),
        };
        std::fs::create_dir_all(&place).expect("a folder");
        if number == 0 || !matches!(sessions, Sessions::One) {
            (engine.open)(&place, of).append(&session, 1);
        }
        format!("{}\n{session}\n{place}", engine.name)
    });
    let mut team = Team::of(PART, parts);
    Some(Box::new(move || team.work()))
}

/// Plays the part that the environment gives, if it gives one.
pub(crate) fn played_a_part() -> bool {
    let Ok(part) = env::var(PART) else { return false };
    let mut words = part.splitn(3, '\n');
    let [name, session, folder] = [(); 3].map(|()| words.next().expect("a part of three lines"));
    let engine = engines::ALL.iter().find(|engine| engine.name == name).expect("an engine");
    let mut notes = (engine.open)(folder.into(), Use::of_a_team(engine));
    let mut number = u64::from(std::process::id()) << 24;
    at_each_word(|| {
        for _ in 0..NOTES_A_ROUND {
            number += 1;
            notes.append(session, number);
        }
    });
    true
}

impl Use {
    fn of_a_team(engine: &Engine) -> Self {
        if engine.shared { Self::Shared } else { Self::Durable }
    }
}
