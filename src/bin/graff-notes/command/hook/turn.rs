//! The end of a turn: asks the agent for its note once, and takes its answer.

use graff_notes::{
    Notebook,
    gate::{Boundary, Refusal, Verdict},
    host::hook::{Answer, Asked, Event, LastInput, State},
    notebook::{self, Settings, Spent},
    units::{Calls, Generation},
};

use super::{
    came::{Came, Idle},
    compaction,
    files::TranscriptFile,
    nonce::nonce,
    splicing,
    visit::Visit,
};
use crate::failure::Failure;

/// Asks the agent for its note, if the last request was large enough and the gate lets it.
///
/// Where the usage is unknown nobody is asked: a guess is no reason to keep a user waiting.
pub(super) fn ask(visit: &Visit<'_>) -> Result<Came, Failure> {
    let Some(request) = visit.last_request()? else { return Ok(Idle::NoTranscript.into()) };
    let window = visit.window(request.window);
    let Ok(used) = request.usage.and_then(|report| report.input(window)) else {
        return Ok(Idle::NoUsage.into());
    };
    if !visit.policy()?.threshold(window).check_measured(used).is_due() {
        return Ok(Idle::FarFromFull { used, window }.into());
    }
    let mut asked = None;
    let generation = generation(visit, |state, _| asked.clone_from(&state.asked))?;
    if asked.is_some_and(|asked| asked.generation == generation) {
        return Ok(Idle::Asked.into());
    }
    let notebook = open(visit, generation)?;
    let situation = notebook.situation(Boundary::EndOfTurn, window, used, Calls::ZERO);
    match notebook.decide(&situation) {
        Verdict::Fire(_) if !visit.writes() => {
            visit.warn(format_args!("would ask: {used} of {window} tokens are used"));
        }
        Verdict::Fire(ticket) => match notebook.spend(ticket, visit.now) {
            Spent::Ask(attempt) => return block(visit, &attempt),
            Spent::Left(outcome) => visit.warn(format_args!("asked for no note: {outcome}")),
        },
        Verdict::Refuse(Refusal::AlreadyAttempted { .. }) => return Ok(Idle::Asked.into()),
        Verdict::Refuse(why) => {
            visit.warn(format_args!("asked for no note: {why}"));
            if why.allows_salvage() {
                compaction::mechanical_note(visit, generation)?;
            }
        }
    }
    Ok(Came::ToSomething)
}

/// Keeps the turn from ending once, with the request as the reason.
fn block(visit: &Visit<'_>, attempt: &notebook::Attempt) -> Result<Came, Failure> {
    let (nonce, generation) = (nonce(), attempt.generation());
    let request = attempt.request().clone().with_nonce(&nonce);
    visit.leave(|state| state.asked = Some(Asked { generation, nonce }))?;
    visit.say(&Answer::Block(request.instruction().to_owned()))
}

/// Stores what the agent answered, if it was asked and its last words answer just that.
pub(super) fn take_reply(visit: &Visit<'_>) -> Result<Came, Failure> {
    let Some(asked) = visit.state().asked else { return Ok(Idle::NotAsked.into()) };
    let Some(file) = visit.transcript()? else { return Ok(Idle::NoTranscript.into()) };
    let Some(found) = reply(visit, &file, &asked.nonce)? else {
        visit.warn("stored no note: what the agent said last answers something else");
        return Ok(Came::ToSomething);
    };
    if visit.writes() {
        store_reply(visit, found, asked.generation)?;
    } else {
        visit.warn("would store the agent's answer");
    }
    Ok(Came::ToSomething)
}

/// Stores an answer as the note of the generation that it was asked for in.
fn store_reply(visit: &Visit<'_>, found: String, generation: Generation) -> Result<(), Failure> {
    let notebook = open(visit, generation)?;
    if notebook.generation() != generation {
        visit.warn("stored no note: the history has been summarised since it was asked for");
        return Ok(());
    }
    if let Some(outcome) = notebook.settle_earlier(notebook::Answer::Text(found), visit.now)
        && !outcome.is_stored()
    {
        visit.warn(format_args!("stored no note: {outcome}"));
    }
    let newest = visit.newest()?.and_then(|newest| newest.note);
    visit.leave(|state| {
        state.asked = None;
        // The agent has what it has just written in its context.
        if let Some(note) = newest.filter(|note| note.generation == generation) {
            state.give(&note, generation);
        }
    })
}

/// Returns the agent's answer, if the request that it was asked with is the last one that was put
/// to it.
fn reply(visit: &Visit<'_>, file: &TranscriptFile, nonce: &str) -> Result<Option<String>, Failure> {
    let answered = file.look_back(|tail| match LastInput::find(tail, visit.call.host, nonce) {
        LastInput::NotSeen => None,
        found => Some(found),
    });
    let answered = answered.map_err(|e| Failure::system("read the transcript", &e))?;
    let Some(LastInput::Ours { reply }) = answered else { return Ok(None) };
    match &visit.call.event {
        Event::TurnEnded { reply: Some(said), .. } => Ok(Some(said.clone())),
        _ => Ok(Some(reply)),
    }
}

fn open(visit: &Visit<'_>, generation: Generation) -> Result<Notebook, Failure> {
    let note_cap = visit.note_cap();
    let settings = Settings { generation, note_cap, ..Settings::default() };
    let name = visit.session().as_str();
    Ok(Notebook::open(&visit.store, name, visit.pool(), settings)?)
}

/// Returns the generation of the history, and leaves word of it with what `change` adds.
///
/// What is counted here the next hook doesn't read again: where it shows that the history has kept
/// the note, that is left word of too.
pub(super) fn generation(
    visit: &Visit<'_>,
    change: impl FnOnce(&mut State, Generation),
) -> Result<Generation, Failure> {
    let newest = visit.found()?.and_then(|newest| newest.note);
    let dated = newest.as_ref().and_then(|note| splicing::dated(visit, note));
    let counted = visit.count(&visit.state(), dated.as_deref())?;
    let greatest = visit.greatest()?;
    let kept = newest.filter(|_| counted.as_ref().is_some_and(|counted| counted.kept));
    let mut generation = Generation::ZERO;
    visit.leave(|state| {
        generation = visit.advance(state, counted, greatest);
        if let Some(note) = kept.filter(|note| state.is_due(note, generation)) {
            state.give(&note, generation);
        }
        change(state, generation);
    })?;
    Ok(generation)
}
