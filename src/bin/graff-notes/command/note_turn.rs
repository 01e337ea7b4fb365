//! The note turn that `ask` and `rollover` have in common: what it takes, and how its one attempt
//! is spent.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::{
    ErrorKind,
    gate::{Boundary, Outcome, Situation, Ticket},
    host::transcript::Transcript,
    note::NoteCap,
    notebook::{Answer, Notebook, Settings, Spent},
    prompt::NoteRequest,
    store::Store,
    units::Generation,
};

use crate::{
    args,
    context::{self, Context, now},
    exit::Exit,
    failure::Failure,
    figures::Figures,
    note_from::PATIENCE_SECONDS_MAX,
};

/// What a note turn is about, and its bounds.
#[derive(Args, Debug)]
pub(super) struct NoteTurn {
    /// Transcript of the agent's session
    #[arg(long, value_name = "FILE")]
    pub(super) transcript: Utf8PathBuf,
    /// Session; without it the transcript's own name for it, else the transcript's file name
    #[arg(long, value_name = "NAME")]
    pub(super) session: Option<String>,
    /// How many times the history has been rewritten, where the transcript doesn't tell
    #[arg(long, value_name = "N", default_value_t = 0, visible_alias = "gen")]
    generation: u64,
    #[command(flatten)]
    pub(super) figures: Figures,
    /// How long a command or an endpoint may take, 1 to 86400
    #[arg(long, value_name = "N", default_value_t = 120, visible_alias = "timeout")]
    note_timeout_seconds: u64,
    /// Most bytes of the note that are kept, 16 to 65536
    #[arg(long, value_name = "N", default_value_t = NoteCap::DEFAULT.get())]
    cap_bytes: usize,
}

impl NoteTurn {
    /// Returns the longest note that is kept.
    pub(super) fn cap(&self) -> Result<NoteCap, Failure> {
        args::cap(self.cap_bytes)
    }

    /// Returns how long a reply is waited for; an error says what that may be.
    pub(super) fn patience(&self) -> Result<Duration, String> {
        match self.note_timeout_seconds {
            seconds @ 1..=PATIENCE_SECONDS_MAX => Ok(Duration::from_secs(seconds)),
            seconds => Err(format!(
                "--note-timeout-seconds is {seconds}, and may be 1 to {PATIENCE_SECONDS_MAX}"
            )),
        }
    }

    /// Returns the session's name: the one given, else the transcript's, else that of its file.
    pub(super) fn name(&self, transcript: &Transcript) -> String {
        let given = self.session.as_deref().or(transcript.session.as_deref());
        given.or(self.transcript.file_stem()).unwrap_or_default().to_owned()
    }

    /// Returns the notebook of a session, in the generation that is given or that the transcript
    /// tells.
    pub(super) fn notebook(
        &self,
        cx: &Context,
        store: &Store,
        session: &str,
        transcript: &Transcript,
    ) -> Result<Notebook, Failure> {
        let given = context::generation(self.generation, &cx.notices)?;
        let generation = given.max(Generation::new(transcript.compactions));
        let settings = Settings { note_cap: self.cap()?, generation, ..Settings::default() };
        Notebook::open(store, session, self.figures.pool(), settings)
            .map_err(|e| Failure::from(e).about(session))
    }

    /// Returns what the gate is told at the end of the turn that the transcript ends with.
    pub(super) fn situation(
        &self,
        notebook: &Notebook,
        transcript: &Transcript,
    ) -> Result<Situation, Failure> {
        let window = self.figures.window(transcript.window);
        let effective = transcript.reading(window).effective(self.figures.ratio()?);
        let pending = self.figures.pending();
        Ok(notebook.situation(Boundary::EndOfTurn, window, effective, pending))
    }
}

/// Spends the ticket's call, if it still can be, and stores what comes back.
pub(super) fn fired(
    notebook: &Notebook,
    ticket: Ticket,
    call: impl FnOnce(&NoteRequest) -> Answer,
) -> Outcome {
    match notebook.spend(ticket, now()) {
        Spent::Left(outcome) => outcome,
        Spent::Ask(attempt) => {
            let answer = call(attempt.request());
            notebook.settle(attempt, answer, now())
        }
    }
}

/// Returns the status that tells whoever wanted a note what became of it.
pub(super) const fn exit(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::AlreadyAttempted { .. } | Outcome::BudgetRaced { .. } => Exit::Refused,
        Outcome::StoreFailed { kind: ErrorKind::Busy, .. } => Exit::Busy,
        Outcome::CallFailed { .. } | Outcome::StoreFailed { .. } => Exit::Failed,
        Outcome::Stored { .. }
        | Outcome::Unchanged
        | Outcome::OptedOut
        | Outcome::TooShort { .. }
        | Outcome::TooLong { .. }
        | Outcome::Cancelled
        | Outcome::AlreadyNoted { .. }
        | Outcome::Stale
        | Outcome::OtherSession
        | Outcome::KeepsNone => Exit::Done,
    }
}
