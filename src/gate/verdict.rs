//! What the gate answers.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    session::SessionName,
    units::{Calls, Generation, Tokens, Uncovered},
};

use super::situation::Situation;

/// The gate's answer.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The agent is to be asked for its note.
    Fire(Ticket),
    /// It is not, for this reason.
    Refuse(Refusal),
}

/// The right to one attempt at a note, which is spent by putting the attempt on record.
///
/// It can't be copied, only the gate makes one, and the notebook that decided binds it to its
/// session.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "without the attempt on record, no note may be asked for"]
pub struct Ticket {
    situation: Situation,
    session: Option<SessionName>,
}

/// Why no note is asked for, with the figures that forbid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", content = "figures", rename_all = "snake_case")]
pub enum Refusal {
    /// Notes are switched off.
    Disabled,
    /// The agent is a worker: its context is not kept, so nobody would read the note.
    Worker {
        /// How deep below the root it stands.
        depth: u32,
    },
    /// There is no session to keep the note in.
    NoSession,
    /// The session's name cannot be stored under.
    BadSessionName,
    /// An attempt for this generation is on record, whatever came of it.
    AlreadyAttempted {
        /// The generation.
        generation: Generation,
    },
    /// The note would be paid from the landing's reserve.
    Budget {
        /// The model calls that are left.
        remaining: Calls,
        /// The model calls that are held back for the landing.
        reserve: Calls,
        /// What the note takes, with the calls that are certain to follow it.
        cost: Calls,
    },
    /// The history is being rescued, not rolled over as planned.
    Recovering(Recovery),
    /// The note request would not fit into the window.
    NoHeadroom {
        /// The size of the history.
        effective: Tokens,
        /// The room that the note request needs.
        headroom: Tokens,
        /// The model's context window.
        window: Tokens,
    },
}

/// How the gate knows that the history is being rescued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Recovery {
    /// The provider rejected a request of this turn for its size.
    Rejected,
    /// In the midst of a turn, the history has reached the last twentieth of the window.
    NearlyFull {
        /// The size of the history.
        effective: Tokens,
        /// Where the last twentieth begins.
        limit: Tokens,
    },
}

impl Ticket {
    pub(super) const fn new(situation: Situation) -> Self {
        Self { situation, session: None }
    }

    /// Returns the same ticket, good for `session` and no other.
    pub(crate) fn for_session(self, session: &SessionName) -> Self {
        Self { session: Some(session.clone()), ..self }
    }

    /// Returns the session that it is good for; the gate, which knows no names, leaves that open,
    /// and such a ticket can be spent nowhere.
    #[must_use]
    pub const fn session(&self) -> Option<&SessionName> {
        self.session.as_ref()
    }

    /// Returns the generation that the attempt is for.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.situation.generation
    }

    /// Returns the figures that led to it.
    #[must_use]
    pub const fn situation(&self) -> &Situation {
        &self.situation
    }
}

impl Refusal {
    /// Returns whether a mechanical note may stand in where this generation has none yet: a model
    /// call is what could not be afforded, and it needs none.
    #[must_use]
    pub const fn allows_salvage(&self) -> bool {
        match self {
            Self::Budget { .. } | Self::Recovering(_) | Self::NoHeadroom { .. } => true,
            Self::Disabled
            | Self::Worker { .. }
            | Self::NoSession
            | Self::BadSessionName
            | Self::AlreadyAttempted { .. } => false,
        }
    }

    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Worker { .. } => "worker",
            Self::NoSession => "no_session",
            Self::BadSessionName => "bad_session_name",
            Self::AlreadyAttempted { .. } => "already_attempted",
            Self::Budget { .. } => "budget",
            Self::Recovering(_) => "recovering",
            Self::NoHeadroom { .. } => "no_headroom",
        }
    }
}

impl Verdict {
    /// Returns whether the agent is to be asked.
    #[must_use]
    pub const fn fires(&self) -> bool {
        matches!(self, Self::Fire(_))
    }

    /// Returns why it is not, if it is not.
    #[must_use]
    pub const fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Fire(_) => None,
            Self::Refuse(refusal) => Some(*refusal),
        }
    }

    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Fire(_) => "fire",
            Self::Refuse(refusal) => refusal.as_str(),
        }
    }
}

impl Serialize for Verdict {
    /// Writes `decision`, the verdict's name, and `figures`, those that led to it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Refuse(Refusal::Disabled | Refusal::NoSession | Refusal::BadSessionName) => {
                decision(serializer, self.as_str(), &NoFigures {})
            }
            Self::Refuse(refusal) => refusal.serialize(serializer),
            Self::Fire(ticket) => decision(serializer, self.as_str(), ticket.situation()),
        }
    }
}

#[derive(Serialize)]
struct NoFigures {}

fn decision<S: Serializer>(
    serializer: S,
    name: &str,
    figures: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("Verdict", 2)?;
    fields.serialize_field("decision", name)?;
    fields.serialize_field("figures", figures)?;
    fields.end()
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("notes are switched off"),
            Self::Worker { depth } => write!(f, "a worker, at depth {depth}, writes no notes"),
            Self::NoSession => f.write_str("there is no session to keep a note in"),
            Self::BadSessionName => f.write_str("the session's name cannot be stored under"),
            Self::AlreadyAttempted { generation } => {
                write!(f, "generation {generation} has had its attempt")
            }
            Self::Budget { remaining, reserve, cost } => {
                let (remaining, reserve, cost) = (*remaining, *reserve, *cost);
                Uncovered { remaining, reserve, cost }.fmt(f)
            }
            Self::Recovering(recovery) => recovery.fmt(f),
            Self::NoHeadroom { effective, headroom, window } => {
                write!(
                    f,
                    "{effective} tokens and {headroom} for the note exceed the window of {window}"
                )
            }
        }
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected => f.write_str("the provider rejected a request for its size"),
            Self::NearlyFull { effective, limit } => {
                write!(f, "{effective} tokens in the midst of a turn have reached {limit}")
            }
        }
    }
}
