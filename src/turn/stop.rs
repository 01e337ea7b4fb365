//! Why a turn ended, and why a response did.

use serde::Serialize;

/// Why a turn ended.
///
/// A turn that was cancelled can come back from a provider's client as a success; so what follows a
/// turn hangs on the reason, and never on whether a call returned without an error.
///
/// Source: block/buzz PR 6584.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said what it had to say.
    EndTurn,
    /// The model's last response reached its output limit.
    OutputLimit,
    /// The model declined to go on.
    Refusal,
    /// The turn made as many requests as one may.
    RoundsSpent,
    /// The pool did not admit the next request.
    CallsSpent,
    /// The user or the host stopped it.
    Cancelled,
    /// A request failed.
    Failed,
    /// There was no turn: between two, the model was changed for one of another window.
    WindowChanged,
}

/// Why a response of the model ended.
///
/// A call that failed has no response, and no place here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStop {
    /// By itself, or since the tools that it calls are to be run.
    EndTurn,
    /// It reached its output limit: what it called may be cut short.
    OutputLimit,
    /// The model declined to go on, or the provider withheld what it said.
    Refusal,
    /// The user or the host stopped it, and the provider's client calls that a success.
    Cancelled,
}

impl From<ResponseStop> for StopReason {
    fn from(stop: ResponseStop) -> Self {
        match stop {
            ResponseStop::EndTurn => Self::EndTurn,
            ResponseStop::OutputLimit => Self::OutputLimit,
            ResponseStop::Refusal => Self::Refusal,
            ResponseStop::Cancelled => Self::Cancelled,
        }
    }
}

impl StopReason {
    /// Returns whether the history may be handed off after such an end.
    #[must_use]
    pub const fn permits_handoff(self) -> bool {
        match self {
            Self::EndTurn
            | Self::OutputLimit
            | Self::Refusal
            | Self::RoundsSpent
            | Self::CallsSpent
            | Self::WindowChanged => true,
            Self::Cancelled | Self::Failed => false,
        }
    }

    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::OutputLimit => "output_limit",
            Self::Refusal => "refusal",
            Self::RoundsSpent => "rounds_spent",
            Self::CallsSpent => "calls_spent",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::WindowChanged => "window_changed",
        }
    }
}
