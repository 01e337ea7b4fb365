//! A request that is under way, and what its response leads to.

use std::fmt;

use super::{
    Ended, Finished, Recovery, Turn,
    join::{Sent, weight},
    running::Running,
};
use crate::{
    budget::Permit,
    facts::Facts,
    notebook::{Answer, Spliced},
    threshold::Handoff,
    turn::{
        ContextOverflow, Cut, HistoryRefused, Item, ResponseStop, Standing, ToolCall, ToolResult,
    },
    units::Timestamp,
    usage::{Filled, Report, Request, Unusable},
};

/// A request to the model that is under way: what to send, and the right to say what came of it.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct Asked<'c> {
    running: Running<'c>,
    permit: Permit,
    reading: Request,
    spliced: Spliced,
    cut: Option<Cut>,
}

/// What the model answered to a request of the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The visible text; empty where there is none.
    pub text: String,
    /// The tools that it calls.
    pub calls: Vec<ToolCall>,
    /// Why it stopped. Tools are run for a response that ended by itself, and for no other: a call
    /// that was cut short is not the one that the model meant.
    pub stop: ResponseStop,
    /// The usage that came with this very response.
    pub usage: Result<Report, Unusable>,
}

/// What a response leads to.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub enum Answered<'c> {
    /// Tools are to be run.
    Tools(ToolRound<'c>),
    /// The model had finished, and the user has said something meanwhile: it is asked again.
    Steered(Turn<'c>),
    /// That was the last response.
    Finished(Finished<'c>),
}

/// A response's tool calls, whose results are awaited.
#[derive(Debug)]
#[must_use = "a turn that is dropped is a cancelled one"]
pub struct ToolRound<'c> {
    running: Running<'c>,
    calls: Vec<ToolCall>,
}

/// Results that do not answer the calls; the round is as it was.
#[derive(Debug)]
pub struct Unfit<'c> {
    /// What does not fit.
    pub refused: HistoryRefused,
    /// The results.
    pub results: Vec<ToolResult>,
    /// The round.
    pub round: ToolRound<'c>,
}

impl<'c> Asked<'c> {
    pub(super) fn new(running: Running<'c>, permit: Permit, base: &str, cut: Option<Cut>) -> Self {
        let notebook = &running.conversation.notebook;
        let spliced = notebook.splice(base);
        let reading = running.conversation.meter.begin(notebook.generation());
        let weight = weight(running.conversation.history.items());
        running.conversation.last = Some(Sent { system: spliced.prompt.clone(), weight });
        Self { running, permit, reading, spliced, cut }
    }

    /// Returns the system prompt to send: the newest note is in it.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.spliced.prompt
    }

    /// Returns how the note came into the system prompt, or why it did not.
    pub const fn spliced(&self) -> &Spliced {
        &self.spliced
    }

    /// Returns the history to send.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        self.running.conversation.history.items()
    }

    /// Returns the permit of the call.
    pub const fn permit(&self) -> &Permit {
        &self.permit
    }

    /// Returns what was cut off the history for its cap just now.
    #[must_use]
    pub const fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Takes the response.
    pub fn answered(self, response: Response) -> Answered<'c> {
        let Self { mut running, reading, .. } = self;
        let Response { text, calls, stop, usage } = response;
        running.read(reading, usage);
        running.responses = running.responses.saturating_add(1);
        running.conversation.facts.set_statement(&text);
        running.conversation.history.answer(text, calls.clone());
        let steered = running.conversation.steers.waiting() > 0;
        match stop {
            ResponseStop::EndTurn if !calls.is_empty() => {
                Answered::Tools(ToolRound { running, calls })
            }
            ResponseStop::EndTurn | ResponseStop::OutputLimit | ResponseStop::Refusal
                if steered =>
            {
                Answered::Steered(Turn { running })
            }
            stop => Answered::Finished(Finished { running, stop: stop.into() }),
        }
    }

    /// Takes the provider's refusal of this request for its size.
    pub fn overflowed(self, overflow: ContextOverflow, now: Timestamp) -> Recovery<'c> {
        let Self { running, permit, .. } = self;
        drop(permit); // its place is wanted for the summary
        Recovery::begin(running, overflow, now)
    }

    /// Ends the turn, since the request failed; `error` is in the provider's or the host's words.
    pub fn failed(self, error: impl Into<String>) -> Ended {
        self.running.fail(error.into())
    }

    /// Ends the turn while the request is under way.
    pub fn cancelled(self) -> Ended {
        self.running.cancel()
    }
}

impl Response {
    /// Returns what this response is as the reply to the request for a note: the output limit must
    /// not have stopped it, since the note's end says what is to be done next.
    #[must_use]
    pub fn into_note(self) -> Answer {
        match self.stop {
            ResponseStop::OutputLimit => Answer::Failed("it reached its output limit".to_owned()),
            _ => self.into_summary(),
        }
    }

    /// Returns what this response is as the reply to the request for a summary: one that was
    /// stopped by its output limit is a text all the same, since what it lacks can be named, and a
    /// refusal is none, whatever its words.
    #[must_use]
    pub fn into_summary(self) -> Answer {
        match self.stop {
            ResponseStop::Cancelled => Answer::Cancelled,
            ResponseStop::Refusal => Answer::Failed("the model refused".to_owned()),
            _ if !self.calls.is_empty() => Answer::Failed("the model called a tool".to_owned()),
            ResponseStop::EndTurn | ResponseStop::OutputLimit => Answer::Text(self.text),
        }
    }
}

impl Running<'_> {
    /// Fills the meter from the response to its request, and tells the guard against handoffs to
    /// no avail how that stands.
    fn read(&mut self, reading: Request, usage: Result<Report, Unusable>) {
        let conversation = &mut *self.conversation;
        let window = conversation.settings.window;
        let filled = conversation.meter.fill(reading, usage, window);
        tracing::debug!(?filled, "usage");
        if let Filled::Measured { .. } = filled {
            let standing = match conversation.check(conversation.reading()) {
                Handoff::Due(_) => Standing::AtOrOver,
                Handoff::NotDue(_) | Handoff::Disabled => Standing::Below,
            };
            conversation.handoffs.measured(standing);
        }
    }
}

impl<'c> ToolRound<'c> {
    /// Returns the calls, in the model's order.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    /// Returns what a mechanical note would be made of, for the host to add to.
    pub const fn facts(&mut self) -> &mut Facts {
        &mut self.running.conversation.facts
    }

    /// Takes the results, one for each call, and goes on with the turn.
    ///
    /// # Errors
    ///
    /// Refuses a result without a call and a call without a result, and hands round and results
    /// back.
    pub fn results(self, results: Vec<ToolResult>) -> Result<Turn<'c>, Unfit<'c>> {
        let history = &mut self.running.conversation.history;
        match history.answers_all(&results) {
            Ok(()) => {
                history.push_results(results);
                Ok(Turn { running: self.running })
            }
            Err(refused) => Err(Unfit { refused, results, round: self }),
        }
    }

    /// Ends the turn, since a tool failed in a way that the model cannot be told of.
    pub fn failed(self, error: impl Into<String>) -> Ended {
        self.running.fail(error.into())
    }

    /// Ends the turn while tools run.
    pub fn cancelled(self) -> Ended {
        self.running.cancel()
    }
}

impl fmt::Display for Unfit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refused.fmt(f)
    }
}

impl std::error::Error for Unfit<'_> {}
