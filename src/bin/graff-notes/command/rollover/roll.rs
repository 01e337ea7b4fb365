//! Measuring, deciding, and getting the note.

use camino::Utf8PathBuf;
use graff_notes::{
    gate::{Outcome, Verdict},
    host::transcript::Transcript,
    note::{Fitted, NoteCap},
    notebook::{self, Notebook},
    prompt::NoteRequest,
    session::SessionName,
    store::Store,
};

use super::{Rollover, model::Model};
use crate::{
    command::{account::Account, note_turn},
    context::{Context, now},
    failure::Failure,
    note_from::NoteFrom,
    signals::Held,
    splicing::Source,
    transcript,
};

/// What a rollover came to.
pub(super) struct Rolled {
    pub(super) path: Utf8PathBuf,
    pub(super) session: String,
    pub(super) transcript: Transcript,
    pub(super) account: Account,
    /// What became of the note; `None` where none was due, or to be had.
    pub(super) outcome: Option<Outcome>,
    /// What goes into the prompt; `None` where the session's name can't be stored under.
    pub(super) source: Option<Source>,
}

impl Rollover {
    pub(super) fn roll(&self, cx: &Context, held: &Held) -> Result<Rolled, Failure> {
        let cap = self.turn.cap()?;
        let model = Model::of(self)?;
        let transcript = transcript::read(&self.turn.transcript)?;
        let session = self.turn.name(&transcript);
        let store = cx.store()?;
        let notebook = self.turn.notebook(cx, &store, &session, &transcript)?;
        let situation = self.turn.situation(&notebook, &transcript)?;
        let verdict = notebook.decide(&situation);
        let reading = transcript.reading(situation.window);
        let author = self.note_from.author();
        let account = Account::of(&self.turn.figures, reading, situation, &verdict, author)?;
        let outcome = if account.handoff.is_due() {
            let mechanical = transcript.facts.mechanical_note(cap);
            let model = model.told(&verdict, &self.turn.transcript, &transcript)?;
            self.note(
                &notebook,
                verdict,
                mechanical,
                |request| model.ask(&session, request, held),
                held,
            )
        } else {
            None
        };
        self.record(cx, &notebook);
        let source = source(cx, &store, &session, cap)?;
        let path = self.turn.transcript.clone();
        Ok(Rolled { path, session, transcript, account, outcome, source })
    }

    /// Gets the note that is due, from where it comes, and stores it.
    fn note(
        &self,
        notebook: &Notebook,
        verdict: Verdict,
        mechanical: Option<Fitted>,
        ask: impl FnOnce(&NoteRequest) -> notebook::Answer,
        held: &Held,
    ) -> Option<Outcome> {
        let salvage = || Some(notebook.salvage(mechanical?, now()));
        let ticket = match (verdict, &self.note_from) {
            _ if held.have_come() => return Some(Outcome::Cancelled),
            (Verdict::Fire(_), NoteFrom::Mechanical) => return salvage(),
            (Verdict::Fire(ticket), _) => ticket,
            (Verdict::Refuse(refusal), _) if refusal.allows_salvage() => return salvage(),
            (Verdict::Refuse(_), _) => return None,
        };
        Some(note_turn::fired(notebook, ticket, ask))
    }

    fn record(&self, cx: &Context, notebook: &Notebook) {
        if self.rolled_over
            && let Err(e) = notebook.rolled_over(now())
        {
            cx.notices.warn(format_args!("could not {}", e.with_causes()));
        }
    }
}

/// Returns what goes into the prompt, where the session can be kept anything for.
fn source(
    cx: &Context,
    store: &Store,
    session: &str,
    cap: NoteCap,
) -> Result<Option<Source>, Failure> {
    match SessionName::parse(session) {
        Ok(name) => Source::read(store, name, cap).map(Some),
        Err(why) => {
            cx.notices.warn(format_args!("keeps no note for {session:?}: {why}"));
            Ok(None)
        }
    }
}
