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
    /// The row.
    pub row: Row,
    /// Why it refuses; `None` where it lets pass.
    pub refusal: Option<Refusal>,
}

/// A row of the gate, by what it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "&'static str")]
pub enum Row {
    /// Whether notes are kept at all.
    Disabled,
    /// Whether the agent is a worker.
    Worker,
    /// Whether there is a session to keep the note in.
    Session,
    /// Whether the generation has had its attempt.
    Attempt,
    /// Whether the note fits on top of what is held back for the landing.
    Budget,
    /// Whether the history is being rescued.
    Recovering,
    /// Whether the note request fits into the window.
    Headroom,
}

impl Row {
    /// Every row, in the order in which [`decide`] asks them.
    pub const ALL: [Self; 7] = [
        Self::Disabled,
        Self::Worker,
        Self::Session,
        Self::Attempt,
        Self::Budget,
        Self::Recovering,
        Self::Headroom,
    ];

    /// Returns the name that answers in words and JSON use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Worker => "worker",
            Self::Session => "session",
            Self::Attempt => "attempt",
            Self::Budget => "budget",
            Self::Recovering => "recovering",
            Self::Headroom => "headroom",
        }
    }

    fn refusal(self, situation: &Situation) -> Option<Refusal> {
        match self {
            Self::Disabled => disabled(situation),
            Self::Worker => worker(situation),
            Self::Session => session(situation),
            Self::Attempt => attempt(situation),
            Self::Budget => budget(situation),
            Self::Recovering => recovering(situation),
            Self::Headroom => no_headroom(situation),
        }
    }
}

impl From<Row> for &'static str {
    fn from(row: Row) -> Self {
        row.as_str()
    }
}

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
    Row::ALL
        .into_iter()
        .find_map(|row| row.refusal(situation))
        .map_or_else(|| Verdict::Fire(Ticket::new(*situation)), Verdict::Refuse)
}

/// Returns what each row answers for itself, in the order in which [`decide`] asks them.
#[must_use]
pub fn rows(situation: &Situation) -> [RowAnswer; 7] {
    Row::ALL.map(|row| RowAnswer { row, refusal: row.refusal(situation) })
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
