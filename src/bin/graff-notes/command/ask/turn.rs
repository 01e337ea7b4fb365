//! The turn: decide, put the attempt on record, call, store.

use std::time::Duration;

use graff_notes::{
    gate::{Boundary, Outcome, Verdict},
    notebook::{Notebook, Settings, Spent},
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
struct Answer<'a> {
    session: &'a str,
    generation: Generation,
    /// Why the gate refuses; null where it fires.
    refusal: Option<&'static str>,
    outcome: Option<&'a Outcome>,
}

pub(super) fn run(ask: &Ask, cx: &mut Context) -> Result<Exit, Stop> {
    let url = ask.named(ask.endpoint.as_ref(), "endpoint")?;
    let model = ask.named(ask.model.as_ref(), "model")?;
    let endpoint =
        Endpoint::new(url, model).map_err(|why| Failure::input(format_args!("ask: {why}")))?;
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
            let outcome = match notebook.spend(ticket, now()) {
                Spent::Left(outcome) => outcome,
                Spent::Ask(attempt) => {
                    let patience = Duration::from_secs(ask.timeout);
                    let answer = endpoint.answer(&history, attempt.request(), patience);
                    notebook.settle(attempt, answer, now())
                }
            };
            (None, Some(outcome))
        }
    };
    let generation = situation.generation;
    let word = refusal.as_ref().map(graff_notes::gate::Refusal::as_str);
    let why = refusal.map(|it| it.to_string());
    let answer = Answer { session, generation, refusal: word, outcome: outcome.as_ref() };
    heard_or_not(say(cx, &answer, why))?;
    Ok(match outcome {
        None | Some(Outcome::AlreadyAttempted { .. } | Outcome::BudgetRaced { .. }) => {
            Exit::Refused
        }
        Some(Outcome::CallFailed { .. } | Outcome::StoreFailed { .. }) => Exit::Failed,
        Some(_) => Exit::Done,
    })
}

fn say(cx: &mut Context, answer: &Answer<'_>, why: Option<String>) -> Result<(), Stop> {
    if cx.out.form() == Form::Json {
        return cx.out.json(answer);
    }
    let word = answer.refusal.or(answer.outcome.map(Outcome::as_str)).unwrap_or_default();
    let words = why.or(answer.outcome.map(Outcome::to_string)).unwrap_or_default();
    let mut table = Table::of(&[]);
    table.row(&mut cx.out, vec![Cell::strong(word), Cell::text(words)])?;
    table.end(&mut cx.out)
}
