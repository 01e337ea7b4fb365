//! `decide`: what would be decided on these figures, and why; nothing is written.

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    ErrorKind,
    budget::Ledger,
    gate::{self, Boundary, Notes, Provider, Session, Situation},
    log::{Kind, Line},
    note::Author,
    notebook::{Notebook, Settings},
    session::SessionName,
    store::Store,
    units::{Bytes, Generation, Tokens},
    usage::{Reading, Report},
};

use super::account::Account;
use crate::{
    context::Context,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    figures::Figures,
    transcript,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes decide --window-tokens 200000 --used-tokens 181000 --output-reserve-tokens 20000
  graff-notes decide --window-tokens 200000 --pressure-bytes 700000 --bytes-per-token 4
  graff-notes decide --calls-cap 40 --calls-used 31 --pending-calls 1 --json

In a pipe it prints, a row each: what, answer, and the figures behind it.

Exit status: 0 whatever the answer is, and 6 with --require-note where the gate refuses.";

/// Decides on given figures whether to roll over and to ask for a note; writes nothing
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Decide {
    #[command(flatten)]
    figures: Figures,
    /// Transcript that the usage, the window and the generation are read from
    #[arg(long, value_name = "FILE", conflicts_with_all = ["used_tokens", "pressure_bytes"])]
    transcript: Option<Utf8PathBuf>,
    /// Input of the last request as its provider reported it; without it, unknown
    #[arg(long, value_name = "N")]
    used_tokens: Option<u64>,
    /// Weight of the history, which stands in where no usage is known
    #[arg(long, value_name = "N", default_value_t = 0)]
    pressure_bytes: u64,
    /// Session whose log knows the generation and its attempt; without it, there is one
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// How many times the history has been rewritten
    #[arg(long, value_name = "N", visible_alias = "gen")]
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

/// What the decision is about: read from a transcript, or given as flags.
struct Seen {
    window: Tokens,
    reading: Reading,
    session: Option<String>,
    compactions: Generation,
}

impl Decide {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let seen = self.seen(cx)?;
        let effective = seen.reading.effective(self.figures.ratio()?);
        let situation = self.situation(cx, &seen, effective)?;
        let verdict = gate::decide(&situation);
        let account = Account::of(&self.figures, seen.reading, situation, &verdict, Author::Agent)?;
        heard_or_not(account.say(&mut cx.out))?;
        Ok(if self.require_note && !account.fires() { Exit::Refused } else { Exit::Done })
    }

    fn seen(&self, cx: &Context) -> Result<Seen, Failure> {
        let Some(path) = &self.transcript else {
            let window = self.figures.window(None);
            let (session, compactions) = (self.session.clone(), Generation::ZERO);
            return Ok(Seen { window, reading: self.reading(cx, window), session, compactions });
        };
        let transcript = transcript::read(path)?;
        let window = self.figures.window(transcript.window);
        Ok(Seen {
            window,
            reading: transcript.reading(window),
            compactions: Generation::new(transcript.compactions),
            session: self.session.clone().or(transcript.session),
        })
    }

    /// Believes the reported usage as far as a provider's report is believed.
    fn reading(&self, cx: &Context, window: Tokens) -> Reading {
        let pressure = Reading::Pressure { bytes: Bytes::new(self.pressure_bytes) };
        let Some(used) = self.used_tokens.map(Tokens::new) else { return pressure };
        let (completion, total) = (Tokens::ZERO, Tokens::ZERO);
        match (Report::OpenAi { prompt: used, completion, total }).input(window) {
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
        seen: &Seen,
        effective: Tokens,
    ) -> Result<Situation, Failure> {
        let known = match &seen.session {
            Some(name) => self.on_record(cx, name, seen, effective)?,
            None => self.without_log(seen, effective),
        };
        Ok(Situation {
            depth: self.depth,
            generation: self.generation.map_or(known.generation, Generation::new),
            attempted: self.attempted_generation.map(Generation::new).or(known.attempted),
            provider: if self.overflowed { Provider::Rejected } else { Provider::Accepted },
            boundary: if self.mid_turn { Boundary::MidTurn } else { Boundary::EndOfTurn },
            ..known
        })
    }

    /// Returns the situation as the session's log has it: its generation, and whether that, or the
    /// one that is asked about, had its attempt.
    fn on_record(
        &self,
        cx: &Context,
        session: &str,
        seen: &Seen,
        effective: Tokens,
    ) -> Result<Situation, Failure> {
        let store = cx.store()?;
        let settings = Settings { generation: seen.compactions, ..Settings::default() };
        let notebook = Notebook::open(&store, session, self.figures.pool(), settings)?;
        let pending = self.figures.pending();
        let known = notebook.situation(Boundary::EndOfTurn, seen.window, effective, pending);
        match self.generation.map(Generation::new) {
            Some(asked) if has_attempt(&store, session, asked)? => {
                Ok(Situation { attempted: Some(asked), ..known })
            }
            _ => Ok(known),
        }
    }

    /// Returns the situation of a session that has no log yet, whatever its name: one is meant
    /// where none is named.
    fn without_log(&self, seen: &Seen, effective: Tokens) -> Situation {
        let pool = self.figures.pool();
        Situation {
            notes: Notes::On,
            depth: 0,
            session: Session::Named,
            generation: seen.compactions,
            attempted: None,
            remaining: pool.remaining(),
            reserve: pool.ledger().reserve(),
            cost: Ledger::note_cost(self.figures.pending()),
            provider: Provider::Accepted,
            boundary: Boundary::EndOfTurn,
            window: seen.window,
            effective,
        }
    }
}

/// Returns whether an attempt at a note of `generation` is on a session's record.
///
/// A notebook knows that of the session's present generation only, where it goes on.
fn has_attempt(store: &Store, session: &str, generation: Generation) -> Result<bool, Failure> {
    let Ok(session) = SessionName::parse(session) else { return Ok(false) };
    let mut has = false;
    let replayed = store.replay(&session, &mut |entry| {
        if let Line::Record(record) = entry.line {
            has |= record.kind() == Kind::Attempt && record.generation == generation;
        }
    });
    match replayed {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e.into()),
        _ => Ok(has),
    }
}
