//! The figures that a decision rests on, as flags: the limits of the history and of the calls.

use clap::Args;
use graff_notes::{
    budget::RunPool,
    threshold::Policy,
    units::{BytesPerToken, Calls, Tokens},
};

use crate::failure::Failure;

/// The limits that `decide` and `rollover` share.
#[derive(Args, Debug)]
pub(crate) struct Figures {
    /// Size of the model's context window, 0 for unknown; without it what a transcript says
    #[arg(long, value_name = "N")]
    window_tokens: Option<u64>,
    /// Share of the window that may fill up, in percent, 1 to 100
    #[arg(long, value_name = "N", default_value_t = 90)]
    percent: u64,
    /// Most tokens that a history may hold in any window; 0 for no such limit, else at least 1000
    #[arg(long, value_name = "N", default_value_t = 272_000)]
    ceiling_tokens: u64,
    /// Room in the window that is kept for the model's output
    #[arg(long, value_name = "N", default_value_t = 0)]
    output_reserve_tokens: u64,
    /// How many bytes of history stand for one token where no usage is known, at least 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    bytes_per_token: u64,
    /// Most model calls of the run; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    calls_cap: u64,
    /// Model calls that the run has made
    #[arg(long, value_name = "N", default_value_t = 0)]
    calls_used: u64,
    /// Calls that are certain to follow the note in the same rollover: 1 where the run pays for
    /// the summary
    #[arg(long, value_name = "N", default_value_t = 0)]
    pending_calls: u64,
}

impl Figures {
    /// Returns the window that is given, else the one that is `told`, else zero for unknown.
    pub(crate) fn window(&self, told: Option<Tokens>) -> Tokens {
        self.window_tokens.map(Tokens::new).or(told).unwrap_or_default()
    }

    pub(crate) fn ratio(&self) -> Result<BytesPerToken, Failure> {
        BytesPerToken::new(self.bytes_per_token)
            .ok_or_else(|| Failure::input("weigh a token as 0 bytes: the least is 1"))
    }

    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        let ceiling = Tokens::new(self.ceiling_tokens);
        Policy::new(self.percent, ceiling, Tokens::new(self.output_reserve_tokens))
            .map_err(|why| Failure::input(format_args!("set a threshold: {why}")))
    }

    /// Returns the pool that has these calls left.
    pub(crate) fn pool(&self) -> RunPool {
        RunPool::builder().cap(Calls::new(self.calls_cap)).used(Calls::new(self.calls_used)).build()
    }

    pub(crate) fn pending(&self) -> Calls {
        Calls::new(self.pending_calls)
    }
}
