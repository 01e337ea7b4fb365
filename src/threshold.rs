//! At what size a history must roll over, and whether a reading has reached it.
//!
//! A [`Policy`] holds three limits: a percentage of the model's window, an absolute ceiling, and
//! room for the output. The smallest one binds, and [`Threshold`] says which one that was. Where
//! none applies, or the limit comes out at zero, the threshold is disabled, and says so: it never
//! reads as "always full".
//!
//! ```text
//!  0            ceiling      window × percent   window − output reserve     window
//!  ├───────────────┼────────────────┼──────────────────┼──────────────────────┤
//!                  └ here the ceiling is the smallest: it binds
//! ```
//!
//! This module does not know how a reading came about, nor what a rollover costs.
//!
//! Invariants:
//! * A policy whose limits make no sense cannot be made.
//! * Once a reading fires, every larger one does: each source is compared in one place.

use std::fmt;

use serde::Serialize;

use crate::units::{Bytes, BytesPerToken, Tokens};

/// The share of the window that may fill up, in percent, unless the host says otherwise.
///
/// Source: block/buzz PR 3147.
const PERCENT_DEFAULT: u8 = 90;

/// The most tokens that a history may hold in a window of any size, unless the host says
/// otherwise.
///
/// Source: block/buzz PR 3147.
const CEILING_DEFAULT: Tokens = Tokens::new(272_000);

/// The least ceiling that is no mistake: below it the system prompt alone would roll over at
/// every turn.
const CEILING_MIN: Tokens = Tokens::new(1_000);

const _: () = assert!(CEILING_MIN.get() < CEILING_DEFAULT.get());

/// The limits that a host sets, each of them checked.
///
/// # Examples
///
/// ```
/// use graff_notes::{threshold::{Binding, Policy}, units::Tokens};
///
/// let policy = Policy::default().with_output_reserve(Tokens::new(65_536));
/// let threshold = policy.threshold(Tokens::new(200_000));
/// assert_eq!(threshold.tokens(), Tokens::new(134_464));
/// assert_eq!(threshold.binding(), Binding::OutputReserve);
/// assert!(threshold.check_measured(Tokens::new(134_464)).is_due());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    percent: u8,
    ceiling: Tokens,
    output_reserve: Tokens,
}

/// Why a value is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum PolicyRefused {
    /// The percentage is not in 1 to 100.
    Percent {
        /// What was asked for.
        given: u64,
    },
    /// The ceiling is too low to be meant, and not zero either.
    Ceiling {
        /// What was asked for.
        given: Tokens,
        /// The least that is accepted.
        least: Tokens,
    },
}

/// The size at which a history must roll over, with each term that was considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Threshold {
    tokens: Tokens,
    binding: Binding,
    window: Tokens,
    terms: Terms,
}

/// Which term made the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// The share of the window.
    Percent,
    /// The absolute ceiling.
    Ceiling,
    /// The window less the room for the output.
    OutputReserve,
    /// None: no term applies, or the smallest is zero. Nothing ever fires.
    Disabled,
}

/// The terms that a threshold is the smallest of; `None` where one does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Terms {
    /// The share of the window; absent where the window is unknown.
    pub percent: Option<Tokens>,
    /// The absolute ceiling; absent where it is switched off.
    pub ceiling: Option<Tokens>,
    /// The window less the room for the output; absent where the window is unknown.
    pub output_reserve: Option<Tokens>,
}

/// Whether a reading has reached the threshold, with the two figures that were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Handoff {
    /// It has: the history must roll over.
    Due(Compared),
    /// It has not.
    NotDue(Compared),
    /// There is no threshold to reach.
    Disabled,
}

/// A reading beside the limit that it was held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Compared {
    /// A measured size, which fires *at* the limit.
    Measured {
        /// The reading.
        tokens: Tokens,
        /// The threshold.
        limit: Tokens,
    },
    /// A weight, which fires *above* the limit.
    Pressure {
        /// The reading.
        bytes: Bytes,
        /// The threshold in bytes.
        limit: Bytes,
    },
}

impl Policy {
    /// Returns the policy of these three limits, or the first that makes no sense.
    ///
    /// A `ceiling` of zero switches that limit off.
    pub fn new(
        percent: u64,
        ceiling: Tokens,
        output_reserve: Tokens,
    ) -> Result<Self, PolicyRefused> {
        Self::default()
            .with_output_reserve(output_reserve)
            .with_percent(percent)?
            .with_ceiling(ceiling)
    }

    /// Returns this policy with another share of the window, in percent from 1 to 100.
    pub fn with_percent(self, percent: u64) -> Result<Self, PolicyRefused> {
        match u8::try_from(percent) {
            Ok(percent @ 1..=100) => Ok(Self { percent, ..self }),
            _ => Err(PolicyRefused::Percent { given: percent }),
        }
    }

    /// Returns this policy with another ceiling: zero, which switches it off, or at least 1,000.
    pub fn with_ceiling(self, ceiling: Tokens) -> Result<Self, PolicyRefused> {
        if ceiling != Tokens::ZERO && ceiling < CEILING_MIN {
            return Err(PolicyRefused::Ceiling { given: ceiling, least: CEILING_MIN });
        }
        Ok(Self { ceiling, ..self })
    }

    /// Returns this policy with another room for the output.
    #[must_use]
    pub const fn with_output_reserve(self, output_reserve: Tokens) -> Self {
        Self { output_reserve, ..self }
    }

    /// Returns the threshold for a model of `window`, zero where it is unknown.
    ///
    /// Where two terms are equally small, the one that [`Terms`] lists first is said to bind.
    #[must_use]
    pub fn threshold(&self, window: Tokens) -> Threshold {
        let terms = self.terms(window);
        let (tokens, binding) = terms.smallest().unwrap_or((Tokens::ZERO, Binding::Disabled));
        let binding = if tokens == Tokens::ZERO { Binding::Disabled } else { binding };
        Threshold { tokens, binding, window, terms }
    }

    fn terms(&self, window: Tokens) -> Terms {
        let known = window != Tokens::ZERO;
        Terms {
            percent: known.then(|| share(window, self.percent)),
            ceiling: (self.ceiling != Tokens::ZERO).then_some(self.ceiling),
            output_reserve: known.then(|| window.saturating_sub(self.output_reserve)),
        }
    }
}

impl Default for Policy {
    /// Returns 90 percent of the window, at most 272,000 tokens, without room for the output.
    fn default() -> Self {
        Self { percent: PERCENT_DEFAULT, ceiling: CEILING_DEFAULT, output_reserve: Tokens::ZERO }
    }
}

impl Terms {
    fn smallest(&self) -> Option<(Tokens, Binding)> {
        [
            (self.percent, Binding::Percent),
            (self.ceiling, Binding::Ceiling),
            (self.output_reserve, Binding::OutputReserve),
        ]
        .into_iter()
        .filter_map(|(term, binding)| Some((term?, binding)))
        .min_by_key(|(term, _)| *term)
    }
}

impl Threshold {
    /// Returns the size in tokens; zero where the threshold is disabled.
    #[must_use]
    pub const fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Returns the term that made it.
    #[must_use]
    pub const fn binding(&self) -> Binding {
        self.binding
    }

    /// Returns the window that it was made for.
    #[must_use]
    pub const fn window(&self) -> Tokens {
        self.window
    }

    /// Returns the terms that it is the smallest of.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        self.terms
    }

    /// Returns whether a measured size has reached the threshold: one that equals it has.
    #[must_use]
    pub fn check_measured(&self, tokens: Tokens) -> Handoff {
        self.answer(Compared::Measured { tokens, limit: self.tokens })
    }

    /// Returns whether a weight has passed the threshold: one that equals it has not.
    #[must_use]
    pub fn check_pressure(&self, bytes: Bytes, ratio: BytesPerToken) -> Handoff {
        self.answer(Compared::Pressure { bytes, limit: self.tokens.to_bytes(ratio) })
    }

    fn answer(&self, compared: Compared) -> Handoff {
        match self.binding {
            Binding::Disabled => Handoff::Disabled,
            _ if compared.is_reached() => Handoff::Due(compared),
            _ => Handoff::NotDue(compared),
        }
    }
}

impl Compared {
    fn is_reached(&self) -> bool {
        match self {
            Self::Measured { tokens, limit } => tokens >= limit,
            Self::Pressure { bytes, limit } => bytes > limit,
        }
    }
}

impl Handoff {
    /// Returns whether the history must roll over.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        matches!(self, Self::Due(_))
    }
}

impl Binding {
    /// Returns the name that traces and JSON use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Percent => "percent",
            Self::Ceiling => "ceiling",
            Self::OutputReserve => "output_reserve",
            Self::Disabled => "disabled",
        }
    }
}

/// Multiplies before it divides, in a width that holds the product, so that nothing is lost.
fn share(window: Tokens, percent: u8) -> Tokens {
    let part = u128::from(window.get()) * u128::from(percent) / 100;
    Tokens::new(u64::try_from(part).unwrap_or(u64::MAX))
}

impl fmt::Display for PolicyRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent { given } => write!(f, "{given} percent is not in 1 to 100"),
            Self::Ceiling { given, least } => {
                write!(f, "a ceiling of {given} tokens is below {least}; 0 switches it off")
            }
        }
    }
}
