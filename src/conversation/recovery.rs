//! The way back into a turn whose request the provider refused for its size.

use super::{
    Ended, Rollover, Turn,
    boundary::{read, summary_limit},
    join::weight,
    running::Running,
};
use crate::{
    budget::{Call, Permit},
    notebook::Answer,
    turn::{ContextOverflow, Reseat, Rung, SummaryRequest},
    units::{Bytes, Timestamp},
};

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
        let Ok(permit) = self.running.admit(Call::Compaction) else { return self.give_up() };
        let conversation = &*self.running.conversation;
        let request =
            SummaryRequest::new(&conversation.history, summary_limit(conversation), budget);
        Recovery::Summary(RecoveryStep { rescue: self, permit, request })
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

    /// Takes the reply. A failed one, whatever the reason, leads to the next rung.
    pub fn answered(self, answer: Answer, now: Timestamp) -> Recovery<'c> {
        let Self { rescue, .. } = self;
        match read(answer) {
            Ok(summary) => {
                let mut running = rescue.running;
                let rolled_over = running.install(&summary, Reseat::LivePrompt, now);
                running.recovered(rolled_over);
                Recovery::Recovered(Turn { running })
            }
            Err(Rollover::Cancelled) => Recovery::Ended(rescue.running.cancel()),
            Err(_) => rescue.climb(),
        }
    }
}
