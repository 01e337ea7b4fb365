//! The rows of the gate, in their order.

use serde::Serialize;

use crate::units::Tokens;

use super::{
    situation::{Boundary, Notes, Provider, Session, Situation},
    verdict::{Recovery, Refusal, Ticket, Verdict},
};

/// The room that a note request needs: the instruction, the note before, and the reply.
///
/// Source: codegraff PR 460.
const HEADROOM: Tokens = Tokens::new(2_000);

/// The part of a window that makes it nearly full, and that a note may take of a small one: one
/// twentieth.
///
/// Source: codegraff PR 460 (95 percent).
const SMALL_SHARE: u64 = 20;

/// Below this window a twentieth is less than [`HEADROOM`], which would be too much to ask.
const SMALL_WINDOW: Tokens = Tokens::new(40_000);

const _: () = assert!(
    SMALL_WINDOW.get() / SMALL_SHARE == HEADROOM.get(),
    "the two headrooms must meet where one gives way to the other"
);

/// One row's own answer, as if it stood alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RowAnswer {
    /// The row's name.
    pub row: &'static str,
    /// Why it refuses; `None` where it lets pass.
    pub refusal: Option<Refusal>,
}

struct Row {
    name: &'static str,
    refuse: fn(&Situation) -> Option<Refusal>,
}

const ROWS: [Row; 7] = [
    Row { name: "disabled", refuse: disabled },
    Row { name: "worker", refuse: worker },
    Row { name: "session", refuse: session },
    Row { name: "attempt", refuse: attempt },
    Row { name: "budget", refuse: budget },
    Row { name: "recovering", refuse: recovering },
    Row { name: "headroom", refuse: no_headroom },
];

/// Returns the answer of the first row that refuses, or a ticket for one attempt.
///
/// # Examples
///
/// ```
/// use graff_notes::gate::{Boundary, Notes, Provider, Session, Situation, decide};
/// use graff_notes::units::{Calls, Generation, Tokens};
///
/// let situation = Situation {
///     notes: Notes::On,
///     depth: 0,
///     session: Session::Named,
///     generation: Generation::new(3),
///     attempted: Some(Generation::new(2)),
///     remaining: Calls::new(7),
///     reserve: Calls::new(6),
///     cost: Calls::new(1),
///     provider: Provider::Accepted,
///     boundary: Boundary::EndOfTurn,
///     window: Tokens::new(200_000),
///     effective: Tokens::new(198_000),
/// };
/// assert_eq!(decide(&situation).as_str(), "fire");
///
/// let poorer = Situation { remaining: Calls::new(6), ..situation };
/// assert_eq!(decide(&poorer).as_str(), "budget");
/// ```
pub fn decide(situation: &Situation) -> Verdict {
    ROWS.iter()
        .find_map(|row| (row.refuse)(situation))
        .map_or_else(|| Verdict::Fire(Ticket::new(*situation)), Verdict::Refuse)
}

/// Returns what each row answers for itself, in the order in which [`decide`] asks them.
#[must_use]
pub fn rows(situation: &Situation) -> [RowAnswer; 7] {
    ROWS.map(|row| RowAnswer { row: row.name, refusal: (row.refuse)(situation) })
}

/// Returns the room that a note request needs in a model of `window`.
#[must_use]
pub const fn headroom(window: Tokens) -> Tokens {
    if window.get() < SMALL_WINDOW.get() {
        Tokens::new(window.get() / SMALL_SHARE)
    } else {
        HEADROOM
    }
}

/// Returns where the last twentieth of `window` begins.
#[must_use]
pub const fn nearly_full(window: Tokens) -> Tokens {
    Tokens::new(window.get() - window.get() / SMALL_SHARE)
}

fn disabled(s: &Situation) -> Option<Refusal> {
    (s.notes == Notes::Off).then_some(Refusal::Disabled)
}

fn worker(s: &Situation) -> Option<Refusal> {
    (s.depth > 0).then_some(Refusal::Worker { depth: s.depth })
}

fn session(s: &Situation) -> Option<Refusal> {
    match s.session {
        Session::Named => None,
        Session::Unnamed => Some(Refusal::NoSession),
        Session::BadName => Some(Refusal::BadSessionName),
    }
}

fn attempt(s: &Situation) -> Option<Refusal> {
    let generation = s.generation;
    (s.attempted == Some(generation)).then_some(Refusal::AlreadyAttempted { generation })
}

fn budget(s: &Situation) -> Option<Refusal> {
    let Situation { remaining, reserve, cost, .. } = *s;
    let covered = remaining.cover(cost, reserve);
    (!covered).then_some(Refusal::Budget { remaining, reserve, cost })
}

fn recovering(s: &Situation) -> Option<Refusal> {
    let (effective, limit) = (s.effective, nearly_full(s.window));
    if s.provider == Provider::Rejected {
        Some(Refusal::Recovering(Recovery::Rejected))
    } else if s.boundary == Boundary::MidTurn && s.window != Tokens::ZERO && effective >= limit {
        Some(Refusal::Recovering(Recovery::NearlyFull { effective, limit }))
    } else {
        None
    }
}

fn no_headroom(s: &Situation) -> Option<Refusal> {
    let Situation { effective, window, .. } = *s;
    let headroom = headroom(window);
    let exceeds = window != Tokens::ZERO && effective.saturating_add(headroom) > window;
    exceeds.then_some(Refusal::NoHeadroom { effective, headroom, window })
}
