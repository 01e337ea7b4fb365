//! The end of a turn: acceptance closes, and a history that went over its threshold rolls over.

use super::{Ended, Missing, Rollover, SummaryFailure, join::Conversation, running::Running};
use crate::{
    budget::{Call, Permit},
    notebook::{Answer, Attempt},
    prompt::NoteRequest,
    turn::{Item, Ladder, Reseat, StopReason, Summary, SummaryLimit, SummaryRequest},
    units::{Bytes, Calls, Timestamp, Tokens},
    usage::Reading,
};

/// The most bytes of a history that are taken to make one token of a summary request, whatever the
/// last request's usage says: images weigh more bytes than tokens, and are not quoted.
///
/// Source: a rule of thumb for English text and code.
const QUOTED_BYTES_PER_TOKEN_MAX: u64 = 4;

/// What a summary costs.
const SUMMARY_COST: Calls = Calls::new(1);

/// A turn that has had its last response.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct Finished<'c> {
    pub(super) running: Running<'c>,
    pub(super) stop: StopReason,
}

/// What is to be done at the end of a turn.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub enum Boundary<'c> {
    /// The agent is to be asked for its note.
    Note(NoteStep<'c>),
    /// The summary is to be asked for.
    Summary(SummaryStep<'c>),
    /// Nothing: the turn has ended.
    Ended(Ended),
}

/// A note that is asked for, and whose reply is awaited.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct NoteStep<'c> {
    running: Running<'c>,
    stop: StopReason,
    attempt: Attempt,
    /// The summary's permit, which was taken with the note's.
    summary: Option<Permit>,
}

/// A summary that is asked for, and whose reply is awaited.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct SummaryStep<'c> {
    running: Running<'c>,
    stop: StopReason,
    permit: Permit,
    request: SummaryRequest,
    /// The first reply, where this asks once more.
    first: Option<Summary>,
}

impl<'c> Finished<'c> {
    /// Returns why the turn ends.
    #[must_use]
    pub const fn stop(&self) -> StopReason {
        self.stop
    }

    /// Accepts no more steers, carries over what was accepted and not shown, and asks whether the
    /// history is to be handed off.
    pub fn close(self, now: Timestamp) -> Boundary<'c> {
        let Self { mut running, stop } = self;
        running.conversation.steers.close();
        if let Err(rollover) = may_roll_over(running.conversation, stop) {
            return Boundary::Ended(running.end(stop, rollover));
        }
        running.conversation.handoffs.attempted();
        let (attempt, summary) = running.attempt_note(now);
        match attempt {
            Some(attempt) => Boundary::Note(NoteStep { running, stop, attempt, summary }),
            None => SummaryStep::begin(running, stop, summary),
        }
    }
}

/// Whether the history is to be handed off now, or what stands against it.
fn may_roll_over(conversation: &Conversation, stop: StopReason) -> Result<(), Rollover> {
    if !stop.permits_handoff() {
        return Err(Rollover::NotPermitted);
    }
    let due = conversation.check(conversation.reading());
    if !due.is_due() {
        return Err(Rollover::NotDue(due));
    }
    match conversation.handoffs.withheld() {
        Some(why) => Err(Rollover::Withheld { why, due }),
        None => Ok(()),
    }
}

impl<'c> NoteStep<'c> {
    /// Returns the history, which the request is made after.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        self.running.conversation.history.items()
    }

    /// Returns what to ask, as the last message after the history.
    #[must_use]
    pub const fn request(&self) -> &NoteRequest {
        self.attempt.request()
    }

    /// Returns the permit of the call.
    pub const fn permit(&self) -> &Permit {
        self.attempt.permit()
    }

    /// Returns the system prompt to send with it: the one that the turn's last request had, so that
    /// the provider's cache serves the history once more. Where this process has made no request
    /// yet, it is `base` with the newest note in it.
    #[must_use]
    pub fn system(&self, base: &str) -> String {
        let Conversation { last, notebook, .. } = &*self.running.conversation;
        match last {
            Some(sent) => sent.system.clone(),
            None => notebook.splice(base).prompt,
        }
    }

    /// Takes the reply; the summary comes next, whatever it was, unless the turn was cancelled.
    pub fn answered(self, answer: Answer, now: Timestamp) -> Boundary<'c> {
        let Self { mut running, stop, attempt, summary } = self;
        let cancelled = answer == Answer::Cancelled;
        let outcome = running.conversation.notebook.settle(attempt, answer, now);
        running.noted(outcome);
        if cancelled {
            return Boundary::Ended(running.end(stop, Rollover::Cancelled));
        }
        SummaryStep::begin(running, stop, summary)
    }
}

impl<'c> SummaryStep<'c> {
    fn begin(running: Running<'c>, stop: StopReason, paid: Option<Permit>) -> Boundary<'c> {
        let conversation = &*running.conversation;
        let limit = SummaryLimit::of(conversation.settings.window, conversation.settings.reasoning);
        let budget = room_beside(limit, conversation);
        // Made before it is paid for: a request that would quote nothing costs no call.
        let request = SummaryRequest::new(&conversation.history, limit, budget);
        if request.quotes_nothing() {
            return Self::fail(running, stop, SummaryFailure::NoRoom { budget });
        }
        match paid.map_or_else(|| running.admit(Call::Compaction), Ok) {
            Ok(permit) => Boundary::Summary(Self { running, stop, permit, request, first: None }),
            Err(refused) => Self::fail(running, stop, SummaryFailure::Unaffordable(refused)),
        }
    }

    fn fail(running: Running<'c>, stop: StopReason, failure: SummaryFailure) -> Boundary<'c> {
        Boundary::Ended(running.end(stop, Rollover::Failed(failure)))
    }

    /// Returns what to ask: a conversation of its own, to the agent's model.
    #[must_use]
    pub const fn request(&self) -> &SummaryRequest {
        &self.request
    }

    /// Returns the permit of the call.
    pub const fn permit(&self) -> &Permit {
        &self.permit
    }

    /// Takes the reply, and replaces the history by it.
    ///
    /// A reply that was stopped by the output limit is a text all the same: what it lacks is named.
    /// A refusal of this request for its size is a failure like any other; it enters no ladder.
    pub fn answered(mut self, answer: Answer, now: Timestamp) -> Boundary<'c> {
        self.permit.release(); // its place is wanted for the second request
        let summary = match (read(answer), self.first.take()) {
            (Ok(summary), None) => match self.spare_call(&summary) {
                Some(permit) => return self.ask_again(permit, summary),
                None => Ok(summary),
            },
            (Ok(second), Some(first)) => Ok(fuller(first, second)),
            (Err(Rollover::Failed(_)), Some(first)) => Ok(first),
            (read, _) => read,
        };
        let rollover = summary.map_or_else(
            |rollover| rollover,
            |summary| Rollover::Performed(self.running.install(&summary, Reseat::None, now)),
        );
        Boundary::Ended(self.running.end(self.stop, rollover))
    }

    /// Takes a call to ask once more, where headings are missing, the host minds, and the call can
    /// be spared on top of the reserve: it is no liability that anybody has reckoned with.
    fn spare_call(&self, summary: &Summary) -> Option<Permit> {
        let Conversation { notebook, settings, .. } = &*self.running.conversation;
        let pool = notebook.pool();
        let wanted = settings.missing_headings == Missing::AskedForOnce
            && !summary.missing().is_empty()
            && pool.ledger().fits(pool.remaining(), SUMMARY_COST);
        if wanted { self.running.admit(Call::Compaction).ok() } else { None }
    }

    fn ask_again(self, permit: Permit, first: Summary) -> Boundary<'c> {
        let request = self.request.clone().again(first.missing());
        Boundary::Summary(Self { permit, request, first: Some(first), ..self })
    }
}

/// Returns the summary that an answer is, or what comes of there being none.
pub(super) fn read(answer: Answer) -> Result<Summary, Rollover> {
    match answer {
        Answer::Text(reply) => Summary::read(&reply).map_err(SummaryFailure::Refused),
        Answer::Failed(reason) => Err(SummaryFailure::CallFailed { reason }),
        Answer::Cancelled => return Err(Rollover::Cancelled),
    }
    .map_err(Rollover::Failed)
}

/// Returns the summary that lacks fewer headings, the first where both lack as many.
fn fuller(first: Summary, second: Summary) -> Summary {
    if second.missing().len() < first.missing().len() { second } else { first }
}

/// Returns what a summary request may take so that it fits into the window beside its reply; all it
/// wants where the window is unknown. In a window so small that the instruction fills it, the
/// request is given what it takes to quote anything: the provider may refuse it, which costs a
/// call, while a summary of nothing would cost the history.
///
/// What a token of this history takes in bytes is what the last request's usage says of what that
/// request held, or else what the host has set.
fn room_beside(limit: SummaryLimit, conversation: &Conversation) -> Bytes {
    let window = conversation.settings.window;
    if window == Tokens::ZERO {
        return Bytes::MAX;
    }
    let set = conversation.settings.bytes_per_token.get();
    let ratio = match (conversation.reading(), &conversation.last) {
        (Reading::Measured { tokens }, Some(request)) => {
            let measured = request.weight.get() / tokens.get().max(1);
            set.max(measured.min(QUOTED_BYTES_PER_TOKEN_MAX))
        }
        _ => set,
    };
    let room = window.saturating_sub(limit.tokens());
    Bytes::new(room.get().saturating_mul(ratio)).max(Ladder::BUDGET_MIN)
}
