//! What a provider reports of a request, in the two shapes that are in use.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::units::Tokens;

/// A report of more than this many windows is no measurement: the request was answered, so it did
/// fit. Above one window is believed, since the model may just have been changed for a smaller
/// one.
///
/// Source: anomalyco/opencode issue 30649 (running totals reported as one request's).
const WINDOWS_MAX: u64 = 4;

/// A provider's report of the tokens of one request.
///
/// # Examples
///
/// ```
/// use graff_notes::{units::Tokens, usage::Report};
/// use serde_json::json;
///
/// let report = Report::from_json(&json!({
///     "input_tokens": 3,
///     "cache_read_input_tokens": 185_000,
///     "cache_creation_input_tokens": 1_093,
///     "output_tokens": 400,
/// }))?;
/// assert_eq!(report.input(Tokens::new(200_000))?, Tokens::new(186_096));
/// # Ok::<(), graff_notes::usage::Unusable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Anthropic's shape: cached tokens stand beside the plain input.
    Anthropic {
        /// Input that no cache was involved in.
        input: Tokens,
        /// Input that was read from the cache.
        cache_read: Tokens,
        /// Input that was written to the cache.
        cache_creation: Tokens,
    },
    /// `OpenAI`'s shape: cached tokens stand inside the prompt.
    OpenAi {
        /// The whole input, what came from a cache included.
        prompt: Tokens,
        /// The output.
        completion: Tokens,
        /// Input and output; zero where the provider names no total.
        total: Tokens,
    },
}

/// Why a report is no measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "unusable", rename_all = "snake_case")]
pub enum Unusable {
    /// The response carries no usage object in either shape.
    NotReported,
    /// A figure is negative, too large, or no whole number.
    Malformed {
        /// The key that it stands under.
        field: &'static str,
    },
    /// The figures add up to more than can be counted.
    Overflow,
    /// The report says that nothing was sent, which cannot be.
    Zero,
    /// The report says more than any request that was answered can hold.
    Implausible {
        /// The input that was reported.
        reported: Tokens,
        /// The model's context window.
        window: Tokens,
    },
}

impl Report {
    /// Returns the report that a response's `usage` object holds.
    ///
    /// An absent figure, or one that is `null`, counts as zero. A damaged one voids the whole
    /// report, whichever it is.
    pub fn from_json(usage: &Value) -> Result<Self, Unusable> {
        let usage = usage.as_object().ok_or(Unusable::NotReported)?;
        let has = |key| usage.contains_key(key);
        if has("prompt_tokens") || has("completion_tokens") {
            Self::openai(usage, "prompt_tokens", "completion_tokens")
        } else if has("cache_read_input_tokens") || has("cache_creation_input_tokens") {
            Self::anthropic(usage)
        } else if has("total_tokens") {
            // The newer of OpenAI's interfaces says `input` and `output`; only it has a total.
            Self::openai(usage, "input_tokens", "output_tokens")
        } else if has("input_tokens") {
            Self::anthropic(usage)
        } else {
            Err(Unusable::NotReported)
        }
    }

    fn anthropic(usage: &Map<String, Value>) -> Result<Self, Unusable> {
        figure(usage, "output_tokens")?;
        Ok(Self::Anthropic {
            input: figure(usage, "input_tokens")?,
            cache_read: figure(usage, "cache_read_input_tokens")?,
            cache_creation: figure(usage, "cache_creation_input_tokens")?,
        })
    }

    fn openai(
        usage: &Map<String, Value>,
        prompt: &'static str,
        completion: &'static str,
    ) -> Result<Self, Unusable> {
        Ok(Self::OpenAi {
            prompt: figure(usage, prompt)?,
            completion: figure(usage, completion)?,
            total: figure(usage, "total_tokens")?,
        })
    }

    /// Returns the input of the request, or why the report tells none that a model of `window`
    /// (zero where it is unknown) could have answered.
    pub fn input(&self, window: Tokens) -> Result<Tokens, Unusable> {
        let reported = self.sum().ok_or(Unusable::Overflow)?;
        if reported == Tokens::ZERO {
            return Err(Unusable::Zero);
        }
        let most = window.get().saturating_mul(WINDOWS_MAX);
        if window != Tokens::ZERO && reported.get() > most {
            return Err(Unusable::Implausible { reported, window });
        }
        Ok(reported)
    }

    fn sum(&self) -> Option<Tokens> {
        match *self {
            Self::Anthropic { input, cache_read, cache_creation } => input
                .get()
                .checked_add(cache_read.get())?
                .checked_add(cache_creation.get())
                .map(Tokens::new),
            Self::OpenAi { prompt, completion, total } => {
                Some(total.saturating_sub(completion).max(prompt))
            }
        }
    }
}

fn figure(usage: &Map<String, Value>, field: &'static str) -> Result<Tokens, Unusable> {
    match usage.get(field) {
        None | Some(Value::Null) => Ok(Tokens::ZERO),
        Some(value) => value.as_u64().map(Tokens::new).ok_or(Unusable::Malformed { field }),
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReported => f.write_str("the provider reported no usage"),
            Self::Malformed { field } => write!(f, "{field} is no count of tokens"),
            Self::Overflow => f.write_str("the figures add up to more than can be counted"),
            Self::Zero => f.write_str("the report says that nothing was sent"),
            Self::Implausible { reported, window } => {
                write!(f, "{reported} tokens were reported for a window of {window}")
            }
        }
    }
}
