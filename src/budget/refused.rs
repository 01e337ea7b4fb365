//! Why a call was not admitted, with the figures.

use std::fmt;

use serde::Serialize;

use crate::units::{Calls, Uncovered};

/// Why a call was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum AdmissionRefused {
    /// The caller stands deeper below the root than the run allows.
    TooDeep {
        /// Where the caller stands; the root is at 0.
        depth: u32,
        /// The deepest that may call.
        depth_max: u32,
    },
    /// Every call of the cap is used.
    Spent {
        /// The most calls that the run may make.
        cap: Calls,
    },
    /// One call is left, and it is the root's.
    LastIsRoots {
        /// The most calls that the run may make.
        cap: Calls,
    },
    /// As many calls are running as may run at once.
    Saturated {
        /// The most calls that may run at once before a worker is refused.
        concurrency_max: Calls,
    },
}

/// Why the gate's yes to a note came too late: what was left at the moment of admission no longer
/// covers the note, what must follow it, and the reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BudgetRaced {
    /// The calls that were left.
    pub remaining: Calls,
    /// The calls that are held back for the landing.
    pub reserve: Calls,
    /// What the note takes, with the calls that are certain to follow it.
    pub cost: Calls,
}

impl fmt::Display for AdmissionRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep { depth, depth_max } => {
                write!(f, "depth {depth} is below the deepest that may call, {depth_max}")
            }
            Self::Spent { cap } => write!(f, "all {cap} calls are used"),
            Self::LastIsRoots { cap } => write!(f, "the last of {cap} calls is the root's"),
            Self::Saturated { concurrency_max } => {
                write!(f, "{concurrency_max} calls are running, which is the most at once")
            }
        }
    }
}

impl fmt::Display for BudgetRaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { remaining, reserve, cost } = *self;
        Uncovered { remaining, reserve, cost }.fmt(f)
    }
}
