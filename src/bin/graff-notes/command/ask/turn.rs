//! The turn: decide, put the attempt on record, call, store.

use graff_notes::{
    gate::{Outcome, Verdict},
    prompt::NoteRequest,
    units::Generation,
};
use serde::Serialize;

use super::Ask;
use crate::{
    command::note_turn,
    context::Context,
    endpoint::{Endpoint, History},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Cell, Form, Table},
    transcript,
};

#[derive(Serialize)]
struct Said<'a> {
    session: &'a str,
    generation: Generation,
    /// Why the gate refuses; null where it fires.
    refusal: Option<&'static str>,
    outcome: Option<&'a Outcome>,
}

pub(super) fn run(ask: &Ask, cx: &mut Context) -> Result<Exit, Stop> {
    let url = ask.named(ask.endpoint.as_ref(), "endpoint")?;
    let model = ask.named(ask.model.as_ref(), "model")?;
    let refused = |why: String| Failure::input(format_args!("ask a model: {why}"));
    let endpoint = Endpoint::new(url, model).map_err(refused)?;
    let patience = ask.turn.patience().map_err(refused)?;
    let transcript = transcript::read(&ask.turn.transcript)?;
    let session = ask.turn.name(&transcript);
    let notebook = ask.turn.notebook(cx, &cx.store()?, &session, &transcript)?;
    let situation = ask.turn.situation(&notebook, &transcript)?;
    let (refusal, outcome) = match notebook.decide(&situation) {
        Verdict::Refuse(refusal) => (Some(refusal), None),
        Verdict::Fire(ticket) => {
            let history = History::read(&ask.turn.transcript, transcript.form)?;
            let call = |request: &NoteRequest| endpoint.answer(&history, request, patience);
            (None, Some(note_turn::fired(&notebook, ticket, call)))
        }
    };
    let generation = situation.generation;
    let word = refusal.as_ref().map(graff_notes::gate::Refusal::as_str);
    let why = refusal.map(|it| it.to_string());
    let answer = Said { session: &session, generation, refusal: word, outcome: outcome.as_ref() };
    heard_or_not(say(cx, &answer, why))?;
    Ok(outcome.as_ref().map_or(Exit::Refused, note_turn::exit))
}

fn say(cx: &mut Context, answer: &Said<'_>, why: Option<String>) -> Result<(), Stop> {
    if cx.out.form() == Form::Json {
        return cx.out.json(answer);
    }
    let word = answer.refusal.or(answer.outcome.map(Outcome::as_str)).unwrap_or_default();
    let words = why.or(answer.outcome.map(Outcome::to_string)).unwrap_or_default();
    let mut table = Table::of(&[]);
    table.row(&mut cx.out, vec![Cell::strong(word), Cell::text(words)])?;
    table.end(&mut cx.out)
}
