//! The turn that runs, as all its steps share it.

use std::mem;

use super::{
    Conversation, Ended, Rollover, Why,
    ended::{Noted, RolledOver},
};
use crate::{
    budget::{AdmissionRefused, Call, Permit},
    error::Error,
    gate::{Boundary, Outcome, Provider, Refusal, Verdict},
    notebook::{Attempt, Spent},
    turn::{Ladder, Milestone, Reseat, StopReason, Summary},
    units::{Calls, Timestamp},
};

/// The summary call, which follows the note and is paid from the same pool.
const PENDING_SUMMARY: Calls = Calls::new(1);

/// The turn that runs. When it goes, the conversation is at rest again, however that came about.
#[derive(Debug)]
pub(super) struct Running<'c> {
    pub(super) conversation: &'c mut Conversation,
    /// How many requests count as rounds.
    pub(super) rounds: u64,
    /// How many responses came.
    pub(super) responses: u64,
    pub(super) ladder: Ladder,
    report: Box<Report>,
}

/// What is told at the end.
#[derive(Debug, Default)]
struct Report {
    unasked: Option<Why>,
    note: Option<Noted>,
    recovered: Vec<RolledOver>,
    milestone: Option<Milestone>,
    troubles: Vec<Error>,
}

impl<'c> Running<'c> {
    pub(super) fn new(conversation: &'c mut Conversation) -> Self {
        let (rounds, responses) = (0, 0);
        Self { conversation, rounds, responses, ladder: Ladder::new(), report: Box::default() }
    }

    /// Ends the turn.
    pub(super) fn end(mut self, stop: StopReason, rollover: Rollover) -> Ended {
        let carried = self.conversation.halt();
        let Report { unasked, note, recovered, milestone, troubles } = mem::take(&mut *self.report);
        tracing::debug!(stop = stop.as_str(), ?rollover, carried, "turn ended");
        let error = None;
        Ended { stop, error, unasked, rollover, note, recovered, milestone, carried, troubles }
    }

    /// Ends a turn of which a request failed, with the provider's own words.
    pub(super) fn fail(self, error: String) -> Ended {
        Ended { error: Some(error), ..self.end(StopReason::Failed, Rollover::NotPermitted) }
    }

    /// Ends a turn that was cancelled before its last response.
    pub(super) fn cancel(self) -> Ended {
        self.end(StopReason::Cancelled, Rollover::NotPermitted)
    }

    /// Takes the permit of one call: a worker's requests are counted as such.
    pub(super) fn admit(&self, call: Call) -> Result<Permit, AdmissionRefused> {
        let notebook = &self.conversation.notebook;
        let call = match (call, notebook.settings().depth) {
            (Call::Root, 1..) => Call::Child,
            (call, _) => call,
        };
        notebook.pool().admit(notebook.settings().depth, call)
    }

    /// Keeps for the report why a call that was wanted is not made.
    pub(super) fn unasked(&mut self, why: Why) {
        self.report.unasked = Some(why);
    }

    /// Asks the note gate at the end of a turn, and puts the attempt on record where it fires;
    /// returns the summary's permit as well, where it was taken together with the note's.
    pub(super) fn attempt_note(&mut self, now: Timestamp) -> (Option<Attempt>, Option<Permit>) {
        let ticket = match self.decide(Boundary::EndOfTurn) {
            Verdict::Fire(ticket) => ticket,
            Verdict::Refuse(refusal) => {
                self.salvage(refusal, now);
                return (None, None);
            }
        };
        let (spent, summary) = self.conversation.notebook.spend_with_summary(ticket, now);
        match spent {
            Spent::Ask(attempt) => (Some(attempt), summary),
            Spent::Left(outcome) => {
                self.noted(outcome);
                (None, summary)
            }
        }
    }

    /// Asks the note gate after a refusal for size, which never fires then, for what it leaves to
    /// salvage.
    pub(super) fn salvage_note(&mut self, now: Timestamp) {
        if let Verdict::Refuse(refusal) = self.decide(Boundary::MidTurn) {
            self.salvage(refusal, now);
        }
    }

    /// Keeps what became of the note for the report.
    pub(super) fn noted(&mut self, outcome: Outcome) {
        self.report.note = Some(Noted::Fired(outcome));
    }

    fn decide(&self, boundary: Boundary) -> Verdict {
        let Conversation { notebook, settings, .. } = &*self.conversation;
        let effective = self.conversation.reading().effective(settings.bytes_per_token);
        let mut situation =
            notebook.situation(boundary, settings.window, effective, PENDING_SUMMARY);
        if boundary == Boundary::MidTurn || self.ladder.attempts() > 0 {
            situation.provider = Provider::Rejected;
        }
        notebook.decide(&situation)
    }

    /// Where the gate refuses for want of calls or room, a mechanical note is made of what the host
    /// knows, unless this generation has a note.
    fn salvage(&mut self, refusal: Refusal, now: Timestamp) {
        let Conversation { notebook, facts, .. } = &*self.conversation;
        let note = facts.mechanical_note(notebook.settings().note_cap);
        let allowed = note.filter(|_| refusal.allows_salvage());
        let salvaged = allowed.map(|note| notebook.salvage(note, now));
        self.report.note = Some(Noted::Refused { refusal, salvaged });
    }

    /// Replaces the history by its summary: the next generation begins, and nothing that was
    /// measured holds any more.
    pub(super) fn install(
        &mut self,
        summary: &Summary,
        reseat: Reseat,
        now: Timestamp,
    ) -> RolledOver {
        let conversation = &mut *self.conversation;
        conversation.history.install(summary, reseat);
        conversation.meter.clear();
        self.report.milestone = self.report.milestone.or(conversation.handoffs.performed());
        self.next_generation(now);
        RolledOver {
            generation: self.conversation.notebook.generation(),
            missing: summary.missing().to_vec(),
        }
    }

    pub(super) fn next_generation(&mut self, now: Timestamp) {
        if let Err(trouble) = self.conversation.notebook.rolled_over(now) {
            self.report.troubles.push(trouble);
        }
    }

    /// Gives the round of the refused request back.
    pub(super) fn recovered(&mut self, rolled_over: RolledOver) {
        self.rounds = self.rounds.saturating_sub(1);
        self.report.recovered.push(rolled_over);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.conversation.halt();
    }
}
