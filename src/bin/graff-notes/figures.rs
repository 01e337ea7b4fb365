//! The figures that a decision rests on, as flags: the limits of the history and of the calls.

use clap::Args;
use graff_notes::{
    budget::Ledger,
    threshold::Policy,
    units::{Calls, Tokens},
};

use crate::failure::Failure;

/// The limits that `decide` and `rollover` share.
#[derive(Args, Debug)]
pub(crate) struct Figures {
    /// Size of the model's context window; 0 for unknown
    #[arg(long, value_name = "N")]
    pub(crate) window_tokens: Option<u64>,
    /// Share of the window that may fill up, in percent, 1 to 100
    #[arg(long, value_name = "N", default_value_t = 90)]
    percent: u64,
    /// Most tokens that a history may hold in any window; 0 for no such limit, else at least 1000
    #[arg(long, value_name = "N", default_value_t = 272_000)]
    ceiling_tokens: u64,
    /// Room in the window that is kept for the model's output
    #[arg(long, value_name = "N", default_value_t = 0)]
    output_reserve_tokens: u64,
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
    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        let ceiling = Tokens::new(self.ceiling_tokens);
        Policy::new(self.percent, ceiling, Tokens::new(self.output_reserve_tokens))
            .map_err(|why| Failure::input(format_args!("set a threshold: {why}")))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::new(Calls::new(self.calls_cap))
    }

    pub(crate) fn used(&self) -> Calls {
        Calls::new(self.calls_used)
    }

    pub(crate) fn pending(&self) -> Calls {
        Calls::new(self.pending_calls)
    }
}
