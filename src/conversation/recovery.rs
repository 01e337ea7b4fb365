//! The way back into a turn whose request the provider refused for its size.

use super::{
    Ended, RolledOver, Rollover, Settings, Turn, Why, boundary::read, join::weight,
    running::Running,
};
use crate::{
    budget::{Call, Permit},
    notebook::Answer,
    turn::{ContextOverflow, Reseat, Rung, Summary, SummaryLimit, SummaryRequest},
    units::{Bytes, Timestamp, Tokens},
};

/// A provider that names a smaller window than this is taken to have been misread, in tokens.
const NAMED_WINDOW_MIN: Tokens = Tokens::new(1_000);

/// What is to be done after a refusal for size.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub enum Recovery<'c> {
    /// A summary is to be asked for, of the next smaller size.
    Summary(RecoveryStep<'c>),
    /// The history was replaced: the turn goes on with its prompt seated again, and with the round
    /// of the refused request given back.
    Recovered(Turn<'c>),
    /// Nothing is left to try, or the user stopped it. In the first case the turn's error is the
    /// provider's own.
    Ended(Ended),
}

/// A summary that is asked for in the midst of a turn, and whose reply is awaited.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct RecoveryStep<'c> {
    rescue: Rescue<'c>,
    permit: Permit,
    request: SummaryRequest,
}

/// A turn whose history is being rescued.
#[derive(Debug)]
struct Rescue<'c> {
    running: Running<'c>,
    overflow: ContextOverflow,
    /// The weight of the history that was refused.
    refused: Bytes,
}

impl<'c> Recovery<'c> {
    pub(super) fn begin(
        mut running: Running<'c>,
        overflow: ContextOverflow,
        now: Timestamp,
    ) -> Self {
        running.salvage_note(now);
        let refused = weight(running.conversation.history.items());
        Rescue { running, overflow, refused }.climb()
    }
}

impl<'c> Rescue<'c> {
    /// Tries the next rung, or gives the provider's own error back.
    fn climb(mut self) -> Recovery<'c> {
        let rung = self.running.ladder.climb(self.refused);
        tracing::debug!(refused = %self.refused, ?rung, "overflow ladder");
        let Rung::Try { budget } = rung else { return self.give_up() };
        let history = &self.running.conversation.history;
        let request = SummaryRequest::new(history, self.limit(budget), budget);
        if request.quotes_nothing() {
            return self.give_up();
        }
        match self.running.admit(Call::Compaction) {
            Ok(permit) => Recovery::Summary(RecoveryStep { rescue: self, permit, request }),
            Err(refused) => {
                self.running.unasked(Why::NotAdmitted(refused));
                self.give_up()
            }
        }
    }

    /// The window that the host believes in is what the provider has contradicted: where it named
    /// its own, that counts, and the reply takes no more than the request in any case.
    fn limit(&self, budget: Bytes) -> SummaryLimit {
        let Settings { window, reasoning, .. } = self.running.conversation.settings;
        let named = self.overflow.figures().limit.filter(|limit| *limit >= NAMED_WINDOW_MIN);
        let known = [window, named.unwrap_or_default()].into_iter().filter(|w| *w != Tokens::ZERO);
        SummaryLimit::of(known.min().unwrap_or_default(), reasoning).beside(budget)
    }

    /// Returns the history's successor, if it is any smaller: else it would be refused as well.
    fn install(&mut self, summary: &Summary, now: Timestamp) -> Option<RolledOver> {
        let history = &self.running.conversation.history;
        let weighs = weight(&history.replaced(summary, Reseat::LivePrompt));
        tracing::debug!(refused = %self.refused, %weighs, "recovery");
        (weighs < self.refused).then(|| self.running.install(summary, Reseat::LivePrompt, now))
    }

    fn give_up(self) -> Recovery<'c> {
        Recovery::Ended(self.running.fail(self.overflow.body().to_owned()))
    }
}

impl<'c> RecoveryStep<'c> {
    /// Returns what to ask: a conversation of its own, to the agent's model.
    #[must_use]
    pub const fn request(&self) -> &SummaryRequest {
        &self.request
    }

    /// Returns the permit of the call.
    pub const fn permit(&self) -> &Permit {
        &self.permit
    }

    /// Takes the reply. A failed one, whatever the reason, leads to the next rung, and so does a
    /// summary with which the history would be no smaller.
    pub fn answered(self, answer: Answer, now: Timestamp) -> Recovery<'c> {
        let Self { mut rescue, permit, .. } = self;
        drop(permit); // its place is wanted for the next rung
        let summary = match read(answer) {
            Ok(summary) => summary,
            Err(Rollover::Cancelled) => return Recovery::Ended(rescue.running.cancel()),
            Err(_) => return rescue.climb(),
        };
        let Some(rolled_over) = rescue.install(&summary, now) else { return rescue.climb() };
        let mut running = rescue.running;
        running.recovered(rolled_over);
        Recovery::Recovered(Turn { running })
    }
}
