//! The turn: decide, put the attempt on record, call, store.

use std::time::Duration;

use graff_notes::{
    gate::{Boundary, Outcome, Ticket, Verdict},
    notebook::{Answer, Notebook, Settings, Spent},
    prompt::NoteRequest,
    units::Generation,
};
use serde::Serialize;

use super::Ask;
use crate::{
    context::{Context, now},
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
    let endpoint = Endpoint::new(url, model)
        .map_err(|why| Failure::input(format_args!("ask a model: {why}")))?;
    let transcript = transcript::read(&ask.transcript)?;
    let given = ask.session.as_deref().or(transcript.session.as_deref());
    let session = given.or(ask.transcript.file_stem()).unwrap_or_default();
    let generation = Generation::new(transcript.compactions);
    let settings = Settings { generation, ..Settings::default() };
    let notebook = Notebook::open(&cx.store()?, session, ask.figures.pool(), settings)?;
    let window = ask.figures.window(transcript.window);
    let effective = transcript.reading(window).effective(ask.figures.ratio()?);
    let pending = ask.figures.pending();
    let situation = notebook.situation(Boundary::EndOfTurn, window, effective, pending);
    let (refusal, outcome) = match notebook.decide(&situation) {
        Verdict::Refuse(refusal) => (Some(refusal), None),
        Verdict::Fire(ticket) => {
            let history = History::read(&ask.transcript, transcript.form)?;
            let patience = Duration::from_secs(ask.timeout);
            (
                None,
                Some(fired(&notebook, ticket, |request| {
                    endpoint.answer(&history, request, patience)
                })),
            )
        }
    };
    let generation = situation.generation;
    let word = refusal.as_ref().map(graff_notes::gate::Refusal::as_str);
    let why = refusal.map(|it| it.to_string());
    let answer = Said { session, generation, refusal: word, outcome: outcome.as_ref() };
    heard_or_not(say(cx, &answer, why))?;
    Ok(exit(outcome.as_ref()))
}

/// Spends the ticket's call, if it still can be, and stores what comes back.
fn fired(
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

fn exit(outcome: Option<&Outcome>) -> Exit {
    match outcome {
        None | Some(Outcome::AlreadyAttempted { .. } | Outcome::BudgetRaced { .. }) => {
            Exit::Refused
        }
        Some(Outcome::CallFailed { .. } | Outcome::StoreFailed { .. }) => Exit::Failed,
        Some(_) => Exit::Done,
    }
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
