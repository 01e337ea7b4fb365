//! `decide`: what would be decided on these figures, and why; nothing is written.

use clap::Args;
use graff_notes::{
    budget::{Ledger, RunPool},
    gate::{self, Boundary, Notes, Provider, Session, Situation},
    notebook::{Notebook, Settings},
    units::{Bytes, BytesPerToken, Calls, Generation, Tokens},
    usage::{Reading, Report},
};

use super::account::{self, Account};
use crate::{
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    figures::Figures,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes decide --window-tokens 200000 --used-tokens 181000 --output-reserve-tokens 20000
  graff-notes decide --window-tokens 200000 --pressure-bytes 700000 --bytes-per-token 4
  graff-notes decide --calls-cap 40 --calls-used 31 --pending-calls 1 --json

In a pipe it prints, a row each: what, answer, and the figures behind it. The exit status is 0
whatever the answer is, and 6 with --require-note where the gate refuses.";

/// Decides on given figures whether to roll over and to ask for a note; writes nothing
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Decide {
    #[command(flatten)]
    figures: Figures,
    /// Input of the last request as its provider reported it; without it, unknown
    #[arg(long, value_name = "N")]
    used_tokens: Option<u64>,
    /// Weight of the history, which stands in where no usage is known
    #[arg(long, value_name = "N", default_value_t = 0)]
    pressure_bytes: u64,
    /// How many bytes of the weight stand for one token, at least 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    bytes_per_token: u64,
    /// Session whose log knows the generation and its attempt; without it, there is one
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// How many times the history has been rewritten
    #[arg(long, value_name = "N")]
    generation: Option<u64>,
    /// Last generation that an attempt at a note is on record for
    #[arg(long, value_name = "N")]
    attempted_generation: Option<u64>,
    /// How deep below the root the agent stands
    #[arg(long, value_name = "N", default_value_t = 0)]
    depth: u32,
    /// The provider rejected a request of this turn for its size
    #[arg(long)]
    overflowed: bool,
    /// The turn goes on after this
    #[arg(long)]
    mid_turn: bool,
    /// Ends with status 6 where the gate refuses
    #[arg(long)]
    require_note: bool,
}

impl Decide {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let window = Tokens::new(self.figures.window_tokens.unwrap_or(0));
        let ratio = self.ratio()?;
        let threshold = self.figures.policy()?.threshold(window);
        let reading = self.reading(cx, window);
        let situation = self.situation(cx, window, reading.effective(ratio))?;
        let verdict = gate::decide(&situation);
        let account = Account {
            threshold,
            reading,
            handoff: account::check(&threshold, reading, ratio),
            situation,
            verdict: &verdict,
            balance: self.figures.ledger().balance(self.figures.used(), self.figures.pending()),
        };
        account.say(&mut cx.out)?;
        Ok(if self.require_note && !verdict.fires() { Exit::Refused } else { Exit::Done })
    }

    fn ratio(&self) -> Result<BytesPerToken, Failure> {
        BytesPerToken::new(self.bytes_per_token)
            .ok_or_else(|| Failure::input("weigh a token as 0 bytes: the least is 1"))
    }

    /// Believes the reported usage as far as a provider's report is believed.
    fn reading(&self, cx: &Context, window: Tokens) -> Reading {
        let report = |prompt| Report::OpenAi {
            prompt: Tokens::new(prompt),
            completion: Tokens::ZERO,
            total: Tokens::ZERO,
        };
        let pressure = Reading::Pressure { bytes: Bytes::new(self.pressure_bytes) };
        let Some(used) = self.used_tokens else { return pressure };
        match report(used).input(window) {
            Ok(tokens) => Reading::Measured { tokens },
            Err(why) => {
                cx.notices.warn(format_args!("took the usage for unknown: {why}"));
                pressure
            }
        }
    }

    fn situation(
        &self,
        cx: &Context,
        window: Tokens,
        effective: Tokens,
    ) -> Result<Situation, Failure> {
        let ledger = self.figures.ledger();
        let (session, generation, attempted) = match &self.session {
            Some(name) => self.on_record(cx, name)?,
            None => (Session::Named, Generation::ZERO, None),
        };
        Ok(Situation {
            notes: Notes::On,
            depth: self.depth,
            session,
            generation: self.generation.map_or(generation, Generation::new),
            attempted: self.attempted_generation.map(Generation::new).or(attempted),
            remaining: ledger.remaining(self.figures.used()),
            reserve: ledger.reserve(),
            cost: Ledger::note_cost(self.figures.pending()),
            provider: if self.overflowed { Provider::Rejected } else { Provider::Accepted },
            boundary: if self.mid_turn { Boundary::MidTurn } else { Boundary::EndOfTurn },
            window,
            effective,
        })
    }

    /// Returns what the session's log knows: its generation, and whether that had its attempt.
    fn on_record(
        &self,
        cx: &Context,
        name: &str,
    ) -> Result<(Session, Generation, Option<Generation>), Failure> {
        let settings = Settings { depth: self.depth, ..Settings::default() };
        let notebook = Notebook::open(&cx.store()?, name, RunPool::default(), settings)?;
        let Situation { session, generation, attempted, .. } =
            notebook.situation(Boundary::EndOfTurn, Tokens::ZERO, Tokens::ZERO, Calls::ZERO);
        Ok((session, generation, attempted))
    }
}
