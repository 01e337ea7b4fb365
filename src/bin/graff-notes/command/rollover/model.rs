//! Who is asked for the note, with all that can be known before an attempt is on record.

use std::time::Duration;

use camino::Utf8Path;
use graff_notes::{
    gate::Verdict, host::transcript::Transcript, notebook::Answer, prompt::NoteRequest,
};

use super::Rollover;
#[cfg(not(feature = "ask"))]
use crate::{command::ask::HOW_TO_GET_ENDPOINTS, masked};
#[cfg(feature = "ask")]
use crate::{
    endpoint::{Endpoint, History},
    settings,
};
use crate::{
    failure::Failure,
    note_from::{self, Asked, NoteFrom},
    signals::Held,
};

/// Who is asked.
pub(super) struct Model<'r> {
    rollover: &'r Rollover,
    patience: Duration,
    #[cfg(feature = "ask")]
    endpoint: Option<(Endpoint, History)>,
}

impl<'r> Model<'r> {
    /// Returns who is asked; an error says why nobody can be, so that no attempt is spent on it.
    pub(super) fn of(rollover: &'r Rollover) -> Result<Self, Failure> {
        let patience = rollover.turn.patience().map_err(unasked)?;
        #[cfg(not(feature = "ask"))]
        if let NoteFrom::Endpoint(url) = &rollover.note_from {
            let why = format!("{}: this build has no endpoints", masked::url(url));
            return Err(unasked(why).advise(HOW_TO_GET_ENDPOINTS));
        }
        Ok(Self {
            rollover,
            patience,
            #[cfg(feature = "ask")]
            endpoint: endpoint(rollover)?.map(|endpoint| (endpoint, History::default())),
        })
    }

    /// Returns the same with the history that an endpoint is told, where the gate fires.
    #[cfg(feature = "ask")]
    pub(super) fn told(
        self,
        verdict: &Verdict,
        path: &Utf8Path,
        transcript: &Transcript,
    ) -> Result<Self, Failure> {
        let endpoint = match (self.endpoint, verdict) {
            (Some((endpoint, _)), Verdict::Fire(_)) => {
                Some((endpoint, History::read(path, transcript.form)?))
            }
            (endpoint, _) => endpoint,
        };
        Ok(Self { endpoint, ..self })
    }

    #[cfg(not(feature = "ask"))]
    #[expect(clippy::unnecessary_wraps, reason = "with endpoints a history may be too large")]
    pub(super) fn told(self, _: &Verdict, _: &Utf8Path, _: &Transcript) -> Result<Self, Failure> {
        Ok(self)
    }

    /// Asks, and waits for the reply.
    pub(super) fn ask(self, session: &str, request: &NoteRequest, held: &Held) -> Answer {
        #[cfg(feature = "ask")]
        if let Some((endpoint, history)) = self.endpoint {
            return note_from::endpoint(endpoint, history, request, self.patience, held);
        }
        match &self.rollover.note_from {
            NoteFrom::Command(command) => {
                let (transcript, deadline) = (&self.rollover.turn.transcript, self.patience);
                Asked { command, transcript, session, deadline }.answer(request, held)
            }
            _ => note_from::stdin(held),
        }
    }
}

/// Returns the endpoint that is asked, where one is.
#[cfg(feature = "ask")]
fn endpoint(rollover: &Rollover) -> Result<Option<Endpoint>, Failure> {
    let NoteFrom::Endpoint(url) = &rollover.note_from else { return Ok(None) };
    let Some(model) = &rollover.model else {
        let advice = settings::how_to_name("model");
        return Err(unasked("no model at the endpoint is named").advise(advice));
    };
    Endpoint::new(url, model).map(Some).map_err(unasked)
}

/// Returns the failure of a rollover that could ask nobody, before anything was put on record.
fn unasked(why: impl std::fmt::Display) -> Failure {
    Failure::input(format_args!("ask for a note, and put no attempt on record: {why}"))
}
