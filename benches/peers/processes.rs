//! Eight processes that append at once.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

use camino::Utf8Path;

use crate::{
    engines::{self, Engine, Use},
    operations::Work,
};

const PROCESSES: usize = 8;

/// How many notes each process appends a round.
const NOTES: u64 = 25;

/// The environment variable that makes this program one of the processes: the engine's name, the
/// session, and the folder, with a line each.
const PART: &str = "GRAFF_NOTES_PEERS_PART";

/// What the processes append to.
#[derive(Clone, Copy)]
pub(crate) enum Sessions {
    One,
    OneEach,
}

/// Processes that wait for a word, and say when they are done.
pub(crate) struct Team(Vec<Member>);

struct Member {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Team {
    /// Starts them, if the engine can do such a thing.
    pub(crate) fn of(engine: &Engine, folder: &Utf8Path, sessions: Sessions) -> Option<Work> {
        let of = match sessions {
            Sessions::One if !engine.shared => return None,
            Sessions::One => Use::Shared,
            Sessions::OneEach => Use::of_a_team(engine),
        };
        let members = (0..PROCESSES).map(|number| {
            let (session, place) = match sessions {
                Sessions::One => ("s0".to_owned(), folder.to_owned()),
                Sessions::OneEach if engine.shared => (format!("s{number}"), folder.to_owned()),
                Sessions::OneEach => ("s0".to_owned(), folder.join(number.to_string())),
            };
            std::fs::create_dir_all(&place).expect("a folder");
            if number == 0 || !matches!(sessions, Sessions::One) {
                (engine.open)(&place, of).append(&session, 1);
            }
            Member::started(engine.name, &session, &place)
        });
        let mut team = Self(members.collect());
        Some(Box::new(move || team.append()))
    }

    fn append(&mut self) {
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

impl Member {
    fn started(engine: &str, session: &str, folder: &Utf8Path) -> Self {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.env(PART, format!("{engine}\n{session}\n{folder}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let says = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, says }
    }
}

/// Plays the part that the environment gives, if it gives one.
pub(crate) fn played_a_part() -> bool {
    let Ok(part) = env::var(PART) else { return false };
    let mut words = part.splitn(3, '\n');
    let [name, session, folder] = [(); 3].map(|()| words.next().expect("a part of three lines"));
    let engine = engines::ALL.iter().find(|engine| engine.name == name).expect("an engine");
    let mut notes = (engine.open)(folder.into(), Use::of_a_team(engine));
    let mut number = u64::from(std::process::id()) << 24;
    for _ in io::stdin().lines() {
        for _ in 0..NOTES {
            number += 1;
            notes.append(session, number);
        }
        println!("done");
    }
    true
}

impl Use {
    fn of_a_team(engine: &Engine) -> Self {
        if engine.shared { Self::Shared } else { Self::Durable }
    }
}
