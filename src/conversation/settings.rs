//! What a host sets for a conversation.

use crate::{
    threshold::Policy,
    turn::{Proactive, Reasoning},
    units::{Bytes, BytesPerToken, Tokens},
};

/// What a host sets for a conversation; [`Settings::default`] is a model of unknown window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The model's context window; zero where it is unknown.
    pub window: Tokens,
    /// At what size the history is handed off.
    pub policy: Policy,
    /// How many bytes stand for a token where the provider reports no usage.
    pub bytes_per_token: BytesPerToken,
    /// Whether the history is handed off before the provider refuses it.
    pub proactive: Proactive,
    /// How many requests a turn may make; `None` for as many as it takes.
    pub rounds_max: Option<u64>,
    /// What the history may weigh before its oldest turns are cut off; `None` for any weight.
    pub history_max: Option<Bytes>,
    /// What happens to a summary that lacks headings.
    pub missing_headings: Missing,
    /// Whether the provider counts reasoning against the limit of the output.
    pub reasoning: Reasoning,
}

/// What happens to a summary that lacks headings. Either way they are named in the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Missing {
    /// It is taken as it is.
    #[default]
    Accepted,
    /// It is asked for once more, where a call can be spared; what comes then is taken.
    AskedForOnce,
}
