//! The notebook itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Answer, Attempt, Spent, Spliced, Tally, state::State};
use crate::{
    budget::{BudgetRaced, Ledger, Permit, RunPool},
    error::{Error, ErrorKind},
    gate::{self, Boundary, Notes, Outcome, Provider, Session, Situation, Ticket, Verdict},
    log::Draft,
    note::{Author, Fitted, NoteCap, Reply},
    prompt::{self, Block, NoteRequest},
    session::SessionName,
    store::{Appended, Latched, Log, Newest, Salvaged, Store},
    units::{Calls, Generation, Timestamp, Tokens},
};

/// The notes of one agent's session, as a host uses them.
#[derive(Debug)]
pub struct Notebook {
    /// The log of a root's named session; others keep no notes.
    log: Option<Log>,
    session: Session,
    pool: RunPool,
    settings: Settings,
    state: Mutex<State>,
}

/// What a host can set; [`Settings::default`] is a root agent that takes notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether notes are wanted.
    pub notes: Notes,
    /// How deep below the root the agent stands; the root is at 0, and it alone takes notes.
    pub depth: u32,
    /// The longest note that is kept.
    pub note_cap: NoteCap,
    /// How many times the host knows the history to have been rewritten; the log may know of more.
    pub generation: Generation,
}

impl Notebook {
    /// Opens the notebook of the session `name`, going on from the generation that its log knows.
    ///
    /// A name that is empty or refused is no error here: such a notebook never asks for a note and
    /// splices nothing, and its decisions say why.
    ///
    /// # Errors
    ///
    /// A log that is there and cannot be read.
    pub fn open(
        store: &Store,
        name: &str,
        pool: RunPool,
        settings: Settings,
    ) -> Result<Self, Error> {
        let parsed = SessionName::parse(name);
        let session = Session::from(&parsed);
        let log = parsed.ok().filter(|_| settings.depth == 0).map(|name| store.log(&name));
        let mut state = State::at(settings.generation);
        if let Some(log) = &log {
            state.catch_up(store, log.session())?;
        }
        Ok(Self { log, session, pool, settings, state: Mutex::new(state) })
    }

    /// Returns the generation of the history.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.state().generation
    }

    /// Returns how often each decision and outcome came about.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.state().tally.clone()
    }

    /// Returns what the host has set.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the pool that this notebook pays its calls from.
    #[must_use]
    pub const fn pool(&self) -> &RunPool {
        &self.pool
    }

    /// Returns the figures for the gate as they stand now: a snapshot, to be taken anew for each
    /// decision.
    ///
    /// `pending` is how many calls of the same pool are certain to follow the note: 1 where the
    /// summary is paid from it. Set [`Situation::provider`] where a request was rejected for its
    /// size.
    #[must_use]
    pub fn situation(
        &self,
        boundary: Boundary,
        window: Tokens,
        effective: Tokens,
        pending: Calls,
    ) -> Situation {
        let state = self.state();
        Situation {
            notes: self.settings.notes,
            depth: self.settings.depth,
            session: self.session,
            generation: state.generation,
            attempted: state.attempted,
            remaining: self.pool.remaining(),
            reserve: self.pool.ledger().reserve(),
            cost: Ledger::note_cost(pending),
            provider: Provider::Accepted,
            boundary,
            window,
            effective,
        }
    }

    /// Decides whether the agent is to be asked for a note; writes nothing.
    pub fn decide(&self, situation: &Situation) -> Verdict {
        let verdict = match (gate::decide(situation), &self.log) {
            (Verdict::Fire(ticket), Some(log)) => Verdict::Fire(ticket.for_session(log.session())),
            (verdict, _) => verdict,
        };
        tracing::debug!(decision = verdict.as_str(), ?situation, "note gate");
        self.state().tally.decided(verdict.as_str());
        verdict
    }

    /// Spends a ticket: takes the call's permit, then puts the attempt on record.
    ///
    /// # Durability
    ///
    /// Where the answer is [`Spent::Ask`] the attempt is on disk: no process will fire again for
    /// this generation.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket can be spent once")]
    pub fn spend(&self, ticket: Ticket, now: Timestamp) -> Spent {
        let pending = ticket.situation().cost.saturating_sub(Ledger::note_cost(Calls::ZERO));
        self.spend_paying(&ticket, now, |pool| pool.admit_note(pending))
    }

    /// Spends a ticket of a rollover whose summary is paid from the same pool, as
    /// [`spend`](Self::spend) does, but takes the summary's permit in the same step as the note's:
    /// whoever draws on the pool while the note is written cannot push the summary into the
    /// reserve.
    ///
    /// The summary's permit is returned where it was taken, whatever became of the note.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket can be spent once")]
    pub fn spend_with_summary(&self, ticket: Ticket, now: Timestamp) -> (Spent, Option<Permit>) {
        let mut summary = None;
        let spent = self.spend_paying(&ticket, now, |pool| {
            let (note, following) = pool.admit_note_and_summary()?;
            summary = Some(following);
            Ok(note)
        });
        (spent, summary)
    }

    fn spend_paying(
        &self,
        ticket: &Ticket,
        now: Timestamp,
        pay: impl FnOnce(&RunPool) -> Result<Permit, BudgetRaced>,
    ) -> Spent {
        match self.begin(ticket, now, pay) {
            Ok(attempt) => Spent::Ask(attempt),
            Err(outcome) => Spent::Left(self.came_to(outcome)),
        }
    }

    fn begin(
        &self,
        ticket: &Ticket,
        now: Timestamp,
        pay: impl FnOnce(&RunPool) -> Result<Permit, BudgetRaced>,
    ) -> Result<Attempt, Outcome> {
        let log = self.log.as_ref().ok_or(Outcome::KeepsNone)?;
        if ticket.session() != Some(log.session()) {
            return Err(Outcome::OtherSession);
        }
        let generation = ticket.generation();
        if generation != self.generation() {
            return Err(Outcome::Stale);
        }
        if log.is_attempted(generation).map_err(|e| store_failed(&e))? {
            self.state().attempted = Some(generation); // by another process: no call is paid for
            return Err(Outcome::AlreadyAttempted { generation });
        }
        let previous = newest(log).map_err(|e| store_failed(&e))?.note;
        let permit = pay(&self.pool).map_err(raced)?;
        self.latch(log, generation, now)?;
        let cap = self.settings.note_cap;
        let block = previous.as_ref().map(|note| Block::of(log.session(), note, cap));
        let (session, request) = (log.session().clone(), NoteRequest::new(cap, block.as_ref()));
        Ok(Attempt { session, generation, request, permit })
    }

    fn latch(&self, log: &Log, generation: Generation, now: Timestamp) -> Result<(), Outcome> {
        let latched = log.latch(generation, now).map_err(|e| store_failed(&e))?;
        self.state().attempted = Some(generation);
        match latched {
            Latched::Latched(_) => Ok(()),
            Latched::Taken => Err(Outcome::AlreadyAttempted { generation }),
        }
    }

    /// Stores what the model answered, or records that there is nothing to store.
    pub fn settle(&self, attempt: Attempt, answer: Answer, now: Timestamp) -> Outcome {
        let is_ours = self.log.as_ref().is_some_and(|log| *log.session() == attempt.session);
        let outcome = if is_ours {
            self.settle_for(attempt.generation, answer, now)
        } else {
            self.came_to(Outcome::OtherSession)
        };
        drop(attempt);
        outcome
    }

    fn settle_for(&self, generation: Generation, answer: Answer, now: Timestamp) -> Outcome {
        self.came_to(match answer {
            Answer::Text(reply) => self.store_reply(&reply, generation, now),
            Answer::Failed(reason) => Outcome::CallFailed { reason },
            Answer::Cancelled => Outcome::Cancelled,
        })
    }

    /// Stores what the model answered to the attempt that an earlier process of this session put on
    /// record; `None` where no attempt of this generation waits for an answer.
    ///
    /// This is for a host that can't wait for the answer itself, as a hook can't: it is called
    /// again with it. Until then the attempt is on record, so nobody else has fired meanwhile.
    pub fn settle_earlier(&self, answer: Answer, now: Timestamp) -> Option<Outcome> {
        let generation = self.state().open.take()?;
        Some(self.settle_for(generation, answer, now))
    }

    fn store_reply(&self, reply: &str, generation: Generation, now: Timestamp) -> Outcome {
        match Reply::read(reply, self.settings.note_cap) {
            Reply::Note(fitted) => self.append(fitted, generation, now),
            Reply::OptedOut => Outcome::OptedOut,
            Reply::TooShort { bytes } => Outcome::TooShort { bytes },
            Reply::TooLong { bytes } => Outcome::TooLong { bytes },
        }
    }

    /// Stores a note that a person or program wrote outright for this session.
    pub fn write(&self, fitted: Fitted, now: Timestamp) -> Outcome {
        let outcome = self.append(fitted, self.generation(), now);
        self.came_to(outcome)
    }

    fn append(&self, fitted: Fitted, generation: Generation, now: Timestamp) -> Outcome {
        let Some(log) = &self.log else { return Outcome::KeepsNone };
        let Fitted { text, cut } = fitted;
        let author = Author::Agent;
        let appended = log.append(&Draft::Note { text, author, cut, generation, created_at: now });
        if appended.is_ok() {
            self.state().attempted = Some(generation);
        }
        match appended {
            Ok(Appended::Stored(seq)) => Outcome::Stored { seq, generation, cut },
            Ok(Appended::Unchanged(_)) => Outcome::Unchanged,
            Err(e) => store_failed(&e),
        }
    }

    /// Stores a note that was made without a model, unless this generation has one already.
    ///
    /// This is for where the gate refused and [allows it](gate::Refusal::allows_salvage), and for
    /// hosts that have no model at hand. It takes no attempt away.
    pub fn salvage(&self, fitted: Fitted, now: Timestamp) -> Outcome {
        let (generation, cut) = (self.generation(), fitted.cut);
        let salvaged = self.log.as_ref().map(|log| log.salvage(fitted, generation, now));
        self.came_to(match salvaged {
            Some(Ok(Salvaged::Stored(seq))) => Outcome::Stored { seq, generation, cut },
            Some(Ok(Salvaged::AlreadyNoted)) => Outcome::AlreadyNoted { generation },
            Some(Err(e)) => store_failed(&e),
            None => Outcome::KeepsNone,
        })
    }

    /// Notes that the history has been rewritten, by a summary or a trim: the next generation
    /// begins, and may fire again.
    ///
    /// # Errors
    ///
    /// The new generation could not be put on record. It counts all the same for this notebook;
    /// only a later process would not know of it.
    pub fn rolled_over(&self, now: Timestamp) -> Result<Generation, Error> {
        let generation = {
            let mut state = self.state();
            state.generation = state.generation.next();
            state.generation
        };
        tracing::debug!(%generation, "rolled over");
        if let Some(log) = &self.log {
            let _ = log.append(&Draft::Rollover { generation, created_at: now })?;
        }
        Ok(generation)
    }

    /// Returns `base` with the newest note in it, read from the log at this moment.
    ///
    /// It never fails: where there is nothing to read, or reading fails, the prompt is `base` byte
    /// for byte, and [`Spliced::trouble`] says why.
    pub fn splice(&self, base: &str) -> Spliced {
        let Some(log) = &self.log else { return Spliced::bare(base) };
        let Newest { note, doubt } = match newest(log) {
            Ok(newest) => newest,
            Err(e) => return Spliced { trouble: Some(e), ..Spliced::bare(base) },
        };
        let block = note.as_ref().map(|n| Block::of(log.session(), n, self.settings.note_cap));
        let prompt = prompt::splice(base, block.as_ref());
        Spliced { prompt, note, doubt, trouble: None }
    }

    fn came_to(&self, outcome: Outcome) -> Outcome {
        tracing::debug!(outcome = outcome.as_str(), figures = ?outcome, "note");
        self.state().tally.came_to(outcome.as_str());
        outcome
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn newest(log: &Log) -> Result<Newest, Error> {
    match log.newest() {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Newest::default()),
        read => read,
    }
}

fn store_failed(error: &Error) -> Outcome {
    Outcome::StoreFailed { kind: error.kind(), reason: error.with_causes() }
}

fn raced(BudgetRaced { remaining, reserve, cost }: BudgetRaced) -> Outcome {
    Outcome::BudgetRaced { remaining, reserve, cost }
}
