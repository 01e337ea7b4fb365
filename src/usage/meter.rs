//! The reading, for exactly as long as it is true.

use serde::Serialize;

use crate::units::{Bytes, BytesPerToken, Generation, Tokens};

use super::report::{Report, Unusable};

/// The size of the history, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Reading {
    /// The provider reported it for the last request.
    Measured {
        /// The input of that request.
        tokens: Tokens,
    },
    /// Nobody reported it; the history was weighed.
    Pressure {
        /// The weight of the history.
        bytes: Bytes,
    },
}

/// The last request's reading, if that request was reported on and its history still stands.
///
/// # Examples
///
/// ```
/// use graff_notes::{units::{Generation, Tokens}, usage::{Meter, Report}};
///
/// let (now, window) = (Generation::new(4), Tokens::new(200_000));
/// let mut meter = Meter::new();
/// let request = meter.begin(now);
/// let report = Report::OpenAi {
///     prompt: Tokens::new(9_000),
///     completion: Tokens::new(300),
///     total: Tokens::new(9_300),
/// };
/// meter.fill(request, Ok(report), window);
/// assert_eq!(meter.measured(now), Some(Tokens::new(9_000)));
/// assert_eq!(meter.measured(now.next()), None, "the history has been rewritten since");
/// ```
#[derive(Debug, Default)]
pub struct Meter {
    begun: u64,
    filled: Option<(Generation, Tokens)>,
}

/// A model request whose response is yet to come: the right to fill the meter once.
#[derive(Debug)]
#[must_use = "the meter stays unknown until the response fills it"]
pub struct Request {
    number: u64,
    generation: Generation,
}

/// What a response did to the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "filled", rename_all = "snake_case")]
pub enum Filled {
    /// It filled it.
    Measured {
        /// The input of the request.
        tokens: Tokens,
    },
    /// It left it unknown.
    Unknown(Unusable),
    /// Nothing: a later request has begun since.
    Late,
}

impl Meter {
    /// Returns a meter that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Clears the meter for a request of the turn over the history of `generation`.
    ///
    /// The requests for a note and for a summary are not of the turn: they leave the meter alone.
    pub const fn begin(&mut self, generation: Generation) -> Request {
        self.filled = None;
        self.begun = self.begun.wrapping_add(1);
        Request { number: self.begun, generation }
    }

    /// Fills the meter from the response to `request`, if that is still the last one.
    #[expect(clippy::needless_pass_by_value, reason = "one response fills the meter once")]
    pub fn fill(
        &mut self,
        request: Request,
        report: Result<Report, Unusable>,
        window: Tokens,
    ) -> Filled {
        let Request { number, generation } = request;
        if number != self.begun {
            return Filled::Late;
        }
        match report.and_then(|report| report.input(window)) {
            Ok(tokens) => {
                self.filled = Some((generation, tokens));
                Filled::Measured { tokens }
            }
            Err(why) => Filled::Unknown(why),
        }
    }

    /// Clears the meter.
    pub const fn clear(&mut self) {
        self.filled = None;
    }

    /// Returns what the provider reported for the last request, unless the history has been
    /// rewritten since: it is of generation `now`.
    #[must_use]
    pub fn measured(&self, now: Generation) -> Option<Tokens> {
        self.filled.filter(|(generation, _)| *generation == now).map(|(_, tokens)| tokens)
    }

    /// Returns the measured size, or the weight of the history, which is only taken where needed.
    #[must_use]
    pub fn reading(&self, now: Generation, pressure: impl FnOnce() -> Bytes) -> Reading {
        match self.measured(now) {
            Some(tokens) => Reading::Measured { tokens },
            None => Reading::Pressure { bytes: pressure() },
        }
    }
}

impl Reading {
    /// Returns the size in tokens: the measured one, or the weight at `ratio`, rounded up.
    #[must_use]
    pub const fn effective(&self, ratio: BytesPerToken) -> Tokens {
        match self {
            Self::Measured { tokens } => *tokens,
            Self::Pressure { bytes } => bytes.to_tokens(ratio),
        }
    }
}
