//! What the gate is told.

use serde::Serialize;

use crate::{
    session::{NameRefused, SessionName},
    units::{Calls, Generation, Tokens},
};

/// Everything that the gate looks at, as plain figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Situation {
    /// Whether notes are wanted at all.
    pub notes: Notes,
    /// How deep below the root the agent stands; the root is at 0.
    pub depth: u32,
    /// Whether there is a session to keep the note in.
    pub session: Session,
    /// How many times the history has been rewritten.
    pub generation: Generation,
    /// The last generation that an attempt at a note is on record for.
    pub attempted: Option<Generation>,
    /// The model calls that are left; [`Calls::MAX`] where there is no limit, which is null in
    /// JSON.
    #[serde(serialize_with = "Calls::serialize_left")]
    pub remaining: Calls,
    /// The model calls that are held back for the landing.
    pub reserve: Calls,
    /// What the note takes, with the calls that are certain to follow it.
    pub cost: Calls,
    /// What the provider made of this turn's requests.
    pub provider: Provider,
    /// Where in the turn the history is about to roll over.
    pub boundary: Boundary,
    /// The model's context window; zero where it is unknown.
    pub window: Tokens,
    /// The size of the history.
    pub effective: Tokens,
}

/// Whether notes are wanted at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Notes {
    /// They are.
    #[default]
    On,
    /// They are switched off.
    Off,
}

/// Whether there is a session to keep a note in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Session {
    /// There is one, with a name that can be stored under.
    Named,
    /// There is none: nobody would ever read the note back.
    Unnamed,
    /// There is one, with a name that can not be stored under.
    BadName,
}

/// What the provider made of this turn's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// It rejected none of them for its size.
    Accepted,
    /// It rejected one for its size.
    Rejected,
}

/// Where in the turn the history is about to roll over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// Between two requests of one turn.
    MidTurn,
    /// After the last request of a turn.
    EndOfTurn,
}

impl From<&Result<SessionName, NameRefused>> for Session {
    fn from(parsed: &Result<SessionName, NameRefused>) -> Self {
        match parsed {
            Ok(_) => Self::Named,
            Err(NameRefused::Empty) => Self::Unnamed,
            Err(_) => Self::BadName,
        }
    }
}
