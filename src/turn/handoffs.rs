//! Whether a history may be handed off of the agent's own accord, and when that was to no avail.

use std::fmt;

use serde::Serialize;

/// So many handoffs in a row that did not bring the history below its threshold are believed to
/// be to no avail.
const USELESS_MAX: u32 = 2;

/// Passing this many handoffs in one session is reported, once: a number so high says that the
/// window is too small for the work, or its threshold too low.
///
/// Source: block/buzz PR 4805 (a cap on the handoffs of a session wedged it for good).
const MANY: u64 = 80;

/// The handoffs of one session: how many there were, and whether another may come.
///
/// Only those that the agent undertakes of its own accord at the end of a turn can be withheld; one
/// that a refusal for size forces is counted, and never asks here.
///
/// # Examples
///
/// ```
/// use graff_notes::turn::{Handoffs, Proactive, Standing, Withheld};
///
/// let mut handoffs = Handoffs::new(Proactive::Enabled);
/// for _ in 0..2 {
///     handoffs.turn_began();
///     assert_eq!(handoffs.withheld(), None);
///     handoffs.performed();
///     handoffs.measured(Standing::AtOrOver);
/// }
/// assert_eq!(handoffs.withheld(), Some(Withheld::NoProgress { handoffs: 2 }));
/// handoffs.turn_began();
/// assert_eq!(handoffs.withheld(), None, "the next prompt re-arms it");
/// ```
#[derive(Clone, Debug)]
pub struct Handoffs {
    proactive: Proactive,
    performed: u64,
    /// Whether it was said that there were many.
    said: bool,
    done_this_turn: bool,
    useless: u32,
    awaiting_reading: bool,
}

/// Whether the agent hands off of its own accord.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proactive {
    /// It does.
    #[default]
    Enabled,
    /// It waits until the provider refuses its history for size.
    Disabled,
}

/// How a reading stands to the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is below.
    Below,
    /// It has reached or passed it.
    AtOrOver,
}

/// Why the agent does not hand off of its own accord now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "withheld", rename_all = "snake_case")]
pub enum Withheld {
    /// It is switched off.
    Disabled,
    /// This turn has had its handoff.
    OncePerTurn,
    /// The last ones left the history at or over the threshold, so that what cannot be summarised
    /// (the system prompt, the tools) must be the larger part; the next prompt allows another try.
    NoProgress {
        /// How many in a row.
        handoffs: u32,
    },
}

/// A number of handoffs that is worth a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Milestone {
    /// How many there were.
    pub handoffs: u64,
}

impl Proactive {
    /// Returns what a host's setting `max_handoffs` means: 0 disables, anything else enables.
    #[must_use]
    pub const fn from_max_handoffs(max_handoffs: u64) -> Self {
        if max_handoffs == 0 { Self::Disabled } else { Self::Enabled }
    }
}

impl Handoffs {
    /// Returns the handoffs of a session that had none yet.
    #[must_use]
    pub const fn new(proactive: Proactive) -> Self {
        let (performed, said, done_this_turn) = (0, false, false);
        Self { proactive, performed, said, done_this_turn, useless: 0, awaiting_reading: false }
    }

    /// Returns the same for a session that is resumed after `performed` of them; where those are
    /// many, that has been said.
    #[must_use]
    pub const fn resumed_after(self, performed: u64) -> Self {
        Self { performed, said: performed > MANY, ..self }
    }

    /// Notes that the model's window is another: what was withheld was held against the old one.
    pub const fn window_changed(&mut self) {
        self.done_this_turn = false;
        self.useless = 0;
        self.awaiting_reading = false;
    }

    /// Notes that the user's next prompt has come, which ends what was withheld.
    pub const fn turn_began(&mut self) {
        self.done_this_turn = false;
        if self.useless >= USELESS_MAX {
            self.useless = 0;
        }
    }

    /// Returns why the agent must not hand off of its own accord, or `None` where it may.
    #[must_use]
    pub const fn withheld(&self) -> Option<Withheld> {
        match self.proactive {
            Proactive::Disabled => Some(Withheld::Disabled),
            Proactive::Enabled if self.done_this_turn => Some(Withheld::OncePerTurn),
            Proactive::Enabled if self.useless >= USELESS_MAX => {
                Some(Withheld::NoProgress { handoffs: self.useless })
            }
            Proactive::Enabled => None,
        }
    }

    /// Notes that a handoff of the agent's own accord is now attempted.
    pub const fn attempted(&mut self) {
        self.done_this_turn = true;
    }

    /// Notes that the history was handed off, and returns the number where it is worth a word.
    pub fn performed(&mut self) -> Option<Milestone> {
        self.performed = self.performed.saturating_add(1);
        self.awaiting_reading = true;
        let passes = self.performed > MANY && !self.said;
        self.said |= passes;
        passes.then_some(Milestone { handoffs: self.performed })
    }

    /// Notes how a measured reading stands; only the first after a handoff says anything about it.
    pub const fn measured(&mut self, standing: Standing) {
        if !self.awaiting_reading {
            return;
        }
        self.awaiting_reading = false;
        self.useless = match standing {
            Standing::Below => 0,
            Standing::AtOrOver => self.useless.saturating_add(1),
        };
    }

    /// Returns how many handoffs there were in this session.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.performed
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("handoffs at the end of a turn are switched off"),
            Self::OncePerTurn => f.write_str("this turn has had its handoff"),
            Self::NoProgress { handoffs } => {
                write!(f, "the last {handoffs} handoffs left the history at or over its threshold")
            }
        }
    }
}
